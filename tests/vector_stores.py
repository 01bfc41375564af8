"""Vector stores to run tests over, and the records they are filled with."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from backends.memory.vectors import InMemoryVectorStore
from backends.vectors_lancedb import LanceDBVectorStore
from backends.vectors_weaviate import WeaviateVectorStore
from domain.documents import Chunk, ChunkId, DocumentId, Origin, OriginKind, Span, TenantId
from domain.retrieval import (
    ANYTHING,
    EvidenceFilter,
    FamilyId,
    ScoredChunk,
    VectorRecord,
    VectorStore,
)
from tests.fakes.weaviate_server import fake_weaviate

A, B = TenantId("a"), TenantId("b")
DIMENSIONS = 2
EAST, NORTH, BETWEEN = (1.0, 0.0), (0.0, 1.0), (0.6, 0.8)
ADMITTED_AT = datetime(2026, 11, 29, 12, 30, 15, 250, tzinfo=UTC)

LIVE_WEAVIATE = os.environ.get("MITHRIDATE_TEST_WEAVIATE_URL")
KINDS = (
    "memory",
    "lancedb",
    "lancedb-not-resident",
    "weaviate-fake",
    *(["weaviate-live"] if LIVE_WEAVIATE is not None else []),
)


@asynccontextmanager
async def opened(kind: str, folder: Path) -> AsyncIterator[VectorStore]:
    """Yield an empty store of this kind."""
    if kind == "memory":
        yield InMemoryVectorStore(dimensions=DIMENSIONS)
    elif kind == "lancedb":
        yield LanceDBVectorStore(folder / "vectors", dimensions=DIMENSIONS)
    elif kind == "lancedb-not-resident":
        yield LanceDBVectorStore(folder / "vectors", dimensions=DIMENSIONS, resident_bytes=0)
    elif kind == "weaviate-fake":
        with fake_weaviate(api_key="key") as server:
            store = weaviate_store(server.url, grpc_port=server.grpc_port, api_key="key")
            yield store
            await store.close()
    else:
        assert LIVE_WEAVIATE is not None
        # A collection of its own: a live server keeps what other tests wrote.
        store = weaviate_store(
            LIVE_WEAVIATE,
            grpc_port=int(os.environ.get("MITHRIDATE_TEST_WEAVIATE_GRPC_PORT", "50051")),
            api_key=os.environ.get("MITHRIDATE_TEST_WEAVIATE_API_KEY"),
            collection=f"Test{uuid.uuid4().hex}",
        )
        yield store
        client = await store._session.client()
        for side in ("Established", "Pool"):
            await client.collections.delete(f"{store._session._collection}{side}")
        await store.close()


def weaviate_store(
    url: str,
    *,
    grpc_port: int,
    api_key: str | None = None,
    collection: str = "Chunks",
    timeout_seconds: float = 10.0,
) -> WeaviateVectorStore:
    return WeaviateVectorStore(
        url,
        grpc_port=grpc_port,
        api_key=api_key,
        collection=collection,
        dimensions=DIMENSIONS,
        timeout_seconds=timeout_seconds,
    )


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
    only: EvidenceFilter = ANYTHING,
) -> Sequence[ScoredChunk]:
    return await store.search(
        np.asarray(vector, np.float32),
        text,
        tenant_id=tenant,
        established=established,
        limit=limit,
        per_origin=per_origin,
        min_trust=min_trust,
        only=only,
    )


def ids(hits: Sequence[ScoredChunk]) -> list[str]:
    return [hit.chunk.id for hit in hits]
