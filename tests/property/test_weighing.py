"""Laws 6, 7 and 11: what one seat can move, what a split seat weighs, what is monitored."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from defences.answering.agreement import group_answers
from defences.answering.disagreement import monitored_disagreement
from defences.answering.scoring import score_drafts, source_diversity
from defences.answering.weighting import weigh_groups
from domain.answering import AnswerGroup, Draft, PartitionMode, ScoredDraft
from domain.documents import Tier
from tests.answer_builders import make_draft, make_origin, make_scored

BOUND = 0.5
ISOLATED = PartitionMode.ISOLATED
WARRANTY = "How long is the warranty?"
ANSWERS = ["36 months", "three years", "9 months", "90 days", "36 or 9 months", "It is generous."]
log_probabilities = st.floats(-60.0, 0.0)


@st.composite
def scored_drafts(draw: st.DrawFn, *, most: int = 7) -> list[ScoredDraft]:
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from(ANSWERS),
                st.sampled_from([Tier.REVIEWED, Tier.ESTABLISHED, Tier.POOL]),
                st.integers(0, 3),
                st.floats(0.01, 1.0),
                st.floats(0.0, 1.0),
            ),
            min_size=1,
            max_size=most,
        )
    )
    return [
        make_scored(
            answer, origin=make_origin(f"{tier}-{owner}", tier), index=index, raw=raw, trust=trust
        )
        for index, (answer, tier, owner, raw, trust) in enumerate(rows)
    ]


def weighed(drafts: list[ScoredDraft]) -> tuple[AnswerGroup, ...]:
    groups = group_answers(WARRANTY, drafts, np.full((len(drafts), len(drafts)), 0.9))
    return weigh_groups(groups, mode=ISOLATED, calibrator=None)


def drafted(*tiers: Tier) -> list[Draft]:
    return [
        make_draft("36 months", origin=make_origin(f"{tier}-{n}", tier), index=n)
        for n, tier in enumerate(tiers)
    ]


@settings(deadline=None)
@given(
    tiers=st.lists(st.sampled_from(list(Tier)), min_size=1, max_size=6),
    data=st.data(),
)
def test_one_seat_moves_the_score_of_another_by_the_stated_bound_and_the_pool_by_nothing(
    tiers: list[Tier], data: st.DataObject
) -> None:
    drafts = drafted(*tiers)
    count = len(drafts)
    own = np.full(count, -0.1)
    nothing = np.full(count, -2.0)
    matrix = data.draw(arrays.arrays(np.float64, (count, count), elements=log_probabilities))
    changed = matrix.copy()
    witness = data.draw(st.integers(0, count - 1))
    changed[:, witness] = data.draw(arrays.arrays(np.float64, count, elements=log_probabilities))

    before = score_drafts(drafts, own, nothing, mode=ISOLATED, lift_bound=BOUND, cross=matrix)
    after = score_drafts(drafts, own, nothing, mode=ISOLATED, lift_bound=BOUND, cross=changed)

    most = 0.0 if tiers[witness] is Tier.POOL else 2 * BOUND
    for at in range(count):
        moved = abs(math.log(before[at].raw) - math.log(after[at].raw))
        assert moved <= (0.0 if at == witness else most) + 1e-9


@settings(deadline=None)
@given(
    tiers=st.lists(st.sampled_from(list(Tier)), min_size=1, max_size=6),
    own=st.floats(-60, 0),
    lift=st.floats(-60, 0),
)
def test_raw_lies_in_its_range(tiers: list[Tier], own: float, lift: float) -> None:
    drafts = drafted(*tiers)
    count = len(drafts)

    scored = score_drafts(
        drafts,
        np.full(count, own),
        np.full(count, -2.0),
        mode=ISOLATED,
        lift_bound=BOUND,
        cross=np.full((count, count), lift),
    )

    assert all(0 < draft.raw <= 1 for draft in scored)


def test_a_seat_that_abstained_is_no_witness_and_has_no_score() -> None:
    silent = make_draft("", origin=make_origin("b"), index=1, abstained=True)
    drafts = [make_draft("36 months", origin=make_origin("a")), silent]
    cross = np.array([[-0.1, -0.1], [-2.0, -2.0]])

    (scored,) = score_drafts(
        drafts, np.full(2, -0.1), np.full(2, -2.0), mode=ISOLATED, lift_bound=BOUND, cross=cross
    )

    assert scored.corroboration == 0.0


def test_without_cross_examination_no_lift_counts() -> None:
    drafts = drafted(Tier.ESTABLISHED, Tier.ESTABLISHED)

    scored = score_drafts(
        drafts, np.full(2, -0.1), np.full(2, -2.0), mode=ISOLATED, lift_bound=BOUND
    )

    assert {draft.corroboration for draft in scored} == {0.0}


@settings(deadline=None)
@given(drafts=scored_drafts())
def test_each_seat_has_one_vote_however_many_drafts_it_gives(drafts: list[ScoredDraft]) -> None:
    groups = weighed(drafts)

    totals: dict[str, float] = {}
    for group in groups:
        for vote in group.votes:
            totals[vote.seat] = totals.get(vote.seat, 0.0) + vote.share
    assert all(total == pytest.approx(1.0) for total in totals.values())


@settings(deadline=None)
@given(drafts=scored_drafts())
def test_group_scores_lie_below_their_diversity(drafts: list[ScoredDraft]) -> None:
    for group in weighed(drafts):
        assert 0 <= group.score <= group.diversity + 1e-9 < 1
        assert group.diversity == pytest.approx(source_diversity(group.support))


@settings(deadline=None)
@given(drafts=scored_drafts())
def test_an_answer_of_the_pool_alone_is_supported_by_one_half(drafts: list[ScoredDraft]) -> None:
    for group in weighed(drafts):
        if not any(vote.established for vote in group.votes):
            assert group.support == 0.5


@settings(deadline=None)
@given(drafts=scored_drafts(), data=st.data())
def test_the_order_of_drafts_does_not_change_the_groups(
    drafts: list[ScoredDraft], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(drafts))

    def as_sets(groups: tuple[AnswerGroup, ...]) -> set[frozenset[int]]:
        return {frozenset(d.draft.subset.index for d in group.drafts) for group in groups}

    assert as_sets(weighed(drafts)) == as_sets(weighed(list(shuffled)))


@settings(deadline=None)
@given(drafts=scored_drafts())
def test_pooled_drafts_never_change_the_groups_of_established_ones(
    drafts: list[ScoredDraft],
) -> None:
    established = [draft for draft in drafts if draft.draft.subset.tier is not Tier.POOL]

    def as_sets(groups: tuple[AnswerGroup, ...]) -> set[frozenset[int]]:
        held = (
            frozenset(
                d.draft.subset.index for d in group.drafts if d.draft.subset.tier is not Tier.POOL
            )
            for group in groups
        )
        return {group for group in held if group}

    assert as_sets(weighed(drafts)) == (as_sets(weighed(established)) if established else set())


@settings(deadline=None)
@given(drafts=scored_drafts(most=4), copies=st.integers(1, 5))
def test_more_drafts_of_one_pooled_answer_add_no_weight(
    drafts: list[ScoredDraft], copies: int
) -> None:
    others = [draft for draft in drafts if draft.draft.subset.tier is not Tier.POOL]
    account = make_origin("x", Tier.POOL)
    pooled = [make_scored("9 months", origin=account, index=50 + n, raw=0.9) for n in range(copies)]

    once = {group.answer: group.score for group in weighed([*others, pooled[0]])}
    often = {group.answer: group.score for group in weighed([*others, *pooled])}

    assert once == pytest.approx(often)


@settings(deadline=None)
@given(drafts=scored_drafts())
def test_the_monitored_disagreement_ignores_scores_and_trust(drafts: list[ScoredDraft]) -> None:
    flat = [
        make_scored(
            scored.draft.answer,
            origin=scored.draft.subset.chunks[0].origin,
            index=scored.draft.subset.index,
            raw=0.5,
            trust=0.5,
        )
        for scored in drafts
    ]
    plain = [draft for draft in drafts if draft.draft.answer not in {"36 or 9 months"}]
    flat = [draft for draft in flat if draft.draft.answer not in {"36 or 9 months"}]

    if plain:
        first, second = (
            monitored_disagreement(weighed(plain)),
            monitored_disagreement(weighed(flat)),
        )
        assert 0 <= first <= 1
        assert first == pytest.approx(second)


def test_two_seats_of_different_opinion_disagree_fully() -> None:
    drafts = [
        make_scored("36 months", origin=make_origin("a")),
        make_scored("9 months", origin=make_origin("b"), index=1),
    ]

    assert monitored_disagreement(weighed(drafts)) == 1.0


def test_the_pool_counts_in_the_monitored_disagreement() -> None:
    drafts = [
        make_scored("36 months", origin=make_origin("a")),
        make_scored("three years", origin=make_origin("b"), index=1),
        make_scored("9 months", origin=make_origin("x", Tier.POOL), index=2),
    ]

    assert monitored_disagreement(weighed(drafts)) == pytest.approx(2 / 3)


def test_families_are_compared_where_a_single_seat_answered() -> None:
    press = make_origin("press")
    drafts = [
        make_scored("36 months", origin=press, index=0, family="f0"),
        make_scored("three years", origin=press, index=1, family="f1"),
        make_scored("9 months", origin=press, index=2, family="f2"),
    ]

    assert monitored_disagreement(weighed(drafts)) == pytest.approx(2 / 3)


def test_one_draft_disagrees_with_nobody() -> None:
    assert monitored_disagreement(weighed([make_scored("36 months")])) == 0.0


def test_the_words_of_an_answer_are_an_established_seats_where_one_gives_it() -> None:
    drafts = [
        make_scored("three years", origin=make_origin("x", Tier.POOL), raw=0.99),
        make_scored("36 months", origin=make_origin("a"), index=1, raw=0.2),
    ]

    (group,) = weighed(drafts)

    assert group.answer == "36 months"
