"""A search as if some documents had never been admitted: for asking what they change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from domain.documents import OriginRef, TenantId
from domain.retrieval import ANYTHING, ChunkSearch, EvidenceFilter, ScoredChunk, Vector, Withheld

_MOST_MORE: Final = 512
"""Hits beyond those wanted that are looked at: whoever planted more is found by those."""


class WithholdingSearch:
    """Searches wider until what is withheld is made up for, or nothing more is there.

    What an index would order otherwise without the withheld documents (its keyword statistics) is
    as it is with them.
    """

    def __init__(self, vectors: ChunkSearch, withheld: Withheld) -> None:
        self._vectors = vectors
        self._withheld = withheld

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
        """See `ChunkSearch.search`."""
        more = 0
        while True:
            hits = await self._vectors.search(
                query,
                text,
                tenant_id=tenant_id,
                established=established,
                limit=limit + more,
                per_origin=per_origin + more,
                min_trust=min_trust,
                only=only,
            )
            left = [hit for hit in hits if not self._withheld.covers(hit)]
            gone = len(hits) - len(left)
            kept = _capped(left, per_origin)[:limit]
            whole = len(kept) == limit or len(hits) < limit + more
            if (gone <= more and whole) or more >= _MOST_MORE:
                return kept
            more = min(max(2 * more, gone, 1), _MOST_MORE)


def _capped(hits: Sequence[ScoredChunk], per_origin: int) -> Sequence[ScoredChunk]:
    """Return the hits without those of an origin that has had its share."""
    taken: Counter[OriginRef] = Counter()
    kept: list[ScoredChunk] = []
    for hit in hits:
        taken[hit.origin.ref] += 1
        if taken[hit.origin.ref] <= per_origin:
            kept.append(hit)
    return kept
