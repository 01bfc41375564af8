"""A person decides: release, reject, delete. Index, families and blobs follow in the same step."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from defences.retrieval.families import FamilyDecision
from domain.clock import Clock
from domain.documents import BlobStore, DocumentId, DocumentStatus, TenantId
from domain.errors import ConflictError, InputError
from domain.ledger import DecisionAction, DocumentRecord, Ledger
from domain.trust import TrustPolicy
from ingest.admission import Admission
from ingest.neighbours import NeighbourLookup, text_key
from ingest.originals import discard_original
from ingest.pipeline import IngestPipeline
from ingest.turns import Turns
from ingest.versions import VersionLookup


class ReviewDesk:
    """Carries out decisions about documents that have been scanned."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        blobs: BlobStore,
        pipeline: IngestPipeline,
        neighbours: NeighbourLookup,
        admission: Admission,
        policy: TrustPolicy,
        versions: VersionLookup,
        turns: Turns,
        clock: Clock,
    ) -> None:
        self._ledger = ledger
        self._blobs = blobs
        self._pipeline = pipeline
        self._neighbours = neighbours
        self._admission = admission
        self._policy = policy
        self._versions = versions
        self._turns = turns
        self._clock = clock

    async def decide(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        *,
        action: DecisionAction,
        reason: str,
        actor: str,
    ) -> DocumentRecord:
        """Release or reject; either can be undone by the other.

        Raises:
            NotFoundError: Unknown to this tenant.
            ConflictError: Not scanned yet, deleted, or already so.
            InputError: The reason is empty, or a document to be released cannot be parsed.
        """
        if not reason.strip():
            raise InputError("a decision needs a reason")
        record = await self._ledger.documents.get(tenant_id, document_id)
        self._check(record, action)
        if action is DecisionAction.REJECT:
            return await self._reject(record, reason=reason, actor=actor)
        return await self._release(record, reason=reason, actor=actor)

    async def delete(
        self, tenant_id: TenantId, document_id: DocumentId, *, actor: str
    ) -> DocumentRecord:
        """Remove from index, families and blobs; the journal stays.

        Raises:
            NotFoundError: Unknown, or deleted already.
        """
        record = await self._ledger.documents.get(tenant_id, document_id)
        async with self._turns.take(tenant_id, required=False):
            if record.status is DocumentStatus.DELETED:
                # A deletion may have stopped half way: what it left goes before this is refused.
                await self._clear(record)
            else:
                # An index that is down stops us here, where nothing has been promised yet.
                await self._admission.withdraw(record)
            # The ledger before the rest: a scan under way then finds the document gone and clears
            # what it wrote.
            gone = await self._ledger.documents.delete(
                tenant_id, document_id, actor=actor, at=self._clock.now()
            )
            await self._clear(gone)
        return gone

    async def _clear(self, record: DocumentRecord) -> None:
        await self._admission.withdraw(record)
        await self._neighbours.follow(record)
        await self._blobs.delete(record.tenant_id, text_key(record.id))
        await discard_original(record, blobs=self._blobs, documents=self._ledger.documents)

    async def _reject(self, record: DocumentRecord, *, reason: str, actor: str) -> DocumentRecord:
        async with self._turns.take(record.tenant_id, required=False):
            await self._admission.withdraw(record)
            try:
                rejected = await self._ledger.documents.decide(
                    record.tenant_id,
                    record.id,
                    action=DecisionAction.REJECT,
                    reason=reason,
                    actor=actor,
                    at=self._clock.now(),
                )
            finally:
                # A release of the same moment may have written to either.
                await self._pipeline.agree(record.id)
        return rejected

    async def _release(self, record: DocumentRecord, *, reason: str, actor: str) -> DocumentRecord:
        newer = await self._versions.newer(record)
        if newer is not None:
            raise ConflictError(f"a newer version serves: document {newer.document_id!r}")
        seen = await self._pipeline.examine_again(record)
        # A person vouches for this content: what the findings took is given back, no more.
        cleared = self._policy.assess(
            replace(seen.report, findings=()), seen.document.provenance, now=self._clock.now()
        )

        async def write(family: FamilyDecision, at: datetime) -> None:
            await self._ledger.documents.decide(
                record.tenant_id,
                record.id,
                action=DecisionAction.RELEASE,
                reason=reason,
                actor=actor,
                at=at,
                family_id=family.family_id,
                voting=family.voting,
                trust=cleared.score,
                seen=record,
            )

        await self._pipeline.admit_in_turn(record, seen, trust=cleared.score, write=write)
        return await self._ledger.documents.get(record.tenant_id, record.id)

    @staticmethod
    def _check(record: DocumentRecord, action: DecisionAction) -> None:
        wanted = (
            DocumentStatus.ADMITTED if action is DecisionAction.RELEASE else DocumentStatus.REJECTED
        )
        if record.status is wanted:
            raise ConflictError(f"document is {record.status.value} already")
        if record.status in {
            DocumentStatus.RECEIVED,
            DocumentStatus.SCANNING,
            DocumentStatus.DELETED,
        }:
            raise ConflictError(f"document is {record.status.value} and cannot be decided")
