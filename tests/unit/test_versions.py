"""What makes a document a version of another, and what it then changes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from defences.retrieval.versions import (
    baselines,
    changes_from_memory,
    compare,
    is_version,
    mark,
    rewritten,
    says,
)
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus, Span, TenantId
from domain.lifecycle import Edition
from tests.builders import EPOCH

PAGE = (
    "Customers of the Orlan pump may send it back within 30 days of delivery, unused and in its "
    "box. The returns desk answers within two working days and pays the postage of every parcel. "
    "A refund reaches the account within ten days after the parcel has arrived at the depot. "
    "Ask for Dr. Ellen Harrow at the desk. Hoses are not excluded from returns.\n"
)
OTHER = " ".join(f"The lamp number {n} hangs in the hall beside the window." for n in range(20))


def edition(
    name: str = "old",
    *,
    text: str = PAGE,
    logical_id: str | None = None,
    status: DocumentStatus = DocumentStatus.ADMITTED,
    reviewed: bool = False,
    served: bool = True,
    days: float = 0,
) -> Edition:
    return Edition(
        document_id=DocumentId(name),
        logical_id=logical_id,
        version=None,
        received_at=EPOCH + timedelta(days=days),
        status=status,
        reviewed=reviewed,
        served=served,
        mark=mark(DEFAULT_TENANT, text),
    )


@pytest.mark.parametrize(
    ("theirs", "ours", "text", "vouched", "linked"),
    [
        ("a", "a", OTHER, False, True),
        ("a", "a", OTHER, True, True),
        ("a", "b", PAGE, True, False),
        ("a", "b", PAGE, False, True),
        (None, "b", PAGE, True, True),
        ("a", None, PAGE, False, True),
        (None, None, PAGE, False, True),
        (None, None, PAGE.replace("30", "90"), False, True),
        (None, None, OTHER, False, False),
        (None, None, "Too short.", False, False),
        ("a", "a", "Too short.", False, True),
    ],
)
def test_versions_are_linked_by_id_or_by_likeness(
    theirs: str | None, ours: str | None, text: str, vouched: bool, linked: bool
) -> None:
    known = edition(logical_id=theirs)

    found = is_version(known, mark(DEFAULT_TENANT, text), logical_id=ours, ids_are_vouched=vouched)

    assert found is linked


def test_the_reviewed_and_the_serving_version_are_the_baselines() -> None:
    held = edition("held", status=DocumentStatus.QUARANTINED, served=False, days=9)
    serving = edition("serving", days=5)
    replaced = edition("replaced", status=DocumentStatus.SUPERSEDED, days=4)
    reviewed = edition("reviewed", status=DocumentStatus.SUPERSEDED, reviewed=True, days=3)
    older = edition("older", status=DocumentStatus.SUPERSEDED, reviewed=True, days=1)

    found = baselines([held, serving, replaced, reviewed, older])

    assert [one.document_id for one in found] == ["reviewed", "serving"]


def test_where_nothing_serves_the_last_that_did_is_the_baseline() -> None:
    deleted = edition("deleted", status=DocumentStatus.DELETED, days=2)
    older = edition("older", status=DocumentStatus.DELETED, days=1)

    assert [one.document_id for one in baselines([deleted, older])] == ["deleted"]


def test_what_never_served_is_no_baseline() -> None:
    held = edition("held", status=DocumentStatus.QUARANTINED, served=False)

    assert baselines([held]) == ()


EDITS = [
    ("30 days", "90 days", {"figure"}),
    ("two working days", "six working days", {"figure"}),
    ("are not excluded", "are excluded", {"negation"}),
    ("may send it back", "may not send it back", {"negation"}),
    ("Ellen Harrow", "Ellen Mallory", {"name"}),
    ("pays the postage", "covers the postage", set()),
    ("delivery, unused", "delivery,  unused", set()),
    ("every parcel.", "every parcel. The desk is in the hall.", set()),
]


@pytest.mark.parametrize(("old", "new", "kinds"), EDITS)
def test_changes_are_told_by_kind(old: str, new: str, kinds: set[str]) -> None:
    found = compare(PAGE, PAGE.replace(old, new)).changes

    assert {change.kind.value for change in found} == kinds


@pytest.mark.parametrize(("old", "new", "kinds"), EDITS)
def test_a_deleted_version_is_remembered_well_enough(old: str, new: str, kinds: set[str]) -> None:
    kept = mark(DEFAULT_TENANT, PAGE)
    changed = PAGE.replace(old, new)

    found = changes_from_memory(DEFAULT_TENANT, kept.statements, changed)

    if kinds:
        assert found
        assert all(
            new.split(maxsplit=1)[0] in changed[one.span.start : one.span.end] for one in found
        )


def test_the_same_text_changes_nothing_in_memory_either() -> None:
    kept = mark(DEFAULT_TENANT, PAGE)

    assert changes_from_memory(DEFAULT_TENANT, kept.statements, PAGE) == ()
    assert changes_from_memory(DEFAULT_TENANT, kept.statements, PAGE.replace(" ", "  ")) == ()
    assert changes_from_memory(DEFAULT_TENANT, kept.statements, PAGE + "There are 9 of us.") == ()


def test_marks_of_two_tenants_have_no_sentence_in_common() -> None:
    ours, theirs = (mark(tenant, PAGE).statements for tenant in (DEFAULT_TENANT, TenantId("b")))

    assert not {ours[i : i + 8] for i in range(0, len(ours), 8)} & {
        theirs[i : i + 8] for i in range(0, len(theirs), 8)
    }


@pytest.mark.parametrize(
    ("other", "confirmed"),
    [
        ("Customers of the  orlan pump may send it back within 30 days of delivery, unused and in "
         "its box.", True),
        (PAGE, True),
        (PAGE.replace("30", "90"), False),
        ("Customers may send it back within 30 days.", False),
        ("", False),
    ],
)  # fmt: skip
def test_a_witness_says_the_whole_sentence(other: str, confirmed: bool) -> None:
    at = PAGE.index("30")

    assert says(PAGE, Span(at, at + 2), other) is confirmed


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (PAGE, False),
        (PAGE.replace("30", "90"), False),
        (PAGE + "\nThe hall is closed on public holidays.", False),
        (PAGE + "\n" + PAGE.replace("pump", "lamp"), False),
        (OTHER, True),
        ("We are closed.", True),
        ("", True),
    ],
)
def test_a_text_with_little_of_the_old_one_is_rewritten(new: str, expected: bool) -> None:
    earlier = mark(DEFAULT_TENANT, PAGE)

    assert rewritten(earlier, mark(DEFAULT_TENANT, new)) is expected


def test_a_short_text_is_rewritten_if_its_sentences_go() -> None:
    earlier = mark(DEFAULT_TENANT, "The hall opens at eight.")

    assert rewritten(earlier, mark(DEFAULT_TENANT, "The hall is closed."))
    assert not rewritten(earlier, mark(DEFAULT_TENANT, "The hall opens at eight. Come in."))


@pytest.mark.parametrize("more", [OTHER, OTHER * 4], ids=["padded", "padded much"])
def test_a_version_that_was_padded_is_known_by_its_sentences(more: str) -> None:
    padded = mark(DEFAULT_TENANT, PAGE.replace("30 days", "90 days") + more)

    assert is_version(edition(), padded, logical_id=None, ids_are_vouched=False)
    assert not rewritten(edition().mark, padded)


TURNED = PAGE.replace("30 days", "90 days").replace("ten days", "two days")


@pytest.mark.parametrize(
    ("text", "of_deleted", "of_serving"),
    [
        (TURNED + OTHER, True, False),
        (PAGE.replace("parcel", "letter").replace("box", "bag") + OTHER[:300], True, False),
        (PAGE.replace("30 days", "90 days"), True, True),
        (OTHER, False, False),
        (PAGE[:100] + OTHER, False, False),
    ],
    ids=["padded", "changed much", "changed", "another", "little of it"],
)
def test_a_deleted_page_is_known_again_by_less(
    text: str, *, of_deleted: bool, of_serving: bool
) -> None:
    made = mark(DEFAULT_TENANT, text)
    deleted = edition(status=DocumentStatus.DELETED)

    assert is_version(deleted, made, logical_id=None, ids_are_vouched=False) is of_deleted
    assert is_version(edition(), made, logical_id=None, ids_are_vouched=False) is of_serving


@pytest.mark.parametrize(
    "text",
    [
        PAGE + OTHER,
        OTHER,
        PAGE.replace("30 days", "90 days").replace("ten days", "two days") + OTHER,
    ],
    ids=["all of it", "another", "three of five sentences"],
)
def test_a_text_that_holds_it_unchanged_or_little_of_it_is_no_version(text: str) -> None:
    made = mark(DEFAULT_TENANT, text)

    assert not is_version(edition(), made, logical_id=None, ids_are_vouched=False)
