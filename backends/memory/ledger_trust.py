"""Suppressions, publishers and what becomes of documents, in this process's memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from backends.ledger import entries, transitions
from backends.ledger.cursors import require_limit
from backends.ledger.entries import POLICY_ACTOR
from backends.ledger.lifecycle import MOST_EDITIONS
from backends.memory.ledger_access import InMemoryJournal
from backends.memory.ledger_documents import InMemoryDocumentLedger, Kept
from domain.documents import DocumentId, DocumentStatus, OriginRef, TenantId
from domain.errors import ConflictError
from domain.lifecycle import Edition
from domain.publishing import PublisherKey
from domain.suppressions import Suppression
from domain.trust import FinalOutcome, Verdict

_STANDING = (DocumentStatus.ADMITTED, DocumentStatus.SUPERSEDED, DocumentStatus.REJECTED)


class InMemorySuppressionLedger:
    def __init__(self, journal: InMemoryJournal) -> None:
        self._journal = journal
        self._suppressions: dict[str, Suppression] = {}

    async def add(self, suppression: Suppression) -> None:
        transitions.require_reason(suppression.reason)
        if suppression.id in self._suppressions:
            raise ConflictError("the ledger has a row with that id already")
        self._suppressions[suppression.id] = suppression
        self._journal.write(entries.suppression_added(suppression))

    async def list(
        self, tenant_id: TenantId, *, origin: OriginRef | None = None
    ) -> Sequence[Suppression]:
        found = [
            one
            for one in self._suppressions.values()
            if one.tenant_id == tenant_id and origin in (None, one.origin)
        ]
        return sorted(found, key=lambda one: (one.created_at, one.id), reverse=True)

    async def remove(
        self, tenant_id: TenantId, suppression_id: str, *, reason: str, actor: str, at: datetime
    ) -> Suppression:
        transitions.require_reason(reason)
        before = self._suppressions.get(suppression_id)
        if before is None or before.tenant_id != tenant_id:
            raise transitions.unknown_suppression(suppression_id)
        if before.removed_at is None:
            draft = entries.suppression_removed(before, reason=reason, actor=actor, at=at)
            self._journal.write(draft)
            before = self._suppressions[suppression_id] = replace(before, removed_at=at)
        return before


class InMemoryPublisherLedger:
    def __init__(self, journal: InMemoryJournal) -> None:
        self._journal = journal
        self._keys: dict[tuple[TenantId, str, str], PublisherKey] = {}

    async def add(self, key: PublisherKey, *, reason: str, actor: str) -> None:
        transitions.require_reason(reason)
        name = (key.tenant_id, key.publisher, key.id)
        if name in self._keys:
            raise ConflictError("the ledger has a row with that id already")
        self._keys[name] = key
        self._journal.write(entries.publisher_key_added(key, reason=reason, actor=actor))

    async def list(self, tenant_id: TenantId) -> Sequence[PublisherKey]:
        found = [key for key in self._keys.values() if key.tenant_id == tenant_id]
        return sorted(found, key=lambda key: (key.publisher, key.added_at, key.id))

    async def keys(self, tenant_id: TenantId, publisher: str) -> Sequence[PublisherKey]:
        return [
            key
            for key in await self.list(tenant_id)
            if key.publisher == publisher and key.revoked_at is None
        ]

    async def revoke(
        self,
        tenant_id: TenantId,
        publisher: str,
        key_id: str,
        *,
        reason: str,
        actor: str,
        at: datetime,
    ) -> PublisherKey:
        transitions.require_reason(reason)
        before = self._keys.get((tenant_id, publisher, key_id))
        if before is None:
            raise transitions.unknown_publisher_key(publisher, key_id)
        if before.revoked_at is None:
            draft = entries.publisher_key_revoked(before, reason=reason, actor=actor, at=at)
            self._journal.write(draft)
            before = self._keys[tenant_id, publisher, key_id] = replace(before, revoked_at=at)
        return before


class InMemoryDocumentLifecycle:
    def __init__(self, journal: InMemoryJournal, documents: InMemoryDocumentLedger) -> None:
        self._journal = journal
        self._documents = documents

    async def held(
        self, *, decided_before: datetime, rescans_below: int, limit: int
    ) -> Sequence[DocumentId]:
        require_limit(limit)
        found = [
            (kept.record.decided_at, kept.record.id)
            for kept in self._documents.kept
            if transitions.is_held(kept.record, rescans_below=rescans_below)
            and kept.record.decided_at is not None
            and kept.record.decided_at < decided_before
        ]
        return [document_id for _, document_id in sorted(found)[:limit]]

    async def rescan(self, document_id: DocumentId, *, rescans_below: int, at: datetime) -> bool:
        kept = self._documents.kept_as(document_id)
        if not transitions.is_held(kept.record, rescans_below=rescans_below):
            return False
        kept.record = transitions.rescanned(kept.record)
        self._documents.put_in_queue("documents.ingest", document_id, at=at)
        self._journal.write(entries.document_rescanned(kept.record, at=at))
        return True

    async def supersede(
        self, tenant_id: TenantId, document_id: DocumentId, *, by: DocumentId, at: datetime
    ) -> bool:
        kept = self._documents.kept_as(document_id, tenant_id)
        if kept.record.status is not DocumentStatus.ADMITTED:
            return False
        self._journal.write(entries.document_superseded(kept.record, by=by, at=at))
        kept.record = transitions.superseded(kept.record)
        kept.gone(at)
        return True

    async def reweigh(self, tenant_id: TenantId, document_id: DocumentId, *, trust: float) -> bool:
        kept = self._documents.kept_as(document_id, tenant_id)
        if kept.record.status is not DocumentStatus.ADMITTED:
            return False
        kept.record = replace(kept.record, trust=trust)
        return True

    async def editions(
        self,
        tenant_id: TenantId,
        origin: OriginRef,
        *,
        logical_id: str | None,
        since: datetime,
        near: Sequence[DocumentId] = (),
    ) -> Sequence[Edition]:
        def rank(kept: Kept) -> tuple[bool, bool]:
            """Those of the id first, then those gone: nothing uploaded beside them hides them."""
            linked = logical_id is not None and kept.record.logical_id == logical_id
            return not linked, kept.served_until is None or kept.served_until < since

        found = [
            kept
            for kept in self._of(tenant_id, origin)
            if kept.record.received_at >= since or not all(rank(kept)) or kept.record.id in near
        ]
        found.sort(key=lambda kept: (kept.record.received_at, kept.record.id), reverse=True)
        found.sort(key=rank)
        editions = [edition for kept in found if (edition := _edition(kept)) is not None]
        return sorted(
            editions[:MOST_EDITIONS],
            key=lambda one: (one.received_at, one.document_id),
            reverse=True,
        )

    async def forget_editions(self, *, gone_before: datetime) -> int:
        gone = [
            kept
            for kept in self._documents.kept
            if kept.mark is not None
            and kept.record.status is DocumentStatus.DELETED
            and (kept.served_until or kept.record.received_at) < gone_before
        ]
        for kept in gone:
            kept.mark = None
        return len(gone)

    async def outcomes(
        self, tenant_id: TenantId, origin: OriginRef, *, limit: int
    ) -> Sequence[FinalOutcome]:
        require_limit(limit)
        found = [
            (record.decided_at, record.id, record)
            for kept in self._of(tenant_id, origin)
            if (record := kept.record).decided_at is not None
            and (
                record.status in _STANDING
                or (record.status is DocumentStatus.DELETED and record.verdict is Verdict.REJECT)
            )
        ]
        found.sort(key=lambda item: item[:2], reverse=True)
        return [
            FinalOutcome(
                sha256=record.sha256,
                at=at,
                rejected=record.verdict is Verdict.REJECT,
                reviewed=record.decided_by != POLICY_ACTOR,
            )
            for at, _, record in found[:limit]
        ]

    def _of(self, tenant_id: TenantId, origin: OriginRef) -> Sequence[Kept]:
        return [
            kept
            for kept in self._documents.kept
            if kept.record.tenant_id == tenant_id and kept.record.origin == origin
        ]


def _edition(kept: Kept) -> Edition | None:
    if kept.mark is None:
        return None
    return Edition(
        document_id=kept.record.id,
        logical_id=kept.record.logical_id,
        version=kept.record.version,
        received_at=kept.record.received_at,
        status=kept.record.status,
        reviewed=kept.reviewed,
        served=kept.served,
        mark=kept.mark,
    )
