"""The tables of webhooks and of what is to be delivered to them.

Secrets are stored as given, since deliveries are signed with them; they reach no journal entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, or_, select, update

from backends.ledger import entries
from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.schema import deliveries, webhooks
from backends.ledger.statements import insert_rows
from backends.ledger.transitions import (
    new_delivery,
    require_enabled,
    subscribed,
    unknown_delivery,
    unknown_webhook,
)
from domain.clock import IdFactory
from domain.documents import TenantId
from domain.monitoring import WEBHOOK, Delivery, Webhook, WebhookId


def insert_deliveries(
    connection: Connection,
    tenant_id: TenantId,
    *,
    events: Mapping[str, str],
    at: datetime,
    ids: IdFactory,
) -> int:
    """Write one delivery for each receiver and return how many.

    Args:
        connection: Of the transaction of what happened.
        tenant_id: Where it happened.
        events: Payloads by type; a receiver gets the first that it is subscribed to.
        at: When it happened.
        ids: For the deliveries.
    """
    if not events:
        return 0
    query = (
        select(webhooks)
        .where(or_(webhooks.c.tenant_id == tenant_id, webhooks.c.kind != WEBHOOK))
        .order_by(webhooks.c.id)
    )
    written = 0
    for webhook in [_webhook(row) for row in connection.execute(query)]:
        event_type = subscribed(webhook, tenant_id, events)
        if event_type is None:
            continue
        new = new_delivery(
            ids.new("dlv"),
            webhook,
            tenant_id=tenant_id,
            event_type=event_type,
            payload=events[event_type],
            at=at,
        )
        insert_rows(connection, deliveries, _delivery_row(new))
        written += 1
    return written


class SqlWebhookLedger:
    def __init__(self, database: Database, *, ids: IdFactory) -> None:
        self._database = database
        self._ids = ids

    async def add(self, webhook: Webhook, *, actor: str) -> None:
        def body(connection: Connection) -> None:
            insert_rows(connection, webhooks, _webhook_row(webhook))
            append_entry(connection, entries.webhook_added(webhook, actor=actor))

        await self._database.write(body)

    async def get(self, webhook_id: WebhookId) -> Webhook | None:
        query = select(webhooks).where(webhooks.c.id == webhook_id)
        row = await self._database.read(lambda connection: connection.execute(query).first())
        return None if row is None else _webhook(row)

    async def list(self, tenant_id: TenantId) -> Sequence[Webhook]:
        query = (
            select(webhooks)
            .where(or_(webhooks.c.tenant_id == tenant_id, webhooks.c.kind != WEBHOOK))
            .order_by(webhooks.c.created_at, webhooks.c.id)
        )
        return await self._database.read(
            lambda connection: [_webhook(row) for row in connection.execute(query)]
        )

    async def remove(
        self, tenant_id: TenantId, webhook_id: WebhookId, *, actor: str, at: datetime
    ) -> None:
        def body(connection: Connection) -> None:
            removed = connection.execute(
                delete(webhooks).where(
                    webhooks.c.id == webhook_id,
                    webhooks.c.tenant_id == tenant_id,
                    webhooks.c.kind == WEBHOOK,
                )
            )
            if removed.rowcount == 0:
                raise unknown_webhook(webhook_id)
            connection.execute(
                delete(deliveries).where(
                    deliveries.c.webhook_id == webhook_id,
                    deliveries.c.tenant_id == tenant_id,
                    deliveries.c.pending.is_(True),
                )
            )
            append_entry(
                connection, entries.webhook_removed(tenant_id, webhook_id, actor=actor, at=at)
            )

        await self._database.write(body)

    async def emit(
        self, tenant_id: TenantId, *, event_type: str, payload: str, at: datetime
    ) -> int:
        return await self._database.write(
            lambda connection: insert_deliveries(
                connection, tenant_id, events={event_type: payload}, at=at, ids=self._ids
            )
        )

    async def due(
        self, *, now: datetime, limit: int, latest: datetime | None = None
    ) -> Sequence[Delivery]:
        require_limit(limit)
        at = deliveries.c.next_attempt_at
        query = (
            select(deliveries)
            .join(webhooks, webhooks.c.id == deliveries.c.webhook_id)
            .where(
                deliveries.c.pending.is_(True),
                at <= now if latest is None else or_(at <= now, at > latest),
                webhooks.c.disabled_at.is_(None),
            )
            .order_by(deliveries.c.next_attempt_at, deliveries.c.created_at, deliveries.c.id)
            .limit(limit)
        )
        return await self._database.read(
            lambda connection: [_delivery(row) for row in connection.execute(query)]
        )

    async def save_attempt(
        self,
        delivery_id: str,
        *,
        delivered_at: datetime | None,
        next_attempt_at: datetime | None,
        error: str | None,
    ) -> None:
        statement = (
            update(deliveries)
            .where(deliveries.c.id == delivery_id, deliveries.c.pending.is_(True))
            .values(
                attempts=deliveries.c.attempts + 1,
                pending=delivered_at is None and next_attempt_at is not None,
                delivered_at=delivered_at,
                last_error=error,
            )
        )
        if next_attempt_at is not None:
            statement = statement.values(next_attempt_at=next_attempt_at)

        def body(connection: Connection) -> None:
            connection.execute(statement)

        await self._database.write(body)

    async def synchronise(self, sinks: Sequence[Webhook], *, at: datetime) -> None:
        wanted = {sink.id: sink for sink in sinks}

        def body(connection: Connection) -> None:
            query = select(webhooks).where(webhooks.c.kind != WEBHOOK).with_for_update()
            known = {row.id: _webhook(row) for row in connection.execute(query)}
            for gone in known.keys() - wanted.keys():
                _give_up(connection, WebhookId(gone), "the sink is no longer configured")
                connection.execute(delete(webhooks).where(webhooks.c.id == gone))
                draft = entries.webhook_changed(
                    known[gone], "sink.removed", actor=entries.SETTINGS_ACTOR, at=at
                )
                append_entry(connection, draft)
            for sink in sinks:
                before = known.get(sink.id)
                if before is None:
                    insert_rows(connection, webhooks, _webhook_row(sink))
                elif (before.kind, before.event_types) == (sink.kind, sink.event_types):
                    continue
                else:
                    connection.execute(
                        update(webhooks)
                        .where(webhooks.c.id == sink.id)
                        .values(kind=sink.kind, event_types=sink.event_types)
                    )
                append_entry(connection, entries.sink_configured(sink, at=at))

        await self._database.write(body)

    async def rotate(
        self,
        tenant_id: TenantId,
        webhook_id: WebhookId,
        *,
        secret: str,
        former_until: datetime,
        actor: str,
        at: datetime,
    ) -> Webhook:
        def body(connection: Connection) -> Webhook:
            before = _find(connection, tenant_id, webhook_id)
            if before.kind != WEBHOOK:
                raise unknown_webhook(webhook_id)
            after = replace(
                before, secret=secret, former_secret=before.secret, former_until=former_until
            )
            _change(
                connection,
                webhook_id,
                secret=secret,
                former_secret=before.secret,
                former_until=former_until,
            )
            draft = entries.webhook_changed(after, "webhook.secret-rotated", actor=actor, at=at)
            append_entry(connection, draft)
            return after

        return await self._database.write(body)

    async def disable(
        self, webhook_id: WebhookId, *, reason: str, payload: str, at: datetime
    ) -> bool:
        query = select(webhooks).where(
            webhooks.c.id == webhook_id, webhooks.c.disabled_at.is_(None)
        )

        def body(connection: Connection) -> bool:
            row = connection.execute(query.with_for_update()).first()
            if row is None:
                return False
            webhook = _webhook(row)
            _change(connection, webhook_id, disabled_at=at)
            _give_up(connection, webhook_id, "the webhook was disabled")
            append_entry(
                connection,
                entries.webhook_changed(
                    webhook,
                    "webhook.disabled",
                    actor=entries.DELIVERIES_ACTOR,
                    at=at,
                    reason=reason,
                ),
            )
            events = {"webhook.disabled": payload}
            insert_deliveries(connection, webhook.tenant_id, events=events, at=at, ids=self._ids)
            return True

        return await self._database.write(body)

    async def enable(
        self, tenant_id: TenantId, webhook_id: WebhookId, *, actor: str, at: datetime
    ) -> Webhook:
        def body(connection: Connection) -> Webhook:
            before = _find(connection, tenant_id, webhook_id)
            if before.disabled_at is None:
                return before
            _change(connection, webhook_id, disabled_at=None)
            draft = entries.webhook_changed(before, "webhook.enabled", actor=actor, at=at)
            append_entry(connection, draft)
            return replace(before, disabled_at=None)

        return await self._database.write(body)

    async def replay(
        self,
        tenant_id: TenantId,
        webhook_id: WebhookId,
        *,
        delivery_id: str | None,
        since: datetime | None,
        actor: str,
        at: datetime,
    ) -> int:
        chosen = [deliveries.c.tenant_id == tenant_id, deliveries.c.webhook_id == webhook_id]
        if delivery_id is not None:
            chosen.append(deliveries.c.id == delivery_id)
        if since is not None:
            chosen.append(deliveries.c.created_at >= since)

        def body(connection: Connection) -> int:
            webhook = _find(connection, tenant_id, webhook_id)
            require_enabled(webhook)
            found = select(deliveries.c.id).where(*chosen).limit(1)
            if delivery_id is not None and connection.execute(found).first() is None:
                raise unknown_delivery(delivery_id)
            count = connection.execute(
                update(deliveries)
                .where(*chosen, deliveries.c.pending.is_(False))
                .values(pending=True, attempts=0, next_attempt_at=at, delivered_at=None)
            ).rowcount
            draft = entries.webhook_changed(
                webhook, "webhook.replayed", actor=actor, at=at, facts={"deliveries": str(count)}
            )
            append_entry(connection, draft)
            return count

        return await self._database.write(body)

    async def add_delivery(self, delivery: Delivery) -> None:
        await self._database.write(
            lambda connection: insert_rows(connection, deliveries, _delivery_row(delivery))
        )

    async def deliveries(self, tenant_id: TenantId, webhook_id: WebhookId) -> Sequence[Delivery]:
        query = (
            select(deliveries)
            .where(deliveries.c.tenant_id == tenant_id, deliveries.c.webhook_id == webhook_id)
            .order_by(deliveries.c.created_at.desc(), deliveries.c.id.desc())
        )
        return await self._database.read(
            lambda connection: [_delivery(row) for row in connection.execute(query)]
        )


def _find(connection: Connection, tenant_id: TenantId, webhook_id: WebhookId) -> Webhook:
    query = select(webhooks).where(
        webhooks.c.id == webhook_id,
        or_(webhooks.c.tenant_id == tenant_id, webhooks.c.kind != WEBHOOK),
    )
    row = connection.execute(query.with_for_update()).first()
    if row is None:
        raise unknown_webhook(webhook_id)
    return _webhook(row)


def _change(connection: Connection, webhook_id: WebhookId, **values: object) -> None:
    connection.execute(update(webhooks).where(webhooks.c.id == webhook_id).values(**values))


def _give_up(connection: Connection, webhook_id: WebhookId, error: str) -> None:
    connection.execute(
        update(deliveries)
        .where(deliveries.c.webhook_id == webhook_id, deliveries.c.pending.is_(True))
        .values(pending=False, last_error=error)
    )


def _webhook_row(webhook: Webhook) -> Mapping[str, object]:
    return {
        "id": webhook.id,
        "tenant_id": webhook.tenant_id,
        "url": webhook.url,
        "secret": webhook.secret,
        "event_types": webhook.event_types,
        "created_at": webhook.created_at,
        "disabled_at": webhook.disabled_at,
        "kind": webhook.kind,
        "former_secret": webhook.former_secret,
        "former_until": webhook.former_until,
    }


def _delivery_row(delivery: Delivery) -> Mapping[str, object]:
    return {
        "id": delivery.id,
        "tenant_id": delivery.tenant_id,
        "webhook_id": delivery.webhook_id,
        "event_type": delivery.event_type,
        "payload": delivery.payload,
        "created_at": delivery.created_at,
        "attempts": delivery.attempts,
        "next_attempt_at": delivery.next_attempt_at,
        "pending": True,
    }


def _webhook(row: Row[Any]) -> Webhook:
    return Webhook(
        id=WebhookId(row.id),
        tenant_id=TenantId(row.tenant_id),
        url=row.url,
        secret=row.secret,
        event_types=row.event_types,
        created_at=row.created_at,
        disabled_at=row.disabled_at,
        kind=row.kind,
        former_secret=row.former_secret,
        former_until=row.former_until,
    )


def _delivery(row: Row[Any]) -> Delivery:
    return Delivery(
        id=row.id,
        tenant_id=TenantId(row.tenant_id),
        webhook_id=WebhookId(row.webhook_id),
        event_type=row.event_type,
        payload=row.payload,
        created_at=row.created_at,
        attempts=row.attempts,
        next_attempt_at=row.next_attempt_at,
        delivered_at=row.delivered_at,
        last_error=row.last_error,
    )
