"""Laws 6 and 9: what may be answered, and what nobody outside can force."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from defences.answering.guard import DisagreementGuard, seat_agreement, shannon_entropy
from domain.answering import (
    POOL_SEAT,
    AbstainReason,
    AnswerGroup,
    AnswerWarning,
    GuardDecision,
    Outcome,
    PartitionMode,
    SeatId,
    SeatVote,
)
from domain.documents import Tier
from tests.answer_builders import make_group, make_vote

TAU = 0.7
ANSWERED = {Outcome.ANSWER, Outcome.ANSWER_WITH_WARNING}
guard = DisagreementGuard(tau=TAU, agreement_floor=0.3)


def decide(
    groups: list[AnswerGroup],
    *,
    mode: PartitionMode = PartitionMode.ISOLATED,
    calibrated: bool = True,
) -> GuardDecision:
    return guard.decide(groups, mode=mode, calibrated=calibrated)


@st.composite
def answer_groups(draw: st.DrawFn, *, pool: bool = True) -> list[AnswerGroup]:
    """Groups of up to six established seats, each whole or split in two, and of the pool."""
    count = draw(st.integers(1, 4))
    votes: list[list[SeatVote]] = [[] for _ in range(count)]
    names = [f"publisher:{n}" for n in range(draw(st.integers(0, 6)))]
    seats = [(name, draw(st.sampled_from([Tier.ESTABLISHED, Tier.REVIEWED]))) for name in names]
    if pool and draw(st.booleans()):
        seats.append((POOL_SEAT, Tier.POOL))
    for seat, tier in seats:
        first, second = draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))
        if first == second:
            votes[first].append(make_vote(seat, tier=tier))
        else:
            votes[first].append(make_vote(seat, tier=tier, share=0.5))
            votes[second].append(make_vote(seat, tier=tier, share=0.5))
    return [
        make_group(
            f"answer {n}",
            held,
            score=draw(st.floats(0.01, 1.0)),
            confidence=draw(st.floats(0.01, 0.99)),
        )
        for n, held in enumerate(votes)
    ]


@settings(deadline=None)
@given(groups=answer_groups())
def test_nothing_below_tau_is_ever_answered(groups: list[AnswerGroup]) -> None:
    decision = decide(groups)

    assert (decision.chosen is None) is (decision.outcome is Outcome.ABSTAIN)
    assert decision.chosen is None or decision.chosen.confidence >= TAU


@settings(deadline=None)
@given(groups=answer_groups(), data=st.data())
def test_the_order_of_groups_does_not_change_the_decision(
    groups: list[AnswerGroup], data: st.DataObject
) -> None:
    first = decide(groups)

    second = decide(data.draw(st.permutations(groups)))

    assert (first.outcome, first.reason, first.chosen) == (
        second.outcome,
        second.reason,
        second.chosen,
    )
    assert first.warnings == second.warnings
    assert first.entropy == pytest.approx(second.entropy)
    assert first.agreement == pytest.approx(second.agreement)


@settings(deadline=None)
@given(groups=answer_groups())
def test_numbers_lie_in_their_ranges(groups: list[AnswerGroup]) -> None:
    decision = decide(groups)

    assert 0 <= decision.entropy <= math.log(len(groups)) + 1e-9
    assert 0 <= decision.agreement <= 1
    assert 0 <= decision.margin <= 1


@settings(deadline=None)
@given(groups=answer_groups())
def test_a_plain_answer_has_two_seats_or_a_reviewed_one_and_no_dissent(
    groups: list[AnswerGroup],
) -> None:
    decision = decide(groups)

    if decision.outcome is Outcome.ANSWER:
        assert decision.chosen is not None
        votes = decision.chosen.votes
        assert decision.chosen.support >= 2 or any(vote.reviewed for vote in votes)
        assert not any(group.votes for group in groups if group is not decision.chosen)


@settings(deadline=None)
@given(groups=answer_groups(), share=st.floats(0.01, 1.0), score=st.floats(0.01, 1.0))
def test_dissent_of_the_pool_never_silences_established_seats(
    groups: list[AnswerGroup], share: float, score: float
) -> None:
    alone = [
        replace(group, votes=tuple(vote for vote in group.votes if vote.established))
        for group in groups
    ]
    dissent = make_group(
        "pool says", [make_vote(POOL_SEAT, tier=Tier.POOL, share=share)], score=score
    )
    before = decide(alone)

    after = decide([*alone, dissent])

    if before.outcome in ANSWERED:
        assert after.outcome is Outcome.ANSWER_WITH_WARNING
        assert after.chosen == before.chosen
        assert AnswerWarning.POOL_DISSENT in after.warnings


@settings(deadline=None)
@given(groups=answer_groups(), score=st.floats(0.01, 1.0))
def test_the_pool_alone_is_never_answered_over_or_beside_an_established_seat(
    groups: list[AnswerGroup], score: float
) -> None:
    pooled = make_group("pool says", [make_vote(POOL_SEAT, tier=Tier.POOL)], score=score)

    decision = decide([*groups, pooled])

    established = any(vote.established for group in groups for vote in group.votes)
    assert decision.chosen is not pooled or not established
    assert decision.outcome is not Outcome.ANSWER


@settings(deadline=None)
@given(groups=answer_groups(pool=False))
def test_a_rival_with_as_many_seats_is_a_conflict_whatever_the_scores(
    groups: list[AnswerGroup],
) -> None:
    decision = decide(groups)

    if decision.chosen is not None:
        best = sum(vote.share for vote in decision.chosen.votes)
        for group in groups:
            if group is not decision.chosen and group.votes:
                seats = sum(vote.share for vote in group.votes)
                assert seats < best


@settings(deadline=None)
@given(groups=answer_groups())
def test_without_calibration_or_provenance_the_best_outcome_is_a_warning(
    groups: list[AnswerGroup],
) -> None:
    assert decide(groups, calibrated=False).outcome is not Outcome.ANSWER
    assert decide(groups, mode=PartitionMode.NO_PROVENANCE).outcome is not Outcome.ANSWER


def seat(name: str, tier: Tier = Tier.ESTABLISHED, share: float = 1.0) -> SeatVote:
    return make_vote(f"publisher:{name}", tier=tier, share=share)


def test_a_tie_is_a_conflict_and_not_an_order() -> None:
    decision = decide(
        [
            make_group("yes", [seat("a"), seat("b"), seat("c")], score=0.5),
            make_group("no", [seat("d")], score=0.5),
        ]
    )

    assert decision.reason is AbstainReason.DISAGREEMENT


def test_a_fluent_minority_does_not_win_by_its_score() -> None:
    decision = decide(
        [
            make_group("planted", [seat("a")], score=0.99),
            make_group("true", [seat("b"), seat("c"), seat("d")], score=0.2),
        ]
    )

    assert decision.reason is AbstainReason.DISAGREEMENT


def test_one_seat_never_silences_two_that_agree() -> None:
    decision = decide(
        [
            make_group("said twice", [seat("a"), seat("b")], score=0.5),
            make_group("said once", [seat("c", Tier.REVIEWED)], score=0.4),
        ]
    )

    assert (decision.outcome, decision.warnings) == (
        Outcome.ANSWER_WITH_WARNING,
        (AnswerWarning.DISSENT,),
    )


def test_two_agreeing_seats_are_answered() -> None:
    decision = decide([make_group("yes", [seat("a"), seat("b")])])

    assert (decision.outcome, decision.warnings) == (Outcome.ANSWER, ())


def test_one_reviewed_seat_is_answered() -> None:
    assert decide([make_group("yes", [seat("a", Tier.REVIEWED)])]).outcome is Outcome.ANSWER


def test_a_single_seat_is_answered_with_a_warning() -> None:
    decision = decide([make_group("yes", [seat("a")])])

    assert (decision.outcome, decision.warnings) == (
        Outcome.ANSWER_WITH_WARNING,
        (AnswerWarning.SINGLE_SEAT,),
    )


def test_the_pool_alone_is_answered_with_a_warning() -> None:
    decision = decide([make_group("yes", [make_vote(POOL_SEAT, tier=Tier.POOL)])])

    assert (decision.outcome, decision.warnings) == (
        Outcome.ANSWER_WITH_WARNING,
        (AnswerWarning.POOL_ONLY,),
    )


def test_a_pool_that_contradicts_itself_evenly_is_not_answered() -> None:
    half = make_vote(POOL_SEAT, tier=Tier.POOL, share=0.5)

    decision = decide([make_group("yes", [half], score=0.3), make_group("no", [half], score=0.2)])

    assert decision.reason is AbstainReason.DISAGREEMENT


def test_low_confidence_is_told_from_disagreement() -> None:
    decision = decide([make_group("yes", [seat("a"), seat("b")], confidence=0.4)])

    assert decision.reason is AbstainReason.LOW_CONFIDENCE


def test_no_groups_abstains() -> None:
    assert decide([]).reason is AbstainReason.NOT_IN_DOCUMENTS


def test_entropy_of_an_even_split_is_log_two() -> None:
    assert shannon_entropy([0.5, 0.5]) == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ({}, 1.0),
        ({"a": {0: 1.0}}, 1.0),
        ({"a": {0: 0.5, 1: 0.5}}, 0.5),
        ({"a": {0: 1.0}, "b": {0: 1.0}}, 1.0),
        ({"a": {0: 1.0}, "b": {1: 1.0}}, 0.0),
        ({"a": {0: 1.0}, "b": {0: 1.0}, "c": {1: 1.0}}, 1 / 3),
        ({"a": {0: 1.0}, "b": {0: 0.5, 1: 0.5}}, 0.0),
        ({"a": {0: 1 / 3 + 1 / 3 + 1 / 3}, "b": {0: 1.0}}, 1.0),
    ],
)
def test_agreement_is_the_share_of_agreeing_pairs(
    votes: dict[str, dict[int, float]], expected: float
) -> None:
    by_seat = {SeatId(name): shares for name, shares in votes.items()}

    assert seat_agreement(by_seat) == pytest.approx(expected)


@pytest.mark.parametrize(("tau", "floor"), [(0.0, 0.3), (1.1, 0.3), (0.7, -0.1), (0.7, 1.1)])
def test_impossible_thresholds_are_refused(tau: float, floor: float) -> None:
    with pytest.raises(ValueError, match="need 0 < tau"):
        DisagreementGuard(tau=tau, agreement_floor=floor)
