"""The table of alerts: one firing row for each cause, which the database itself sees to."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, tuple_, update

from backends.ledger import cursors, entries
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.schema import FIRING, alerts
from backends.ledger.statements import insert_new
from backends.ledger.webhooks import insert_deliveries
from domain.clock import Clock, IdFactory
from domain.documents import TenantId
from domain.ledger import Page
from domain.monitoring import Alert, AlertId, AlertStatus


class SqlAlertLedger:
    def __init__(self, database: Database, *, clock: Clock, ids: IdFactory) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids

    async def fire(self, alert: Alert, *, event_type: str, payload: str) -> bool:
        at = self._clock.now()

        def body(connection: Connection) -> bool:
            fired = insert_new(
                connection,
                alerts,
                {
                    "id": alert.id,
                    "tenant_id": alert.tenant_id,
                    "name": alert.name,
                    "fingerprint": alert.fingerprint,
                    "severity": alert.severity,
                    "status": AlertStatus.FIRING,
                    "labels": alert.labels,
                    "annotations": alert.annotations,
                    "starts_at": alert.starts_at,
                    "ends_at": None,
                },
                unique=("tenant_id", "fingerprint"),
                among=FIRING,
            )
            if fired:
                append_entry(connection, entries.alert_fired(alert, at=at))
                self._deliver(connection, alert.tenant_id, event_type, payload, at)
            return fired

        return await self._database.write(body)

    async def resolve(
        self, tenant_id: TenantId, fingerprint: str, *, at: datetime, event_type: str, payload: str
    ) -> Alert | None:
        def body(connection: Connection) -> Alert | None:
            row = connection.execute(
                select(alerts)
                .where(
                    alerts.c.tenant_id == tenant_id,
                    alerts.c.fingerprint == fingerprint,
                    alerts.c.status == AlertStatus.FIRING,
                )
                .with_for_update()
            ).first()
            if row is None:
                return None
            resolved = replace(_alert(row), status=AlertStatus.RESOLVED, ends_at=at)
            connection.execute(
                update(alerts)
                .where(alerts.c.id == resolved.id)
                .values(status=resolved.status, ends_at=resolved.ends_at)
            )
            append_entry(connection, entries.alert_resolved(resolved, at=at))
            self._deliver(connection, tenant_id, event_type, payload, at)
            return resolved

        return await self._database.write(body)

    async def list(
        self, tenant_id: TenantId, *, status: AlertStatus | None, cursor: str | None, limit: int
    ) -> Page[Alert]:
        cursors.require_limit(limit)
        query = select(alerts).where(alerts.c.tenant_id == tenant_id)
        if status is not None:
            query = query.where(alerts.c.status == status)
        if cursor is not None:
            last = cursors.decode(cursor)
            query = query.where(
                tuple_(alerts.c.starts_at, alerts.c.id)
                < tuple_(last.at, last.id, types=[alerts.c.starts_at.type, alerts.c.id.type])
            )
        query = query.order_by(alerts.c.starts_at.desc(), alerts.c.id.desc()).limit(limit + 1)
        found = await self._database.read(
            lambda connection: [_alert(row) for row in connection.execute(query)]
        )
        return cursors.page(found, limit=limit, position=_position)

    def _deliver(
        self,
        connection: Connection,
        tenant_id: TenantId,
        event_type: str,
        payload: str,
        at: datetime,
    ) -> None:
        insert_deliveries(
            connection, tenant_id, event_type=event_type, payload=payload, at=at, ids=self._ids
        )


def _position(alert: Alert) -> cursors.Position:
    return cursors.Position(at=alert.starts_at, id=alert.id)


def _alert(row: Row[Any]) -> Alert:
    return Alert(
        id=AlertId(row.id),
        tenant_id=TenantId(row.tenant_id),
        name=row.name,
        fingerprint=row.fingerprint,
        severity=row.severity,
        status=row.status,
        labels=row.labels,
        annotations=row.annotations,
        starts_at=row.starts_at,
        ends_at=row.ends_at,
    )
