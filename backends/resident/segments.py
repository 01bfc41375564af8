"""Rows of a table in memory, never changed: what ranks them in arrays, what is shown of them in Arrow."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from backends.lancedb_rows import VECTOR
from backends.resident.postings import Postings
from backends.resident.projections import Projection
from backends.vector_fields import SEARCHABLE

if TYPE_CHECKING:
    import pyarrow as pa

ROW_ID: Final = "_rowid"

_NAME_BYTES: Final = 100

_RANKED_BY: Final = (VECTOR, SEARCHABLE, ROW_ID, "trust", "voting", "origin_key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Columns of rows.

    Attributes:
        row_ids: Where LanceDB keeps each row: a place is written once, and never used again.
        vectors: Shape `(rows, d)`, unit.
        chunk_ids, origin_keys: As text, to be looked up one by one.
        origins: Numbers that the table gives origins.
        id_ranks: Place of each row's chunk id among the segment's.
        shown: The other columns.
        projection: None where all rows are read.
    """

    row_ids: NDArray[np.uint64]
    vectors: NDArray[np.float32]
    chunk_ids: Sequence[str]
    origin_keys: Sequence[str]
    origins: NDArray[np.int32]
    trust: NDArray[np.float64]
    voting: NDArray[np.bool_]
    id_ranks: NDArray[np.int64]
    postings: Postings
    shown: pa.Table
    projection: Projection | None = None

    def __len__(self) -> int:
        return len(self.row_ids)

    @property
    def nbytes(self) -> int:
        arrays = (
            self.row_ids, self.vectors, self.origins, self.trust, self.voting, self.id_ranks,
        )  # fmt: skip
        shown: int = self.shown.nbytes
        projection = self.projection.nbytes if self.projection is not None else 0
        names = _NAME_BYTES * len(self)
        return (
            sum(each.nbytes for each in arrays) + self.postings.nbytes + projection + shown + names
        )

    @property
    def origin_count(self) -> int:
        """One more than the largest number of an origin."""
        return int(self.origins.max(initial=-1)) + 1

    def taken(self, places: NDArray[np.int64]) -> Segment:
        """Return these rows, each once, in this order, without a projection."""
        import pyarrow as pa

        shown = self.shown.take(pa.array(places))
        return Segment(
            row_ids=self.row_ids[places],
            vectors=self.vectors[places],
            chunk_ids=[self.chunk_ids[at] for at in places.tolist()],
            origin_keys=[self.origin_keys[at] for at in places.tolist()],
            origins=self.origins[places],
            trust=self.trust[places],
            voting=self.voting[places],
            id_ranks=_ranks(shown),
            postings=self.postings.taken(places),
            shown=shown,
        )


def made_of(rows: pa.Table, texts: Sequence[Sequence[int]], origins: dict[str, int]) -> Segment:
    """Return rows as read from the table, with their row ids.

    Args:
        rows: With every column, and `ROW_ID`.
        texts: Tokens of each row's searchable text.
        origins: Numbers of origins; new ones are added.
    """
    rows = rows.combine_chunks()
    vectors = rows.column(VECTOR).combine_chunks()
    keys = rows.column("origin_key").to_pylist()
    shown = rows.select([name for name in rows.column_names if name not in _RANKED_BY[:3]])
    return Segment(
        row_ids=rows.column(ROW_ID).to_numpy(),
        chunk_ids=rows.column("chunk_id").to_pylist(),
        origin_keys=[sys.intern(key) for key in keys],
        vectors=vectors.flatten().to_numpy().reshape(len(rows), vectors.type.list_size).copy(),
        origins=np.array([origins.setdefault(key, len(origins)) for key in keys], dtype=np.int32),
        trust=rows.column("trust").to_numpy(),
        voting=rows.column("voting").to_numpy(),
        id_ranks=_ranks(shown),
        postings=Postings.of(texts),
        shown=shown,
    )


def joined(segments: Sequence[Segment], *, min_rows_to_project: int) -> Segment:
    """Return the rows of all, with a projection where they are many."""
    import pyarrow as pa

    shown = pa.concat_tables([each.shown for each in segments]).combine_chunks()
    vectors = np.concatenate([each.vectors for each in segments])
    return Segment(
        row_ids=np.concatenate([each.row_ids for each in segments]),
        vectors=vectors,
        chunk_ids=[one for each in segments for one in each.chunk_ids],
        origin_keys=[one for each in segments for one in each.origin_keys],
        origins=np.concatenate([each.origins for each in segments]),
        trust=np.concatenate([each.trust for each in segments]),
        voting=np.concatenate([each.voting for each in segments]),
        id_ranks=_ranks(shown),
        postings=Postings.joined([each.postings for each in segments]),
        shown=shown,
        projection=Projection.of(vectors) if len(vectors) >= min_rows_to_project else None,
    )


def _ranks(shown: pa.Table) -> NDArray[np.int64]:
    import pyarrow.compute as pc

    order = pc.sort_indices(shown.column("chunk_id")).to_numpy()
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks
