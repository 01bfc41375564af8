"""Laws 2 and 5: who gets which subset, and what nobody outside can change about it."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from defences.retrieval.partition import (
    MIN_RELEVANCE,
    NEARLY_AS_RELEVANT,
    partition,
    seat_of,
)
from domain.answering import POOL_SEAT, EvidenceSubset, PartitionMode
from domain.documents import Tier
from domain.retrieval import ScoredChunk
from tests.answer_builders import make_chunk, make_origin

KEY = b"key of the day"


@st.composite
def hits(draw: st.DrawFn, *, tiers: tuple[Tier, ...], most: int = 24) -> list[ScoredChunk]:
    """Chunks of distinct families (one vote a family), some families with several chunks."""
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from(tiers),
                st.integers(0, 8),
                st.integers(1, 3),
                st.floats(-0.2, 0.95),
                st.floats(0.2, 1.0),
                st.integers(0, 400),
            ),
            max_size=most,
        )
    )
    prefix = "-".join(tiers)
    return [
        make_chunk(
            f"Passage {number} {part}.",
            document=f"{prefix}-{number}",
            ordinal=part,
            origin=make_origin(f"{tier}-{owner}", tier),
            similarity=similarity - 0.05 * part,
            trust=trust,
            age_days=age,
        )
        for number, (tier, owner, parts, similarity, trust, age) in enumerate(rows)
        for part in range(parts)
    ]


ESTABLISHED = hits(tiers=(Tier.REVIEWED, Tier.ESTABLISHED))
POOLED = hits(tiers=(Tier.POOL,))
SIZES = st.tuples(st.integers(1, 8), st.integers(1, 6))


def established_of(subsets: tuple[EvidenceSubset, ...]) -> list[EvidenceSubset]:
    return [subset for subset in subsets if subset.tier is not Tier.POOL]


@settings(deadline=None)
@given(established=ESTABLISHED, pooled=POOLED, sizes=SIZES)
def test_pool_and_established_never_share_a_subset_and_tiers_never_mix(
    established: list[ScoredChunk], pooled: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    parts = partition([*established, *pooled], m=sizes[0], k=sizes[1], key=KEY)

    for subset in parts.subsets:
        assert {chunk.origin.tier for chunk in subset.chunks} == {subset.tier}
        assert (POOL_SEAT in subset.seats) is (
            subset.tier is Tier.POOL and parts.mode is PartitionMode.ISOLATED
        )


@settings(deadline=None)
@given(established=ESTABLISHED, pooled=POOLED, extra=POOLED, sizes=SIZES)
def test_what_the_pool_adds_never_changes_an_established_subset(
    established: list[ScoredChunk],
    pooled: list[ScoredChunk],
    extra: list[ScoredChunk],
    sizes: tuple[int, int],
) -> None:
    m, k = sizes
    before = partition([*established, *pooled], m=m, k=k, key=KEY)

    after = partition([*extra, *established], m=m, k=k, key=KEY)

    assert established_of(before.subsets) == established_of(after.subsets)


@settings(deadline=None)
@given(established=ESTABLISHED, pooled=POOLED, sizes=SIZES, data=st.data())
def test_the_order_of_hits_does_not_matter(
    established: list[ScoredChunk],
    pooled: list[ScoredChunk],
    sizes: tuple[int, int],
    data: st.DataObject,
) -> None:
    m, k = sizes
    chunks = [*established, *pooled]
    shuffled = data.draw(st.permutations(chunks))

    assert partition(chunks, m=m, k=k, key=KEY) == partition(shuffled, m=m, k=k, key=KEY)


@settings(deadline=None)
@given(established=ESTABLISHED, pooled=POOLED, sizes=SIZES)
def test_subsets_are_disjoint_numbered_and_of_at_most_k_chunks_best_first(
    established: list[ScoredChunk], pooled: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    m, k = sizes
    parts = partition([*established, *pooled], m=m, k=k, key=KEY)

    used = Counter(chunk.chunk.id for subset in parts.subsets for chunk in subset.chunks)
    assert all(count == 1 for count in used.values())
    assert [subset.index for subset in parts.subsets] == list(range(len(parts.subsets)))
    for subset in parts.subsets:
        similarities = [chunk.similarity for chunk in subset.chunks]
        assert 1 <= len(subset.chunks) <= k
        assert similarities == sorted(similarities, reverse=True)


@settings(deadline=None)
@given(established=ESTABLISHED, sizes=SIZES)
def test_every_relevant_established_seat_is_drafted_and_no_other(
    established: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    m, k = sizes
    parts = partition(established, m=m, k=k, key=KEY)

    best: dict[str, float] = {}
    for chunk in established:
        seat = seat_of(chunk, PartitionMode.ISOLATED)
        best[seat] = max(best.get(seat, -1.0), chunk.similarity)
    relevant = {seat for seat, similarity in best.items() if similarity >= MIN_RELEVANCE}
    assert {seat for subset in parts.subsets for seat in subset.seats} == relevant
    for subset in parts.subsets:
        speaking = {seat_of(chunk, PartitionMode.ISOLATED) for chunk in subset.chunks}
        assert speaking == set(subset.seats)


@settings(deadline=None)
@given(established=ESTABLISHED, sizes=SIZES)
def test_a_seat_is_spread_over_subsets_of_its_own_or_stands_in_exactly_one(
    established: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    m, k = sizes
    parts = partition(established, m=m, k=k, key=KEY)

    places = Counter(seat for subset in parts.subsets for seat in subset.seats)
    for seat, count in places.items():
        own = [subset for subset in parts.subsets if seat in subset.seats]
        assert count == 1 or all(subset.seats == (seat,) for subset in own)


@settings(deadline=None)
@given(established=ESTABLISHED, sizes=SIZES)
def test_there_are_more_than_m_subsets_only_where_seats_would_lose_their_chunk(
    established: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    m, k = sizes
    parts = partition(established, m=m, k=k, key=KEY)

    seats = {seat for subset in parts.subsets for seat in subset.seats}
    tiers = {subset.tier for subset in parts.subsets}
    assert len(parts.subsets) <= max(m, len(tiers), -(-len(seats) // k) + len(tiers))


@settings(deadline=None)
@given(pooled=POOLED, sizes=SIZES)
def test_without_provenance_families_are_the_seats(
    pooled: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    parts = partition(pooled, m=sizes[0], k=sizes[1], key=KEY)

    assert parts.mode is PartitionMode.NO_PROVENANCE
    assert len(parts.subsets) <= sizes[0]
    for subset in parts.subsets:
        (seat,) = subset.seats
        assert {f"family:{chunk.family_id}" for chunk in subset.chunks} == {seat}


@settings(deadline=None)
@given(flood=st.integers(10, 60), k=st.integers(2, 6))
def test_a_flood_by_one_account_leaves_the_others_their_slots_in_the_pool(
    flood: int, k: int
) -> None:
    official = make_chunk(document="official", origin=make_origin("press"))
    others = [
        make_chunk(
            document=f"other-{n}", origin=make_origin(f"other-{n}", Tier.POOL), similarity=0.3
        )
        for n in range(k - 1)
    ]
    copies = [
        make_chunk(document=f"flood-{n}", origin=make_origin("flooder", Tier.POOL), similarity=0.9)
        for n in range(flood)
    ]

    parts = partition([official, *copies, *others], m=5, k=k, key=KEY)

    pool = next(subset for subset in parts.subsets if subset.tier is Tier.POOL)
    assert sum(chunk.origin.id == "flooder" for chunk in pool.chunks) == 1


@settings(deadline=None)
@given(established=hits(tiers=(Tier.ESTABLISHED,)), key=st.binary(min_size=1, max_size=80))
def test_who_shares_a_subset_depends_on_the_key_and_on_nothing_said(
    established: list[ScoredChunk], key: bytes
) -> None:
    reworded = [
        make_chunk(
            "Other words.",
            document=chunk.chunk.document_id,
            ordinal=chunk.chunk.ordinal,
            origin=chunk.origin,
            similarity=max(chunk.similarity, MIN_RELEVANCE),
        )
        for chunk in established
    ]
    relevant = [
        make_chunk(
            document=chunk.chunk.document_id,
            ordinal=chunk.chunk.ordinal,
            origin=chunk.origin,
            similarity=MIN_RELEVANCE + 0.1,
        )
        for chunk in established
    ]

    first = partition(relevant, m=3, k=6, key=key)
    second = partition(reworded, m=3, k=6, key=key)

    if len({chunk.origin.id for chunk in established}) > 2:
        assert {s.seats for s in first.subsets} == {s.seats for s in second.subsets}


@settings(deadline=None)
@given(chunks=ESTABLISHED, sizes=SIZES)
def test_nothing_clearly_less_relevant_takes_the_place_of_a_seat_s_best(
    chunks: list[ScoredChunk], sizes: tuple[int, int]
) -> None:
    m, k = sizes
    parts = partition(chunks, m=m, k=k, key=KEY)

    held: dict[str, list[ScoredChunk]] = {}
    for subset in parts.subsets:
        for chunk in subset.chunks:
            held.setdefault(str(chunk.origin.ref), []).append(chunk)
    for origin, read in held.items():
        best = max(chunk.similarity for chunk in chunks if str(chunk.origin.ref) == origin)
        assert max(chunk.similarity for chunk in read) >= best - NEARLY_AS_RELEVANT - 1e-9


def test_of_nearly_equal_passages_the_trusted_and_old_are_read_first() -> None:
    house = make_origin("house", Tier.ESTABLISHED)

    def passage(name: str, similarity: float, *, trust: float = 0.9, days: int) -> ScoredChunk:
        return make_chunk(
            f"Passage {name}.", document=name, origin=house, similarity=similarity, trust=trust,
            age_days=days,
        )  # fmt: skip

    late, trusted = passage("late", 0.82, days=1), passage("trusted", 0.8, days=90)
    doubtful = passage("doubtful", 0.81, trust=0.5, days=300)
    far = [passage(f"far{number}", 0.4, days=300 + number) for number in range(4)]

    read = [
        {chunk.chunk.document_id for chunk in subset.chunks}
        for k in (1, 2, 3)
        for subset in partition([late, trusted, doubtful, *far], m=1, k=k, key=KEY).subsets
    ]

    assert read == [{"trusted"}, {"trusted", "late"}, {"trusted", "late", "doubtful"}]
