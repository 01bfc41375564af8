"""Vector records as rows of a LanceDB table, and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from backends.vector_records import mentions_of, mentions_text, searchable_text, storable
from domain.documents import Chunk, ChunkId, DocumentId, Origin, OriginKind, Span, TenantId
from domain.retrieval import FamilyId, VectorRecord

if TYPE_CHECKING:
    import pyarrow as pa

SEARCHABLE = "searchable"
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
    rows = [_row(record) for record in records]
    columns = [
        pa.array([row[field.name] for row in rows], type=field.type)
        for field in schema
        if field.name != VECTOR
    ]
    flat = np.concatenate([record.vector for record in records]).astype(np.float32)
    columns.append(pa.FixedSizeListArray.from_arrays(pa.array(flat), dimensions))
    return pa.Table.from_arrays(columns, schema=schema)


def records_of(table: pa.Table, *, tenant_id: TenantId, established: bool) -> list[VectorRecord]:
    return [_record(row, tenant_id, established=established) for row in table.to_pylist()]


def _row(record: VectorRecord) -> dict[str, str | int | float | bool | None]:
    chunk, origin, uri = record.chunk, record.origin, record.source_uri
    return {
        "chunk_id": chunk.id,
        "document_id": chunk.document_id,
        "origin_key": str(origin.ref),
        "origin_kind": origin.kind.value,
        "origin_id": origin.id,
        "reviewed": origin.reviewed,
        "family_id": record.family_id,
        "voting": record.voting,
        "trust": record.trust,
        "ordinal": chunk.ordinal,
        "start": chunk.span.start,
        "end": chunk.span.end,
        "text": storable(chunk.text),
        "heading": storable(chunk.heading),
        "mentions": mentions_text(chunk.mentions),
        "title": storable(record.title),
        "source_uri": None if uri is None else storable(uri),
        "admitted_at": record.admitted_at.isoformat(),
        SEARCHABLE: storable(searchable_text(record)),
    }


def _record(row: dict[str, Any], tenant_id: TenantId, *, established: bool) -> VectorRecord:
    return VectorRecord(
        chunk=Chunk(
            id=ChunkId(row["chunk_id"]),
            document_id=DocumentId(row["document_id"]),
            ordinal=row["ordinal"],
            span=Span(row["start"], row["end"]),
            text=row["text"],
            heading=row["heading"],
            mentions=mentions_of(row["mentions"]),
        ),
        tenant_id=tenant_id,
        origin=Origin(
            kind=OriginKind(row["origin_kind"]),
            id=row["origin_id"],
            established=established,
            # A crash between a move and its undoing may leave `reviewed` in the pool's table.
            reviewed=row["reviewed"] and established,
        ),
        family_id=FamilyId(row["family_id"]),
        vector=np.asarray(row[VECTOR], dtype=np.float32),
        trust=row["trust"],
        admitted_at=datetime.fromisoformat(row["admitted_at"]),
        voting=row["voting"],
        title=row["title"],
        source_uri=row["source_uri"],
    )
