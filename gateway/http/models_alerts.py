"""Bodies of the alert and webhook routes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final

from pydantic import AwareDatetime, Field

from domain.alerting import Review, Silence
from domain.monitoring import Alert, AlertStatus, AlertSuspect, Delivery, Severity, Webhook
from gateway.http.models_documents import IDENTIFIER, NAMED_LINE, Model, Reason
from runtime.sections import EventType

_B: Final = "[A-Za-z0-9+/]"
_SECRET: Final = (
    rf"^whsec_(({_B}{{4}}){{8,20}}({_B}{{4}}|{_B}{{3}}=|{_B}{{2}}==)?"
    rf"|({_B}{{4}}){{21}}({_B}{{2}}==)?)$"
)
"""24 to 64 bytes in base64: the bounds of the Standard Webhooks specification."""


class AlertSuspectModel(Model):
    """A document that an alert suspects, as far as observations tell; `POST /v1/traces` tells more."""

    document: str
    origin: str
    family: str
    score: float = Field(ge=0, le=1)
    reasons: list[str] = Field(description="codes")

    @classmethod
    def of(cls, suspect: AlertSuspect) -> AlertSuspectModel:
        return cls(
            document=suspect.document_id,
            origin=suspect.origin,
            family=suspect.family_id,
            score=suspect.score,
            reasons=list(suspect.reasons),
        )


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
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    silenced_by: list[str] = Field(description="ids of the silences that cover it now")
    suspects: list[AlertSuspectModel] = Field(description="the worst first, ten at most")

    @classmethod
    def of(
        cls, alert: Alert, silences: Sequence[Silence] = (), *, now: datetime | None = None
    ) -> AlertModel:
        covering = [s.id for s in silences if now is not None and s.covers(alert, now=now)]
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
            acknowledged_at=alert.acknowledged_at,
            acknowledged_by=alert.acknowledged_by,
            silenced_by=covering,
            suspects=[AlertSuspectModel.of(one) for one in alert.suspects],
        )


class AlertPage(Model):
    items: list[AlertModel]
    next_cursor: str | None


LabelName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,59}$")]
LabelValue = Annotated[str, Field(min_length=1, max_length=200, pattern=NAMED_LINE)]


class SilenceRequest(Model):
    """Either an alert, whose labels are matched, or labels; `severity` and `name` are labels too."""

    alert_id: Annotated[str | None, Field(None, pattern=IDENTIFIER)]
    matchers: Annotated[dict[LabelName, LabelValue] | None, Field(None, max_length=16)]
    reason: Reason
    expires_at: AwareDatetime


class SilenceModel(Model):
    id: str
    matchers: dict[str, str]
    author: str
    reason: str
    created_at: datetime
    expires_at: datetime
    removed_at: datetime | None

    @classmethod
    def of(cls, silence: Silence) -> SilenceModel:
        return cls(
            id=silence.id,
            matchers=dict(silence.matchers),
            author=silence.author,
            reason=silence.reason,
            created_at=silence.created_at,
            expires_at=silence.expires_at,
            removed_at=silence.removed_at,
        )


class SilenceList(Model):
    items: list[SilenceModel]


class ReviewModel(Model):
    """A question that an alert is about. `priority` is reach times severity."""

    question_id: str
    principal: str
    alert_id: str
    severity: Severity
    reach: int
    priority: int
    added_at: datetime
    closed_at: datetime | None
    closed_by: str | None

    @classmethod
    def of(cls, review: Review) -> ReviewModel:
        return cls(
            question_id=review.question_id,
            principal=review.principal,
            alert_id=review.alert_id,
            severity=review.severity,
            reach=review.reach,
            priority=review.priority,
            added_at=review.added_at,
            closed_at=review.closed_at,
            closed_by=review.closed_by,
        )


class ReviewList(Model):
    items: list[ReviewModel]


class NewWebhook(Model):
    url: Annotated[
        str,
        Field(
            max_length=2000,
            pattern=r"^https?://[!-~]+$",  # a URI is ASCII; hosts of other scripts as xn--
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
    """A receiver. Sinks are the operator's: only the settings change them."""

    id: str
    kind: str
    url: str
    event_types: list[str]
    created_at: datetime
    disabled_at: datetime | None

    @classmethod
    def of(cls, webhook: Webhook) -> WebhookModel:
        return cls(
            id=webhook.id,
            kind=webhook.kind,
            url=webhook.url,
            event_types=sorted(webhook.event_types),
            created_at=webhook.created_at,
            disabled_at=webhook.disabled_at,
        )


class CreatedWebhook(WebhookModel):
    secret: str = Field(description="shown this once")


class RotationRequest(Model):
    secret: Annotated[
        str | None,
        Field(None, pattern=_SECRET, description="as of a new receiver; made for you if absent"),
    ]


class RotatedWebhook(CreatedWebhook):
    former_until: datetime = Field(description="the former secret signs as well until then")


class ReplayDeliveries(Model):
    """Either one delivery, or all that were made since a moment."""

    delivery_id: Annotated[str | None, Field(None, pattern=IDENTIFIER)]
    since: Annotated[AwareDatetime | None, Field(None)]


class ReplayedDeliveries(Model):
    count: int = Field(description="deliveries that are due again, under their ids")


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
