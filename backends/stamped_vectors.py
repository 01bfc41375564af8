"""A vector store that tells of every change of what may be evidence, before and after it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from domain.answer_cache import EvidenceStamps
from domain.documents import DocumentId, Origin, TenantId
from domain.errors import TransientError
from domain.retrieval import (
    ANYTHING,
    EvidenceFilter,
    FamilyId,
    ScoredChunk,
    Vector,
    VectorRecord,
    VectorStore,
)


class StampedVectorStore:
    """Every admission, withdrawal, new version, change of origin or family goes through here.

    So a decision, whoever makes it, makes past what was answered before it. What cannot be told of
    is not written: a stale answer would be found once the stamps are back.
    """

    def __init__(self, vectors: VectorStore, stamps: EvidenceStamps) -> None:
        self._vectors = vectors
        self._stamps = stamps

    async def upsert(self, records: Sequence[VectorRecord]) -> None:
        tenants = {record.tenant_id for record in records}
        async with contextlib.AsyncExitStack() as writing:
            for tenant_id in sorted(tenants):
                await writing.enter_async_context(self._writing(tenant_id))
            await self._vectors.upsert(records)

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
        return await self._vectors.search(
            query,
            text,
            tenant_id=tenant_id,
            established=established,
            limit=limit,
            per_origin=per_origin,
            min_trust=min_trust,
            only=only,
        )

    async def delete_document(self, document_id: DocumentId, *, tenant_id: TenantId) -> int:
        async with self._writing(tenant_id):
            return await self._vectors.delete_document(document_id, tenant_id=tenant_id)

    async def holds(self, document_id: DocumentId, *, tenant_id: TenantId) -> bool:
        return await self._vectors.holds(document_id, tenant_id=tenant_id)

    async def document_ids(self, *, tenant_id: TenantId) -> frozenset[DocumentId]:
        return await self._vectors.document_ids(tenant_id=tenant_id)

    def records(self, *, tenant_id: TenantId) -> AsyncIterator[Sequence[VectorRecord]]:
        return self._vectors.records(tenant_id=tenant_id)

    async def set_origin(self, origin: Origin, *, tenant_id: TenantId) -> int:
        async with self._writing(tenant_id):
            return await self._vectors.set_origin(origin, tenant_id=tenant_id)

    async def set_family(
        self, document_id: DocumentId, *, tenant_id: TenantId, family_id: FamilyId, voting: bool
    ) -> None:
        async with self._writing(tenant_id):
            await self._vectors.set_family(
                document_id, tenant_id=tenant_id, family_id=family_id, voting=voting
            )

    async def set_trust(
        self, document_id: DocumentId, *, tenant_id: TenantId, trust: float
    ) -> None:
        async with self._writing(tenant_id):
            await self._vectors.set_trust(document_id, tenant_id=tenant_id, trust=trust)

    async def ping(self) -> None:
        await self._vectors.ping()

    @asynccontextmanager
    async def _writing(self, tenant_id: TenantId) -> AsyncIterator[None]:
        token = await self._stamps.begin(tenant_id)
        try:
            yield
        finally:
            # the stamps are past ones already; who never ends is taken for dead after a while
            with contextlib.suppress(TransientError):
                await self._stamps.end(tenant_id, token)
