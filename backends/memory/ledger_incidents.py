"""Incidents in this process's memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from backends.ledger import cursors
from backends.ledger import incident_steps as steps
from backends.ledger.document_events import document_events
from backends.ledger.transitions import require_reason
from backends.memory.ledger_access import InMemoryJournal
from backends.memory.ledger_documents import InMemoryDocumentLedger, Kept
from backends.memory.ledger_webhooks import InMemoryWebhookLedger
from domain.documents import DocumentId, DocumentStatus, TenantId
from domain.errors import ConflictError
from domain.incidents import Incident, IncidentId, IncidentStatus


class InMemoryIncidentLedger:
    def __init__(
        self,
        journal: InMemoryJournal,
        documents: InMemoryDocumentLedger,
        webhooks: InMemoryWebhookLedger,
    ) -> None:
        self._journal = journal
        self._documents = documents
        self._webhooks = webhooks
        self._incidents: dict[IncidentId, Incident] = {}

    async def add(self, incident: Incident) -> None:
        require_reason(incident.reason)
        if incident.id in self._incidents:
            raise ConflictError("the ledger has a row with that id already")
        self._incidents[incident.id] = incident
        self._journal.write(steps.opened_entry(incident))

    async def get(self, tenant_id: TenantId, incident_id: IncidentId) -> Incident:
        found = self._incidents.get(incident_id)
        if found is None or found.tenant_id != tenant_id:
            raise steps.unknown_incident(incident_id)
        return found

    async def list(self, tenant_id: TenantId, *, limit: int) -> Sequence[Incident]:
        cursors.require_limit(limit)
        found = [one for one in self._incidents.values() if one.tenant_id == tenant_id]
        return sorted(found, key=lambda one: (one.opened_at, one.id), reverse=True)[:limit]

    async def unfinished(self) -> Sequence[Incident]:
        return [one for one in self._incidents.values() if one.status is IncidentStatus.CONTAINING]

    async def approve(
        self, tenant_id: TenantId, incident_id: IncidentId, *, actor: str, at: datetime
    ) -> Incident:
        before = await self.get(tenant_id, incident_id)
        after = steps.approved(before, actor=actor, at=at)
        self._incidents[incident_id] = after
        self._journal.write(steps.approved_entry(after, actor=actor, at=at))
        return after

    async def contain(
        self,
        tenant_id: TenantId,
        incident_id: IncidentId,
        *,
        documents: frozenset[DocumentId],
        actor: str,
        at: datetime,
    ) -> Incident:
        before = await self.get(tenant_id, incident_id)
        going = [
            kept
            for kept in self._of(tenant_id, documents)
            if kept.record.status is DocumentStatus.ADMITTED
        ]
        gone = frozenset(kept.record.id for kept in going)
        after = steps.containing(before, documents=gone, actor=actor, at=at)
        self._incidents[incident_id] = after
        self._journal.write(steps.contained_entry(after, actor=actor, at=at))
        for kept in going:
            kept.record = steps.quarantined(kept.record, actor=actor, at=at)
            told = document_events("document.quarantined", kept.record, at=at)
            self._webhooks.write(tenant_id, events=told, at=at)
            self._journal.write(
                steps.document_entry(
                    kept.record, after, action="document.contained", actor=actor, at=at
                )
            )
        return after

    async def finish(self, tenant_id: TenantId, incident_id: IncidentId) -> Incident:
        after = steps.finished(await self.get(tenant_id, incident_id))
        self._incidents[incident_id] = after
        return after

    async def undo(
        self, tenant_id: TenantId, incident_id: IncidentId, *, reason: str, actor: str, at: datetime
    ) -> Incident:
        require_reason(reason)
        before = await self.get(tenant_id, incident_id)
        after = steps.undone(before, actor=actor, at=at)
        self._incidents[incident_id] = after
        self._journal.write(steps.undone_entry(after, reason=reason, actor=actor, at=at))
        for kept in self._of(tenant_id, before.documents):
            if not steps.is_held_by(kept.record, before):
                continue
            kept.record = steps.given_back(kept.record)
            self._documents.put_in_queue("documents.ingest", kept.record.id, at=at)
            self._journal.write(
                steps.document_entry(
                    kept.record, before, action="document.given-back", actor=actor, at=at
                )
            )
        return after

    def _of(self, tenant_id: TenantId, wanted: frozenset[DocumentId]) -> Sequence[Kept]:
        found = (kept for kept in self._documents.kept if kept.record.id in wanted)
        known = [kept for kept in found if kept.record.tenant_id == tenant_id]
        return sorted(known, key=lambda kept: kept.record.id)
