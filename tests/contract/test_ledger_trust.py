"""What every ledger must do for suppressions, publishers, versions and held documents."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from backends.ledger import lifecycle
from backends.memory import ledger_trust
from backends.memory.clock import ManualClock
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus, OriginKind, OriginRef, Span
from domain.errors import ConflictError, InputError, NotFoundError
from domain.ledger import DecisionAction, Ledger, NewDocument
from domain.lifecycle import EditionMark
from domain.publishing import Publication, PublisherKey, SignatureState
from domain.suppressions import Suppression
from domain.trust import CoarseReason, Contribution, Verdict
from tests.ledger_rows import (
    ALICE,
    NOW,
    OTHER_TENANT,
    PRESS,
    REVIEWER,
    finding,
    known_by,
    later,
    settled,
    settlement,
    upload,
)

pytestmark = pytest.mark.anyio

WIKI = OriginRef(kind=OriginKind.CONNECTOR, id="wiki")
MARK = EditionMark(signature=np.arange(8, dtype=np.uint32), statements=b"12345678")
SUPPRESSION = Suppression(
    id="sup_1",
    tenant_id=DEFAULT_TENANT,
    rule="injected-instructions.takeover",
    origin=ALICE,
    sentences=frozenset({"ab" * 16, "cd" * 16}),
    document_id=DocumentId("doc_one"),
    span=Span(3, 40),
    reason="our style guide says so",
    created_by=REVIEWER,
    created_at=NOW,
    expires_at=later(3600),
)
KEY = PublisherKey(
    tenant_id=DEFAULT_TENANT, publisher="press", id="0011aabb", public_key=b"k" * 32, added_at=NOW
)


async def hold(ledger: Ledger, new: NewDocument) -> None:
    await settled(ledger, new, verdict=Verdict.QUARANTINE, reason=CoarseReason.HOLD)


def edition(version: int, content: str, *, logical_id: str = "returns") -> NewDocument:
    new = upload(f"{logical_id}-{version}-{content}", content=content, origin=PRESS)
    publication = Publication(
        publisher=PRESS.id,
        logical_id=logical_id,
        version=version,
        expires_at=later(1e6),
        sha256=new.sha256,
    )
    return replace(
        new, logical_id=logical_id, publication=publication, signature=SignatureState.VERIFIED
    )


async def receive(ledger: Ledger, new: NewDocument) -> bool:
    return (await ledger.documents.receive(new, claim=None)).created


async def test_a_suppression_comes_back_as_written_and_is_journalled(ledger: Ledger) -> None:
    await ledger.suppressions.add(SUPPRESSION)

    assert await ledger.suppressions.list(DEFAULT_TENANT) == [SUPPRESSION]
    assert await ledger.suppressions.list(DEFAULT_TENANT, origin=PRESS) == []
    assert await ledger.suppressions.list(OTHER_TENANT) == []
    (told,) = await ledger.journal.entries(DEFAULT_TENANT, object_id="sup_1")
    assert (told.action, told.reason) == ("suppression.added", SUPPRESSION.reason)
    assert told.facts["origin"] == "uploader:alice"


async def test_a_suppression_needs_a_reason_to_come_and_to_go(ledger: Ledger) -> None:
    await ledger.suppressions.add(SUPPRESSION)

    with pytest.raises(InputError):
        await ledger.suppressions.add(replace(SUPPRESSION, id="sup_2", reason=" "))
    with pytest.raises(InputError):
        await ledger.suppressions.remove(DEFAULT_TENANT, "sup_1", reason="", actor=REVIEWER, at=NOW)

    assert await ledger.suppressions.list(DEFAULT_TENANT) == [SUPPRESSION]


async def test_a_removed_suppression_stays_on_record_and_is_removed_once(ledger: Ledger) -> None:
    await ledger.suppressions.add(SUPPRESSION)

    removed, again = [
        await ledger.suppressions.remove(
            DEFAULT_TENANT, "sup_1", reason="was wrong", actor=REVIEWER, at=later(seconds)
        )
        for seconds in (5, 9)
    ]

    assert removed == again == replace(SUPPRESSION, removed_at=later(5))
    assert not removed.in_force(later(6))
    entries = await ledger.journal.entries(DEFAULT_TENANT, object_id="sup_1")
    assert [entry.action for entry in entries] == ["suppression.removed", "suppression.added"]


async def test_a_suppression_of_another_tenant_is_not_found(ledger: Ledger) -> None:
    await ledger.suppressions.add(SUPPRESSION)

    with pytest.raises(NotFoundError):
        await ledger.suppressions.remove(OTHER_TENANT, "sup_1", reason="r", actor="a", at=NOW)
    with pytest.raises(ConflictError):
        await ledger.suppressions.add(SUPPRESSION)


async def test_publisher_keys_come_back_and_a_revoked_one_is_not_in_force(ledger: Ledger) -> None:
    other = replace(KEY, id="ffee", public_key=b"o" * 32, added_at=later(1))
    for key in (KEY, other):
        await ledger.publishers.add(key, reason="contract 17", actor=REVIEWER)

    gone = await ledger.publishers.revoke(
        DEFAULT_TENANT, "press", KEY.id, reason="stolen", actor=REVIEWER, at=later(2)
    )

    assert gone == replace(KEY, revoked_at=later(2))
    assert await ledger.publishers.keys(DEFAULT_TENANT, "press") == [other]
    assert await ledger.publishers.keys(OTHER_TENANT, "press") == []
    assert await ledger.publishers.list(DEFAULT_TENANT) == [gone, other]
    entries = await ledger.journal.entries(DEFAULT_TENANT, object_id="press")
    assert [entry.action for entry in entries] == [
        "publisher.key-revoked",
        "publisher.key-added",
        "publisher.key-added",
    ]


async def test_a_revoked_key_does_not_come_back(ledger: Ledger) -> None:
    await ledger.publishers.add(KEY, reason="contract 17", actor=REVIEWER)
    await ledger.publishers.revoke(
        DEFAULT_TENANT, "press", KEY.id, reason="stolen", actor=REVIEWER, at=later(2)
    )

    with pytest.raises(ConflictError):
        await ledger.publishers.add(KEY, reason="found again", actor=REVIEWER)
    with pytest.raises(NotFoundError):
        await ledger.publishers.revoke(
            DEFAULT_TENANT, "press", "none", reason="r", actor=REVIEWER, at=NOW
        )


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        ((1, "a"), (2, "b"), True),
        ((1, "a"), (2, "a"), False),
        ((1, "a"), (1, "a"), False),
        ((3, "a"), (10, "b"), True),
    ],
)
async def test_a_newer_version_is_taken_and_the_same_one_is_known(
    ledger: Ledger, first: tuple[int, str], second: tuple[int, str], taken: bool
) -> None:
    await receive(ledger, edition(*first))

    assert await receive(ledger, replace(edition(*second), id=DocumentId("doc_new"))) is taken


@pytest.mark.parametrize(
    ("first", "second"),
    [((2, "a"), (1, "b")), ((2, "a"), (2, "b")), ((2, "a"), (1, "a")), ((10, "a"), (9, "c"))],
)
async def test_a_version_that_goes_back_or_says_otherwise_is_refused(
    ledger: Ledger, first: tuple[int, str], second: tuple[int, str]
) -> None:
    await receive(ledger, edition(*first))
    before = await ledger.journal.entries(DEFAULT_TENANT)

    with pytest.raises(ConflictError):
        await receive(ledger, replace(edition(*second), id=DocumentId("doc_new")))

    assert await ledger.journal.entries(DEFAULT_TENANT) == before
    with pytest.raises(NotFoundError):
        await ledger.documents.find(DocumentId("doc_new"))


async def test_deleting_an_edition_does_not_let_an_older_one_in(ledger: Ledger) -> None:
    new = edition(2, "b")
    await receive(ledger, new)
    await ledger.documents.delete(DEFAULT_TENANT, new.id, actor=REVIEWER, at=NOW)

    with pytest.raises(ConflictError):
        await receive(ledger, edition(1, "a"))


async def test_the_version_rises_even_where_the_bytes_are_known(ledger: Ledger) -> None:
    await receive(ledger, edition(1, "a"))
    await receive(ledger, replace(edition(5, "a"), id=DocumentId("doc_five")))

    with pytest.raises(ConflictError):
        await receive(ledger, edition(4, "b"))


async def test_logical_ids_and_tenants_have_versions_of_their_own(ledger: Ledger) -> None:
    await receive(ledger, edition(5, "a"))

    other_id = await receive(ledger, edition(1, "b", logical_id="prices"))
    elsewhere = replace(edition(1, "c"), id=DocumentId("doc_else"), tenant_id=OTHER_TENANT)

    assert other_id
    assert await receive(ledger, elsewhere)


async def test_of_concurrent_editions_of_one_version_one_is_taken(ledger: Ledger) -> None:
    results = await asyncio.gather(
        *(receive(ledger, edition(1, f"text {number}")) for number in range(5)),
        return_exceptions=True,
    )

    assert sum(result is True for result in results) == 1
    assert sum(isinstance(result, ConflictError) for result in results) == 4


async def test_an_edition_keeps_its_version_and_how_it_was_signed(ledger: Ledger) -> None:
    new = edition(7, "a")
    await receive(ledger, new)

    record = await ledger.documents.get(DEFAULT_TENANT, new.id)

    assert (record.logical_id, record.version) == ("returns", 7)
    assert record.signature is SignatureState.VERIFIED
    (told,) = await ledger.journal.entries(DEFAULT_TENANT, object_id=new.id)
    assert (told.facts["signature"], told.facts["version"]) == ("verified", "7")


async def test_what_is_held_comes_back_longest_first_and_only_so_often(
    ledger: Ledger, clock: ManualClock
) -> None:
    for name in ("one", "two"):
        await hold(ledger, upload(name))
    await settled(ledger, upload("bad"), verdict=Verdict.QUARANTINE, reason=CoarseReason.CONTENT)

    held = await ledger.lifecycle.held(decided_before=later(1), rescans_below=1, limit=10)
    early = await ledger.lifecycle.held(decided_before=NOW, rescans_below=1, limit=10)
    taken = [
        await ledger.lifecycle.rescan(DocumentId("doc_one"), rescans_below=1, at=clock.now())
        for _ in range(2)
    ]
    record = await ledger.documents.find(DocumentId("doc_one"))

    assert (held, early, taken) == (["doc_one", "doc_two"], [], [True, False])
    assert (record.status, record.attempts, record.rescans) == (DocumentStatus.RECEIVED, 0, 1)
    assert record.verdict is None
    assert (await ledger.journal.entries(DEFAULT_TENANT))[0].action == "document.rescanned"
    pending = await ledger.outbox.pending(limit=10)
    assert [entry.subject_id for entry in pending].count("doc_one") == 2


async def test_a_second_scan_replaces_what_the_first_one_said(ledger: Ledger) -> None:
    new = upload("one")
    await ledger.documents.receive(new, claim=None)
    await ledger.documents.begin_attempt(new.id)
    first = settlement(
        new.id,
        verdict=Verdict.QUARANTINE,
        reason=CoarseReason.HOLD,
        findings=[finding("citations.doi"), finding("citations.isbn")],
        fingerprint=known_by([0, 1, 2, 3]),
    )
    await ledger.documents.settle(new.id, replace(first, mark=MARK))

    await ledger.lifecycle.rescan(new.id, rescans_below=1, at=NOW)
    await ledger.documents.begin_attempt(new.id)
    second = settlement(
        new.id, findings=[finding("citations.doi")], fingerprint=known_by([0, 1, 2, 3])
    )
    taken = await ledger.documents.settle(new.id, replace(second, mark=MARK))

    stored = await ledger.documents.stored_assessment(DEFAULT_TENANT, new.id)
    assert taken
    assert stored is not None
    assert [one.rule for one in stored.report.findings] == ["citations.doi"]
    held = await ledger.lifecycle.held(decided_before=later(9), rescans_below=9, limit=9)
    assert held == []


async def test_a_hold_that_a_person_decided_about_is_not_scanned_again(ledger: Ledger) -> None:
    await hold(ledger, upload("one"))
    await ledger.documents.decide(
        DEFAULT_TENANT,
        DocumentId("doc_one"),
        action=DecisionAction.REJECT,
        reason="spam",
        actor=REVIEWER,
        at=NOW,
    )

    assert not await ledger.lifecycle.rescan(DocumentId("doc_one"), rescans_below=9, at=NOW)


async def test_superseding_replaces_an_admitted_document_once(ledger: Ledger) -> None:
    await settled(ledger, upload("one"))

    done = [
        await ledger.lifecycle.supersede(
            DEFAULT_TENANT, DocumentId("doc_one"), by=DocumentId("doc_two"), at=NOW
        )
        for _ in range(2)
    ]
    record = await ledger.documents.find(DocumentId("doc_one"))

    assert done == [True, False]
    assert (record.status, record.verdict) == (DocumentStatus.SUPERSEDED, Verdict.ADMIT)
    told = (await ledger.journal.entries(DEFAULT_TENANT))[0]
    assert (told.action, told.facts) == ("document.superseded", {"by": "doc_two"})


async def test_an_admitted_document_is_weighed_anew(ledger: Ledger) -> None:
    await settled(ledger, upload("one"))

    written = await ledger.lifecycle.reweigh(DEFAULT_TENANT, DocumentId("doc_one"), trust=0.625)

    assert written
    assert (await ledger.documents.get(DEFAULT_TENANT, DocumentId("doc_one"))).trust == 0.625


async def test_what_is_not_admitted_any_more_is_not_weighed_anew(ledger: Ledger) -> None:
    await settled(ledger, upload("one"))
    await ledger.lifecycle.supersede(
        DEFAULT_TENANT, DocumentId("doc_one"), by=DocumentId("doc_two"), at=NOW
    )
    before = await ledger.documents.get(DEFAULT_TENANT, DocumentId("doc_one"))

    written = await ledger.lifecycle.reweigh(DEFAULT_TENANT, DocumentId("doc_one"), trust=0.625)

    assert not written
    assert await ledger.documents.get(DEFAULT_TENANT, DocumentId("doc_one")) == before


async def test_the_bytes_of_a_superseded_document_may_come_again(ledger: Ledger) -> None:
    await settled(ledger, upload("one", content="same"))
    await ledger.lifecycle.supersede(
        DEFAULT_TENANT, DocumentId("doc_one"), by=DocumentId("doc_two"), at=NOW
    )

    assert await receive(ledger, upload("three", content="same"))


async def mark(ledger: Ledger, new: NewDocument, verdict: Verdict = Verdict.ADMIT) -> None:
    await ledger.documents.receive(new, claim=None)
    await ledger.documents.begin_attempt(new.id)
    await ledger.documents.settle(new.id, replace(settlement(new.id, verdict=verdict), mark=MARK))


async def delete(ledger: Ledger, name: str, *, at: datetime) -> None:
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId(f"doc_{name}"), actor="a", at=at)


async def decide(ledger: Ledger, name: str, action: DecisionAction, *, at: datetime = NOW) -> None:
    await ledger.documents.decide(
        DEFAULT_TENANT,
        DocumentId(f"doc_{name}"),
        action=action,
        reason="fine",
        actor=REVIEWER,
        at=at,
    )


async def test_editions_are_those_of_the_origin_deleted_ones_included(ledger: Ledger) -> None:
    old = replace(upload("old", received_at=later(-9e6)), logical_id="returns")
    await mark(ledger, old)
    await mark(ledger, upload("far", received_at=later(-9e6)))
    await mark(ledger, upload("one"), Verdict.QUARANTINE)
    await mark(ledger, upload("two", received_at=later(1)))
    await mark(ledger, upload("hers", origin=PRESS))
    await delete(ledger, "two", at=NOW)
    await decide(ledger, "one", DecisionAction.RELEASE)

    found = await ledger.lifecycle.editions(
        DEFAULT_TENANT, ALICE, logical_id="returns", since=later(-60)
    )

    assert [one.document_id for one in found] == ["doc_two", "doc_one", "doc_old"]
    assert found[0].status is DocumentStatus.DELETED
    assert [(one.reviewed, one.served) for one in found] == [
        (False, True),
        (True, True),
        (False, True),
    ]
    assert found[0].mark.statements == MARK.statements
    assert np.array_equal(found[0].mark.signature, MARK.signature)  # type: ignore[arg-type]


async def test_what_stopped_serving_since_is_an_edition_however_old(ledger: Ledger) -> None:
    names = ("deleted", "rejected", "replaced", "before", "serving", "near", "again")
    for name in names:
        await mark(ledger, upload(name, received_at=later(-9e6)))
    await mark(ledger, upload("held", received_at=later(-9e6)), Verdict.QUARANTINE)
    await delete(ledger, "deleted", at=NOW)
    await delete(ledger, "before", at=later(-61))
    await delete(ledger, "held", at=NOW)
    await decide(ledger, "rejected", DecisionAction.REJECT)
    await decide(ledger, "again", DecisionAction.REJECT)
    await decide(ledger, "again", DecisionAction.RELEASE)
    await ledger.lifecycle.supersede(
        DEFAULT_TENANT, DocumentId("doc_replaced"), by=DocumentId("doc_serving"), at=NOW
    )

    found = await ledger.lifecycle.editions(
        DEFAULT_TENANT,
        ALICE,
        logical_id=None,
        since=later(-60),
        near=[DocumentId("doc_near"), DocumentId("doc_unknown")],
    )
    others = await ledger.lifecycle.editions(
        DEFAULT_TENANT, PRESS, logical_id=None, since=later(-60), near=[DocumentId("doc_near")]
    )

    assert {one.document_id for one in found} == {
        "doc_deleted",
        "doc_rejected",
        "doc_replaced",
        "doc_near",
    }
    assert others == []


async def test_a_rejection_before_the_deletion_says_how_long_it_served(ledger: Ledger) -> None:
    await mark(ledger, upload("one", received_at=later(-9e6)))
    await decide(ledger, "one", DecisionAction.REJECT, at=later(-61))
    await delete(ledger, "one", at=NOW)

    found = await ledger.lifecycle.editions(
        DEFAULT_TENANT, ALICE, logical_id=None, since=later(-60)
    )

    assert found == []


async def test_no_number_of_other_uploads_hides_what_was_deleted(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (lifecycle, ledger_trust):
        monkeypatch.setattr(module, "MOST_EDITIONS", 3)
    await mark(ledger, upload("old", received_at=later(-9)))
    await delete(ledger, "old", at=NOW)
    for number in range(5):
        await mark(ledger, upload(f"flood{number}"))

    found = await ledger.lifecycle.editions(
        DEFAULT_TENANT, ALICE, logical_id=None, since=later(-60)
    )

    assert [one.document_id for one in found] == ["doc_flood4", "doc_flood3", "doc_old"]


async def test_no_number_of_other_uploads_hides_an_edition_of_the_id(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (lifecycle, ledger_trust):
        monkeypatch.setattr(module, "MOST_EDITIONS", 3)
    await mark(ledger, replace(upload("old", received_at=later(-9)), logical_id="returns"))
    for number in range(5):
        await mark(ledger, upload(f"flood{number}"))

    found = await ledger.lifecycle.editions(
        DEFAULT_TENANT, ALICE, logical_id="returns", since=later(-60)
    )

    assert len(found) == 3
    assert found[-1].document_id == "doc_old"


async def test_marks_of_deleted_documents_are_forgotten_in_time(ledger: Ledger) -> None:
    for name in ("one", "two"):
        await mark(ledger, upload(name))
    await mark(ledger, upload("old", received_at=later(-9e6)))
    await delete(ledger, "two", at=NOW)
    await delete(ledger, "old", at=NOW)

    early = await ledger.lifecycle.forget_editions(gone_before=NOW)
    forgotten = await ledger.lifecycle.forget_editions(gone_before=later(1))
    left = await ledger.lifecycle.editions(DEFAULT_TENANT, ALICE, logical_id=None, since=NOW)

    assert (early, forgotten) == (0, 2)
    assert [one.document_id for one in left] == ["doc_one"]


async def test_outcomes_are_what_became_of_documents_in_the_end(ledger: Ledger) -> None:
    await settled(ledger, upload("good"))
    await settled(ledger, upload("held"), verdict=Verdict.QUARANTINE)
    await settled(ledger, upload("bad"), verdict=Verdict.QUARANTINE)
    await settled(ledger, upload("gone"))
    await ledger.documents.decide(
        DEFAULT_TENANT,
        DocumentId("doc_bad"),
        action=DecisionAction.REJECT,
        reason="poison",
        actor=REVIEWER,
        at=later(5),
    )
    for name in ("bad", "gone"):
        await ledger.documents.delete(DEFAULT_TENANT, DocumentId(f"doc_{name}"), actor="a", at=NOW)

    found = await ledger.lifecycle.outcomes(DEFAULT_TENANT, ALICE, limit=10)

    assert [(one.sha256, one.rejected, one.reviewed) for one in found] == [
        (upload("bad").sha256, True, True),
        (upload("good").sha256, False, False),
    ]
    assert found[0].at == later(5)


async def test_an_assessment_keeps_what_decided_it_and_what_was_suppressed(ledger: Ledger) -> None:
    new = upload("one")
    await ledger.documents.receive(new, claim=None)
    await ledger.documents.begin_attempt(new.id)
    told = settlement(new.id, findings=[replace(finding("citations.doi"), suppressed_by="sup_1")])
    contribution = Contribution(
        rule="citations.doi",
        risk=0.3,
        weight=1.0,
        points=0.0,
        version="4",
        hard=Verdict.REJECT,
        explained_by="composite.pair",
        suppressed=2,
    )
    assessment = replace(
        told.assessment, decisive="hard:citations.doi", contributions=(contribution,)
    )
    await ledger.documents.settle(new.id, replace(told, assessment=assessment))

    stored = await ledger.documents.stored_assessment(DEFAULT_TENANT, new.id)

    assert stored is not None
    assert stored.assessment == assessment
    assert stored.report.findings[0].suppressed_by == "sup_1"


async def test_a_source_that_anybody_writes_to_is_never_vouched_for(ledger: Ledger) -> None:
    await ledger.origins.add(DEFAULT_TENANT, WIKI.kind, WIKI.id, actor=REVIEWER, at=NOW)
    before = await ledger.origins.open_write(DEFAULT_TENANT, WIKI)
    await ledger.origins.establish(
        DEFAULT_TENANT, WIKI, reviewed=False, reason="ours", actor=REVIEWER, at=NOW
    )

    declared = await ledger.origins.declare(
        DEFAULT_TENANT, WIKI, open_write=True, actor=REVIEWER, at=later(1)
    )

    assert before is None
    assert not declared.established
    assert await ledger.origins.open_write(DEFAULT_TENANT, WIKI)
    with pytest.raises(ConflictError):
        await ledger.origins.establish(
            DEFAULT_TENANT, WIKI, reviewed=True, reason="again", actor=REVIEWER, at=later(2)
        )
    assert (await ledger.origins.get(DEFAULT_TENANT, WIKI)) == declared
    assert (await ledger.journal.entries(DEFAULT_TENANT))[0].action == "origin.declared"


async def test_a_closed_source_can_be_vouched_for(ledger: Ledger) -> None:
    await ledger.origins.add(DEFAULT_TENANT, WIKI.kind, WIKI.id, actor=REVIEWER, at=NOW)
    for open_write in (True, False):
        await ledger.origins.declare(
            DEFAULT_TENANT, WIKI, open_write=open_write, actor=REVIEWER, at=NOW
        )

    origin = await ledger.origins.establish(
        DEFAULT_TENANT, WIKI, reviewed=False, reason="staff only", actor=REVIEWER, at=NOW
    )

    assert origin.established


async def test_only_a_known_connector_declares_who_may_write(ledger: Ledger) -> None:
    with pytest.raises(InputError):
        await ledger.origins.declare(DEFAULT_TENANT, PRESS, open_write=True, actor="a", at=NOW)
    with pytest.raises(NotFoundError):
        await ledger.origins.declare(DEFAULT_TENANT, WIKI, open_write=True, actor="a", at=NOW)
    assert await ledger.origins.open_write(DEFAULT_TENANT, WIKI) is None
