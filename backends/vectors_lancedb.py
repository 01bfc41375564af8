"""The embedded vector store: LanceDB in a folder, for readers and writers in several processes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from backends.keywords import question_text
from backends.lancedb_rows import records_of, rows_of
from backends.lancedb_tables import MIN_ROWS_TO_PART, Change, LanceTables, pages_of, wrapped
from backends.rank_fusion import RankedChunk, cap_for, capped_ranking, depth_for, fuse
from backends.resident.copies import Asked
from backends.resident.projections import MIN_ROWS
from backends.resident.tables import MAX_BYTES, ResidentTables
from backends.vector_fields import SEARCHABLE, record_of
from backends.vector_records import check_query, cosine, hit, latest
from domain.documents import ChunkId, DocumentId, Origin, TenantId
from domain.retrieval import (
    ANYTHING,
    EvidenceFilter,
    FamilyId,
    ScoredChunk,
    Vector,
    VectorRecord,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.expr import Expr
    from lancedb.query import AsyncFTSQuery, AsyncVectorQuery
    from lancedb.table import AsyncTable

PROBES: Final = 20
"""Partitions that are looked into, of as many as a table has rows in one (docs/benchmarks/query.md)."""

_SIDES: Final = (True, False)
_SPARE: Final = 4
"""One row in so many is asked for beside those wanted."""

Written = TypeVar("Written")


class LanceDBVectorStore:
    """Keeps two tables a tenant, established and pool, so that keyword statistics are apart.

    Vector search is exact; in a table of `lancedb_tables.MIN_ROWS_TO_PART` rows or more it looks into
    the `PROBES` nearest partitions, each of them whole. Writers of all processes take turns at a lock in the folder; a write
    that was begun is finished even if its caller is cancelled. A write that touches both tables
    (an origin that changes sides) is written where it goes to first and removed where it was
    second: a reader may see it on both sides for a moment, never on none.

    Compaction runs inside every so manieth write; see `lancedb_tables.MAX_FRAGMENTS`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        dimensions: int,
        lock_timeout_seconds: float = 60.0,
        min_rows_to_part: int = MIN_ROWS_TO_PART,
        resident_bytes: int = MAX_BYTES,
    ) -> None:
        """Set up.

        Args:
            folder: Of the tables.
            dimensions: Of the vectors.
            lock_timeout_seconds: How long a write waits for others.
            min_rows_to_part: Rows from which vectors are parted.
            resident_bytes: Of the copies that searches read; 0 for none.
        """
        self._dimensions = dimensions
        self._tables = LanceTables(
            folder,
            dimensions=dimensions,
            lock_timeout_seconds=lock_timeout_seconds,
            min_rows_to_part=min_rows_to_part,
        )
        self._residents = ResidentTables(
            self._tables.find_at,
            dimensions=dimensions,
            max_bytes=resident_bytes,
            min_rows_to_project=min(min_rows_to_part, MIN_ROWS),
        )
        self._writes: set[asyncio.Task[Any]] = set()

    async def upsert(self, records: Sequence[VectorRecord]) -> None:
        """Write or replace; see the Protocol.

        Raises:
            TransientError: The folder cannot be written, or others held the lock too long.
            PermanentError: A vector is not a unit vector of the index's length.
            ConfigurationError: The folder holds vectors of another length.
        """
        if wanted := latest(records, dimensions=self._dimensions):
            await self._to_its_end(self._upsert(list(wanted.values())))

    async def search(
        self,
        query: Vector,
        text: str,
        *,
        tenant_id: TenantId,
        established: bool,
        limit: int,
        per_origin: int,
        min_trust: float = 0.0,
        only: EvidenceFilter = ANYTHING,
    ) -> Sequence[ScoredChunk]:
        query = check_query(query, dimensions=self._dimensions)
        table = await self._tables.find(_table(tenant_id, established=established))
        if table is None or limit < 1 or per_origin < 1:
            return ()
        words = question_text(text)
        copy = await self._residents.current(_table(tenant_id, established=established), table)
        if copy is not None:
            asked = Asked(
                query=query,
                tokens=await self._residents.tokens(words.split()),
                limit=limit,
                per_origin=per_origin,
                min_trust=min_trust,
                only=only,
            )
            return [
                hit(
                    record_of(row.fields, row.vector, tenant_id=tenant_id, established=established),
                    similarity=cosine(query, row.vector),
                    relevance=row.relevance,
                )
                for row in copy.search(asked)
            ]
        wanted = _Wanted(min_trust=min_trust, only=only)
        depth, cap = depth_for(limit), cap_for(per_origin)
        with wrapped("searching"):
            rankings = await asyncio.gather(
                capped_ranking(_VectorPage(table, query, wanted), depth=depth, per_origin=cap),
                capped_ranking(
                    _KeywordPage(table, words, wanted),
                    depth=depth,
                    per_origin=cap,
                ),
            )
            fused = fuse(*rankings, limit=limit, per_origin=per_origin)
            if not fused:
                return ()
            found = _one_of("chunk_id", [row.chunk_id for row in fused])
            rows = await table.query().where(found & wanted.filter()).to_arrow()
        records = {
            record.chunk.id: record
            for record in records_of(rows, tenant_id=tenant_id, established=established)
        }
        # A chunk may have been removed since it was ranked.
        return tuple(
            hit(
                records[row.chunk_id],
                similarity=cosine(query, records[row.chunk_id].vector),
                relevance=row.relevance,
            )
            for row in fused
            if row.chunk_id in records
        )

    async def delete_document(self, document_id: DocumentId, *, tenant_id: TenantId) -> int:
        return await self._to_its_end(self._delete(document_id, tenant_id))

    async def holds(self, document_id: DocumentId, *, tenant_id: TenantId) -> bool:
        ours = _is("document_id", document_id)
        names = (_table(tenant_id, established=side) for side in _SIDES)
        return any([await self._count(name, ours) for name in names])

    async def document_ids(self, *, tenant_id: TenantId) -> frozenset[DocumentId]:
        found: set[DocumentId] = set()
        for established in _SIDES:
            table = await self._tables.find(_table(tenant_id, established=established))
            if table is not None:
                with wrapped("listing documents"):
                    rows = await table.query().select(["document_id"]).to_arrow()
                found.update(rows.column("document_id").unique().to_pylist())
        return frozenset(found)

    async def records(self, *, tenant_id: TenantId) -> AsyncIterator[Sequence[VectorRecord]]:
        for established in _SIDES:
            table = await self._tables.find(_table(tenant_id, established=established))
            if table is not None:
                async for page in pages_of(table, tenant_id=tenant_id, established=established):
                    yield page

    async def set_origin(self, origin: Origin, *, tenant_id: TenantId) -> int:
        return await self._to_its_end(self._set_origin(origin, tenant_id))

    async def set_family(
        self, document_id: DocumentId, *, tenant_id: TenantId, family_id: FamilyId, voting: bool
    ) -> None:
        written: dict[str, str | bool | float] = {"family_id": family_id, "voting": voting}
        await self._to_its_end(self._set(document_id, tenant_id, written))

    async def set_trust(
        self, document_id: DocumentId, *, tenant_id: TenantId, trust: float
    ) -> None:
        await self._to_its_end(self._set(document_id, tenant_id, {"trust": trust}))

    async def copy_into_memory(self, *, tenant_id: TenantId) -> int:
        """Make the copies that searches read, now rather than beside the first; return their bytes."""
        held = 0
        for name in (_table(tenant_id, established=side) for side in _SIDES):
            table = await self._tables.find(name)
            if table is not None:
                copy = await self._residents.current(name, table, to_its_end=True)
                held += copy.nbytes if copy is not None else 0
        return held

    async def ping(self) -> None:
        await self._tables.ping()

    async def _upsert(self, records: Sequence[VectorRecord]) -> None:
        sides: dict[tuple[TenantId, bool], list[VectorRecord]] = {}
        for record in records:
            sides.setdefault((record.tenant_id, record.origin.established), []).append(record)
        async with self._tables.writing():
            puts: list[Change] = []
            removals: list[Change] = []
            for (tenant_id, established), group in sides.items():
                rows = rows_of(group, dimensions=self._dimensions)
                puts.append(_put(_table(tenant_id, established=established), rows))
                same = _one_of("chunk_id", [record.chunk.id for record in group])
                other = _table(tenant_id, established=not established)
                if await self._count(other, same):
                    removals.append(_remove(other, same))
            await self._tables.commit([*puts, *removals])

    async def _delete(self, document_id: DocumentId, tenant_id: TenantId) -> int:
        async with self._tables.writing():
            doomed = _is("document_id", document_id)
            counts = {
                name: await self._count(name, doomed)
                for name in (_table(tenant_id, established=side) for side in _SIDES)
            }
            await self._tables.commit([_remove(name, doomed) for name, n in counts.items() if n])
        return sum(counts.values())

    async def _set_origin(self, origin: Origin, tenant_id: TenantId) -> int:
        here = _table(tenant_id, established=origin.established)
        there = _table(tenant_id, established=not origin.established)
        async with self._tables.writing():
            theirs = _is("origin_key", str(origin.ref))
            changes: list[Change] = []
            settled = await self._count(here, theirs)
            if await self._count(here, theirs & ~_is("reviewed", origin.reviewed)):
                changes.append(_update(here, theirs, {"reviewed": origin.reviewed}))
            moved = await self._rows(there, theirs)
            if moved is not None and moved.num_rows:
                changes.append(_put(here, _with_reviewed(moved, reviewed=origin.reviewed)))
                changes.append(_remove(there, theirs))
            await self._tables.commit(changes)
        return settled + (moved.num_rows if moved is not None else 0)

    async def _set(
        self,
        document_id: DocumentId,
        tenant_id: TenantId,
        values: Mapping[str, str | bool | float],
    ) -> None:
        async with self._tables.writing():
            its = _is("document_id", document_id)
            names = [_table(tenant_id, established=side) for side in _SIDES]
            await self._tables.commit(
                [_update(name, its, values) for name in names if await self._count(name, its)]
            )

    async def _to_its_end(self, write: Coroutine[Any, Any, Written]) -> Written:
        # Cancelling the caller must not stop a write between two commits.
        task = asyncio.get_running_loop().create_task(write)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return await asyncio.shield(task)

    async def _count(self, name: str, wanted: Expr) -> int:
        table = await self._tables.find(name)
        if table is None:
            return 0
        with wrapped("counting"):
            return await table.count_rows(wanted.to_sql())

    async def _rows(self, name: str, wanted: Expr) -> pa.Table | None:
        table = await self._tables.find(name)
        if table is None:
            return None
        with wrapped("reading an origin's chunks"):
            return await table.query().where(wanted).to_arrow()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What may be found in a table."""

    min_trust: float
    only: EvidenceFilter

    def filter(self, without: frozenset[str] = frozenset()) -> Expr:
        wanted = _may_be_found(self.min_trust, self.only)
        return wanted & ~_one_of("origin_key", sorted(without)) if without else wanted

    def among(self, rows: pa.Table) -> pa.Table:
        """Return the rows that may be found, where nothing narrows the search."""
        import pyarrow.compute as pc

        trusted = pc.greater_equal(rows.column("trust"), self.min_trust)
        return rows.filter(pc.and_(rows.column("voting"), trusted))


class _VectorPage:
    """Rows by cosine: of unit vectors, 1 minus the `dot` distance."""

    def __init__(self, table: AsyncTable, query: Vector, wanted: _Wanted) -> None:
        self._table = table
        self._query = query
        self._wanted = wanted

    async def __call__(self, count: int, without: frozenset[str]) -> Sequence[RankedChunk]:
        def ranked() -> AsyncVectorQuery:
            # No most: where the filter leaves too few rows in these, the others are looked into.
            query = self._table.query().nearest_to(self._query).distance_type("dot")
            return query.minimum_nprobes(PROBES).maximum_nprobes(0)

        rows = await _page(ranked, self._wanted, count, without, "_distance")
        return _ranked(rows, "_distance", sign=-1)


class _KeywordPage:
    """Rows by BM25, those not indexed yet included.

    Those are scored by statistics of what passes the filter, so that their scores differ a little
    from page to page until the index is brought up to date. The index never knows the other side.
    """

    def __init__(self, table: AsyncTable, words: str, wanted: _Wanted) -> None:
        self._table = table
        self._words = words
        self._wanted = wanted

    async def __call__(self, count: int, without: frozenset[str]) -> Sequence[RankedChunk]:
        if not self._words:
            return []

        def ranked() -> AsyncFTSQuery:
            return self._table.query().nearest_to_text(self._words, columns=SEARCHABLE)

        rows = await _page(ranked, self._wanted, count, without, "_score")
        return _ranked(rows, "_score", sign=1)


async def _page(
    ranked: Callable[[], AsyncVectorQuery | AsyncFTSQuery],
    wanted: _Wanted,
    count: int,
    without: frozenset[str],
    score: str,
) -> pa.Table:
    """Return the best `count` rows that may be found.

    To filter first reads a whole column for each condition; nearly all rows pass, so that a few
    more are asked for and held against it afterwards, and filtered first only where too few are
    left.
    """
    columns = ["chunk_id", "origin_key", score]
    if not without and wanted.only == ANYTHING:
        asked = count + count // _SPARE
        rows = await ranked().limit(asked).select([*columns, "voting", "trust"]).to_arrow()
        kept = wanted.among(rows)
        if kept.num_rows >= count or rows.num_rows < asked:
            return kept.slice(0, count)
    query = ranked().where(wanted.filter(without))
    return await query.limit(count).select(columns).to_arrow()


def _ranked(rows: pa.Table, score: str, *, sign: int) -> list[RankedChunk]:
    return [
        RankedChunk(chunk_id=ChunkId(chunk_id), origin=origin, score=sign * value)
        for chunk_id, origin, value in zip(
            rows.column("chunk_id").to_pylist(),
            rows.column("origin_key").to_pylist(),
            rows.column(score).to_pylist(),
            strict=True,
        )
    ]


def _table(tenant_id: TenantId, *, established: bool) -> str:
    # A digest: a tenant's id may hold what a file name may not.
    digest = hashlib.sha256(tenant_id.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    return f"{'established' if established else 'pool'}-{digest}"


# Filters are built as expressions, never as strings: ids may hold quotes.


def _is(column: str, value: str | bool) -> Expr:
    from lancedb.expr import col, lit

    return col(column).eq(lit(value))


def _one_of(column: str, values: Sequence[str]) -> Expr:
    from lancedb.expr import col

    return col(column).isin(values)


def _may_be_found(min_trust: float, only: EvidenceFilter) -> Expr:
    from lancedb.expr import col, lit

    wanted = col("voting") & (col("trust") >= lit(float(min_trust)))
    if only.origins:
        wanted &= _one_of("origin_key", sorted(map(str, only.origins)))
    if only.documents:
        wanted &= _one_of("document_id", sorted(only.documents))
    return wanted


def _put(table: str, rows: pa.Table) -> Change:
    async def apply(opened: AsyncTable) -> None:
        merge = opened.merge_insert("chunk_id").when_matched_update_all()
        await merge.when_not_matched_insert_all().execute(rows)

    return Change(table=table, apply=apply)


def _remove(table: str, wanted: Expr) -> Change:
    async def apply(opened: AsyncTable) -> None:
        await opened.delete(wanted)

    return Change(table=table, apply=apply)


def _update(table: str, wanted: Expr, values: Mapping[str, str | bool | float]) -> Change:
    async def apply(opened: AsyncTable) -> None:
        await opened.update(dict(values), where=wanted)

    return Change(table=table, apply=apply)


def _with_reviewed(rows: pa.Table, *, reviewed: bool) -> pa.Table:
    import pyarrow as pa

    place = rows.schema.get_field_index("reviewed")
    return rows.set_column(place, rows.schema.field(place), pa.array([reviewed] * rows.num_rows))
