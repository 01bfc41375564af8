"""What LanceDB keeps of versions it has read stays within its bytes, however often it is written to."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from lancedb.table import AsyncTable

from backends.lancedb_tables import (
    INDEX_CACHE_BYTES,
    METADATA_CACHE_BYTES,
    Change,
    LanceTables,
)
from tests.vector_stores import DIMENSIONS

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

WRITES: Final = 40
SMALL: Final = 100_000
SLACK: Final = 100_000
"""The library lets go a little later than it is over."""


async def cached(folder: Path, *, cache_bytes: int) -> int:
    """Write again and again to one table; return what is kept in memory of it."""
    tables = LanceTables(
        folder,
        dimensions=DIMENSIONS,
        lock_timeout_seconds=10,
        index_cache_bytes=cache_bytes,
        metadata_cache_bytes=cache_bytes,
    )

    async def write(table: AsyncTable) -> object:
        return await table.delete("chunk_id = 'nobody'")

    for _ in range(WRITES):
        async with tables.writing():
            await tables.commit([Change(table="t", apply=write)])
    return tables.cached_bytes


async def test_writing_keeps_no_more_than_the_caches_may_hold(tmp_path: Path) -> None:
    bounded = await cached(tmp_path / "bounded", cache_bytes=SMALL)
    free = await cached(tmp_path / "free", cache_bytes=1_000_000_000)

    assert free > 2 * SMALL + SLACK
    assert bounded <= 2 * SMALL + SLACK


def test_together_they_are_far_below_what_a_worker_may_take() -> None:
    assert INDEX_CACHE_BYTES + METADATA_CACHE_BYTES < 400_000_000
