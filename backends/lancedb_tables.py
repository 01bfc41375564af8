"""LanceDB tables in a folder: opened once a process, written one process at a time."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import math
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from backends.file_lock import exclusive
from backends.lancedb_rows import VECTOR, records_of, schema_for
from backends.resident.words import keyword_index
from backends.vector_fields import SEARCHABLE
from backends.vector_records import PAGE
from domain.documents import TenantId
from domain.errors import ConfigurationError, DependencyError, PermanentError, TransientError
from domain.retrieval import VectorRecord

if TYPE_CHECKING:
    from lancedb import AsyncConnection, Session
    from lancedb.table import AsyncTable

LOCK_FILE: Final = ".write-lock"
UNDO_FILE: Final = ".undo.json"

MAX_FRAGMENTS: Final = 32
"""Files of a table before it is compacted; of large tables one in a thousand rows.

20,000 chunks: keyword search 8 ms in one file, 20 ms in 20, 50 ms in 60; compacting costs 0.8 s.
"""

MAX_UNINDEXED_ROWS: Final = 500
"""Rows outside the keyword index before it is brought up to date; of large tables one in twenty.

They are found all the same, by reading them: 19,000 of them cost 2.5 s a search.
"""

MIN_ROWS_TO_PART: Final = 10_000
"""Rows from which a table's vectors are parted: below it reading all of them costs no more."""

MAX_GROWTH: Final = 4
"""How many times a table may outgrow its partitions before they are made anew."""

KEEP_VERSIONS: Final = timedelta(minutes=2)
"""Readers hold a version for the length of one query, or while they list a table.

Every call lists the versions there are: a write beside 1,200 of them cost 85 ms of CPU on a busy
machine, beside 60 of them 55 ms (docs/production.md, Memory).
"""

RENEW_AFTER: Final = 128
"""Versions that a process writes or opens before it opens the folder anew, with empty caches.

The library keeps readers of keyword indices long after these were replaced, two open files each and
more memory than it accounts for: 57 files and 45 MB after 500 writes.
"""

INDEX_CACHE_BYTES: Final = 256_000_000
"""Of indices that were read: those of 100,000 chunks fit (facts/services.md, 2)."""

METADATA_CACHE_BYTES: Final = 32_000_000
"""Of versions and files that were read. Every write makes some: by the library's own limits, 1 GB and
6 GB of indices, a process that writes grows by 18 MB in 100 writes (docs/production.md)."""

_PARTED: Final = re.compile(r"vector_in_(\d+)")
_BY_ID: Final = "by_chunk_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One commit to one table."""

    table: str
    apply: Callable[[AsyncTable], Awaitable[object]]


@dataclass(slots=True)
class _Session:
    """What belongs to one process: neither handles nor their threads survive a fork."""

    pid: int
    connection: AsyncConnection
    caches: Session
    tables: dict[str, AsyncTable] = field(default_factory=dict)
    versions: int = 0
    """How many were written or opened."""


@contextlib.contextmanager
def wrapped(action: str) -> Iterator[None]:
    """Turn the library's errors into ours. Its messages may quote a question: they stay behind."""
    try:
        yield
    except (OSError, RuntimeError) as exc:
        raise TransientError(f"vector index: {action} failed: {type(exc).__name__}") from exc
    except (ValueError, TypeError, LookupError, NotImplementedError) as exc:
        raise PermanentError(f"vector index: {action} refused: {type(exc).__name__}") from exc


async def pages_of(
    table: AsyncTable, *, tenant_id: TenantId, established: bool
) -> AsyncIterator[Sequence[VectorRecord]]:
    """Yield every row as a record, some hundreds at a time."""
    import pyarrow as pa

    with wrapped("listing chunks"):
        batches = await table.query().to_batches(max_batch_length=PAGE)
        async for batch in batches:
            rows = pa.Table.from_batches([batch])
            yield records_of(rows, tenant_id=tenant_id, established=established)


