"""What is known of a document beside its text: standing, signature, earlier versions, suppressions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from defences.trust.suppression import suppress
from domain.clock import Clock
from domain.documents import Document, Origin, OriginRef, Provenance, Tier
from domain.ledger import DocumentRecord, Ledger
from domain.publishing import SignatureState
from domain.scanning import ScanReport
from domain.trust import TrustAssessment, TrustPolicy
from ingest.versions import VersionLookup

_MOST_OUTCOMES: Final = 500
"""Of an origin, the latest: older ones have faded by then."""


class Background:
    """Answers from the ledger alone."""

    def __init__(
        self, *, ledger: Ledger, policy: TrustPolicy, versions: VersionLookup, clock: Clock
    ) -> None:
        self._ledger = ledger
        self._policy = policy
        self._clock = clock
        self.versions = versions

    async def provenance(
        self,
        record: DocumentRecord,
        *,
        policy: TrustPolicy | None = None,
        known: dict[OriginRef, float | None] | None = None,
    ) -> Provenance:
        """Return where a received document comes from, as far as we can vouch for it.

        Args:
            record: The document.
            policy: By whose terms the origin stands; None for the one in force.
            known: Standings reckoned before, to be used and added to.
        """
        origin = await self._ledger.origins.get(record.tenant_id, record.origin)
        return Provenance(
            origin=origin,
            claimed_uri=record.source_uri,
            received_at=record.received_at,
            signature_verified=record.signature is SignatureState.VERIFIED,
            signature_forged=record.signature is SignatureState.FORGED,
            reputation=await self._reputation(
                record, origin, policy or self._policy, {} if known is None else known
            ),
        )

    async def assessed_again(
        self,
        record: DocumentRecord,
        report: ScanReport,
        policy: TrustPolicy,
        *,
        known: dict[OriginRef, float | None],
    ) -> TrustAssessment:
        """Return what a policy makes of a report today, at the age that the document was decided at.

        Args:
            known: Standings reckoned before, to be used and added to.
        """
        provenance = await self.provenance(record, policy=policy, known=known)
        # Beside the loop: reports are as long as their documents' authors made them.
        return await asyncio.to_thread(
            policy.assess, report, provenance, now=record.decided_at or record.received_at
        )

    async def suppressed(self, document: Document, report: ScanReport) -> ScanReport:
        """Mark the findings that a reviewer has suppressed for the document's origin."""
        if not report.findings:
            return report
        now = self._clock.now()
        known = await self._ledger.suppressions.list(
            document.tenant_id, origin=document.provenance.origin.ref
        )
        in_force = [one for one in known if one.in_force(now)]
        if not in_force:
            return report
        findings = await asyncio.to_thread(
            suppress,
            document,
            report.findings,
            in_force,
            suppressible=self._policy.suppressible,
        )
        return replace(report, findings=findings)

    async def _reputation(
        self,
        record: DocumentRecord,
        origin: Origin,
        policy: TrustPolicy,
        known: dict[OriginRef, float | None],
    ) -> float | None:
        if origin.tier is not Tier.POOL:
            return None
        if record.origin not in known:
            outcomes = await self._ledger.lifecycle.outcomes(
                record.tenant_id, record.origin, limit=_MOST_OUTCOMES
            )
            known[record.origin] = policy.reputation(outcomes, now=self._clock.now())
        return known[record.origin]
