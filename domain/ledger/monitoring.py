"""Questions, what was observed of them, alerts and who is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from domain.answering import Outcome, QuestionId
from domain.documents import (
    TenantId,
)
from domain.ledger.pages import Page
from domain.monitoring import (
    Alert,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecord:
    """An answered question. `trace` is the public JSON of `GET /v1/questions/{id}`."""

    id: QuestionId
    tenant_id: TenantId
    principal: str
    asked_at: datetime
    outcome: Outcome
    trace: str


class QuestionLedger(Protocol):
    async def add(self, record: QuestionRecord, observation: Observation | None) -> None:
        """Write question and observation in one transaction.

        Raises:
            ConflictError: There is a question with this id.
        """
        ...

    async def list(
        self, tenant_id: TenantId, *, outcome: Outcome | None, cursor: str | None, limit: int
    ) -> Page[QuestionRecord]:
        """Return newest first; those that abstained are the queue for people (Law 9).

        Raises:
            InputError: The cursor is not one of ours.
        """
        ...

    async def get(self, tenant_id: TenantId, question_id: QuestionId) -> QuestionRecord:
        """Raise `NotFoundError` for one unknown to this tenant."""
        ...


class ObservationLedger(Protocol):
    async def window(
        self, tenant_id: TenantId, topic_id: TopicId, *, limit: int
    ) -> Sequence[Observation]:
        """Return the latest `limit`, oldest first."""
        ...

    async def latencies(
        self, tenant_id: TenantId, *, since: datetime, limit: int
    ) -> Sequence[Latency]:
        """Return those of the latest `limit` observations, none before `since`, in any order."""
        ...

    async def topics(self, tenant_id: TenantId) -> Sequence[Topic]: ...

    async def save_topic(self, topic: Topic) -> bool:
        """Insert (`version` 0) or replace if the stored version is `topic.version - 1`.

        Return whether it was written: False means that another process was faster.
        """
        ...

    async def monitor_state(
        self, tenant_id: TenantId, topic_id: TopicId, monitor: str
    ) -> MonitorState | None: ...

    async def save_monitor_state(self, state: MonitorState) -> bool:
        """As `save_topic`, by version."""
        ...


class AlertLedger(Protocol):
    async def fire(self, alert: Alert, *, event_type: str, payload: str) -> bool:
        """Write a firing alert, and one delivery for each subscribed webhook, in one transaction.

        Return False and write nothing where one with this fingerprint is firing already.
        """
        ...

    async def resolve(
        self, tenant_id: TenantId, fingerprint: str, *, at: datetime, event_type: str, payload: str
    ) -> Alert | None:
        """Resolve the firing alert with this fingerprint, with deliveries; None if there is none."""
        ...

    async def list(
        self, tenant_id: TenantId, *, status: AlertStatus | None, cursor: str | None, limit: int
    ) -> Page[Alert]:
        """Return newest first."""
        ...


class WebhookLedger(Protocol):
    async def add(self, webhook: Webhook, *, actor: str) -> None: ...

    async def get(self, webhook_id: WebhookId) -> Webhook | None: ...

    async def list(self, tenant_id: TenantId) -> Sequence[Webhook]: ...

    async def remove(
        self, tenant_id: TenantId, webhook_id: WebhookId, *, actor: str, at: datetime
    ) -> None:
        """Remove with its pending deliveries; raise `NotFoundError` if unknown."""
        ...

    async def emit(
        self, tenant_id: TenantId, *, event_type: str, payload: str, at: datetime
    ) -> int:
        """Write one delivery for each webhook subscribed to `event_type`; return how many."""
        ...

    async def due(self, *, now: datetime, limit: int) -> Sequence[Delivery]:
        """Return undelivered deliveries whose time has come, of all tenants, oldest first."""
        ...

    async def save_attempt(
        self,
        delivery_id: str,
        *,
        delivered_at: datetime | None,
        next_attempt_at: datetime | None,
        error: str | None,
    ) -> None:
        """Count an attempt. Neither delivered nor next attempt: given up, kept for the record."""
        ...

    async def deliveries(self, tenant_id: TenantId, webhook_id: WebhookId) -> Sequence[Delivery]:
        """Return newest first."""
        ...
