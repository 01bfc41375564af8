"""The scratch index as each system may see it: with provenance, without families, or flat."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from backends.memory.vectors import InMemoryVectorStore
from domain.documents import DocumentId, Origin, OriginKind, TenantId
from domain.retrieval import (
    ANYTHING,
    EvidenceFilter,
    FamilyId,
    ScoredChunk,
    Vector,
    VectorRecord,
)


class ScratchVectors:
    """A `VectorStore` that keeps two more views of the same records.

    Attributes:
        apart: Every document a family of its own, origins as they are.
        flat: Every document a family and an unestablished origin of its own: what a system sees
            that knows no provenance. All on one side, ranked together.
    """

    def __init__(self) -> None:
        self._own = InMemoryVectorStore()
        self.apart = InMemoryVectorStore()
        self.flat = InMemoryVectorStore()

    async def upsert(self, records: Sequence[VectorRecord]) -> None:
        await self._own.upsert(records)
        alone = [
            replace(one, family_id=FamilyId(one.chunk.document_id), voting=True) for one in records
        ]
        await self.apart.upsert(alone)
        await self.flat.upsert([replace(one, origin=_nobody(one), trust=1.0) for one in alone])

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
        return await self._own.search(
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
        for view in (self.apart, self.flat):
            await view.delete_document(document_id, tenant_id=tenant_id)
        return await self._own.delete_document(document_id, tenant_id=tenant_id)

    async def holds(self, document_id: DocumentId, *, tenant_id: TenantId) -> bool:
        return await self._own.holds(document_id, tenant_id=tenant_id)

    async def document_ids(self, *, tenant_id: TenantId) -> frozenset[DocumentId]:
        return await self._own.document_ids(tenant_id=tenant_id)

    def records(self, *, tenant_id: TenantId) -> AsyncIterator[Sequence[VectorRecord]]:
        return self._own.records(tenant_id=tenant_id)

    async def set_origin(self, origin: Origin, *, tenant_id: TenantId) -> int:
        await self.apart.set_origin(origin, tenant_id=tenant_id)
        return await self._own.set_origin(origin, tenant_id=tenant_id)

    async def set_family(
        self, document_id: DocumentId, *, tenant_id: TenantId, family_id: FamilyId, voting: bool
    ) -> None:
        await self._own.set_family(
            document_id, tenant_id=tenant_id, family_id=family_id, voting=voting
        )

    async def set_trust(
        self, document_id: DocumentId, *, tenant_id: TenantId, trust: float
    ) -> None:
        await self.apart.set_trust(document_id, tenant_id=tenant_id, trust=trust)
        await self._own.set_trust(document_id, tenant_id=tenant_id, trust=trust)

    async def ping(self) -> None:
        return

    async def ranked(
        self, query: Vector, text: str, *, tenant_id: TenantId, limit: int
    ) -> Sequence[ScoredChunk]:
        """Return the best hits of all documents together, as a system without provenance has them."""
        return await self.flat.search(
            query, text, tenant_id=tenant_id, established=False, limit=limit, per_origin=limit
        )


def _nobody(record: VectorRecord) -> Origin:
    return Origin(kind=OriginKind.UPLOADER, id=record.chunk.document_id, established=False)
