"""Bodies of the alert and webhook routes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import Field

from domain.monitoring import Alert, AlertStatus, Delivery, Severity, Webhook
from gateway.http.models_documents import Model

EventType = Literal["alert.firing", "alert.resolved"]

_B: Final = "[A-Za-z0-9+/]"
_SECRET: Final = (
    rf"^whsec_(({_B}{{4}}){{8,20}}({_B}{{4}}|{_B}{{3}}=|{_B}{{2}}==)?"
    rf"|({_B}{{4}}){{21}}({_B}{{2}}==)?)$"
)
"""24 to 64 bytes in base64: the bounds of the Standard Webhooks specification."""


class AlertModel(Model):
    id: str
    name: str
    fingerprint: str
    severity: Severity
    status: AlertStatus
    labels: dict[str, str]
    annotations: dict[str, str]
    starts_at: datetime
    ends_at: datetime | None

    @classmethod
    def of(cls, alert: Alert) -> AlertModel:
        return cls(
            id=alert.id,
            name=alert.name,
            fingerprint=alert.fingerprint,
            severity=alert.severity,
            status=alert.status,
            labels=dict(alert.labels),
            annotations=dict(alert.annotations),
            starts_at=alert.starts_at,
            ends_at=alert.ends_at,
        )


class AlertPage(Model):
    items: list[AlertModel]
    next_cursor: str | None


class NewWebhook(Model):
    url: Annotated[
        str,
        Field(
            max_length=2000,
            pattern=r"^https?://[^\s\x00-\x1f\x7f-\x9f]+$",
            json_schema_extra={"format": "uri"},
        ),
    ]
    event_types: Annotated[list[EventType], Field(min_length=1, max_length=16)]
    secret: Annotated[
        str | None,
        Field(
            None,
            pattern=_SECRET,
            description="base64 of 24 to 64 bytes behind whsec_; made for you if absent",
        ),
    ]


class WebhookModel(Model):
    id: str
    url: str
    event_types: list[str]
    created_at: datetime
    disabled_at: datetime | None

    @classmethod
    def of(cls, webhook: Webhook) -> WebhookModel:
        return cls(
            id=webhook.id,
            url=webhook.url,
            event_types=sorted(webhook.event_types),
            created_at=webhook.created_at,
            disabled_at=webhook.disabled_at,
        )


class CreatedWebhook(WebhookModel):
    secret: str = Field(description="shown this once")


class WebhookList(Model):
    items: list[WebhookModel]


class DeliveryModel(Model):
    id: str
    event_type: str
    created_at: datetime
    attempts: int
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    last_error: str | None

    @classmethod
    def of(cls, delivery: Delivery) -> DeliveryModel:
        return cls(
            id=delivery.id,
            event_type=delivery.event_type,
            created_at=delivery.created_at,
            attempts=delivery.attempts,
            next_attempt_at=None if delivery.delivered_at else delivery.next_attempt_at,
            delivered_at=delivery.delivered_at,
            last_error=delivery.last_error,
        )


class DeliveryList(Model):
    items: list[DeliveryModel]
