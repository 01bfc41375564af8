"""Rankings with a cap per origin, and their fusion: what every vector store does alike (Law 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from domain.documents import ChunkId

RRF_CONSTANT: Final = 60
"""k of reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009."""

MAX_WINDOW: Final = 16_384
"""Rows asked for at once. Only equal scores ever lead there: see `capped_ranking`."""

_WIDEN: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedChunk:
    """One row of a ranking. `score`: higher is better, comparable within the ranking only."""

    chunk_id: ChunkId
    origin: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedChunk:
    """`relevance`: in (0, 1]; 1 is first in both rankings."""

    chunk_id: ChunkId
    origin: str
    relevance: float


class Page(Protocol):
    async def __call__(self, count: int, without: frozenset[str]) -> Sequence[RankedChunk]:
        """Return the best `count` rows whose origin is not in `without`; fewer if no more exist.

        Any order; where scores are equal at the end, any of them.
        """
        ...


def depth_for(limit: int) -> int:
    """Return how deep each ranking goes into the fusion for `limit` hits."""
    return max(50, 2 * limit)


def cap_for(per_origin: int) -> int:
    """Return how many rows of one origin a ranking holds before fusion.

    Twice what is returned, so that a chunk can be found high in one ranking and somewhat lower in
    the other; the fused ranking is capped again.
    """
    return 2 * per_origin


def capped(rows: Iterable[RankedChunk], *, per_origin: int) -> list[RankedChunk]:
    """Return the best first, ties by chunk id, no more than `per_origin` of one origin."""
    filled: Counter[str] = Counter()
    kept: list[RankedChunk] = []
    for row in sorted(rows, key=lambda row: (-row.score, row.chunk_id)):
        filled[row.origin] += 1
        if filled[row.origin] <= per_origin:
            kept.append(row)
    return kept


async def capped_ranking(
    page: Page, *, depth: int, per_origin: int, max_window: int = MAX_WINDOW
) -> list[RankedChunk]:
    """Return the first `depth` rows of the ranking in which each origin keeps its best.

    One loud origin cannot hide the others: whoever has filled the cap is left out of the next
    page. Every further page but the widened ones fills an origin's cap, so there are at most
    `depth / per_origin + 2` of them, whatever the number of rows. A page that ends among equal
    scores is widened, so that ties go by chunk id, to at most `MAX_WINDOW` rows; among more equal
    rows than that, the store's own order decides.
    """
    full: dict[ChunkId, RankedChunk] = {}
    without: frozenset[str] = frozenset()
    count = 2 * depth
    while True:
        rows = await page(count, without)
        more = len(rows) >= count
        if more and count < max_window:
            rows = _without_last_tie(rows)
        kept = capped([*full.values(), *rows], per_origin=per_origin)
        if len(kept) >= depth or not more:
            return kept[:depth]
        filled = Counter(row.origin for row in kept)
        loud = frozenset(o for o, many in filled.items() if many >= per_origin) - without
        if loud:
            full.update({row.chunk_id: row for row in kept if row.origin in loud})
            without |= loud
        elif count < max_window:
            count = min(count * _WIDEN, max_window)
        else:
            return kept


def fuse(*rankings: Sequence[RankedChunk], limit: int, per_origin: int) -> list[FusedChunk]:
    """Fuse by reciprocal rank and cap again; best first, ties by chunk id.

    Rows of one ranking with equal scores share a rank, so that only the chunk id parts them.
    """
    origins = {row.chunk_id: row.origin for ranking in rankings for row in ranking}
    total: dict[ChunkId, float] = dict.fromkeys(origins, 0.0)
    for ranking in rankings:
        rank, before = 0, float("nan")
        for place, row in enumerate(ranking, start=1):
            rank = rank if row.score == before else place
            before = row.score
            total[row.chunk_id] += 1 / (RRF_CONSTANT + rank)
    best = len(rankings) / (RRF_CONSTANT + 1)
    fused = capped(
        (
            RankedChunk(chunk_id=chunk_id, origin=origins[chunk_id], score=min(score / best, 1.0))
            for chunk_id, score in total.items()
        ),
        per_origin=per_origin,
    )
    return [
        FusedChunk(chunk_id=row.chunk_id, origin=row.origin, relevance=row.score)
        for row in fused[:limit]
    ]


def _without_last_tie(rows: Sequence[RankedChunk]) -> list[RankedChunk]:
    # Beyond the page there may be rows that equal its last score and have a smaller chunk id.
    last = min(row.score for row in rows)
    return [row for row in rows if row.score > last]
