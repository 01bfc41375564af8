"""The table of alerts: one firing row for each cause, which the database itself sees to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, tuple_, update

from backends.ledger import cursors, entries
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.schema import FIRING, alerts
from backends.ledger.statements import insert_new
from backends.ledger.transitions import not_firing, unknown_alert
from backends.ledger.types import to_json
from backends.ledger.webhooks import insert_deliveries
from domain.alerting import Event, Standing, Step
from domain.clock import Clock, IdFactory
from domain.documents import DocumentId, TenantId
from domain.ledger import Page
from domain.monitoring import Alert, AlertId, AlertStatus, AlertSuspect


class _OvertakenError(Exception):
    """Undoes the transaction of a notice that another process gave."""


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
                    "began_type": event_type,
                    "began": payload,
                    "notices": 0,
                    "settled": False,
                    "suspects": to_json([asdict(one) for one in alert.suspects]),
                },
                unique=("tenant_id", "fingerprint"),
                among=FIRING,
            )
            if fired:
                append_entry(connection, entries.alert_fired(alert, at=at))
            return fired

        return await self._database.write(body)

    async def resolve(
        self, tenant_id: TenantId, fingerprint: str, *, at: datetime, event_type: str, payload: str
    ) -> Alert | None:
        firing = select(alerts).where(
            alerts.c.tenant_id == tenant_id,
            alerts.c.fingerprint == fingerprint,
            alerts.c.status == AlertStatus.FIRING,
        )

        def body(connection: Connection) -> Alert | None:
            row = connection.execute(firing.with_for_update()).first()
            if row is None:
                return None
            resolved = replace(_alert(row), status=AlertStatus.RESOLVED, ends_at=at)
            connection.execute(
                update(alerts)
                .where(alerts.c.id == resolved.id, alerts.c.tenant_id == resolved.tenant_id)
                .values(
                    status=resolved.status,
                    ends_at=resolved.ends_at,
                    ended_type=event_type,
                    ended=payload,
                )
            )
            append_entry(connection, entries.alert_resolved(resolved, at=at))
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

    async def get(self, tenant_id: TenantId, alert_id: AlertId) -> Alert:
        return await self._database.read(
            lambda connection: _alert(_find(connection, tenant_id, alert_id))
        )

    async def standing(self, tenant_id: TenantId) -> Sequence[Standing]:
        query = (
            select(alerts)
            .where(alerts.c.tenant_id == tenant_id, alerts.c.settled.is_(False))
            .order_by(alerts.c.starts_at, alerts.c.id)
        )
        return await self._database.read(
            lambda connection: [_standing(row) for row in connection.execute(query)]
        )

    async def notify(
        self, tenant_id: TenantId, steps: Sequence[Step], *, events: Mapping[str, str], at: datetime
    ) -> bool:
        def body(connection: Connection) -> None:
            for step in steps:
                changed = connection.execute(
                    update(alerts)
                    .where(
                        alerts.c.id == step.alert_id,
                        alerts.c.tenant_id == tenant_id,
                        alerts.c.notices == step.notices_before,
                        alerts.c.settled.is_(False),
                    )
                    .values(
                        notices=step.notices,
                        settled=step.settled,
                        notified_at=at if events else alerts.c.notified_at,
                    )
                )
                if changed.rowcount == 0:
                    raise _OvertakenError
            insert_deliveries(connection, tenant_id, events=events, at=at, ids=self._ids)

        try:
            await self._database.write(body)
        except _OvertakenError:
            return False
        return True

    async def acknowledge(
        self, tenant_id: TenantId, alert_id: AlertId, *, actor: str, at: datetime
    ) -> Alert:
        def body(connection: Connection) -> Alert:
            alert = _alert(_find(connection, tenant_id, alert_id, locked=True))
            if alert.status is not AlertStatus.FIRING:
                raise not_firing(alert)
            if alert.acknowledged_at is not None:
                return alert
            after = replace(alert, acknowledged_at=at, acknowledged_by=actor)
            connection.execute(
                update(alerts)
                .where(alerts.c.id == alert_id, alerts.c.tenant_id == tenant_id)
                .values(acknowledged_at=at, acknowledged_by=actor)
            )
            append_entry(connection, entries.alert_acknowledged(after, actor=actor, at=at))
            return after

        return await self._database.write(body)


def _find(
    connection: Connection, tenant_id: TenantId, alert_id: AlertId, *, locked: bool = False
) -> Row[Any]:
    query = select(alerts).where(alerts.c.tenant_id == tenant_id, alerts.c.id == alert_id)
    row = connection.execute(query.with_for_update() if locked else query).first()
    if row is None:
        raise unknown_alert(alert_id)
    return row


def _position(alert: Alert) -> cursors.Position:
    return cursors.Position(at=alert.starts_at, id=alert.id)


def _standing(row: Row[Any]) -> Standing:
    return Standing(
        alert=_alert(row),
        began=Event(type=row.began_type, payload=row.began),
        ended=None if row.ended is None else Event(type=row.ended_type, payload=row.ended),
        notices=row.notices,
        notified_at=row.notified_at,
    )


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
        acknowledged_at=row.acknowledged_at,
        acknowledged_by=row.acknowledged_by,
        suspects=tuple(_suspect(written) for written in json.loads(row.suspects)),
    )


def _suspect(written: Mapping[str, Any]) -> AlertSuspect:
    return AlertSuspect(
        document_id=DocumentId(written["document_id"]),
        origin=written["origin"],
        family_id=written["family_id"],
        score=written["score"],
        reasons=tuple(written["reasons"]),
    )
