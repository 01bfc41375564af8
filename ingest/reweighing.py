"""Trust after an origin changed its tier: from the stored reports, by the policy in force."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from domain.documents import DocumentStatus, OriginRef, TenantId
from domain.ledger import DocumentFilter, DocumentRecord, Ledger
from domain.retrieval import VectorStore
from domain.trust import TrustPolicy
from ingest.background import Background

_PAGE: Final = 200


class Reweighing:
    """Weighs the admitted documents of an origin anew; verdicts stay as they are.

    Trust starts at the tier of the origin, so what was admitted before somebody vouched for it would
    count less than what comes after, and what was admitted before a revocation for more.
    """

    def __init__(
        self, *, ledger: Ledger, background: Background, policy: TrustPolicy, vectors: VectorStore
    ) -> None:
        self._ledger = ledger
        self._background = background
        self._policy = policy
        self._vectors = vectors

    async def reweigh(self, tenant_id: TenantId, ref: OriginRef) -> int:
        """Write what changed, the index first; return how many documents. Safe to repeat."""
        wanted = DocumentFilter(origin=ref, status=DocumentStatus.ADMITTED)
        known: dict[OriginRef, float | None] = {}
        changed = 0
        cursor: str | None = None
        while True:
            page = await self._ledger.documents.list(tenant_id, wanted, cursor=cursor, limit=_PAGE)
            for record in page.items:
                trust = await self._weighed(record, known)
                if trust is None or trust == record.trust:
                    continue
                await self._vectors.set_trust(record.id, tenant_id=tenant_id, trust=trust)
                changed += await self._ledger.lifecycle.reweigh(tenant_id, record.id, trust=trust)
            cursor = page.next_cursor
            if cursor is None:
                return changed

    async def _weighed(
        self, record: DocumentRecord, known: dict[OriginRef, float | None]
    ) -> float | None:
        """Return the trust it would be admitted with today, at the age that it was decided at."""
        stored = await self._ledger.documents.stored_assessment(record.tenant_id, record.id)
        if stored is None or not stored.report.completed:
            return None
        provenance = await self._background.provenance(record, known=known)
        released = record.decided_by not in (None, "policy")
        # Of what a person released the findings cost nothing: decision 0004.
        report = replace(stored.report, findings=()) if released else stored.report
        assessment = await asyncio.to_thread(
            self._policy.assess, report, provenance, now=record.decided_at or record.received_at
        )
        return assessment.score
