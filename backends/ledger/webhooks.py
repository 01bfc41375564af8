"""The tables of webhooks and of what is to be delivered to them.

Secrets are stored as given, since deliveries are signed with them; they reach no journal entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from backends.ledger import entries
from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.schema import deliveries, webhooks
from backends.ledger.statements import insert_rows
from backends.ledger.transitions import new_delivery, subscribed, unknown_webhook
from domain.clock import IdFactory
from domain.documents import TenantId
from domain.monitoring import Delivery, Webhook, WebhookId


def insert_deliveries(
    connection: Connection,
    tenant_id: TenantId,
    *,
    event_type: str,
    payload: str,
    at: datetime,
    ids: IdFactory,
) -> int:
    """Write one delivery for each subscribed webhook and return how many."""
    query = select(webhooks).where(webhooks.c.tenant_id == tenant_id).order_by(webhooks.c.id)
    receivers = [
        webhook
        for webhook in (_webhook(row) for row in connection.execute(query))
        if subscribed(webhook, tenant_id, event_type)
    ]
    for webhook in receivers:
        new = new_delivery(ids.new("dlv"), webhook, event_type=event_type, payload=payload, at=at)
        insert_rows(
            connection,
            deliveries,
            {
                "id": new.id,
                "tenant_id": new.tenant_id,
                "webhook_id": new.webhook_id,
                "event_type": new.event_type,
                "payload": new.payload,
                "created_at": new.created_at,
                "attempts": new.attempts,
                "next_attempt_at": new.next_attempt_at,
                "pending": True,
            },
        )
    return len(receivers)


class SqlWebhookLedger:
    def __init__(self, database: Database, *, ids: IdFactory) -> None:
        self._database = database
        self._ids = ids

    async def add(self, webhook: Webhook, *, actor: str) -> None:
        def body(connection: Connection) -> None:
            insert_rows(
                connection,
                webhooks,
                {
                    "id": webhook.id,
                    "tenant_id": webhook.tenant_id,
                    "url": webhook.url,
                    "secret": webhook.secret,
                    "event_types": webhook.event_types,
                    "created_at": webhook.created_at,
                    "disabled_at": webhook.disabled_at,
                },
            )
            append_entry(connection, entries.webhook_added(webhook, actor=actor))

        await self._database.write(body)

    async def get(self, webhook_id: WebhookId) -> Webhook | None:
        query = select(webhooks).where(webhooks.c.id == webhook_id)
        row = await self._database.read(lambda connection: connection.execute(query).first())
        return None if row is None else _webhook(row)

    async def list(self, tenant_id: TenantId) -> Sequence[Webhook]:
        query = (
            select(webhooks)
            .where(webhooks.c.tenant_id == tenant_id)
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
                    webhooks.c.id == webhook_id, webhooks.c.tenant_id == tenant_id
                )
            )
            if removed.rowcount == 0:
                raise unknown_webhook(webhook_id)
            connection.execute(
                delete(deliveries).where(
                    deliveries.c.webhook_id == webhook_id, deliveries.c.pending.is_(True)
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
                connection, tenant_id, event_type=event_type, payload=payload, at=at, ids=self._ids
            )
        )

    async def due(self, *, now: datetime, limit: int) -> Sequence[Delivery]:
        require_limit(limit)
        query = (
            select(deliveries)
            .join(webhooks, webhooks.c.id == deliveries.c.webhook_id)
            .where(
                deliveries.c.pending.is_(True),
                deliveries.c.next_attempt_at <= now,
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

    async def deliveries(self, tenant_id: TenantId, webhook_id: WebhookId) -> Sequence[Delivery]:
        query = (
            select(deliveries)
            .where(deliveries.c.tenant_id == tenant_id, deliveries.c.webhook_id == webhook_id)
            .order_by(deliveries.c.created_at.desc(), deliveries.c.id.desc())
        )
        return await self._database.read(
            lambda connection: [_delivery(row) for row in connection.execute(query)]
        )


def _webhook(row: Row[Any]) -> Webhook:
    return Webhook(
        id=WebhookId(row.id),
        tenant_id=TenantId(row.tenant_id),
        url=row.url,
        secret=row.secret,
        event_types=row.event_types,
        created_at=row.created_at,
        disabled_at=row.disabled_at,
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
