"""Questions, what was observed of them, alerts and who is told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from domain.alerting import Standing, Step
from domain.answering import Outcome, QuestionId
from domain.documents import (
    TenantId,
)
from domain.ledger.pages import Page
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


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecord:
    """An answered question.

    Attributes:
        trace: The public JSON of `GET /v1/questions/{id}`.
        again_of: The question whose kept answer was given again; None of one answered anew.
    """

    id: QuestionId
    tenant_id: TenantId
    principal: str
    asked_at: datetime
    outcome: Outcome
    trace: str
    again_of: QuestionId | None = None


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

    async def given_again(
        self, tenant_id: TenantId, of: Collection[QuestionId], *, until: datetime | None
    ) -> Sequence[QuestionId]:
        """Return the questions, asked until then, that were given kept answers of these, by id."""
        ...


class ObservationLedger(Protocol):
    async def window(
        self, tenant_id: TenantId, topic_id: TopicId, *, limit: int
    ) -> Sequence[Observation]:
        """Return the latest `limit`, oldest first."""
        ...

    async def recorded(
        self,
        tenant_id: TenantId,
        *,
        since: datetime | None,
        after: QuestionId | None,
        limit: int,
    ) -> Sequence[Observation]:
        """Return the first `limit` of all topics, oldest first, equal times by question id.

        Args:
            tenant_id: Whose they are.
            since: None older than this.
            after: Of those observed at `since` exactly, the ids after this one alone.
            limit: At most so many.
        """
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
        """Write a firing alert and the event that tells of it; who is told is decided later.

        Return False and write nothing where one with this fingerprint is firing already.
        """
        ...

    async def resolve(
        self, tenant_id: TenantId, fingerprint: str, *, at: datetime, event_type: str, payload: str
    ) -> Alert | None:
        """Resolve the firing alert with this fingerprint; None if there is none."""
        ...

    async def get(self, tenant_id: TenantId, alert_id: AlertId) -> Alert:
        """Raise `NotFoundError` for one unknown to this tenant."""
        ...

    async def standing(self, tenant_id: TenantId) -> Sequence[Standing]:
        """Return those of which something may still have to be said, oldest first."""
        ...

    async def notify(
        self, tenant_id: TenantId, steps: Sequence[Step], *, events: Mapping[str, str], at: datetime
    ) -> bool:
        """Write down what is said of alerts, and one delivery for each receiver, in one transaction.

        Return False and write nothing where a step was overtaken: of two at once, one speaks.

        Args:
            tenant_id: Whose alerts they are.
            steps: One for each alert.
            events: Payloads by type; a receiver gets the first whose type it is subscribed to.
            at: The moment of the notice.
        """
        ...

    async def acknowledge(
        self, tenant_id: TenantId, alert_id: AlertId, *, actor: str, at: datetime
    ) -> Alert:
        """Write who looks after it; journalled. Doing it twice leaves the first name.

        Raises:
            NotFoundError: Unknown.
            ConflictError: It does not fire any more.
        """
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

    async def synchronise(self, sinks: Sequence[Webhook], *, at: datetime) -> None:
        """Make the receivers of the settings those given; changes are journalled.

        They serve all tenants. What is pending for one that is gone is given up.
        """
        ...

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
        """Set a new secret; the former one signs as well until `former_until`; journalled.

        Raises:
            NotFoundError: Unknown, or a sink.
        """
        ...

    async def disable(
        self, webhook_id: WebhookId, *, reason: str, payload: str, at: datetime
    ) -> bool:
        """Deliver nothing more to it, and tell the others; return False if that is so already.

        What is pending for it is given up. Journalled; `payload` is that of `webhook.disabled`.
        """
        ...

    async def enable(
        self, tenant_id: TenantId, webhook_id: WebhookId, *, actor: str, at: datetime
    ) -> Webhook:
        """Deliver again what happens from now on; journalled; `NotFoundError` if unknown."""
        ...

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
        """Make deliveries due again, under their ids: one, or all made since; journalled.

        Returns how many. Those that are pending anyway are not counted.

        Raises:
            NotFoundError: Webhook or delivery is unknown.
            ConflictError: The webhook is disabled.
        """
        ...

    async def add_delivery(self, delivery: Delivery) -> None:
        """Write one delivery to one receiver, whatever it is subscribed to."""
        ...

    async def emit(
        self, tenant_id: TenantId, *, event_type: str, payload: str, at: datetime
    ) -> int:
        """Write one delivery for each webhook subscribed to `event_type`; return how many."""
        ...

    async def due(
        self, *, now: datetime, limit: int, latest: datetime | None = None
    ) -> Sequence[Delivery]:
        """Return undelivered deliveries whose time has come, of all tenants, oldest first.

        What waits for a moment after `latest` is among them: nobody puts off for so long, so that
        the clock was set back since.
        """
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
