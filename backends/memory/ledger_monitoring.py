"""Questions, observations, alerts and webhooks in this process's memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from backends.ledger import cursors, entries
from backends.ledger.transitions import new_delivery, subscribed, unknown_webhook
from backends.memory.ledger_access import InMemoryJournal
from domain.answering import Outcome, QuestionId
from domain.clock import Clock, IdFactory
from domain.documents import TenantId
from domain.errors import ConflictError, NotFoundError
from domain.ledger import Page, QuestionRecord
from domain.monitoring import (
    Alert,
    AlertId,
    AlertStatus,
    Delivery,
    Latency,
    MonitorState,
    Observation,
    Topic,
    TopicId,
    Webhook,
    WebhookId,
)


class InMemoryObservationLedger:
    def __init__(self) -> None:
        self._observations: list[Observation] = []
        self._topics: dict[tuple[TenantId, TopicId], Topic] = {}
        self._states: dict[tuple[TenantId, TopicId, str], MonitorState] = {}

    async def window(
        self, tenant_id: TenantId, topic_id: TopicId, *, limit: int
    ) -> Sequence[Observation]:
        cursors.require_limit(limit)
        found = [
            observation
            for observation in self._observations
            if observation.tenant_id == tenant_id and observation.topic_id == topic_id
        ]
        found.sort(key=lambda observation: (observation.observed_at, observation.question_id))
        return found[-limit:]

    def of_question(self, question_id: QuestionId) -> Observation | None:
        """Return what was observed of a question; None where it was not."""
        found = (one for one in self._observations if one.question_id == question_id)
        return next(found, None)

    async def latencies(
        self, tenant_id: TenantId, *, since: datetime, limit: int
    ) -> Sequence[Latency]:
        cursors.require_limit(limit)
        found = [
            observation
            for observation in self._observations
            if observation.tenant_id == tenant_id and observation.observed_at >= since
        ]
        found.sort(key=lambda observation: observation.observed_at)
        return [
            Latency(latency_class=one.latency_class, seconds=one.seconds) for one in found[-limit:]
        ]

    async def topics(self, tenant_id: TenantId) -> Sequence[Topic]:
        found = [topic for topic in self._topics.values() if topic.tenant_id == tenant_id]
        return sorted(found, key=lambda topic: (topic.created_at, topic.id))

    async def save_topic(self, topic: Topic) -> bool:
        known = self._topics.get((topic.tenant_id, topic.id))
        if not _follows(topic.version, None if known is None else known.version):
            return False
        self._topics[topic.tenant_id, topic.id] = replace(topic, centroid=topic.centroid.copy())
        return True

    async def monitor_state(
        self, tenant_id: TenantId, topic_id: TopicId, monitor: str
    ) -> MonitorState | None:
        return self._states.get((tenant_id, topic_id, monitor))

    async def save_monitor_state(self, state: MonitorState) -> bool:
        key = (state.tenant_id, state.topic_id, state.monitor)
        known = self._states.get(key)
        if not _follows(state.version, None if known is None else known.version):
            return False
        self._states[key] = state
        return True

    def write(self, observation: Observation) -> None:
        self._observations.append(observation)

    def tenants(self) -> frozenset[TenantId]:
        return frozenset(tenant_id for tenant_id, _ in self._topics)


class InMemoryQuestionLedger:
    def __init__(self, observations: InMemoryObservationLedger) -> None:
        self._observations = observations
        self._questions: dict[QuestionId, QuestionRecord] = {}

    async def add(self, record: QuestionRecord, observation: Observation | None) -> None:
        if record.id in self._questions:
            raise ConflictError("the ledger has a row with that id already")
        self._questions[record.id] = record
        if observation is not None:
            self._observations.write(observation)

    async def list(
        self, tenant_id: TenantId, *, outcome: Outcome | None, cursor: str | None, limit: int
    ) -> Page[QuestionRecord]:
        cursors.require_limit(limit)
        found = [
            record
            for record in self._questions.values()
            if record.tenant_id == tenant_id and outcome in {None, record.outcome}
        ]
        if cursor is not None:
            last = cursors.decode(cursor)
            found = [record for record in found if _asked(record).key < last.key]
        found.sort(key=lambda record: _asked(record).key, reverse=True)
        return cursors.page(found[: limit + 1], limit=limit, position=_asked)

    async def get(self, tenant_id: TenantId, question_id: QuestionId) -> QuestionRecord:
        record = self._questions.get(question_id)
        if record is None or record.tenant_id != tenant_id:
            raise NotFoundError(f"no question {question_id!r}")
        return record


def _asked(record: QuestionRecord) -> cursors.Position:
    return cursors.Position(at=record.asked_at, id=record.id)


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
        found = [webhook for webhook in self._webhooks.values() if webhook.tenant_id == tenant_id]
        return sorted(found, key=lambda webhook: (webhook.created_at, webhook.id))

    async def remove(
        self, tenant_id: TenantId, webhook_id: WebhookId, *, actor: str, at: datetime
    ) -> None:
        webhook = self._webhooks.get(webhook_id)
        if webhook is None or webhook.tenant_id != tenant_id:
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
        return self.write(tenant_id, event_type=event_type, payload=payload, at=at)

    def forget_deliveries(self, *, made_before: datetime, limit: int) -> int:
        old = [
            delivery.id
            for delivery in self._deliveries.values()
            if delivery.id not in self._pending and delivery.created_at < made_before
        ][:limit]
        for delivery_id in old:
            del self._deliveries[delivery_id]
        return len(old)

    async def due(self, *, now: datetime, limit: int) -> Sequence[Delivery]:
        cursors.require_limit(limit)
        found = [
            delivery
            for delivery in map(self._deliveries.__getitem__, self._pending)
            if delivery.next_attempt_at <= now
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

    async def deliveries(self, tenant_id: TenantId, webhook_id: WebhookId) -> Sequence[Delivery]:
        found = [
            delivery
            for delivery in self._deliveries.values()
            if delivery.tenant_id == tenant_id and delivery.webhook_id == webhook_id
        ]
        return sorted(found, key=_age, reverse=True)

    def write(self, tenant_id: TenantId, *, event_type: str, payload: str, at: datetime) -> int:
        receivers = [
            webhook
            for _, webhook in sorted(self._webhooks.items())
            if subscribed(webhook, tenant_id, event_type)
        ]
        for webhook in receivers:
            delivery = new_delivery(
                self._ids.new("dlv"), webhook, event_type=event_type, payload=payload, at=at
            )
            self._deliveries[delivery.id] = delivery
            self._pending.add(delivery.id)
        return len(receivers)


class InMemoryAlertLedger:
    def __init__(
        self, journal: InMemoryJournal, webhooks: InMemoryWebhookLedger, *, clock: Clock
    ) -> None:
        self._journal = journal
        self._webhooks = webhooks
        self._clock = clock
        self._alerts: dict[AlertId, Alert] = {}

    async def fire(self, alert: Alert, *, event_type: str, payload: str) -> bool:
        if self._firing(alert.tenant_id, alert.fingerprint) is not None:
            return False
        if alert.id in self._alerts:
            raise ConflictError("the ledger has a row with that id already")
        at = self._clock.now()
        self._alerts[alert.id] = replace(alert, status=AlertStatus.FIRING, ends_at=None)
        self._journal.write(entries.alert_fired(alert, at=at))
        self._webhooks.write(alert.tenant_id, event_type=event_type, payload=payload, at=at)
        return True

    async def resolve(
        self, tenant_id: TenantId, fingerprint: str, *, at: datetime, event_type: str, payload: str
    ) -> Alert | None:
        firing = self._firing(tenant_id, fingerprint)
        if firing is None:
            return None
        resolved = replace(firing, status=AlertStatus.RESOLVED, ends_at=at)
        self._alerts[resolved.id] = resolved
        self._journal.write(entries.alert_resolved(resolved, at=at))
        self._webhooks.write(tenant_id, event_type=event_type, payload=payload, at=at)
        return resolved

    async def list(
        self, tenant_id: TenantId, *, status: AlertStatus | None, cursor: str | None, limit: int
    ) -> Page[Alert]:
        cursors.require_limit(limit)
        found = [
            alert
            for alert in self._alerts.values()
            if alert.tenant_id == tenant_id and status in (None, alert.status)
        ]
        if cursor is not None:
            last = cursors.decode(cursor)
            found = [alert for alert in found if _position(alert).key < last.key]
        found.sort(key=lambda alert: _position(alert).key, reverse=True)
        return cursors.page(found[: limit + 1], limit=limit, position=_position)

    def _firing(self, tenant_id: TenantId, fingerprint: str) -> Alert | None:
        for alert in self._alerts.values():
            same = alert.tenant_id == tenant_id and alert.fingerprint == fingerprint
            if same and alert.status is AlertStatus.FIRING:
                return alert
        return None


def _follows(version: int, known: int | None) -> bool:
    return known is None if version == 0 else known == version - 1


def _age(delivery: Delivery) -> tuple[datetime, str]:
    return (delivery.created_at, delivery.id)


def _position(alert: Alert) -> cursors.Position:
    return cursors.Position(at=alert.starts_at, id=alert.id)
