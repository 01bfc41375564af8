"""Finds the evidence of a question: quotas inside the query (Law 4), then the reranker's order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from defences.retrieval.chorus import apart
from defences.retrieval.families import collapse
from defences.retrieval.ranking import best_first
from domain.documents import TenantId, Tier
from domain.errors import TransientError
from domain.retrieval import (
    ANYTHING,
    NOTHING_WITHHELD,
    ChunkSearch,
    EvidenceFilter,
    Reranker,
    ScoredChunk,
    Vector,
    Withheld,
)
from gateway.query.withholding import WithholdingSearch

_WIDEST: Final = 4
"""How many times its limit a side is searched for, at most, where families collapse."""

_DEEPER: Final = 4
_DEEPEST: Final = 64
"""How many times its limit the pool is searched for, at once and at most, beneath choruses."""

_ORDER: Final = (Tier.REVIEWED, Tier.ESTABLISHED, Tier.POOL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """What may come of each side; of one origin never more than `per_origin`."""

    established_limit: int
    pool_limit: int
    per_origin: int
    min_trust: float
    only: EvidenceFilter = ANYTHING
    without: Withheld = NOTHING_WITHHELD


class Retrieval:
    """Searches both sides apart and puts what is found in order."""

    def __init__(self, vectors: ChunkSearch, reranker: Reranker | None = None) -> None:
        self._vectors = vectors
        self._reranker = reranker

    @property
    def reranker(self) -> str | None:
        """Version of the reranker; None where none is configured."""
        return self._reranker.version if self._reranker is not None else None

    async def find(
        self, question: str, text: str, vector: Vector, *, tenant_id: TenantId, quotas: Quotas
    ) -> tuple[ScoredChunk, ...]:
        """Return the evidence, established first, each side best first.

        Args:
            question: As it was asked; the reranker reads it, also where other words are sought.
            text: What is searched for; `vector` is its vector.
            tenant_id: Whose documents.
            quotas: Limits and filters of the search.

        Raises:
            TransientError: The store did not answer.
            PermanentError: The reranker's endpoint is not what was configured.
        """

        async def side(*, established: bool, limit: int) -> Sequence[ScoredChunk]:
            return await self._side(
                text, vector, tenant_id, quotas, established=established, limit=limit
            )

        established, pool = await asyncio.gather(
            side(established=True, limit=quotas.established_limit),
            side(established=False, limit=quotas.pool_limit),
        )
        if not established:
            pool = await _past_choruses(
                question,
                pool,
                quotas.pool_limit,
                lambda limit: side(established=False, limit=limit),
            )
        return await self.ranked(question, (*established, *pool))

    async def ranked(self, question: str, hits: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
        """Return the same hits with the reranker's scores, best first inside each tier.

        Without a reranker, or where it does not answer, they are as they were.
        """
        if self._reranker is None or not hits:
            return tuple(hits)
        try:
            scores = await self._reranker.rerank(question, hits)
        except TransientError:
            return tuple(hits)
        return in_tiers(
            [replace(hit, rerank=score) for hit, score in zip(hits, scores, strict=True)]
        )

    async def _side(
        self,
        text: str,
        vector: Vector,
        tenant_id: TenantId,
        quotas: Quotas,
        *,
        established: bool,
        limit: int,
    ) -> Sequence[ScoredChunk]:
        """Search wider where near-copies took places, until as many voices are found as wanted."""
        wanted = limit
        vectors: ChunkSearch = self._vectors
        if quotas.without != NOTHING_WITHHELD:
            vectors = WithholdingSearch(vectors, quotas.without)
        while True:
            hits = await vectors.search(
                vector,
                text,
                tenant_id=tenant_id,
                established=established,
                limit=wanted,
                per_origin=quotas.per_origin,
                min_trust=quotas.min_trust,
                only=quotas.only,
            )
            voices = collapse(hits)
            if len(voices) == len(hits) or len(voices) >= limit or len(hits) < wanted:
                return voices[:limit] if wanted > limit else hits
            if wanted >= _WIDEST * limit:
                return voices
            wanted *= 2


async def _past_choruses(
    question: str,
    found: Sequence[ScoredChunk],
    limit: int,
    search: Callable[[int], Awaitable[Sequence[ScoredChunk]]],
) -> Sequence[ScoredChunk]:
    """Search wider where choruses took most places: a flood would be all that is retrieved.

    Of either kind at most `limit` are returned.
    """
    if len(found) < limit:
        return found  # nothing was left out, so that no sentence need be read for it
    wanted = limit
    loud, others = apart(found, question)
    while len(others) <= limit // 2 and wanted <= len(found) and wanted < _DEEPEST * limit:
        wanted *= _DEEPER
        found = await search(wanted)
        loud, others = apart(found, question)
    kept = {hit.chunk.id for hit in (*loud[:limit], *others[:limit])}
    return [hit for hit in found if hit.chunk.id in kept]


def in_tiers(hits: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
    """Return hits reviewed first, then established, then the pool's; best first inside each."""
    tiers = sorted(hits, key=lambda hit: _ORDER.index(hit.origin.tier))
    return tuple(
        hit
        for _, held in groupby(tiers, key=lambda hit: hit.origin.tier)
        for hit in best_first(held)
    )


def reranked(hits: Sequence[ScoredChunk]) -> bool:
    """Whether the reranker scored all of them."""
    return bool(hits) and all(hit.rerank is not None for hit in hits)


def joined(known: Sequence[ScoredChunk], fresh: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
    """Return all hits; none keeps a reranker's score where some have none to compare it with."""
    both = (*known, *fresh)
    return both if reranked(both) else tuple(replace(hit, rerank=None) for hit in both)


def evidence_counts(evidence: Sequence[ScoredChunk]) -> Mapping[str, int]:
    """Return what a stage tells of its evidence."""
    established = [hit for hit in evidence if hit.origin.established]
    return {
        "established": len(established),
        "pool": len(evidence) - len(established),
        "established_origins": len({hit.origin.ref for hit in established}),
    }
