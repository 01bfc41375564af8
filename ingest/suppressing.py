"""A reviewer suppresses a rule for a sentence of one origin (Law 13)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from defences.trust.suppression import checked_digests, suppress
from domain.clock import Clock, IdFactory
from domain.documents import DocumentId, DocumentStatus, Span, TenantId
from domain.errors import ConflictError, InputError
from domain.ledger import DocumentRecord, Ledger
from domain.suppressions import Suppression
from domain.trust import TrustPolicy
from ingest.examination import Examination
from ingest.pipeline import IngestPipeline

LONGEST: Final = timedelta(days=365)
USUAL: Final = timedelta(days=90)

_UNREAD: Final = frozenset(
    {DocumentStatus.RECEIVED, DocumentStatus.SCANNING, DocumentStatus.DELETED}
)


class SuppressionDesk:
    """Adds and removes. What was decided stays decided: a suppression counts at the next scan."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        pipeline: IngestPipeline,
        policy: TrustPolicy,
        ids: IdFactory,
        clock: Clock,
    ) -> None:
        self._ledger = ledger
        self._pipeline = pipeline
        self._policy = policy
        self._ids = ids
        self._clock = clock

    async def add(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        *,
        rule: str,
        span: Span,
        reason: str,
        actor: str,
        expires_at: datetime | None = None,
    ) -> Suppression:
        """Suppress findings of `rule` in the sentences that `span` of the document touches.

        Without `expires_at` it ends after 90 days.

        Raises:
            NotFoundError: Unknown to this tenant.
            ConflictError: Not scanned yet, or deleted.
            InputError: The rule cannot be suppressed; the span is too long, hidden, or covers no
                finding of the rule; the end is past or more than a year away; no reason.
        """
        if not reason.strip():
            raise InputError("a suppression needs a reason")
        if not self._policy.suppressible(rule):
            raise InputError(f"findings of {rule!r} are never suppressed")
        now = self._clock.now()
        ends = expires_at if expires_at is not None else now + USUAL
        if not now < ends <= now + LONGEST:
            raise InputError(f"a suppression ends within {LONGEST.days} days from now")
        record = await self._ledger.documents.get(tenant_id, document_id)
        if record.status in _UNREAD:
            raise ConflictError(f"document is {record.status.value}: nothing was found in it")
        seen = await self._pipeline.examine_again(record)
        suppression = Suppression(
            id=self._ids.new("sup"),
            tenant_id=tenant_id,
            rule=rule,
            origin=record.origin,
            sentences=checked_digests(seen.document, span),
            document_id=document_id,
            span=span,
            reason=reason,
            created_by=actor,
            created_at=now,
            expires_at=ends,
        )
        self._require_cover(seen, suppression, record)
        await self._ledger.suppressions.add(suppression)
        return suppression

    async def remove(
        self, tenant_id: TenantId, suppression_id: str, *, reason: str, actor: str
    ) -> Suppression:
        """End a suppression now.

        Raises:
            NotFoundError: Unknown to this tenant.
            InputError: The reason is empty.
        """
        return await self._ledger.suppressions.remove(
            tenant_id, suppression_id, reason=reason, actor=actor, at=self._clock.now()
        )

    def _require_cover(
        self, seen: Examination, suppression: Suppression, record: DocumentRecord
    ) -> None:
        covered = suppress(
            seen.document,
            seen.report.findings,
            [suppression],
            suppressible=self._policy.suppressible,
        )
        if not any(finding.suppressed_by == suppression.id for finding in covered):
            raise InputError(
                f"the span covers no whole finding of {suppression.rule!r} in {record.id!r}"
            )
