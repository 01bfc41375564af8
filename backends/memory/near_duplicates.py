"""Near-duplicate index in this process's memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from domain.documents import DocumentId, OriginRef, TenantId
from domain.errors import ConfigurationError
from domain.retrieval import (
    Candidate,
    Crowd,
    Fingerprint,
    Resemblances,
    SharedPassages,
    Signature,
)

_LEAST_SHARED = 4
_PASSAGE_CAP = 32
_PASSAGES_OF_AN_ORIGIN = 4
_SHARED_CAP = 100

_Bucket: TypeAlias = tuple[int, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    number: int
    fingerprint: Fingerprint
    origin: OriginRef | None
    denied: bool = False


@dataclass(slots=True)
class _Space:
    """One of the two namespaces of a tenant; documents in the order in which they were linked."""

    buckets: defaultdict[_Bucket, dict[DocumentId, None]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    exact: defaultdict[bytes, dict[DocumentId, None]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    passages: defaultdict[int, dict[DocumentId, OriginRef | None]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def __deepcopy__(self, memo: Mapping[int, object]) -> _Space:
        """Copy level by level; keys and values are never changed, and they are thousands."""
        del memo
        return _Space(
            buckets=defaultdict(dict, {key: dict(each) for key, each in self.buckets.items()}),
            exact=defaultdict(dict, {key: dict(each) for key, each in self.exact.items()}),
            passages=defaultdict(dict, {key: dict(each) for key, each in self.passages.items()}),
        )


@dataclass(slots=True)
class _Tenant:
    documents: dict[DocumentId, _Stored] = field(default_factory=dict)
    given: int = 0
    live: _Space = field(default_factory=_Space)
    denied: _Space = field(default_factory=_Space)

    def space(self, *, denied: bool) -> _Space:
        return self.denied if denied else self.live


class InMemoryNearDuplicateStore:
    """What several indexes of one test share, as several clients share a server."""

    def __init__(self) -> None:
        self.tenants: defaultdict[TenantId, _Tenant] = defaultdict(_Tenant)
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
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        fingerprint: Fingerprint,
        *,
        origin: OriginRef | None = None,
    ) -> Resemblances:
        found = await self.query(tenant_id, fingerprint, besides=document_id)
        tenant = self._store.tenants[tenant_id]
        known = tenant.documents.get(document_id)
        if known is not None:
            self._unlink(tenant, document_id, known)
        else:
            tenant.given += 1
        self._store.schemes[tenant_id] = self._scheme
        stored = _Stored(
            number=tenant.given if known is None else known.number,
            fingerprint=fingerprint,
            origin=origin,
            denied=known is not None and known.denied,
        )
        self._link(tenant, document_id, stored)
        return found

    async def query(
        self,
        tenant_id: TenantId,
        fingerprint: Fingerprint,
        *,
        besides: DocumentId | None = None,
    ) -> Resemblances:
        self._check(tenant_id, fingerprint.signature)
        tenant = self._store.tenants[tenant_id]
        candidates: list[Candidate] = []
        shared: list[SharedPassages] = []
        crowd: Crowd | None = None
        for denied in (True, False):
            near, crowd = self._near(tenant, fingerprint, crowd, denied=denied)
            near.pop(besides, None)
            candidates += near.values()
            # As closely as denied ones only where there are any: see the scripts over Redis.
            sought = fingerprint.sampled if denied or shared else fingerprint.kept
            shared += self._shared(tenant, fingerprint, besides, denied=denied, sought=sought)
        return Resemblances(
            candidates=tuple(sorted(candidates, key=lambda c: (-c.similarity, c.document_id))),
            shared=tuple(shared),
            crowd=crowd,
        )

    async def deny(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        self._move(tenant_id, document_id, denied=True)

    async def allow(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        self._move(tenant_id, document_id, denied=False)

    async def remove(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        tenant = self._store.tenants[tenant_id]
        stored = tenant.documents.get(document_id)
        if stored is not None:
            self._unlink(tenant, document_id, stored)
        if not tenant.documents:
            self._store.schemes.pop(tenant_id, None)

    async def count(self, tenant_id: TenantId) -> int:
        return len(self._store.tenants[tenant_id].documents)

    def _near(
        self, tenant: _Tenant, fingerprint: Fingerprint, crowd: Crowd | None, *, denied: bool
    ) -> tuple[dict[DocumentId | None, Candidate], Crowd | None]:
        space = tenant.space(denied=denied)
        found: dict[DocumentId | None, Candidate] = {}
        signature = fingerprint.signature
        for bucket in self._buckets(signature):
            held = sorted(
                space.buckets.get(bucket, {}), key=lambda each: tenant.documents[each].number
            )
            looked_at = tuple(self._looked_at(held, bucket))
            if len(held) > max(self._bucket_cap, 0 if crowd is None else crowd.size):
                crowd = Crowd(size=len(held), members=looked_at)
            for each in looked_at:
                similarity = self._similarity(signature, tenant.documents[each])
                if similarity >= self._min_similarity:
                    found[each] = Candidate(document_id=each, similarity=similarity, denied=denied)
        for each in list(space.exact.get(fingerprint.exact, {}))[: self._bucket_cap]:
            found[each] = Candidate(document_id=each, similarity=1.0, exact=True, denied=denied)
        return found, crowd

    @staticmethod
    def _similarity(signature: Signature | None, other: _Stored) -> float:
        theirs = other.fingerprint.signature
        if signature is None or theirs is None:
            return 0.0
        return float(np.mean(signature == theirs))

    @staticmethod
    def _shared(
        tenant: _Tenant,
        fingerprint: Fingerprint,
        besides: DocumentId | None,
        *,
        denied: bool,
        sought: int,
    ) -> Iterator[SharedPassages]:
        space = tenant.space(denied=denied)
        places: defaultdict[DocumentId, list[int]] = defaultdict(list)
        for place, passage in enumerate(fingerprint.passages_at(sought)):
            for document_id in space.passages.get(int(passage), ()):
                places[document_id].append(place)
        places.pop(besides, None)  # type: ignore[arg-type]
        order = sorted(places, key=lambda each: (-len(places[each]), tenant.documents[each].number))
        for document_id in order[:_SHARED_CAP]:
            if len(places[document_id]) < _LEAST_SHARED:
                return
            other = tenant.documents[document_id].fingerprint
            yield SharedPassages(
                document_id=document_id,
                at=tuple(places[document_id]),
                sampled=other.kept,
                stored=len(other.stored),
                sought=sought,
                denied=denied,
            )

    def _move(self, tenant_id: TenantId, document_id: DocumentId, *, denied: bool) -> None:
        tenant = self._store.tenants[tenant_id]
        stored = tenant.documents.get(document_id)
        if stored is not None and stored.denied is not denied:
            self._unlink(tenant, document_id, stored)
            self._link(tenant, document_id, replace(stored, denied=denied))

    def _link(self, tenant: _Tenant, document_id: DocumentId, stored: _Stored) -> None:
        space = tenant.space(denied=stored.denied)
        tenant.documents[document_id] = stored
        for bucket in self._buckets(stored.fingerprint.signature):
            space.buckets[bucket][document_id] = None
        space.exact[stored.fingerprint.exact][document_id] = None
        for passage in stored.fingerprint.stored:
            posted = space.passages[int(passage)]
            of_origin = Counter(posted.values())[stored.origin]
            if len(posted) < _PASSAGE_CAP and of_origin < _PASSAGES_OF_AN_ORIGIN:
                posted[document_id] = stored.origin

    def _unlink(self, tenant: _Tenant, document_id: DocumentId, stored: _Stored) -> None:
        space = tenant.space(denied=stored.denied)
        del tenant.documents[document_id]
        for bucket in self._buckets(stored.fingerprint.signature):
            space.buckets[bucket].pop(document_id, None)
            if not space.buckets[bucket]:
                del space.buckets[bucket]
        space.exact[stored.fingerprint.exact].pop(document_id, None)
        for passage in stored.fingerprint.stored:
            space.passages[int(passage)].pop(document_id, None)

    def _check(self, tenant_id: TenantId, signature: Signature | None) -> None:
        known = self._store.schemes.get(tenant_id, self._scheme)
        if known != self._scheme:
            raise ConfigurationError(
                f"the near-duplicate index holds fingerprints of scheme {known!r}, "
                f"not {self._scheme!r}"
            )
        if signature is not None and (
            signature.shape != (self._bands * self._rows,) or signature.dtype != np.uint32
        ):
            raise ValueError(
                f"signature is {signature.dtype}{signature.shape}, "
                f"not uint32({self._bands * self._rows},)"
            )

    def _buckets(self, signature: Signature | None) -> Iterator[_Bucket]:
        if signature is None:
            return
        for band, rows in enumerate(signature.reshape(self._bands, self._rows)):
            yield band, rows.tobytes()

    def _looked_at(self, members: Sequence[DocumentId], bucket: _Bucket) -> Iterator[DocumentId]:
        """Yield the members of a bucket; of an over-full one the oldest half cap and a run."""
        cap = self._bucket_cap
        if len(members) <= cap:
            yield from members
            return
        half = cap // 2
        start = half + int.from_bytes(bucket[1][:2], "big") % (len(members) - cap + 1)
        yield from members[:half]
        yield from members[start : start + cap - half]
