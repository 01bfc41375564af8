"""What LanceDB keeps of versions it has read stays within its bytes, however often it is written to."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from lancedb.table import AsyncTable

from backends.lancedb_rows import rows_of
from backends.lancedb_tables import (
    INDEX_CACHE_BYTES,
    METADATA_CACHE_BYTES,
    Change,
    LanceTables,
)
from tests.vector_stores import DIMENSIONS, record

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


def small_tables(folder: Path, *, renew_after: int, keep_versions: timedelta) -> LanceTables:
    return LanceTables(
        folder,
        dimensions=DIMENSIONS,
        lock_timeout_seconds=10,
        renew_after=renew_after,
        keep_versions=keep_versions,
    )


async def insert(tables: LanceTables, number: int) -> None:
    rows = rows_of([record(f"d{number}/0")], dimensions=DIMENSIONS)

    async def write(table: AsyncTable) -> object:
        return await table.add(rows)

    async with tables.writing():
        await tables.commit([Change(table="t", apply=write)])


async def test_a_process_that_writes_on_begins_anew_with_empty_caches(tmp_path: Path) -> None:
    lasting, renewed = (
        small_tables(tmp_path / name, renew_after=after, keep_versions=timedelta(minutes=2))
        for name, after in (("lasting", 10**9), ("renewed", 20))
    )

    for number in range(75):  # the index is brought up to date twice
        await insert(lasting, number)
        await insert(renewed, number)

    assert renewed.cached_bytes < lasting.cached_bytes / 2


async def test_a_table_that_was_opened_before_is_read_on(tmp_path: Path) -> None:
    tables = small_tables(tmp_path, renew_after=2, keep_versions=timedelta(minutes=2))
    await insert(tables, 0)
    before = await tables.find("t")

    for number in range(1, 6):
        await insert(tables, number)

    after = await tables.find("t")
    assert before is not None
    assert after is not None
    assert after is not before
    assert await before.count_rows() == await after.count_rows() == 6


async def test_versions_that_nobody_reads_any_more_are_removed(tmp_path: Path) -> None:
    tables = small_tables(tmp_path, renew_after=1_000, keep_versions=timedelta(milliseconds=1))

    for number in range(75):
        await insert(tables, number)

    assert len(list(tmp_path.rglob("*.manifest"))) < 50
    table = await tables.find("t")
    assert table is not None
    assert await table.count_rows() == 75
