"""What the guard would answer with, and settings do not let pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from defences.answering.guard import DisagreementGuard
from defences.answering.weighting import weigh_groups
from defences.retrieval.partition import Partition
from domain.answering import AbstainReason, Draft, GuardDecision, Outcome, PartitionMode, Tolerance
from domain.documents import Tier
from gateway.query.options import QueryOptions
from gateway.query.tolerated import permitted
from tests.answer_builders import make_draft, make_origin, make_scored

STRANGER = make_origin("stranger", Tier.POOL)


def decided(*drafts: Draft) -> tuple[GuardDecision, Partition]:
    """Return what the guard says of drafts, with a threshold that they all pass."""
    scored = [
        replace(make_scored(draft.answer), draft=draft, seats=draft.subset.seats)
        for draft in drafts
        if draft.usable
    ]
    mode = PartitionMode.ISOLATED
    groups = weigh_groups([[one] for one in scored], mode=mode, calibrator=None)
    decision = DisagreementGuard(tau=0.01, agreement_floor=0.3).decide(
        groups, mode=mode, calibrated=True
    )
    parts = Partition(mode=mode, subsets=tuple(draft.subset for draft in drafts))
    return decision, parts


def told(decision: GuardDecision) -> tuple[Outcome, AbstainReason | None]:
    return decision.outcome, decision.reason


SILENT_PRESS = make_draft("", index=0, abstained=True)
FROM_THE_POOL = make_draft("36 months", index=1, origin=STRANGER)


def test_the_pool_does_not_answer_where_an_established_seat_was_asked_in_vain() -> None:
    decision, parts = decided(SILENT_PRESS, FROM_THE_POOL)

    found = permitted(decision, None, parts, QueryOptions())

    assert told(found) == (Outcome.ABSTAIN, AbstainReason.LOW_CONFIDENCE)
    assert found.contender == decision.chosen


@pytest.mark.parametrize(
    ("drafts", "options"),
    [
        ((SILENT_PRESS, FROM_THE_POOL), QueryOptions(pool_alone=True)),
        ((FROM_THE_POOL,), QueryOptions()),
    ],
    ids=["allowed-by-settings", "nothing-established-was-asked"],
)
def test_else_the_pool_alone_answers_with_a_warning(
    drafts: tuple[Draft, ...], options: QueryOptions
) -> None:
    decision, parts = decided(*drafts)

    found = permitted(decision, None, parts, options)

    assert found == decision
    assert found.outcome is Outcome.ANSWER_WITH_WARNING


def test_an_established_seat_answers_though_another_was_asked_in_vain() -> None:
    answered = make_draft("36 months", index=1, origin=make_origin("agency"))
    decision, parts = decided(SILENT_PRESS, answered)

    found = permitted(decision, None, parts, QueryOptions())

    assert found == decision
    assert found.chosen is not None


@pytest.mark.parametrize(
    ("withstands", "required", "reason"),
    [(0, 0, None), (0, 1, AbstainReason.TOLERANCE), (1, 1, None), (1, 2, AbstainReason.TOLERANCE)],
)
def test_less_tolerance_than_required_is_an_abstention(
    withstands: int, required: int, reason: AbstainReason | None
) -> None:
    decision, parts = decided(make_draft("36 months"))
    tolerance = Tolerance(answer=withstands, abstention=0, seats=2)

    found = permitted(decision, tolerance, parts, QueryOptions(min_tolerance=required))

    assert found.reason is reason
    assert (found.chosen is None) is (reason is not None)