class LanceTables:
    """Tables of one shape in a folder."""

    def __init__(
        self,
        folder: Path,
        *,
        dimensions: int,
        lock_timeout_seconds: float,
        min_rows_to_part: int = MIN_ROWS_TO_PART,
        index_cache_bytes: int = INDEX_CACHE_BYTES,
        metadata_cache_bytes: int = METADATA_CACHE_BYTES,
        renew_after: int = RENEW_AFTER,
        keep_versions: timedelta = KEEP_VERSIONS,
    ) -> None:
        self._folder = folder
        self._renew_after = renew_after
        self._keep_versions = keep_versions
        self._min_rows_to_part = min_rows_to_part
        self._dimensions = dimensions
        self._lock_timeout_seconds = lock_timeout_seconds
        self._index_cache_bytes = index_cache_bytes
        self._metadata_cache_bytes = metadata_cache_bytes
        self._session: _Session | None = None
        self._inherited: list[_Session] = []

    async def find(self, name: str) -> AsyncTable | None:
        """Return the table, None if nobody has made it yet.

        Every read of it sees what any process has committed before.
        """
        session = await self._connected()
        if name in session.tables:
            return session.tables[name]
        with wrapped("opening a table"):
            try:
                table = await session.connection.open_table(name)
            except ValueError as exc:
                # Also where another process is about to make it.
                if "was not found" in str(exc):
                    return None
                raise
            stored = (await table.schema()).field(VECTOR).type.list_size
        if stored != self._dimensions:
            raise ConfigurationError(
                f"the index in {str(self._folder)!r} holds vectors of length {stored}, the "
                f"embedder gives {self._dimensions}: index anew in another folder"
            )
        return session.tables.setdefault(name, table)

    async def find_at(self, name: str, version: int) -> AsyncTable:
        """Return a table that stays at a version, opened for the caller alone."""
        session = await self._renewed()
        session.versions += 1
        with wrapped("opening a version"):
            table = await session.connection.open_table(name)
            await table.checkout(version)
        return table

    @property
    def cached_bytes(self) -> int:
        """How much of the tables the library keeps in memory, by its own account."""
        return 0 if self._session is None else int(self._session.caches.size_bytes)

    async def ping(self) -> None:
        """Read the folder.

        Raises:
            TransientError: It cannot be read.
        """
        session = await self._connected()
        try:
            with wrapped("reading the folder"):
                await session.connection.list_tables(limit=1)
        except PermanentError as exc:
            raise TransientError(str(exc)) from exc

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Be the only writer, over all processes, of a folder without half-made changes."""
        session = await self._renewed()
        session.versions += 1
        lock = self._folder / LOCK_FILE
        async with exclusive(lock, timeout_seconds=self._lock_timeout_seconds):
            await self._undo()
            yield

    async def make(self, name: str) -> AsyncTable:
        """Return the table, made if need be. Only while `writing`."""
        table = await self.find(name)
        if table is None:
            session = await self._connected()
            with wrapped("making a table"):
                table = await session.connection.create_table(
                    name, schema=schema_for(self._dimensions), exist_ok=True
                )
            session.tables[name] = table
        await self._ensure_index(table)
        return table

    async def commit(self, changes: Sequence[Change]) -> None:
        """Apply all changes or none. Only while `writing`.

        A single commit is atomic by itself. Before several, the tables' versions are noted; they
        are restored after a failure, or by the next writer if this process dies. Until then a
        reader may see the first changes without the others.
        """
        tables = {change.table: await self.make(change.table) for change in changes}
        several = len(changes) > 1
        if several:
            with wrapped("reading a version"):
                versions = {name: await table.version() for name, table in tables.items()}
            await asyncio.to_thread(self._note, versions)
        try:
            for change in changes:
                with wrapped("writing"):
                    await change.apply(tables[change.table])
        except DependencyError:
            await self._undo()
            raise
        if several:
            await asyncio.to_thread(self._undo_file.unlink, missing_ok=True)
        for table in tables.values():
            # The change stands; a compaction that fails is tried again by the next writer.
            with contextlib.suppress(DependencyError):
                await self._compact(table)

    async def _connected(self) -> _Session:
        pid = os.getpid()
        if self._session is not None and self._session.pid != pid:
            # Kept, unused: to drop a parent's handle waits for its threads, which are not here.
            self._inherited.append(self._session)
            self._session = None
        if self._session is None:
            # Seconds of CPU: beside the event loop, and not before it is needed.
            lancedb = await asyncio.to_thread(importlib.import_module, "lancedb")
            with wrapped("opening the folder"):
                await asyncio.to_thread(self._folder.mkdir, mode=0o700, parents=True, exist_ok=True)
                caches = lancedb.Session(
                    index_cache_size_bytes=self._index_cache_bytes,
                    metadata_cache_size_bytes=self._metadata_cache_bytes,
                )
                connection: AsyncConnection = await lancedb.connect_async(
                    str(self._folder), read_consistency_interval=timedelta(0), session=caches
                )
            self._session = _Session(pid=pid, connection=connection, caches=caches)
        return self._session

    async def _renewed(self) -> _Session:
        """Return the session, another one where it has seen many versions.

        Whoever still reads from the one before keeps it alive until then.
        """
        session = await self._connected()
        if session.versions < self._renew_after:
            return session
        self._session = None
        return await self._connected()

    async def _ensure_index(self, table: AsyncTable) -> None:
        with wrapped("making the keyword index"):
            if not list(await table.list_indices()):
                await table.create_index(SEARCHABLE, config=keyword_index())

    async def _compact(self, table: AsyncTable) -> None:
        with wrapped("compacting"):
            # A dict, whatever the stubs say.
            stats = cast("Mapping[str, Any]", await table.stats())
            indices = list(await table.list_indices())
            unindexed = max((index.num_unindexed_rows or 0 for index in indices), default=0)
            rows, fragments = stats["num_rows"], stats["fragment_stats"]["num_fragments"]
            if fragments > max(MAX_FRAGMENTS, rows // 1000) or unindexed > max(
                MAX_UNINDEXED_ROWS, rows // 20
            ):
                await table.optimize(cleanup_older_than=self._keep_versions)
        await self._part(table, rows, [index.name for index in indices])

    async def _part(self, table: AsyncTable, rows: int, names: Sequence[str]) -> None:
        """Part the vectors of a table that has become large, or has outgrown its partitions.

        IVF over whole vectors: every row of a partition that is looked into is compared exactly and
        filtered first, so that no number of rows beside it hides one (a graph's search list can be
        filled up). docs/decisions/0033.
        """
        from lancedb.index import BTree, IvfFlat

        made = [(name, int(match[1])) for name in names if (match := _PARTED.fullmatch(name))]
        enough = max((partitions for _, partitions in made), default=0)
        if rows < max(self._min_rows_to_part, MAX_GROWTH * enough * enough):
            return
        partitions = max(math.isqrt(rows), enough + 1)
        with wrapped("parting the vectors"):
            await table.create_index(
                VECTOR,
                config=IvfFlat(distance_type="dot", num_partitions=partitions),
                name=f"vector_in_{partitions}",
            )
            for name, _ in made:
                await table.drop_index(name)
            if _BY_ID not in names:
                await table.create_index("chunk_id", config=BTree(), name=_BY_ID)

    @property
    def _undo_file(self) -> Path:
        return self._folder / UNDO_FILE

    def _note(self, versions: dict[str, int]) -> None:
        beside = self._undo_file.with_suffix(".new")
        with wrapped("noting versions"):
            with beside.open("w", encoding="utf-8") as file:
                json.dump(versions, file)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self._undo_file)

    async def _undo(self) -> None:
        with wrapped("undoing a half-made change"):
            if not await asyncio.to_thread(self._undo_file.exists):
                return
            noted = json.loads(await asyncio.to_thread(self._undo_file.read_text, "utf-8"))
            for name, version in noted.items():
                table = await self.find(name)
                if table is not None and await table.version() != version:
                    await table.restore(version)
            await asyncio.to_thread(self._undo_file.unlink)
