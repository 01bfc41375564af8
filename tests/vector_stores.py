"""Vector stores to run tests over, and the records they are filled with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from backends.memory.vectors import InMemoryVectorStore
from backends.vectors_lancedb import LanceDBVectorStore
from domain.documents import Chunk, ChunkId, DocumentId, Origin, OriginKind, Span, TenantId
from domain.retrieval import FamilyId, ScoredChunk, VectorRecord, VectorStore

A, B = TenantId("a"), TenantId("b")
DIMENSIONS = 2
EAST, NORTH, BETWEEN = (1.0, 0.0), (0.0, 1.0), (0.6, 0.8)
ADMITTED_AT = datetime(2026, 11, 29, 12, 30, 15, 250, tzinfo=UTC)

KINDS = ("memory", "lancedb")


@asynccontextmanager
async def opened(kind: str, folder: Path) -> AsyncIterator[VectorStore]:
    """Yield an empty store of this kind."""
    if kind == "memory":
        yield InMemoryVectorStore(dimensions=DIMENSIONS)
    else:
        yield LanceDBVectorStore(folder / "vectors", dimensions=DIMENSIONS)


def record(
    name: str,
    vector: Sequence[float] = EAST,
    *,
    text: str = "",
    tenant: TenantId = A,
    trust: float = 1.0,
    origin: str = "docs",
    kind: OriginKind = OriginKind.UPLOADER,
    established: bool = True,
    reviewed: bool = False,
    voting: bool = True,
    **rest: str,
) -> VectorRecord:
    """Make a record of the chunk `document/ordinal`."""
    document_id = DocumentId(name.rpartition("/")[0] or name)
    return VectorRecord(
        chunk=Chunk(
            id=ChunkId(name),
            document_id=document_id,
            ordinal=0,
            span=Span(0, 1),
            text=text or name,
            heading=rest.get("heading", ""),
        ),
        tenant_id=tenant,
        origin=Origin(kind=kind, id=origin, established=established, reviewed=reviewed),
        family_id=FamilyId(document_id),
        vector=np.asarray(vector, dtype=np.float32),
        trust=trust,
        admitted_at=ADMITTED_AT,
        voting=voting,
        title=rest.get("title", ""),
    )


async def search(
    store: VectorStore,
    text: str = "",
    *,
    vector: Sequence[float] = EAST,
    tenant: TenantId = A,
    limit: int = 9,
    per_origin: int = 9,
    established: bool = True,
    min_trust: float = 0.0,
) -> Sequence[ScoredChunk]:
    return await store.search(
        np.asarray(vector, np.float32),
        text,
        tenant_id=tenant,
        established=established,
        limit=limit,
        per_origin=per_origin,
        min_trust=min_trust,
    )


def ids(hits: Sequence[ScoredChunk]) -> list[str]:
    return [hit.chunk.id for hit in hits]
