"""Laws 3, 4 and 5 where a reranker orders the evidence, and where near-copies take places."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.memory.vectors import InMemoryVectorStore
from defences.retrieval.families import collapse
from defences.retrieval.partition import Partition, partition
from domain.answering import SeatId
from domain.documents import Tier
from domain.errors import TransientError
from domain.retrieval import FamilyId, ScoredChunk
from gateway.query.retrieval import Quotas, Retrieval, joined, reranked
from tests.answer_builders import make_chunk, make_origin
from tests.vector_stores import BETWEEN, EAST, record

QUOTAS = Quotas(established_limit=4, pool_limit=2, per_origin=4, min_trust=0.0)


@dataclass(slots=True)
class Arbitrary:
    """Scores by chance: the worst reranker that there can be."""

    chance: random.Random
    version: str = "arbitrary"

    async def rerank(self, question: str, chunks: Sequence[ScoredChunk]) -> Sequence[float]:
        del question
        return [self.chance.uniform(-9, 9) for _ in chunks]


class Unavailable:
    version = "unavailable"

    async def rerank(self, question: str, chunks: Sequence[ScoredChunk]) -> Sequence[float]:
        raise TransientError("reranker did not answer")


hits = st.lists(
    st.tuples(st.sampled_from(list(Tier)), st.integers(0, 4), st.floats(-0.1, 0.9)), max_size=16
).map(
    lambda rows: [
        make_chunk(
            document=f"doc-{number}",
            origin=make_origin(f"{tier}-{owner}", tier),
            similarity=similarity,
        )
        for number, (tier, owner, similarity) in enumerate(rows)
    ]
)


def ranked(chunks: Sequence[ScoredChunk], seed: int) -> tuple[ScoredChunk, ...]:
    retrieval = Retrieval(InMemoryVectorStore(), Arbitrary(random.Random(seed)))  # noqa: S311
    return asyncio.run(retrieval.ranked("question", chunks))


@settings(deadline=None)
@given(chunks=hits, seed=st.integers(0, 99))
def test_a_reranker_orders_inside_a_tier_and_loses_and_adds_nothing(
    chunks: list[ScoredChunk], seed: int
) -> None:
    after = ranked(chunks, seed)

    tiers = [hit.origin.tier for hit in after]
    assert sorted(hit.chunk.id for hit in after) == sorted(hit.chunk.id for hit in chunks)
    assert tiers == sorted(tiers, key=[Tier.REVIEWED, Tier.ESTABLISHED, Tier.POOL].index)
    for tier in Tier:
        scores = [hit.rerank or 0.0 for hit in after if hit.origin.tier is tier]
        assert scores == sorted(scores, reverse=True)


@settings(deadline=None)
@given(
    chunks=hits,
    seed=st.integers(0, 99),
    sizes=st.tuples(st.integers(1, 6), st.integers(1, 4)),
)
def test_no_reranker_changes_which_seats_are_drafted_nor_mixes_tiers(
    chunks: list[ScoredChunk], seed: int, sizes: tuple[int, int]
) -> None:
    m, k = sizes

    plain = partition(chunks, m=m, k=k, key=b"key")
    reordered = partition(ranked(chunks, seed), m=m, k=k, key=b"key")

    def seats(parts: Partition) -> list[tuple[SeatId, ...]]:
        return [subset.seats for subset in parts.subsets]

    assert seats(plain) == seats(reordered)
    for subset in reordered.subsets:
        assert {chunk.origin.tier for chunk in subset.chunks} == {subset.tier}


def test_a_reranker_that_does_not_answer_leaves_the_evidence_as_it_was() -> None:
    chunks = [make_chunk(document="a"), make_chunk(document="b")]

    after = asyncio.run(Retrieval(InMemoryVectorStore(), Unavailable()).ranked("q", chunks))

    assert after == tuple(chunks)
    assert not reranked(after)


def test_scores_of_a_part_of_the_evidence_order_nothing() -> None:
    scored = replace(make_chunk(document="a"), rerank=3.0)

    both = joined([scored], [make_chunk(document="b")])

    assert [hit.rerank for hit in both] == [None, None]
    assert joined([scored], [scored]) == (scored, scored)


@settings(deadline=None)
@given(copies=st.integers(0, 12))
def test_near_copies_that_took_places_are_made_up_for_by_a_wider_search(copies: int) -> None:
    # Copies of one family that vote all the same: an index that was not dealt anew yet.
    store = InMemoryVectorStore(dimensions=2)
    flood = [
        replace(
            record(f"copy{n:02}/0", EAST, origin=f"mirror{n % 4}"), family_id=FamilyId("original")
        )
        for n in range(copies)
    ]
    honest = [record(f"own{n}/0", (0.8, 0.6), origin=f"press{n}") for n in range(3)]

    async def find() -> tuple[ScoredChunk, ...]:
        await store.upsert([*flood, *honest])
        return await Retrieval(store).find(
            "q",
            "q",
            np.array(EAST, np.float32),
            tenant_id=honest[0].tenant_id,
            quotas=QUOTAS,
        )

    found = asyncio.run(find())

    assert {hit.family_id for hit in collapse(found)} >= {f"own{n}" for n in range(3)}
    assert len(collapse(found)) <= QUOTAS.established_limit


@settings(deadline=None)
@given(flooded=st.integers(0, 40), established=st.booleans())
def test_a_chorus_that_takes_the_pools_places_leaves_others_theirs(
    flooded: int, established: bool
) -> None:
    # Where somebody is established the pool keeps its quota: its texts decide nothing there.
    store = InMemoryVectorStore(dimensions=2)
    quotas = replace(QUOTAS, pool_limit=4)
    flood = [
        record(f"flood{n:02}/0", EAST, origin=f"account{n}", established=False)
        for n in range(flooded)
    ]
    honest = [
        record(f"own{n}/0", (0.6, 0.8 - 1.6 * (n % 2)), origin=f"person{n}", established=False)
        for n in range(2)
    ]
    vouched = [record("press/0", BETWEEN)] if established else []

    async def find() -> tuple[ScoredChunk, ...]:
        await store.upsert([*flood, *honest, *vouched])
        return await Retrieval(store).find(
            "q", "q", np.array(EAST, np.float32), tenant_id=honest[0].tenant_id, quotas=quotas
        )

    found = [hit for hit in asyncio.run(find()) if not hit.origin.established]

    kept = {str(hit.family_id) for hit in found} & {"own0", "own1"}
    assert len(found) <= quotas.pool_limit + (0 if established else len(honest))
    assert len(kept) == (max(0, min(2, 4 - flooded)) if established else 2)
