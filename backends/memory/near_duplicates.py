"""Near-duplicate index in this process's memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from domain.documents import DocumentId, TenantId
from domain.errors import ConfigurationError
from domain.retrieval import Candidate, Signature


@dataclass(slots=True)
class _Namespace:
    """One tenant's documents, in the order in which they first came."""

    signatures: dict[DocumentId, Signature] = field(default_factory=dict)
    numbers: dict[DocumentId, int] = field(default_factory=dict)
    given: int = 0
    buckets: defaultdict[tuple[int, bytes], dict[DocumentId, None]] = field(
        default_factory=lambda: defaultdict(dict)
    )


class InMemoryNearDuplicateStore:
    """What several indexes of one test share, as several clients share a server."""

    def __init__(self) -> None:
        self.namespaces: defaultdict[TenantId, _Namespace] = defaultdict(_Namespace)
        self.schemes: dict[TenantId, str] = {}


class InMemoryNearDuplicateIndex:
    """Candidates by shared bands, each verified; one event loop makes every call atomic."""

    def __init__(
        self,
        store: InMemoryNearDuplicateStore | None = None,
        *,
        scheme: str = "memory",
        bands: int = 32,
        rows: int = 4,
        min_similarity: float = 0.5,
        bucket_cap: int = 50,
    ) -> None:
        self._store = store if store is not None else InMemoryNearDuplicateStore()
        self._scheme = scheme
        self._bands = bands
        self._rows = rows
        self._min_similarity = min_similarity
        self._bucket_cap = bucket_cap

    async def query_and_insert(
        self, tenant_id: TenantId, document_id: DocumentId, signature: Signature
    ) -> Sequence[Candidate]:
        found = await self.query(tenant_id, signature)
        space = self._store.namespaces[tenant_id]
        known = space.signatures.get(document_id)
        if known is not None:
            self._unlink(space, document_id, known)
        self._store.schemes[tenant_id] = self._scheme
        space.signatures[document_id] = signature.copy()
        if document_id not in space.numbers:
            space.given += 1
            space.numbers[document_id] = space.given
        for bucket in self._buckets(signature):
            space.buckets[bucket][document_id] = None
        return [candidate for candidate in found if candidate.document_id != document_id]

    async def query(self, tenant_id: TenantId, signature: Signature) -> Sequence[Candidate]:
        self._check(tenant_id, signature)
        space = self._store.namespaces[tenant_id]
        near: set[DocumentId] = set()
        for bucket in self._buckets(signature):
            near.update(
                self._looked_at(
                    sorted(space.buckets.get(bucket, {}), key=space.numbers.__getitem__), bucket
                )
            )
        found = [
            Candidate(
                document_id=document_id,
                similarity=float(np.mean(space.signatures[document_id] == signature)),
            )
            for document_id in near
        ]
        return sorted(
            (each for each in found if each.similarity >= self._min_similarity),
            key=lambda each: (-each.similarity, each.document_id),
        )

    async def remove(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        space = self._store.namespaces[tenant_id]
        signature = space.signatures.pop(document_id, None)
        if signature is not None:
            self._unlink(space, document_id, signature)
            del space.numbers[document_id]
        if not space.signatures:
            self._store.schemes.pop(tenant_id, None)

    async def count(self, tenant_id: TenantId) -> int:
        return len(self._store.namespaces[tenant_id].signatures)

    def _check(self, tenant_id: TenantId, signature: Signature) -> None:
        known = self._store.schemes.get(tenant_id, self._scheme)
        if known != self._scheme:
            raise ConfigurationError(
                f"the near-duplicate index holds signatures of scheme {known!r}, "
                f"not {self._scheme!r}"
            )
        if signature.shape != (self._bands * self._rows,) or signature.dtype != np.uint32:
            raise ValueError(
                f"signature is {signature.dtype}{signature.shape}, "
                f"not uint32({self._bands * self._rows},)"
            )

    def _buckets(self, signature: Signature) -> Iterator[tuple[int, bytes]]:
        for band, rows in enumerate(signature.reshape(self._bands, self._rows)):
            yield band, rows.tobytes()

    def _looked_at(
        self, members: Sequence[DocumentId], bucket: tuple[int, bytes]
    ) -> Iterator[DocumentId]:
        """Yield the members of a bucket; of an over-full one the oldest half cap and a run."""
        cap = self._bucket_cap
        if len(members) <= cap:
            yield from members
            return
        half = cap // 2
        start = half + int.from_bytes(bucket[1][:2], "big") % (len(members) - cap + 1)
        yield from members[:half]
        yield from members[start : start + cap - half]

    def _unlink(self, space: _Namespace, document_id: DocumentId, signature: Signature) -> None:
        for bucket in self._buckets(signature):
            space.buckets[bucket].pop(document_id, None)
            if not space.buckets[bucket]:
                del space.buckets[bucket]
