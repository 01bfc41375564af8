"""Trust after an origin changed its tier: from the stored reports, by the policy in force."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from domain.documents import DocumentStatus, OriginRef, TenantId
from domain.ledger import DocumentFilter, DocumentRecord, Ledger, every
from domain.retrieval import VectorStore
from domain.trust import TrustPolicy
from ingest.background import Background
from ingest.replaying import settled_by_person, was_read

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
        async for record in every(
            lambda cursor: self._ledger.documents.list(
                tenant_id, wanted, cursor=cursor, limit=_PAGE
            )
        ):
            trust = await self._weighed(record, known)
            if trust is None or trust == record.trust:
                continue
            await self._vectors.set_trust(record.id, tenant_id=tenant_id, trust=trust)
            changed += await self._ledger.lifecycle.reweigh(tenant_id, record.id, trust=trust)
        return changed

    async def _weighed(
        self, record: DocumentRecord, known: dict[OriginRef, float | None]
    ) -> float | None:
        """Return the trust it would be admitted with today; None where there is no report."""
        stored = await self._ledger.documents.stored_assessment(record.tenant_id, record.id)
        if stored is None or not was_read(stored):
            return None
        # Of what a person released the findings cost nothing: decision 0004.
        released = settled_by_person(record)
        report = replace(stored.report, findings=()) if released else stored.report
        again = await self._background.assessed_again(record, report, self._policy, known=known)
        return again.score
