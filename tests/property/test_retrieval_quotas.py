"""Law 4: what one side adds never changes what is retrieved from the other."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backends.rank_fusion import RankedChunk, capped, capped_ranking, depth_for, fuse
from domain.documents import ChunkId
from domain.retrieval import ScoredChunk, VectorRecord
from tests.vector_stores import KINDS, opened, record, search

WORDS = ("refund", "policy", "within", "thirty", "days", "shipping", "free", "the")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
angles = st.floats(0, 2 * np.pi, allow_nan=False)


@st.composite
def records(draw: st.DrawFn, *, prefix: str, established: bool, most: int) -> list[VectorRecord]:
    made = []
    for number in range(draw(st.integers(1, most))):
        angle = draw(angles)
        made.append(
            record(
                f"{prefix}{number}/0",
                (float(np.cos(angle)), float(np.sin(angle))),
                text=draw(texts),
                trust=draw(st.sampled_from((0.2, 0.5, 1.0))),
                origin=draw(st.sampled_from(("one", "two", "three"))),
                established=established,
                voting=draw(st.sampled_from((True, True, False))),
            )
        )
    return made


def _what(hits: Sequence[ScoredChunk]) -> list[tuple[str, float, float]]:
    return [(hit.chunk.id, hit.similarity, hit.relevance) for hit in hits]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", [True, False], ids=["established", "pool"])
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_adding_to_one_side_changes_no_hit_order_or_score_of_the_other(
    kind: str, side: bool, data: st.DataObject
) -> None:
    watched = data.draw(records(prefix="w", established=side, most=8))
    flood = data.draw(records(prefix="f", established=not side, most=40))
    question = data.draw(texts)
    limit, per_origin = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))

    async def before_and_after(folder: Path) -> tuple[Sequence[ScoredChunk], ...]:
        async with opened(kind, folder) as store:
            await store.upsert(watched)
            seen = []
            for written in ([], flood[: len(flood) // 2], flood[len(flood) // 2 :]):
                await store.upsert(written)
                seen.append(
                    await search(
                        store, question, established=side, limit=limit, per_origin=per_origin
                    )
                )
            return tuple(seen)

    with tempfile.TemporaryDirectory() as folder:
        before, half, after = asyncio.run(before_and_after(Path(folder)))

    assert _what(before) == _what(half) == _what(after)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_hits_keep_every_bound_that_the_search_was_given(kind: str, data: st.DataObject) -> None:
    stored = data.draw(records(prefix="e", established=True, most=20))
    limit, per_origin = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 4))
    min_trust = data.draw(st.sampled_from((0.0, 0.5, 0.7)))
    fit = {r.chunk.id: r.origin.id for r in stored if r.voting and r.trust >= min_trust}

    async def found(folder: Path) -> Sequence[ScoredChunk]:
        async with opened(kind, folder) as store:
            await store.upsert(stored)
            return await search(
                store, "refund policy", limit=limit, per_origin=per_origin, min_trust=min_trust
            )

    with tempfile.TemporaryDirectory() as folder:
        hits = asyncio.run(found(Path(folder)))

    room = sum(min(many, per_origin) for many in Counter(fit.values()).values())
    assert len(hits) == min(limit, room)
    assert {hit.chunk.id for hit in hits} <= set(fit)
    assert max(Counter(hit.origin.id for hit in hits).values(), default=0) <= per_origin


ranked = st.builds(
    RankedChunk,
    chunk_id=st.integers(0, 500).map(lambda n: ChunkId(f"{n:03}")),
    origin=st.sampled_from("abcdefgh"),
    score=st.integers(0, 30).map(float),
)


@given(
    rows=st.lists(ranked, max_size=300, unique_by=lambda row: row.chunk_id),
    depth=st.integers(1, 12),
    per_origin=st.integers(1, 5),
)
def test_a_ranking_by_pages_is_the_ranking_of_all_rows(
    rows: list[RankedChunk], depth: int, per_origin: int
) -> None:
    asked = 0

    async def page(count: int, without: frozenset[str]) -> list[RankedChunk]:
        nonlocal asked
        asked += 1
        left = [row for row in rows if row.origin not in without]
        # Ties the wrong way round: the pages must not depend on the store's own order.
        left.sort(key=lambda row: (row.score, row.chunk_id), reverse=True)
        return left[:count]

    ranking = asyncio.run(capped_ranking(page, depth=depth, per_origin=per_origin))

    assert ranking == capped(rows, per_origin=per_origin)[:depth]
    assert asked <= depth / per_origin + 2 + 4


@given(
    vector=st.lists(ranked, max_size=20, unique_by=lambda row: row.chunk_id),
    keyword=st.lists(ranked, max_size=20, unique_by=lambda row: row.chunk_id),
    limit=st.integers(1, 9),
)
def test_fused_relevance_falls_and_stays_in_the_unit_interval(
    vector: list[RankedChunk], keyword: list[RankedChunk], limit: int
) -> None:
    rankings = capped(vector, per_origin=99), capped(keyword, per_origin=99)

    fused = fuse(*rankings, limit=limit, per_origin=99)

    relevances = [row.relevance for row in fused]
    assert relevances == sorted(relevances, reverse=True)
    assert all(0 < relevance <= 1 for relevance in relevances)
    assert len(fused) <= limit <= depth_for(limit)
