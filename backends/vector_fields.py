"""Vector records as flat fields, for stores that keep columns or properties."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np

from backends.vector_records import searchable_text, storable
from domain.documents import Chunk, ChunkId, DocumentId, Origin, OriginKind, Span, TenantId
from domain.retrieval import FamilyId, Vector, VectorRecord

SEARCHABLE = "searchable"
"""The field that keyword search looks at."""

Fields: TypeAlias = dict[str, str | int | float | bool | None]


def fields_of(record: VectorRecord) -> Fields:
    """Return everything but the vector, the tenant and the side, which a store keeps elsewhere."""
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
        "mentions": _mentions_text(chunk.mentions),
        "title": storable(record.title),
        "source_uri": None if uri is None else storable(uri),
        "admitted_at": record.admitted_at.isoformat(),
        SEARCHABLE: storable(searchable_text(record)),
    }


def record_of(
    fields: Mapping[str, Any],
    vector: Sequence[float] | Vector,
    *,
    tenant_id: TenantId,
    established: bool,
) -> VectorRecord:
    """Return the record; `established` says from which side it was read."""
    return VectorRecord(
        chunk=Chunk(
            id=ChunkId(fields["chunk_id"]),
            document_id=DocumentId(fields["document_id"]),
            ordinal=fields["ordinal"],
            span=Span(fields["start"], fields["end"]),
            text=fields["text"],
            heading=fields["heading"],
            mentions=_mentions_of(fields["mentions"]),
        ),
        tenant_id=tenant_id,
        origin=Origin(
            kind=OriginKind(fields["origin_kind"]),
            id=fields["origin_id"],
            established=established,
            # A move that was broken off may leave `reviewed` on a row of the pool.
            reviewed=fields["reviewed"] and established,
        ),
        family_id=FamilyId(fields["family_id"]),
        vector=np.asarray(vector, dtype=np.float32),
        trust=fields["trust"],
        admitted_at=datetime.fromisoformat(fields["admitted_at"]),
        voting=fields["voting"],
        title=fields["title"],
        source_uri=fields["source_uri"],
    )


def _mentions_text(mentions: Sequence[Span]) -> str:
    return json.dumps([[span.start, span.end] for span in mentions])


def _mentions_of(text: str) -> tuple[Span, ...]:
    return tuple(Span(start, end) for start, end in json.loads(text))
