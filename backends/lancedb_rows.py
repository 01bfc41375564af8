"""Vector records as rows of a LanceDB table, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from backends.vector_fields import SEARCHABLE, fields_of, record_of
from domain.documents import TenantId
from domain.retrieval import VectorRecord

if TYPE_CHECKING:
    import pyarrow as pa

VECTOR = "vector"


def schema_for(dimensions: int) -> pa.Schema:
    """Return the columns. Which side a row is on is said by its table, not by a column."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("chunk_id", pa.string(), nullable=False),
            pa.field("document_id", pa.string(), nullable=False),
            pa.field("origin_key", pa.string(), nullable=False),
            pa.field("origin_kind", pa.string(), nullable=False),
            pa.field("origin_id", pa.string(), nullable=False),
            pa.field("reviewed", pa.bool_(), nullable=False),
            pa.field("family_id", pa.string(), nullable=False),
            pa.field("voting", pa.bool_(), nullable=False),
            pa.field("trust", pa.float64(), nullable=False),
            pa.field("ordinal", pa.int64(), nullable=False),
            pa.field("start", pa.int64(), nullable=False),
            pa.field("end", pa.int64(), nullable=False),
            pa.field("text", pa.string(), nullable=False),
            pa.field("heading", pa.string(), nullable=False),
            pa.field("mentions", pa.string(), nullable=False),
            pa.field("title", pa.string(), nullable=False),
            pa.field("source_uri", pa.string()),
            pa.field("admitted_at", pa.string(), nullable=False),
            pa.field(SEARCHABLE, pa.string(), nullable=False),
            pa.field(VECTOR, pa.list_(pa.float32(), dimensions)),
        ]
    )


def rows_of(records: Sequence[VectorRecord], *, dimensions: int) -> pa.Table:
    import pyarrow as pa

    schema = schema_for(dimensions)
    rows = [fields_of(record) for record in records]
    columns = [
        pa.array([row[field.name] for row in rows], type=field.type)
        for field in schema
        if field.name != VECTOR
    ]
    flat = np.concatenate([record.vector for record in records]).astype(np.float32)
    columns.append(pa.FixedSizeListArray.from_arrays(pa.array(flat), dimensions))
    return pa.Table.from_arrays(columns, schema=schema)


def records_of(table: pa.Table, *, tenant_id: TenantId, established: bool) -> list[VectorRecord]:
    return [
        record_of(row, row[VECTOR], tenant_id=tenant_id, established=established)
        for row in table.to_pylist()
    ]
