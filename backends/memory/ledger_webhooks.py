"""Webhooks and deliveries in this process's memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from backends.ledger import cursors, entries
from backends.ledger.transitions import (
    new_delivery,
    require_enabled,
    subscribed,
    unknown_delivery,
    unknown_webhook,
)
from backends.memory.ledger_access import InMemoryJournal
from domain.clock import IdFactory
from domain.documents import TenantId
from domain.errors import ConflictError
from domain.monitoring import WEBHOOK, Delivery, Webhook, WebhookId


class InMemoryWebhookLedger:
    def __init__(self, journal: InMemoryJournal, *, ids: IdFactory) -> None:
        self._journal = journal
        self._ids = ids
        self._webhooks: dict[WebhookId, Webhook] = {}
        self._deliveries: dict[str, Delivery] = {}
        self._pending: set[str] = set()

    async def add(self, webhook: Webhook, *, actor: str) -> None:
        if webhook.id in self._webhooks:
            raise ConflictError("the ledger has a row with that id already")
        self._webhooks[webhook.id] = webhook
        self._journal.write(entries.webhook_added(webhook, actor=actor))

    async def get(self, webhook_id: WebhookId) -> Webhook | None:
        return self._webhooks.get(webhook_id)

    async def list(self, tenant_id: TenantId) -> Sequence[Webhook]:
        found = [hook for hook in self._webhooks.values() if _serves(hook, tenant_id)]
        return sorted(found, key=lambda webhook: (webhook.created_at, webhook.id))

    async def remove(
        self, tenant_id: TenantId, webhook_id: WebhookId, *, actor: str, at: datetime
    ) -> None:
        if self._find(tenant_id, webhook_id).kind != WEBHOOK:
            raise unknown_webhook(webhook_id)
        del self._webhooks[webhook_id]
        gone = {id for id in self._pending if self._deliveries[id].webhook_id == webhook_id}
        self._pending -= gone
        for delivery_id in gone:
            del self._deliveries[delivery_id]
        self._journal.write(entries.webhook_removed(tenant_id, webhook_id, actor=actor, at=at))

    async def emit(
        self, tenant_id: TenantId, *, event_type: str, payload: str, at: datetime
    ) -> int:
        return self.write(tenant_id, events={event_type: payload}, at=at)

    def forget_deliveries(self, *, made_before: datetime, limit: int) -> int:
        old = [
            delivery.id
            for delivery in self._deliveries.values()
            if delivery.id not in self._pending and delivery.created_at < made_before
        ][:limit]
        for delivery_id in old:
            del self._deliveries[delivery_id]
        return len(old)

    async def due(
        self, *, now: datetime, limit: int, latest: datetime | None = None
    ) -> Sequence[Delivery]:
        cursors.require_limit(limit)
        found = [
            delivery
            for delivery in map(self._deliveries.__getitem__, self._pending)
            if (
                delivery.next_attempt_at <= now
                or (latest is not None and delivery.next_attempt_at > latest)
            )
            and self._webhooks[delivery.webhook_id].disabled_at is None
        ]
        found.sort(key=lambda delivery: (delivery.next_attempt_at, *_age(delivery)))
        return found[:limit]

    async def save_attempt(
        self,
        delivery_id: str,
        *,
        delivered_at: datetime | None,
        next_attempt_at: datetime | None,
        error: str | None,
    ) -> None:
        if delivery_id not in self._pending:
            return
        delivery = self._deliveries[delivery_id]
        self._deliveries[delivery_id] = replace(
            delivery,
            attempts=delivery.attempts + 1,
            next_attempt_at=next_attempt_at or delivery.next_attempt_at,
            delivered_at=delivered_at,
            last_error=error,
        )
        if delivered_at is not None or next_attempt_at is None:
            self._pending.remove(delivery_id)

    async def synchronise(self, sinks: Sequence[Webhook], *, at: datetime) -> None:
        wanted = {sink.id: sink for sink in sinks}
        known = {id: hook for id, hook in self._webhooks.items() if hook.kind != WEBHOOK}
        for gone in known.keys() - wanted.keys():
            self._give_up(gone, "the sink is no longer configured")
            del self._webhooks[gone]
            draft = entries.webhook_changed(
                known[gone], "sink.removed", actor=entries.SETTINGS_ACTOR, at=at
            )
            self._journal.write(draft)
        for sink in sinks:
            before = known.get(sink.id)
            if before and (before.kind, before.event_types) == (sink.kind, sink.event_types):
                continue
            self._webhooks[sink.id] = (
                sink
                if before is None
                else replace(before, kind=sink.kind, event_types=sink.event_types)
            )
            self._journal.write(entries.sink_configured(sink, at=at))

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
        before = self._find(tenant_id, webhook_id)
        if before.kind != WEBHOOK:
            raise unknown_webhook(webhook_id)
        after = replace(
            before, secret=secret, former_secret=before.secret, former_until=former_until
        )
        self._webhooks[webhook_id] = after
        self._journal.write(
            entries.webhook_changed(after, "webhook.secret-rotated", actor=actor, at=at)
        )
        return after

    async def disable(
        self, webhook_id: WebhookId, *, reason: str, payload: str, at: datetime
    ) -> bool:
        webhook = self._webhooks.get(webhook_id)
        if webhook is None or webhook.disabled_at is not None:
            return False
        self._webhooks[webhook_id] = replace(webhook, disabled_at=at)
        self._give_up(webhook_id, "the webhook was disabled")
        self._journal.write(
            entries.webhook_changed(
                webhook, "webhook.disabled", actor=entries.DELIVERIES_ACTOR, at=at, reason=reason
            )
        )
        self.write(webhook.tenant_id, events={"webhook.disabled": payload}, at=at)
        return True

    async def enable(
        self, tenant_id: TenantId, webhook_id: WebhookId, *, actor: str, at: datetime
    ) -> Webhook:
        before = self._find(tenant_id, webhook_id)
        if before.disabled_at is None:
            return before
        self._webhooks[webhook_id] = after = replace(before, disabled_at=None)
        self._journal.write(entries.webhook_changed(after, "webhook.enabled", actor=actor, at=at))
        return after

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
        webhook = self._find(tenant_id, webhook_id)
        require_enabled(webhook)
        found = [
            delivery
            for delivery in self._deliveries.values()
            if delivery.tenant_id == tenant_id
            and delivery.webhook_id == webhook_id
            and delivery_id in (None, delivery.id)
            and (since is None or delivery.created_at >= since)
        ]
        if delivery_id is not None and not found:
            raise unknown_delivery(delivery_id)
        ended = [delivery for delivery in found if delivery.id not in self._pending]
        for delivery in ended:
            self._deliveries[delivery.id] = replace(
                delivery, attempts=0, next_attempt_at=at, delivered_at=None
            )
            self._pending.add(delivery.id)
        count = len(ended)
        self._journal.write(
            entries.webhook_changed(
                webhook, "webhook.replayed", actor=actor, at=at, facts={"deliveries": str(count)}
            )
        )
        return count

    async def add_delivery(self, delivery: Delivery) -> None:
        self._deliveries[delivery.id] = delivery
        self._pending.add(delivery.id)

    async def deliveries(self, tenant_id: TenantId, webhook_id: WebhookId) -> Sequence[Delivery]:
        found = [
            delivery
            for delivery in self._deliveries.values()
            if delivery.tenant_id == tenant_id and delivery.webhook_id == webhook_id
        ]
        return sorted(found, key=_age, reverse=True)

    def write(self, tenant_id: TenantId, *, events: Mapping[str, str], at: datetime) -> int:
        """Write one delivery for each receiver of the events; return how many."""
        written = 0
        for _, webhook in sorted(self._webhooks.items()):
            event_type = subscribed(webhook, tenant_id, events)
            if event_type is None:
                continue
            delivery = new_delivery(
                self._ids.new("dlv"),
                webhook,
                tenant_id=tenant_id,
                event_type=event_type,
                payload=events[event_type],
                at=at,
            )
            self._deliveries[delivery.id] = delivery
            self._pending.add(delivery.id)
            written += 1
        return written

    def _find(self, tenant_id: TenantId, webhook_id: WebhookId) -> Webhook:
        webhook = self._webhooks.get(webhook_id)
        if webhook is None or not _serves(webhook, tenant_id):
            raise unknown_webhook(webhook_id)
        return webhook

    def _give_up(self, webhook_id: WebhookId, error: str) -> None:
        for delivery_id in [*self._pending]:
            if self._deliveries[delivery_id].webhook_id == webhook_id:
                delivery = self._deliveries[delivery_id]
                self._deliveries[delivery_id] = replace(delivery, last_error=error)
                self._pending.remove(delivery_id)


def _serves(webhook: Webhook, tenant_id: TenantId) -> bool:
    return webhook.tenant_id == tenant_id or webhook.kind != WEBHOOK


def _age(delivery: Delivery) -> tuple[datetime, str]:
    return (delivery.created_at, delivery.id)
