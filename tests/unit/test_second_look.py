"""Who is heard where drafters are unsure: an attacker from the pool silences nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from defences.answering.second_look import heard
from domain.answering import PLAIN_SEAT, Draft, PartitionMode
from domain.documents import Tier
from tests.answer_builders import make_draft, make_origin

ACCOUNT = make_origin("account", Tier.POOL)
ISOLATED, FAMILIES = PartitionMode.ISOLATED, PartitionMode.NO_PROVENANCE


def established(answer: str, *, tentative: bool = False) -> Draft:
    return replace(make_draft(answer), tentative=tentative)


def plain(answer: str) -> Draft:
    draft = make_draft(answer)
    return replace(draft, subset=replace(draft.subset, seats=(PLAIN_SEAT,)))


def pooled(answer: str, *, tentative: bool = False) -> Draft:
    return replace(make_draft(answer, origin=ACCOUNT), tentative=tentative)


def answers(drafts: Sequence[Draft]) -> list[str]:
    return [one.answer for one in drafts if one.usable]


@pytest.mark.parametrize(
    ("drafts", "mode", "expected"),
    [
        ([established("a"), established("b", tentative=True)], ISOLATED, ["a"]),
        ([established("a"), pooled("b", tentative=True)], ISOLATED, ["a"]),
        ([established("a", tentative=True), pooled("b")], ISOLATED, ["a", "b"]),
        (
            [established("a", tentative=True), established("b", tentative=True)],
            ISOLATED,
            ["a", "b"],
        ),
        ([established("a"), established("b")], ISOLATED, ["a", "b"]),
        ([pooled("a"), pooled("b", tentative=True)], FAMILIES, ["a"]),
        ([pooled("a", tentative=True)], FAMILIES, ["a"]),
        (
            [plain("a"), established("b", tentative=True)],
            ISOLATED,
            ["a", "b"],
        ),
        ([], ISOLATED, []),
    ],
)
def test_a_tentative_draft_is_heard_where_no_established_seat_is_sure(
    drafts: list[Draft], mode: PartitionMode, expected: list[str]
) -> None:
    assert answers(heard(drafts, mode=mode)) == expected


def test_a_draft_that_failed_its_check_silences_nobody() -> None:
    failed = replace(established("a"), answer="", failure="unfaithful")

    assert answers(heard([failed, established("b", tentative=True)], mode=ISOLATED)) == ["b"]


def test_who_is_not_heard_abstains_and_keeps_nothing_of_what_it_said() -> None:
    _, silenced = heard([established("a"), established("b", tentative=True)], mode=ISOLATED)

    assert silenced.abstained
    assert (silenced.answer, silenced.rationale, silenced.quotes) == ("", "", ())
