"""Copies of LanceDB tables in memory, current with every version that any process commits."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from backends.keywords import letters
from backends.lancedb_tables import wrapped
from backends.resident.copies import Copy, LivingSegment
from backends.resident.projections import MIN_ROWS
from backends.resident.segments import ROW_ID, Segment, joined, made_of
from backends.resident.words import KeywordTokens, numbered
from backends.vector_fields import SEARCHABLE
from domain.errors import DependencyError

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import AsyncTable

MAX_BYTES: Final = 2**30
"""Of all copies together: some 370,000 chunks of 384 dimensions."""

PATIENCE_SECONDS: Final = 0.25
"""How long a search waits for a copy; LanceDB answers it where that is longer."""

_MOST_SEGMENTS: Final = 8
_RECENT: Final = 1_000
"""A copy that was asked for within so many searches makes room for no other."""

_BATCH: Final = 8_192
_ROW_BYTES: Final = 1_200
"""Of a row beside its vector, before it is read: text, postings, columns."""


@dataclass(slots=True)
class _Held:
    """What belongs to one process.

    Attributes:
        used: At which search a copy was asked for last.
        refused: Up to which search a table that found no room is not copied again.
    """

    pid: int
    copies: dict[str, Copy] = field(default_factory=dict)
    searches: int = 0
    used: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)


class ResidentTables:
    """Brings the copy of a table up to date when it is asked for.

    LanceDB never writes to a place (`_rowid`) twice, whatever is updated, undone or compacted. So the
    rows of a later version are those whose place is still there, and the new ones, which are read.
    """

    def __init__(
        self,
        opened_at: Callable[[str, int], Awaitable[AsyncTable]],
        *,
        dimensions: int,
        max_bytes: int = MAX_BYTES,
        min_rows_to_project: int = MIN_ROWS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """Set up.

        Args:
            opened_at: Opens a table of its own at a version.
            dimensions: Of the vectors.
            max_bytes: Of all copies; one that nobody asks for makes room, else there is no other.
            min_rows_to_project: Rows from which vectors have a projection.
            patience_seconds: How long a search waits for a copy that is being made.
        """
        self._opened_at = opened_at
        self._dimensions = dimensions
        self._max_bytes = max_bytes
        self._min_rows_to_project = min_rows_to_project
        self._patience = patience_seconds
        self._words = KeywordTokens()
        self._state = _Held(pid=os.getpid())

    async def tokens(self, words: Sequence[str]) -> Sequence[str]:
        """Return the tokens of a question's words, in order."""
        with wrapped("parting a question"):
            found = await self._words.of(words)
        return [token for word in words for token in found[word]]

    async def current(
        self, name: str, table: AsyncTable, *, to_its_end: bool = False
    ) -> Copy | None:
        """Return the table as of now; None where LanceDB itself should be asked.

        That is where the copy would be too large, or is not ready in `patience_seconds` (unless
        `to_its_end`): it is made in the background.
        """
        if self._max_bytes <= 0:
            return None
        with wrapped("reading a version"):
            version = await table.version()
        held = self._held()
        held.searches += 1
        held.used[name] = held.searches
        if (copy := held.copies.get(name)) is not None and copy.version == version:
            return copy
        with wrapped("counting"):
            rows = await table.count_rows()
        if rows * (4 * self._dimensions + _ROW_BYTES) > self._max_bytes or (
            held.searches <= held.refused.get(name, 0)
        ):
            held.copies.pop(name, None)
            return None
        task = held.tasks.get(name)
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.get_running_loop().create_task(self._refresh(name, version))
            held.tasks[name] = task
        await asyncio.wait({task}, timeout=None if to_its_end else self._patience)
        copy = held.copies.get(name)
        return copy if copy is not None and copy.version >= version else None

    def _held(self) -> _Held:
        # Threads that fill a copy do not survive a fork.
        if self._state.pid != os.getpid():
            self._state = _Held(pid=os.getpid())
        return self._state

    async def _refresh(self, name: str, version: int) -> None:
        held = self._held()
        before = held.copies.get(name)
        try:
            with wrapped("copying a table"):
                table = await self._opened_at(name, version)
                copy = await self._copied(table, before, version)
        except DependencyError:
            # The version may be gone by now. The search that follows asks LanceDB, and says why.
            return
        held.copies[name] = copy
        self._make_room(held, name)

    def _make_room(self, held: _Held, newest: str) -> None:
        """Drop copies that nobody asks for; where that is not enough, the newest.

        Two copies in use never drive each other out, since each would be made again for ever.
        """
        idle = [name for name in held.copies if held.used[name] + _RECENT < held.searches]
        for name in sorted(idle, key=held.used.__getitem__):
            if self._fits(held):
                return
            del held.copies[name]
        if not self._fits(held):
            del held.copies[newest]
            held.refused[newest] = held.searches + _RECENT

    def _fits(self, held: _Held) -> bool:
        return sum(copy.nbytes for copy in held.copies.values()) <= self._max_bytes

    async def _copied(self, table: AsyncTable, before: Copy | None, version: int) -> Copy:
        ids = (await table.query().select([]).with_row_id().to_arrow()).column(ROW_ID).to_numpy()
        kept: list[LivingSegment] = []
        for part in before.segments if before is not None else ():
            alive = part.alive & np.isin(part.segment.row_ids, ids)
            if alive.any():
                kept.append(LivingSegment(segment=part.segment, alive=alive))
        known = [part.segment.row_ids[part.alive] for part in kept]
        fresh = np.setdiff1d(ids, np.concatenate(known)) if known else np.sort(ids)
        copy = Copy(
            version=version,
            segments=tuple(kept),
            origins=before.origins if before is not None and kept else {},
            tokens=before.tokens if before is not None and kept else {},
        )
        made = await self._read(table, fresh, whole=not kept, copy=copy)
        return Copy(
            version=version,
            segments=await asyncio.to_thread(self._tidied, kept, made),
            origins=copy.origins,
            tokens=copy.tokens,
        )

    async def _read(
        self, table: AsyncTable, fresh: NDArray[np.uint64], *, whole: bool, copy: Copy
    ) -> list[Segment]:
        """Return segments of the rows at these places."""
        if whole:
            batches = await table.query().with_row_id().to_batches(max_batch_length=_BATCH)
            return [await self._segment(_table_of(batch), copy) async for batch in batches]
        return [
            await self._segment(
                await table.take_row_ids(fresh[start : start + _BATCH].tolist())
                .with_row_id()
                .to_arrow(),
                copy,
            )
            for start in range(0, len(fresh), _BATCH)
        ]

    async def _segment(self, rows: pa.Table, copy: Copy) -> Segment:
        texts = rows.column(SEARCHABLE).to_pylist()
        words = await asyncio.to_thread(lambda: [letters(text).split() for text in texts])
        tokens = await self._words.of({word for text in words for word in text})
        return await asyncio.to_thread(
            lambda: made_of(rows, numbered(words, tokens, copy.tokens), copy.origins)
        )

    def _tidied(
        self, kept: Sequence[LivingSegment], made: Sequence[Segment]
    ) -> tuple[LivingSegment, ...]:
        """Join small segments where they are many, and all where the small ones hold much."""
        fresh = [
            LivingSegment(segment=part, alive=np.ones(len(part), dtype=np.bool_)) for part in made
        ]
        parts = sorted([*kept, *fresh], key=lambda part: -len(part.segment))
        small = parts[1:]
        living = sum(int(part.alive.sum()) for part in small)
        if living > max(_BATCH // 4, len(parts[0].segment) // 8) or self._lacks(parts):
            return (self._joined(parts),)
        return (parts[0], self._joined(small)) if len(parts) > _MOST_SEGMENTS else tuple(parts)

    def _lacks(self, parts: Sequence[LivingSegment]) -> bool:
        """Whether a segment is large enough for a projection that it does not have."""
        return any(
            part.segment.projection is None and len(part.segment) >= self._min_rows_to_project
            for part in parts
        )

    def _joined(self, parts: Sequence[LivingSegment]) -> LivingSegment:
        taken = [
            part.segment if part.alive.all() else part.segment.taken(np.flatnonzero(part.alive))
            for part in parts
        ]
        whole = joined(taken, min_rows_to_project=self._min_rows_to_project)
        return LivingSegment(segment=whole, alive=np.ones(len(whole), dtype=np.bool_))


def _table_of(batch: pa.RecordBatch) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_batches([batch])
