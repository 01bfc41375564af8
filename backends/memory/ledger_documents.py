"""Documents and the outbox in this process's memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count

import numpy as np

from backends.ledger import cursors, entries, transitions
from backends.ledger.document_events import DECIDED_EVENTS, SETTLED_EVENTS, document_events
from backends.memory.ledger_access import InMemoryJournal, InMemoryKeyLedger
from backends.memory.ledger_monitoring import InMemoryObservationLedger
from backends.memory.ledger_webhooks import InMemoryWebhookLedger
from domain.access import KeyId
from domain.clock import Clock
from domain.documents import UNDECIDED, DocumentId, DocumentStatus, TenantId
from domain.errors import ConflictError, IdempotencyMismatchError
from domain.jobs import JobName, OutboxEntry
from domain.ledger import (
    Backlog,
    DecisionAction,
    DocumentFilter,
    DocumentRecord,
    IdempotencyClaim,
    KnownFingerprint,
    NewDocument,
    Page,
    Receipt,
    Settlement,
    StoredAssessment,
)
from domain.lifecycle import EditionMark
from domain.publishing import Publication
from domain.retrieval import FamilyId, Fingerprint
from domain.trust import Verdict


@dataclass(slots=True, kw_only=True)
class Kept:
    """A document and what hangs on it."""

    record: DocumentRecord
    touched_at: datetime
    stored: StoredAssessment | None = None
    fingerprint: Fingerprint | None = None
    mark: EditionMark | None = None
    reviewed: bool = False
    served: bool = False
    served_until: datetime | None = None

    def gone(self, at: datetime) -> None:
        """Note until when it served, if it did so until now."""
        if self.served and self.served_until is None:
            self.served_until = at

    @property
    def live(self) -> bool:
        return self.record.status is not DocumentStatus.DELETED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claimed:
    request_hash: str
    document_id: DocumentId
    made_at: datetime


class InMemoryDocumentLedger:
    def __init__(
        self,
        journal: InMemoryJournal,
        keys: InMemoryKeyLedger,
        observations: InMemoryObservationLedger,
        webhooks: InMemoryWebhookLedger,
        *,
        clock: Clock,
    ) -> None:
        self._journal = journal
        self._webhooks = webhooks
        self._keys = keys
        self._observations = observations
        self._clock = clock
        self._documents: dict[DocumentId, Kept] = {}
        self._publications: dict[tuple[TenantId, str, str], Publication] = {}
        self._claims: dict[tuple[KeyId, str], _Claimed] = {}
        self.queue: list[OutboxEntry] = []
        self._numbers = count(1)

    async def receive(self, new: NewDocument, *, claim: IdempotencyClaim | None) -> Receipt:
        if claim is not None:
            claimed = self._claims.get((claim.key_id, claim.key))
            if claimed is not None and claimed.request_hash != claim.request_hash:
                raise IdempotencyMismatchError("the idempotency key was used with another request")
            if claimed is not None:
                return Receipt(record=self._documents[claimed.document_id].record, created=False)
        record = transitions.received(new)
        if new.publication is not None:
            self._note_publication(new.tenant_id, new.publication)
        known = self._same_bytes(new)
        receipt = Receipt(record=known or record, created=known is None)
        if known is None:
            if new.id in self._documents:
                raise ConflictError("the ledger has a row with that id already")
            self._documents[new.id] = Kept(record=record, touched_at=new.received_at)
            name: JobName = "documents.ingest-bulk" if new.bulk else "documents.ingest"
            self.put_in_queue(name, new.id, at=new.received_at)
            self._journal.write(entries.document_received(new))
        if claim is not None:
            self._claims[claim.key_id, claim.key] = _Claimed(
                request_hash=claim.request_hash,
                document_id=receipt.record.id,
                made_at=new.received_at,
            )
        return receipt

    async def get(self, tenant_id: TenantId, document_id: DocumentId) -> DocumentRecord:
        return self._kept(document_id, tenant_id).record

    async def find(self, document_id: DocumentId) -> DocumentRecord:
        return self._kept(document_id).record

    async def list(
        self,
        tenant_id: TenantId,
        filter: DocumentFilter,
        *,
        cursor: str | None,
        limit: int,
    ) -> Page[DocumentRecord]:
        cursors.require_limit(limit)
        found = [kept.record for kept in self._of(tenant_id) if _passes(kept, filter)]
        if cursor is not None:
            last = cursors.decode(cursor)
            found = [record for record in found if _position(record).key < last.key]
        found.sort(key=lambda record: _position(record).key, reverse=True)
        return cursors.page(found[: limit + 1], limit=limit, position=_position)

    async def stored_assessment(
        self, tenant_id: TenantId, document_id: DocumentId
    ) -> StoredAssessment | None:
        return self._kept(document_id, tenant_id).stored

    async def begin_attempt(
        self, document_id: DocumentId, *, lease_seconds: float = 0.0
    ) -> DocumentRecord | None:
        kept = self._kept(document_id)
        if kept.record.status not in UNDECIDED:
            return None
        transitions.require_no_lease(
            kept.record, kept.touched_at, at=self._clock.now(), lease_seconds=lease_seconds
        )
        kept.record = transitions.begun(kept.record)
        kept.touched_at = self._clock.now()
        return kept.record

    async def extend_lease(self, document_id: DocumentId, *, attempt: int) -> bool:
        kept = self._kept(document_id)
        if not transitions.is_under_way(kept.record, attempt):
            return False
        kept.touched_at = self._clock.now()
        return True

    async def give_back(self, document_id: DocumentId, *, attempt: int | None = None) -> None:
        kept = self._kept(document_id)
        scanning = kept.record.status is DocumentStatus.SCANNING
        if scanning and attempt in (None, kept.record.attempts):
            kept.record = transitions.given_back(kept.record)
            kept.touched_at = self._clock.now()

    async def settle(self, document_id: DocumentId, settlement: Settlement) -> bool:
        kept = self._kept(document_id)
        if kept.record.status is not DocumentStatus.SCANNING:
            return False
        draft = entries.document_settled(kept.record, settlement)
        kept.record = transitions.settled(kept.record, settlement)
        if settlement.mark is not None:
            kept.mark = settlement.mark
        if settlement.assessment.verdict is Verdict.ADMIT:
            kept.served, kept.served_until = True, None
        kept.stored = None
        if settlement.report is not None:
            kept.stored = StoredAssessment(
                report=settlement.report, assessment=settlement.assessment
            )
        if settlement.fingerprint is not None:
            kept.fingerprint = _as_stored(settlement.fingerprint)
        self._tell(
            SETTLED_EVENTS.get(settlement.assessment.verdict), kept.record, settlement.settled_at
        )
        self._journal.write(draft)
        return True

    async def decide(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        *,
        action: DecisionAction,
        reason: str,
        actor: str,
        at: datetime,
        family_id: FamilyId | None = None,
        voting: bool = True,
        trust: float | None = None,
        seen: DocumentRecord | None = None,
    ) -> DocumentRecord:
        kept = self._kept(document_id, tenant_id)
        draft = entries.document_decided(
            kept.record, action=action, reason=reason, actor=actor, at=at
        )
        kept.record = transitions.decided(
            kept.record,
            action=action,
            actor=actor,
            at=at,
            family_id=family_id,
            voting=voting,
            trust=trust,
            seen=seen,
        )
        if action is DecisionAction.RELEASE:
            kept.reviewed = kept.served = True
            kept.served_until = None
        else:
            kept.gone(at)
        self._tell(DECIDED_EVENTS[action], kept.record, at)
        self._journal.write(draft)
        return kept.record

    def _tell(self, event_type: str | None, after: DocumentRecord, at: datetime) -> None:
        self._webhooks.write(
            after.tenant_id, events=document_events(event_type, after, at=at), at=at
        )

    async def delete(
        self, tenant_id: TenantId, document_id: DocumentId, *, actor: str, at: datetime
    ) -> DocumentRecord:
        kept = self._kept(document_id, tenant_id)
        draft = entries.document_deleted(kept.record, actor=actor, at=at)
        if kept.record.status not in transitions.DENIED:
            kept.fingerprint = None
        kept.record = transitions.deleted(kept.record)
        kept.gone(at)
        kept.stored = None
        self._journal.write(draft)
        return kept.record

    async def blob_in_use(self, tenant_id: TenantId, sha256: str) -> bool:
        return any(kept.live and kept.record.sha256 == sha256 for kept in self._of(tenant_id))

    async def undecided(
        self, *, received_before: datetime, limit: int, latest: datetime | None = None
    ) -> Sequence[DocumentId]:
        cursors.require_limit(limit)
        found = [
            kept.record
            for kept in self._documents.values()
            if kept.record.status in UNDECIDED
            and (
                kept.touched_at < received_before
                or (latest is not None and kept.touched_at > latest)
            )
        ]
        found.sort(key=lambda record: _position(record).key)
        return [record.id for record in found[:limit]]

    async def backlog(self) -> Mapping[TenantId, Backlog]:
        found: dict[TenantId, list[DocumentRecord]] = {}
        for kept in self._documents.values():
            if kept.record.status in UNDECIDED:
                found.setdefault(kept.record.tenant_id, []).append(kept.record)
        return {
            tenant_id: Backlog(
                waiting=len(records),
                oldest_received_at=min(
                    (record.received_at for record in records if not record.rescans), default=None
                ),
            )
            for tenant_id, records in found.items()
        }

    async def records(
        self, tenant_id: TenantId, document_ids: Sequence[DocumentId]
    ) -> Mapping[DocumentId, DocumentRecord]:
        wanted = frozenset(document_ids)
        return {
            kept.record.id: kept.record
            for kept in self._of(tenant_id)
            if kept.live and kept.record.id in wanted
        }

    async def family(self, tenant_id: TenantId, family_id: FamilyId) -> Sequence[DocumentRecord]:
        found = [
            (kept.record.admitted_at, kept.record.id, kept.record)
            for kept in self._of(tenant_id)
            if kept.record.family_id == family_id
            and kept.record.status is DocumentStatus.ADMITTED
            and kept.record.admitted_at is not None
        ]
        return [record for _, _, record in sorted(found, key=lambda item: item[:2])]

    async def set_family(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        *,
        family_id: FamilyId,
        voting: bool,
    ) -> None:
        kept = self._kept(document_id, tenant_id)
        kept.record = replace(kept.record, family_id=family_id, voting=voting)

    async def fingerprints(
        self, tenant_id: TenantId, document_ids: Sequence[DocumentId] | None = None
    ) -> Mapping[DocumentId, KnownFingerprint]:
        wanted = None if document_ids is None else frozenset(document_ids)
        return {
            kept.record.id: KnownFingerprint(
                fingerprint=kept.fingerprint,
                origin=kept.record.origin,
                denied=kept.record.status in transitions.DENIED or not kept.live,
            )
            for kept in self._of(tenant_id)
            if kept.fingerprint is not None and (wanted is None or kept.record.id in wanted)
        }

    async def tenants(self) -> Sequence[TenantId]:
        uploaded = {kept.record.tenant_id for kept in self._documents.values()}
        return sorted(uploaded | self._keys.tenants() | self._observations.tenants())

    async def count_by_status(self, tenant_id: TenantId) -> Mapping[DocumentStatus, int]:
        return Counter(kept.record.status for kept in self._of(tenant_id))

    def forget_claims(self, *, made_before: datetime, limit: int) -> int:
        old = [key for key, claim in self._claims.items() if claim.made_at < made_before][:limit]
        for key in old:
            del self._claims[key]
        return len(old)

    def put_in_queue(self, name: JobName, subject_id: str, *, at: datetime) -> None:
        entry = OutboxEntry(id=next(self._numbers), name=name, subject_id=subject_id, created_at=at)
        self.queue.append(entry)
        kept = self._documents.get(DocumentId(subject_id))
        if name == "documents.ingest" and kept is not None:
            kept.touched_at = at

    @property
    def kept(self) -> Sequence[Kept]:
        """Every document, in order of receipt."""
        return list(self._documents.values())

    def kept_as(self, document_id: DocumentId, tenant_id: TenantId | None = None) -> Kept:
        """Return one document; raise `NotFoundError` where it is unknown to the tenant."""
        return self._kept(document_id, tenant_id)

    def _note_publication(self, tenant_id: TenantId, publication: Publication) -> None:
        name = (tenant_id, publication.publisher, publication.logical_id)
        known = self._publications.get(name)
        if known is not None:
            transitions.require_newer(publication, version=known.version, sha256=known.sha256)
        self._publications[name] = publication

    def _kept(self, document_id: DocumentId, tenant_id: TenantId | None = None) -> Kept:
        kept = self._documents.get(document_id)
        if kept is None or tenant_id not in (None, kept.record.tenant_id):
            raise transitions.unknown_document(document_id)
        return kept

    def _of(self, tenant_id: TenantId) -> Iterator[Kept]:
        return (kept for kept in self._documents.values() if kept.record.tenant_id == tenant_id)

    def _same_bytes(self, new: NewDocument) -> DocumentRecord | None:
        for kept in self._of(new.tenant_id):
            same = kept.record.sha256 == new.sha256 and kept.record.origin == new.origin
            if same and kept.live and kept.record.status is not DocumentStatus.SUPERSEDED:
                return kept.record
        return None


class InMemoryOutbox:
    def __init__(self, documents: InMemoryDocumentLedger) -> None:
        self._documents = documents
        self._published: dict[int, datetime] = {}

    async def pending(self, *, limit: int) -> Sequence[OutboxEntry]:
        cursors.require_limit(limit)
        waiting = [entry for entry in self._documents.queue if entry.id not in self._published]
        return waiting[:limit]

    async def mark_published(self, entry_ids: Sequence[int], *, at: datetime) -> None:
        for entry_id in entry_ids:
            self._published.setdefault(entry_id, at)

    def forget_published(self, *, before: datetime, limit: int) -> int:
        old = {id for id, at in self._published.items() if at < before}
        gone = [entry for entry in self._documents.queue if entry.id in old][:limit]
        for entry in gone:
            self._documents.queue.remove(entry)
            del self._published[entry.id]
        return len(gone)

    async def add(self, name: JobName, subject_id: str, *, at: datetime) -> None:
        self._documents.put_in_queue(name, subject_id, at=at)


def _position(record: DocumentRecord) -> cursors.Position:
    return cursors.Position(at=record.received_at, id=record.id)


def _passes(kept: Kept, filter: DocumentFilter) -> bool:
    record = kept.record
    if filter.status is None and not kept.live:
        return False
    if filter.status not in (None, record.status):
        return False
    if filter.origin not in (None, record.origin):
        return False
    return filter.rule is None or _has_finding(kept, filter.rule)


def _has_finding(kept: Kept, rule: str) -> bool:
    findings = () if kept.stored is None else kept.stored.report.findings
    return any(rule in (finding.rule, finding.rule.partition(".")[0]) for finding in findings)


def _as_stored(made: Fingerprint) -> Fingerprint:
    """Return what a database gives back: copies, and of the passages those that are kept."""
    return replace(
        made,
        signature=None if made.signature is None else np.array(made.signature, dtype=np.uint32),
        passages=np.array(made.stored, dtype=np.uint32),
        sampled=made.kept,
    )
