"""The table of incidents. Documents change with them in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from backends.ledger import incident_steps as steps
from backends.ledger.cursors import require_limit
from backends.ledger.document_events import document_events
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.outbox import INGEST, queue_job
from backends.ledger.records import read_record, save_change
from backends.ledger.schema import documents, incidents
from backends.ledger.statements import insert_rows
from backends.ledger.transitions import require_reason
from backends.ledger.webhooks import insert_deliveries
from domain.clock import IdFactory
from domain.documents import DocumentId, DocumentStatus, TenantId
from domain.incidents import Incident, IncidentId, IncidentStatus
from domain.ledger import DocumentRecord

_IDS_A_QUERY = 500


class SqlIncidentLedger:
    def __init__(self, database: Database, *, ids: IdFactory) -> None:
        self._database = database
        self._ids = ids

    async def add(self, incident: Incident) -> None:
        require_reason(incident.reason)

        def body(connection: Connection) -> None:
            insert_rows(connection, incidents, _row(incident))
            append_entry(connection, steps.opened_entry(incident))

        await self._database.write(body)

    async def get(self, tenant_id: TenantId, incident_id: IncidentId) -> Incident:
        return await self._database.read(
            lambda connection: _find(connection, tenant_id, incident_id)
        )

    async def list(self, tenant_id: TenantId, *, limit: int) -> Sequence[Incident]:
        require_limit(limit)
        query = (
            select(incidents)
            .where(incidents.c.tenant_id == tenant_id)
            .order_by(incidents.c.opened_at.desc(), incidents.c.id.desc())
            .limit(limit)
        )
        return await self._database.read(
            lambda connection: [_incident(row) for row in connection.execute(query)]
        )

    async def unfinished(self) -> Sequence[Incident]:
        query = (
            select(incidents)
            .where(incidents.c.status == IncidentStatus.CONTAINING)
            .order_by(incidents.c.opened_at, incidents.c.id)
        )
        return await self._database.read(
            lambda connection: [_incident(row) for row in connection.execute(query)]
        )

    async def approve(
        self, tenant_id: TenantId, incident_id: IncidentId, *, actor: str, at: datetime
    ) -> Incident:
        def body(connection: Connection) -> Incident:
            before = _find(connection, tenant_id, incident_id, locked=True)
            after = steps.approved(before, actor=actor, at=at)
            _save(connection, after)
            append_entry(connection, steps.approved_entry(after, actor=actor, at=at))
            return after

        return await self._database.write(body)

    async def contain(
        self,
        tenant_id: TenantId,
        incident_id: IncidentId,
        *,
        documents: frozenset[DocumentId],
        actor: str,
        at: datetime,
    ) -> Incident:
        def body(connection: Connection) -> Incident:
            before = _find(connection, tenant_id, incident_id, locked=True)
            known = _documents(connection, tenant_id, documents)
            going = [one for one in known if one.status is DocumentStatus.ADMITTED]
            gone = frozenset(one.id for one in going)
            incident = steps.containing(before, documents=gone, actor=actor, at=at)
            _save(connection, incident)
            append_entry(connection, steps.contained_entry(incident, actor=actor, at=at))
            for record in going:
                after = steps.quarantined(record, actor=actor, at=at)
                save_change(connection, record, after)
                told = document_events("document.quarantined", after, at=at)
                insert_deliveries(connection, tenant_id, events=told, at=at, ids=self._ids)
                append_entry(
                    connection,
                    steps.document_entry(
                        after, incident, action="document.contained", actor=actor, at=at
                    ),
                )
            return incident

        return await self._database.write(body)

    async def finish(self, tenant_id: TenantId, incident_id: IncidentId) -> Incident:
        def body(connection: Connection) -> Incident:
            after = steps.finished(_find(connection, tenant_id, incident_id, locked=True))
            _save(connection, after)
            return after

        return await self._database.write(body)

    async def undo(
        self, tenant_id: TenantId, incident_id: IncidentId, *, reason: str, actor: str, at: datetime
    ) -> Incident:
        require_reason(reason)

        def body(connection: Connection) -> Incident:
            before = _find(connection, tenant_id, incident_id, locked=True)
            after = steps.undone(before, actor=actor, at=at)
            _save(connection, after)
            append_entry(connection, steps.undone_entry(after, reason=reason, actor=actor, at=at))
            for record in _documents(connection, tenant_id, before.documents):
                if not steps.is_held_by(record, before):
                    continue
                save_change(connection, record, steps.given_back(record), touched_at=at)
                queue_job(connection, INGEST, record.id, at=at)
                append_entry(
                    connection,
                    steps.document_entry(
                        record, before, action="document.given-back", actor=actor, at=at
                    ),
                )
            return after

        return await self._database.write(body)


def _documents(
    connection: Connection, tenant_id: TenantId, wanted: frozenset[DocumentId]
) -> Sequence[DocumentRecord]:
    """Return the records by id, locked against other transactions."""
    names = sorted(wanted)
    found: list[DocumentRecord] = []
    for start in range(0, len(names), _IDS_A_QUERY):
        query = (
            select(documents)
            .where(
                documents.c.tenant_id == tenant_id,
                documents.c.id.in_(names[start : start + _IDS_A_QUERY]),
            )
            .order_by(documents.c.id)
            .with_for_update()
        )
        found += [read_record(row) for row in connection.execute(query)]
    return found


def _find(
    connection: Connection, tenant_id: TenantId, incident_id: IncidentId, *, locked: bool = False
) -> Incident:
    query = select(incidents).where(
        incidents.c.tenant_id == tenant_id, incidents.c.id == incident_id
    )
    row = connection.execute(query.with_for_update() if locked else query).first()
    if row is None:
        raise steps.unknown_incident(incident_id)
    return _incident(row)


def _save(connection: Connection, after: Incident) -> None:
    own = (incidents.c.id == after.id, incidents.c.tenant_id == after.tenant_id)
    connection.execute(update(incidents).where(*own).values(**_row(after)))


def _row(incident: Incident) -> Mapping[str, object]:
    return {
        "id": incident.id,
        "tenant_id": incident.tenant_id,
        "status": incident.status,
        "cause": incident.cause,
        "reason": incident.reason,
        "opened_at": incident.opened_at,
        "opened_by": incident.opened_by,
        "documents": incident.documents,
        "confirmable": incident.confirmable,
        "approved_at": incident.approved_at,
        "approved_by": incident.approved_by,
        "contained_at": incident.contained_at,
        "contained_by": incident.contained_by,
        "undone_at": incident.undone_at,
        "undone_by": incident.undone_by,
    }


def _incident(row: Row[Any]) -> Incident:
    return Incident(
        id=IncidentId(row.id),
        tenant_id=TenantId(row.tenant_id),
        status=row.status,
        cause=row.cause,
        reason=row.reason,
        opened_at=row.opened_at,
        opened_by=row.opened_by,
        documents=frozenset(map(DocumentId, row.documents)),
        confirmable=frozenset(map(DocumentId, row.confirmable)),
        approved_at=row.approved_at,
        approved_by=row.approved_by,
        contained_at=row.contained_at,
        contained_by=row.contained_by,
        undone_at=row.undone_at,
        undone_by=row.undone_by,
    )
