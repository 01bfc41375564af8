"""The scratch index as parts of the question path would see it if one of them were missing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.documents import Origin, OriginKind, TenantId
from domain.retrieval import ANYTHING, ChunkSearch, EvidenceFilter, ScoredChunk, Vector
from evaluation.redteam.stores import ScratchVectors

TOP: Final = 10
"""Passages that a system without quotas retrieves: K of the papers."""

_EVERYTHING: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """The arguments of `ChunkSearch.search`."""

    query: Vector
    text: str
    tenant_id: TenantId
    established: bool
    limit: int
    per_origin: int
    min_trust: float
    only: EvidenceFilter


Find = Callable[[Sought], Awaitable[Sequence[ScoredChunk]]]


class View:
    """A `ChunkSearch` by one function."""

    def __init__(self, find: Find) -> None:
        self._find = find

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
        return await self._find(
            Sought(
                query=query,
                text=text,
                tenant_id=tenant_id,
                established=established,
                limit=limit,
                per_origin=per_origin,
                min_trust=min_trust,
                only=only,
            )
        )


def as_it_is(vectors: ScratchVectors) -> View:
    async def find(sought: Sought) -> Sequence[ScoredChunk]:
        return await _search(vectors, sought)

    return View(find)


def without_families(vectors: ScratchVectors) -> View:
    """Return a view in which near-copies are strangers to each other."""

    async def find(sought: Sought) -> Sequence[ScoredChunk]:
        return await _search(vectors.apart, sought)

    return View(find)


def without_origins(vectors: ScratchVectors) -> View:
    """Return a view in which every document speaks for itself, and everybody is believed."""

    async def find(sought: Sought) -> Sequence[ScoredChunk]:
        if not sought.established:
            return ()
        hits = await vectors.ranked(
            sought.query, sought.text, tenant_id=sought.tenant_id, limit=sought.limit
        )
        return [replace(hit, origin=_vouched(hit)) for hit in hits]

    return View(find)


def without_quotas(vectors: ScratchVectors) -> View:
    """Return a view of the nearest `TOP` passages, whoever they are from."""

    async def find(sought: Sought) -> Sequence[ScoredChunk]:
        wide = replace(sought, limit=_EVERYTHING, per_origin=_EVERYTHING)
        both = [
            hit
            for side in (True, False)
            for hit in await _search(vectors, replace(wide, established=side))
        ]
        best = sorted(both, key=lambda hit: (-hit.similarity, hit.chunk.id))[:TOP]
        return [hit for hit in best if hit.origin.established is sought.established]

    return View(find)


def without_trust(vectors: ScratchVectors) -> View:
    """Return a view in which every document is trusted alike."""

    async def find(sought: Sought) -> Sequence[ScoredChunk]:
        hits = await _search(vectors, replace(sought, min_trust=0.0))
        return [replace(hit, trust=1.0) for hit in hits]

    return View(find)


async def _search(vectors: ChunkSearch, sought: Sought) -> Sequence[ScoredChunk]:
    return await vectors.search(
        sought.query,
        sought.text,
        tenant_id=sought.tenant_id,
        established=sought.established,
        limit=sought.limit,
        per_origin=sought.per_origin,
        min_trust=sought.min_trust,
        only=sought.only,
    )


def _vouched(hit: ScoredChunk) -> Origin:
    return Origin(kind=OriginKind.PUBLISHER, id=hit.chunk.document_id, established=True)
