"""The comparison partitions and the plain seat: Laws 2, 5 and 7."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from defences.answering.guard import DisagreementGuard
from defences.answering.scoring import corroboration, score_drafts, voting_seats
from defences.answering.weighting import weigh_groups
from defences.retrieval.comparison import MIXERS
from defences.retrieval.partition import partition
from domain.answering import PLAIN_SEAT, AnswerWarning, Outcome, PartitionMode, SeatId
from domain.documents import Tier
from domain.retrieval import ScoredChunk
from tests.answer_builders import (
    make_chunk,
    make_draft,
    make_group,
    make_origin,
    make_scored,
    make_subset,
    make_vote,
)

KEY = b"key of the day"
MODES = sorted(MIXERS)
SIZES = st.tuples(st.integers(1, 6), st.integers(1, 5))


@st.composite
def evidence(draw: st.DrawFn) -> list[ScoredChunk]:
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from(list(Tier)), st.integers(0, 4), st.floats(0.2, 0.95)),
            min_size=1,
            max_size=14,
        )
    )
    angles = draw(st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows)))
    return [
        dataclasses.replace(
            make_chunk(
                document=f"doc-{n}",
                origin=make_origin(f"{tier}-{owner}", tier),
                similarity=similarity,
            ),
            vector=np.array([np.cos(angle), np.sin(angle)], dtype=np.float32),
        )
        for n, ((tier, owner, similarity), angle) in enumerate(zip(rows, angles, strict=True))
    ]


@pytest.mark.parametrize("mode", MODES)
@settings(deadline=None, max_examples=30)
@given(chunks=evidence(), sizes=SIZES, data=st.data())
def test_a_mixing_partition_has_at_most_m_unique_subsets_of_the_best_passages(
    mode: PartitionMode, chunks: list[ScoredChunk], sizes: tuple[int, int], data: st.DataObject
) -> None:
    m, k = sizes
    parts = partition(chunks, m=m, k=k, key=KEY, mode=mode)

    held = [frozenset(chunk.chunk.id for chunk in subset.chunks) for subset in parts.subsets]
    best = sorted(chunks, key=lambda chunk: (-chunk.similarity, chunk.chunk.id))[: m * k]
    assert parts.mode is mode
    assert 1 <= len(held) <= m
    assert len(set(held)) == len(held)
    assert set().union(*held) <= {chunk.chunk.id for chunk in best}
    assert all(1 <= len(subset.chunks) <= k for subset in parts.subsets)
    assert parts == partition(data.draw(st.permutations(chunks)), m=m, k=k, key=KEY, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@settings(deadline=None, max_examples=30)
@given(chunks=evidence(), sizes=SIZES)
def test_a_mixed_subset_is_of_its_least_established_tier_and_names_its_seats(
    mode: PartitionMode, chunks: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    parts = partition(chunks, m=sizes[0], k=sizes[1], key=KEY, mode=mode)

    for subset in parts.subsets:
        tiers = {chunk.origin.tier for chunk in subset.chunks}
        pooled = Tier.POOL in tiers
        assert (subset.tier is Tier.POOL) is pooled
        assert ("pool" in subset.seats) is pooled
        assert subset.tier in tiers


@settings(deadline=None, max_examples=40)
@given(chunks=evidence(), sizes=SIZES)
def test_multi_perspective_takes_one_passage_of_each_cluster(
    chunks: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    m, k = sizes
    mode = PartitionMode.MULTI_PERSPECTIVE
    parts = partition(chunks, m=m, k=k, key=KEY, mode=mode)

    dealt = sorted(chunks, key=lambda chunk: (-chunk.similarity, chunk.chunk.id))[: m * k]
    places = {tuple(chunk.vector.tolist()) for chunk in dealt}
    for subset in parts.subsets:
        # Equal vectors are in one cluster, so a subset never holds two of them.
        assert len({tuple(chunk.vector.tolist()) for chunk in subset.chunks}) == len(subset.chunks)
        assert len(subset.chunks) == min(k, len(places))


def test_a_poisoned_cluster_reaches_every_multi_perspective_draft_and_one_isolated_one() -> None:
    honest = [
        dataclasses.replace(
            make_chunk(document=f"honest-{n}", origin=make_origin(f"press-{n}"), similarity=0.6),
            vector=np.array([1.0, 0.01 * n], dtype=np.float32),
        )
        for n in range(4)
    ]
    poison = [
        dataclasses.replace(
            make_chunk(
                document=f"poison-{n}", origin=make_origin("flooder", Tier.POOL), similarity=0.7
            ),
            vector=np.array([0.0, 1.0 + 0.01 * n], dtype=np.float32),
        )
        for n in range(3)
    ]

    def contaminated(mode: PartitionMode) -> list[bool]:
        parts = partition([*honest, *poison], m=5, k=2, key=KEY, mode=mode)
        return [
            any(chunk.origin.id == "flooder" for chunk in subset.chunks) for subset in parts.subsets
        ]

    assert all(contaminated(PartitionMode.MULTI_PERSPECTIVE))
    assert sum(contaminated(PartitionMode.ISOLATED)) == 1


def test_nothing_relevant_gives_no_mixed_subset() -> None:
    chunk = make_chunk(similarity=0.0)

    for mode in MODES:
        assert partition([chunk], m=3, k=2, key=KEY, mode=mode).subsets == ()


@settings(deadline=None, max_examples=40)
@given(chunks=evidence(), sizes=SIZES)
def test_the_plain_seat_adds_one_subset_of_established_passages_and_changes_no_other(
    chunks: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    m, k = sizes
    without = partition(chunks, m=m, k=k, key=KEY).subsets

    subsets = partition(chunks, m=m, k=k, key=KEY, plain_seat=True).subsets

    seats = {seat for subset in without if subset.tier is not Tier.POOL for seat in subset.seats}
    if len(seats) > 1:
        *others, plain = subsets
        assert tuple(others) == without
        assert plain.seats == (PLAIN_SEAT,)
        assert all(chunk.origin.established for chunk in plain.chunks)
        assert 1 <= len(plain.chunks) <= k
    else:
        assert subsets == without


def test_the_plain_seat_votes_as_itself_and_is_no_witness() -> None:
    chunk = make_chunk("36 months", document="a", origin=make_origin("a"))
    own = make_draft("36 months", origin=make_origin("b"), index=1)
    plain = dataclasses.replace(
        make_draft("36 months", origin=make_origin("a"), index=0),
        subset=make_subset([make_draft("36 months", origin=make_origin("a")).subset.chunks[0]]),
    )
    plain = dataclasses.replace(
        plain, subset=dataclasses.replace(plain.subset, seats=(PLAIN_SEAT,), index=2)
    )
    drafts = [own, plain]

    assert chunk.origin.established
    assert voting_seats(plain, PartitionMode.ISOLATED) == (PLAIN_SEAT,)
    assert corroboration(drafts, 0, np.array([0.0, 5.0]), lift_bound=0.5) == 0.0
    assert corroboration(drafts, 1, np.array([5.0, 0.0]), lift_bound=0.5) == 0.0


def test_the_plain_seat_is_no_independent_support() -> None:
    press = make_scored("36 months", origin=make_origin("a"))
    plain = make_scored("36 months", origin=make_origin("b"), index=1, seats=[PLAIN_SEAT])

    (both,) = weigh_groups([[press, plain]], mode=PartitionMode.ISOLATED, calibrator=None)
    (alone,) = weigh_groups([[plain]], mode=PartitionMode.ISOLATED, calibrator=None)

    assert both.support == 1.0
    assert alone.support == 0.5


def test_a_draft_of_a_mixed_subset_weighs_by_the_seats_that_it_mixes() -> None:
    draft = make_draft("36 months", origin=make_origin("a"))
    two = dataclasses.replace(
        draft,
        subset=dataclasses.replace(
            draft.subset, seats=(SeatId("publisher:a"), SeatId("publisher:b"))
        ),
    )

    def raw(mode: PartitionMode) -> float:
        nothing = np.array([-2.0])
        (scored,) = score_drafts([two], np.array([0.0]), nothing, mode=mode, lift_bound=0.5)
        return scored.raw

    assert raw(PartitionMode.RANDOM) == pytest.approx(0.75 * raw(PartitionMode.ISOLATED))


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_of_a_comparison_mode_always_carries_a_warning(mode: PartitionMode) -> None:
    votes = [make_vote("publisher:a"), make_vote("publisher:b")]
    guard = DisagreementGuard(tau=0.7, agreement_floor=0.3)

    decision = guard.decide([make_group("36 months", votes)], mode=mode, calibrated=True)

    assert decision.outcome is Outcome.ANSWER_WITH_WARNING
    assert decision.warnings == (AnswerWarning.NOT_ISOLATED,)


def test_in_a_mixed_partition_a_seat_that_read_the_pool_once_votes_as_the_pool() -> None:
    clean = make_scored("36 months", origin=make_origin("a"), seats=["publisher:a"])
    soiled = make_scored(
        "9 months", origin=make_origin("x", Tier.POOL), index=1, seats=["publisher:a"]
    )

    groups = weigh_groups([[clean], [soiled]], mode=PartitionMode.RANDOM, calibrator=None)

    assert not any(vote.established for group in groups for vote in group.votes)
