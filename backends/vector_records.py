"""What every vector store checks before it writes or searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from domain.documents import ChunkId, TenantId
from domain.errors import PermanentError
from domain.retrieval import ScoredChunk, Vector, VectorRecord

# float32 rounding of a 4,096-d unit vector stays below 1e-5; a quantised model's below 1e-3.
_NORM_TOLERANCE: Final = 1e-2


PAGE: Final = 500
"""Records that a store hands out at a time."""


def latest(
    records: Sequence[VectorRecord], *, dimensions: int | None
) -> dict[tuple[TenantId, ChunkId], VectorRecord]:
    """Check all records and return the last one for each (tenant, chunk id).

    Raises:
        PermanentError: A vector has another length or is not of unit norm, or an id is not text
            that can be stored.
    """
    for record in records:
        _check_ids(record)
        vector = record.vector
        if vector.ndim != 1 or (dimensions is not None and len(vector) != dimensions):
            raise PermanentError(
                f"vector of chunk {record.chunk.id!r} has shape {vector.shape}, "
                f"the index takes ({dimensions},)"
            )
        norm = float(np.linalg.norm(vector))
        if not abs(norm - 1) <= _NORM_TOLERANCE:
            raise PermanentError(f"vector of chunk {record.chunk.id!r} has norm {norm}, not 1")
    return {(record.tenant_id, record.chunk.id): record for record in records}


def check_query(query: Vector, *, dimensions: int | None) -> Vector:
    """Return the question's vector as float32.

    Raises:
        PermanentError: It has another length than the index, or is not finite.
    """
    if query.ndim != 1 or (dimensions is not None and len(query) != dimensions):
        raise PermanentError(
            f"the question's vector has shape {query.shape}, the index takes ({dimensions},)"
        )
    if not np.isfinite(query).all():
        raise PermanentError("the question's vector is not finite")
    return query.astype(np.float32)


def cosine(query: Vector, vector: Vector) -> float:
    """Return the cosine of two unit vectors; rounding never takes it out of [-1, 1]."""
    product = float(np.dot(query.astype(np.float64), vector.astype(np.float64)))
    return min(1.0, max(-1.0, product))


def searchable_text(record: VectorRecord) -> str:
    """Return what keyword search looks at: the section titles and the text."""
    heading, text = record.chunk.heading, record.chunk.text
    return f"{heading}\n{text}" if heading else text


def hit(record: VectorRecord, *, similarity: float, relevance: float) -> ScoredChunk:
    return ScoredChunk(
        chunk=record.chunk,
        origin=record.origin,
        family_id=record.family_id,
        vector=record.vector,
        similarity=similarity,
        relevance=relevance,
        trust=record.trust,
        admitted_at=record.admitted_at,
        title=record.title,
        source_uri=record.source_uri,
    )


def storable(text: str) -> str:
    """Return the text with lone surrogates, which no store takes, as `?`; same length."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _check_ids(record: VectorRecord) -> None:
    for name, value in (
        ("tenant", record.tenant_id),
        ("chunk", record.chunk.id),
        ("document", record.chunk.document_id),
        ("origin", record.origin.id),
        ("family", record.family_id),
    ):
        if value != storable(value):
            raise PermanentError(f"{name} id {value!r} is not well-formed text")
