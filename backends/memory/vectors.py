"""Vectors and keywords in this process's memory: the reference other stores are compared to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from backends.keywords import question_text, words_of
from backends.memory.bm25 import KeywordIndex
from backends.rank_fusion import RankedChunk, cap_for, capped, depth_for, fuse
from backends.vector_records import (
    PAGE,
    check_query,
    cosine,
    hit,
    latest,
    searchable_text,
)
from domain.documents import ChunkId, DocumentId, Origin, TenantId
from domain.retrieval import (
    ANYTHING,
    EvidenceFilter,
    FamilyId,
    ScoredChunk,
    Vector,
    VectorRecord,
)


@dataclass(slots=True)
class _Side:
    """Established origins or the pool of one tenant, with statistics of its own (Law 4)."""

    records: dict[ChunkId, VectorRecord] = field(default_factory=dict)
    keywords: KeywordIndex = field(default_factory=KeywordIndex)
    matrix: tuple[list[ChunkId], NDArray[np.float64]] | None = None

    def put(self, record: VectorRecord) -> None:
        self.take(record.chunk.id)
        self.records[record.chunk.id] = record
        self.keywords.add(record.chunk.id, searchable_text(record))

    def take(self, chunk_id: ChunkId) -> VectorRecord | None:
        record = self.records.pop(chunk_id, None)
        self.matrix = None
        if record is not None:
            self.keywords.remove(chunk_id)
        return record

    def similarities(self, query: Vector) -> dict[ChunkId, float]:
        if not self.records:
            return {}
        if self.matrix is None:
            rows = np.stack([record.vector for record in self.records.values()])
            self.matrix = list(self.records), rows.astype(np.float64)
        chunk_ids, rows64 = self.matrix
        # Not a matrix product: its rounding of a row may depend on how many rows there are.
        products = np.einsum("ij,j->i", rows64, query.astype(np.float64))
        return dict(zip(chunk_ids, products.tolist(), strict=True))


class InMemoryVectorStore:
    """Exact search. Loses everything with the process."""

    def __init__(self, *, dimensions: int | None = None) -> None:
        self._dimensions = dimensions
        self._sides: defaultdict[tuple[TenantId, bool], _Side] = defaultdict(_Side)

    async def upsert(self, records: Sequence[VectorRecord]) -> None:
        if self._dimensions is None and records:
            self._dimensions = len(records[0].vector)
        for (tenant_id, chunk_id), record in latest(records, dimensions=self._dimensions).items():
            self._sides[tenant_id, not record.origin.established].take(chunk_id)
            self._sides[tenant_id, record.origin.established].put(record)

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
        query = check_query(query, dimensions=self._dimensions)
        side = self._sides[tenant_id, established]
        if limit < 1 or per_origin < 1:
            return ()

        def ranking(scores: dict[ChunkId, float]) -> list[RankedChunk]:
            rows = (
                RankedChunk(chunk_id=i, origin=str(side.records[i].origin.ref), score=score)
                for i, score in scores.items()
                if side.records[i].voting
                and side.records[i].trust >= min_trust
                and _passes(side.records[i], only)
            )
            return capped(rows, per_origin=cap_for(per_origin))[: depth_for(limit)]

        by_vector = ranking(side.similarities(query))
        by_keyword = ranking(side.keywords.scores(dict.fromkeys(words_of(question_text(text)))))
        return tuple(
            hit(
                side.records[row.chunk_id],
                similarity=cosine(query, side.records[row.chunk_id].vector),
                relevance=row.relevance,
            )
            for row in fuse(by_vector, by_keyword, limit=limit, per_origin=per_origin)
        )

    async def delete_document(self, document_id: DocumentId, *, tenant_id: TenantId) -> int:
        doomed = self._having(tenant_id, lambda r: r.chunk.document_id == document_id)
        for side, record in doomed:
            side.take(record.chunk.id)
        return len(doomed)

    async def holds(self, document_id: DocumentId, *, tenant_id: TenantId) -> bool:
        return bool(self._having(tenant_id, lambda r: r.chunk.document_id == document_id))

    async def document_ids(self, *, tenant_id: TenantId) -> frozenset[DocumentId]:
        return frozenset(
            record.chunk.document_id for _, record in self._having(tenant_id, lambda _: True)
        )

    async def records(self, *, tenant_id: TenantId) -> AsyncIterator[Sequence[VectorRecord]]:
        found = [record for _, record in self._having(tenant_id, lambda _: True)]
        for start in range(0, len(found), PAGE):
            yield found[start : start + PAGE]

    async def set_origin(self, origin: Origin, *, tenant_id: TenantId) -> int:
        ours = self._having(tenant_id, lambda r: r.origin.ref == origin.ref)
        for side, record in ours:
            side.take(record.chunk.id)
            self._sides[tenant_id, origin.established].put(replace(record, origin=origin))
        return len(ours)

    async def set_family(
        self, document_id: DocumentId, *, tenant_id: TenantId, family_id: FamilyId, voting: bool
    ) -> None:
        for side, record in self._having(tenant_id, lambda r: r.chunk.document_id == document_id):
            side.records[record.chunk.id] = replace(record, family_id=family_id, voting=voting)

    async def set_trust(
        self, document_id: DocumentId, *, tenant_id: TenantId, trust: float
    ) -> None:
        for side, record in self._having(tenant_id, lambda r: r.chunk.document_id == document_id):
            side.records[record.chunk.id] = replace(record, trust=trust)

    async def ping(self) -> None:
        return

    def _having(
        self, tenant_id: TenantId, wanted: Callable[[VectorRecord], bool]
    ) -> list[tuple[_Side, VectorRecord]]:
        return [
            (side, record)
            for established in (True, False)
            for side in [self._sides[tenant_id, established]]
            for record in side.records.values()
            if wanted(record)
        ]


def _passes(record: VectorRecord, only: EvidenceFilter) -> bool:
    return (not only.origins or record.origin.ref in only.origins) and (
        not only.documents or record.chunk.document_id in only.documents
    )
