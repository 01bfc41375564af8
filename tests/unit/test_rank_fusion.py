"""Pages, caps and fusion, where the property tests do not reach."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from backends.rank_fusion import RankedChunk, capped_ranking, fuse
from domain.documents import ChunkId


def row(name: str, score: float = 1.0, origin: str = "one") -> RankedChunk:
    return RankedChunk(chunk_id=ChunkId(name), origin=origin, score=score)


def ranking(
    rows: Sequence[RankedChunk], *, depth: int, per_origin: int, max_window: int = 16_384
) -> tuple[list[RankedChunk], list[int]]:
    counts: list[int] = []

    async def page(count: int, without: frozenset[str]) -> Sequence[RankedChunk]:
        counts.append(count)
        left = [r for r in rows if r.origin not in without]
        return sorted(left, key=lambda r: -r.score)[:count]

    kept = asyncio.run(
        capped_ranking(page, depth=depth, per_origin=per_origin, max_window=max_window)
    )
    return kept, counts


def test_a_ranking_without_loud_origins_takes_one_page() -> None:
    rows = [row(f"{n:03}", -n, f"o{n}") for n in range(100)]

    kept, counts = ranking(rows, depth=5, per_origin=2)

    assert [r.chunk_id for r in kept] == ["000", "001", "002", "003", "004"]
    assert counts == [10]


def test_an_origin_of_a_hundred_thousand_rows_costs_one_page_more() -> None:
    loud = [row(f"l{n:06}", 2 - n * 1e-6, "loud") for n in range(100_000)]
    quiet = [row(f"q{n}", -n, f"o{n}") for n in range(9)]

    kept, counts = ranking([*loud, *quiet], depth=5, per_origin=2)

    assert [r.chunk_id for r in kept] == ["l000000", "l000001", "q0", "q1", "q2"]
    assert counts == [10, 10]


def test_more_equal_rows_than_the_largest_window_end_the_widening() -> None:
    rows = [row(f"{n:05}", 1.0, f"o{n}") for n in range(5_000)]

    kept, counts = ranking(rows, depth=5, per_origin=2, max_window=1_000)

    assert len(kept) == 5
    assert counts == [10, 80, 640, 1_000]


def test_an_origin_with_more_equal_rows_than_the_window_hides_no_other() -> None:
    loud = [row(f"l{n:05}", 1.0, "loud") for n in range(5_000)]

    kept, _ = ranking([*loud, row("q", 0.5, "quiet")], depth=5, per_origin=2, max_window=1_000)

    assert [r.origin for r in kept] == ["loud", "loud", "quiet"]


def test_equal_scores_share_a_rank_so_that_only_ids_part_them() -> None:
    fused = fuse([row("b"), row("a")], [row("b", 3.0)], limit=9, per_origin=9)
    tied = fuse([row("b"), row("a")], [], limit=9, per_origin=9)

    assert [r.chunk_id for r in fused] == ["b", "a"]
    assert [r.chunk_id for r in tied] == ["a", "b"]
    assert tied[0].relevance == tied[1].relevance


def test_the_fused_ranking_is_capped_again() -> None:
    fused = fuse([row("a"), row("b")], [row("c"), row("d")], limit=9, per_origin=3)

    assert len(fused) == 3
