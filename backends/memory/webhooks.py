"""A webhook sender that keeps what it was given to send."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from domain.errors import PermanentError, TransientError
from domain.monitoring import Delivery, Webhook, WebhookId


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    delivery: Delivery
    webhook: Webhook
    at: datetime


@dataclass(slots=True)
class RecordingWebhookSender:
    """Delivers into `sent`; fails for the receivers in `failures`, for as long as they are there."""

    sent: list[Sent] = field(default_factory=list)
    failures: dict[WebhookId, TransientError | PermanentError] = field(default_factory=dict)

    async def send(self, delivery: Delivery, webhook: Webhook, *, now: datetime) -> None:
        failure = self.failures.get(webhook.id)
        if failure is not None:
            raise failure
        self.sent.append(Sent(delivery=delivery, webhook=webhook, at=now))
