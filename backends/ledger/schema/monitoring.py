"""Questions, what is watched in them, alerts and who is told."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Named,
    PrimaryKeyConstraint,
    Table,
    Text,
    TypedColumns,
    text,
)

from backends.ledger.schema.base import metadata
from backends.ledger.types import Choice, PlainText, StringMapping, StringSet, Utc
from domain.answering import Outcome
from domain.feedback import FeedbackVerdict
from domain.incidents import IncidentStatus
from domain.monitoring import WEBHOOK, AlertStatus, Severity
from domain.verification import LatencyClass

FIRING: Final = "status = 'firing'"
UNSETTLED: Final = "NOT settled"


class QuestionColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    principal: Named[str] = Column(PlainText, nullable=False)
    asked_at: Named[datetime] = Column(Utc, nullable=False)
    outcome: Named[Outcome] = Column(Choice(Outcome), nullable=False)
    trace: Named[str] = Column(PlainText, nullable=False)
    again_of: Named[str | None] = Column(PlainText)


questions: Final = Table(
    "questions",
    metadata,
    QuestionColumns,
    Index("ix_questions_newest", "tenant_id", "outcome", "asked_at", "id"),
    Index("ix_questions_again_of", "tenant_id", "again_of"),
)


class FeedbackColumns(TypedColumns):
    question_id: Named[str] = Column(PlainText, ForeignKey("questions.id"), nullable=False)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    author: Named[str] = Column(PlainText, nullable=False)
    verdict: Named[FeedbackVerdict] = Column(Choice(FeedbackVerdict), nullable=False)
    answer: Named[str | None] = Column(PlainText)
    comment: Named[str | None] = Column(PlainText)
    label: Named[bool] = Column(Boolean, nullable=False)
    given_at: Named[datetime] = Column(Utc, nullable=False)


feedback: Final = Table(
    "feedback", metadata, FeedbackColumns, PrimaryKeyConstraint("question_id", "author")
)


class ObservationColumns(TypedColumns):
    question_id: Named[str] = Column(PlainText, ForeignKey("questions.id"), primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    topic_id: Named[str] = Column(PlainText, nullable=False)
    principal: Named[str] = Column(PlainText, nullable=False)
    question_key: Named[str] = Column(PlainText, nullable=False)
    observed_at: Named[datetime] = Column(Utc, nullable=False)
    disagreement: Named[float] = Column(Double, nullable=False)
    entropy: Named[float] = Column(Double, nullable=False)
    agreement: Named[float] = Column(Double, nullable=False)
    margin: Named[float] = Column(Double, nullable=False)
    confidence: Named[float] = Column(Double, nullable=False)
    outcome: Named[Outcome] = Column(Choice(Outcome), nullable=False)
    answer_group: Named[str | None] = Column(PlainText)
    seats: Named[int] = Column(Integer, nullable=False)
    m: Named[int] = Column(Integer, nullable=False)
    route: Named[str] = Column(PlainText, nullable=False)
    calibration_version: Named[str | None] = Column(PlainText)
    evidence: Named[str] = Column(Text, nullable=False)
    latency_class: Named[LatencyClass] = Column(
        Choice(LatencyClass), nullable=False, server_default=LatencyClass.INTERACTIVE.value
    )
    seconds: Named[float] = Column(Double, nullable=False, server_default="0")


observations: Final = Table(
    "observations",
    metadata,
    ObservationColumns,
    Index("ix_observations_window", "tenant_id", "topic_id", "observed_at", "question_id"),
    Index("ix_observations_latest", "tenant_id", "observed_at"),
)


class TopicColumns(TypedColumns):
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    id: Named[str] = Column(PlainText, nullable=False)
    centroid: Named[bytes] = Column(LargeBinary, nullable=False)
    """float32, little-endian."""
    size: Named[int] = Column(Integer, nullable=False)
    terms: Named[str] = Column(Text, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    version: Named[int] = Column(Integer, nullable=False)
    merged_into: Named[str | None] = Column(PlainText)


topics: Final = Table("topics", metadata, TopicColumns, PrimaryKeyConstraint("tenant_id", "id"))


class TopicDefinitionColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    name: Named[str] = Column(PlainText, nullable=False)
    about: Named[str] = Column(PlainText, nullable=False)
    reason: Named[str] = Column(PlainText, nullable=False)
    created_by: Named[str] = Column(PlainText, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    removed_at: Named[datetime | None] = Column(Utc)


topic_definitions: Final = Table(
    "topic_definitions",
    metadata,
    TopicDefinitionColumns,
    Index("ix_topic_definitions_tenant", "tenant_id", "created_at"),
)


class MonitorStateColumns(TypedColumns):
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    topic_id: Named[str] = Column(PlainText, nullable=False)
    monitor: Named[str] = Column(PlainText, nullable=False)
    state: Named[str] = Column(PlainText, nullable=False)
    version: Named[int] = Column(Integer, nullable=False)


monitor_states: Final = Table(
    "monitor_states",
    metadata,
    MonitorStateColumns,
    PrimaryKeyConstraint("tenant_id", "topic_id", "monitor"),
)


class AlertColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    name: Named[str] = Column(PlainText, nullable=False)
    fingerprint: Named[str] = Column(PlainText, nullable=False)
    severity: Named[Severity] = Column(Choice(Severity), nullable=False)
    status: Named[AlertStatus] = Column(Choice(AlertStatus), nullable=False)
    labels: Named[Mapping[str, str]] = Column(StringMapping, nullable=False)
    annotations: Named[Mapping[str, str]] = Column(StringMapping, nullable=False)
    starts_at: Named[datetime] = Column(Utc, nullable=False)
    ends_at: Named[datetime | None] = Column(Utc)
    began_type: Named[str | None] = Column(PlainText)
    began: Named[str | None] = Column(PlainText)
    """The event that tells of it, as its monitor worded it."""
    ended_type: Named[str | None] = Column(PlainText)
    ended: Named[str | None] = Column(PlainText)
    notices: Named[int] = Column(Integer, nullable=False)
    notified_at: Named[datetime | None] = Column(Utc)
    settled: Named[bool] = Column(Boolean, nullable=False)
    """Nothing is left to say of it."""
    acknowledged_at: Named[datetime | None] = Column(Utc)
    acknowledged_by: Named[str | None] = Column(PlainText)
    suspects: Named[str] = Column(PlainText, nullable=False)


alerts: Final = Table(
    "alerts",
    metadata,
    AlertColumns,
    Index(
        "uq_alerts_firing",
        "tenant_id",
        "fingerprint",
        unique=True,
        sqlite_where=text(FIRING),
        postgresql_where=text(FIRING),
    ),
    Index("ix_alerts_newest", "tenant_id", "starts_at", "id"),
    Index(
        "ix_alerts_standing",
        "tenant_id",
        sqlite_where=text(UNSETTLED),
        postgresql_where=text(UNSETTLED),
    ),
)


class SilenceColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    matchers: Named[Mapping[str, str]] = Column(StringMapping, nullable=False)
    author: Named[str] = Column(PlainText, nullable=False)
    reason: Named[str] = Column(PlainText, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    expires_at: Named[datetime] = Column(Utc, nullable=False)
    removed_at: Named[datetime | None] = Column(Utc)


silences: Final = Table(
    "silences", metadata, SilenceColumns, Index("ix_silences_tenant", "tenant_id", "created_at")
)


class ReviewColumns(TypedColumns):
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    question_id: Named[str] = Column(PlainText, nullable=False)
    principal: Named[str] = Column(PlainText, nullable=False)
    alert_id: Named[str] = Column(PlainText, nullable=False)
    severity: Named[Severity] = Column(Choice(Severity), nullable=False)
    reach: Named[int] = Column(Integer, nullable=False)
    added_at: Named[datetime] = Column(Utc, nullable=False)
    closed_at: Named[datetime | None] = Column(Utc)
    closed_by: Named[str | None] = Column(PlainText)


reviews: Final = Table(
    "reviews",
    metadata,
    ReviewColumns,
    PrimaryKeyConstraint("tenant_id", "question_id"),
    Index("ix_reviews_principal", "tenant_id", "principal"),
)


class WebhookColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    url: Named[str] = Column(PlainText, nullable=False)
    secret: Named[str] = Column(PlainText, nullable=False)
    event_types: Named[frozenset[str]] = Column(StringSet, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    disabled_at: Named[datetime | None] = Column(Utc)
    kind: Named[str] = Column(PlainText, nullable=False, server_default=WEBHOOK)
    former_secret: Named[str | None] = Column(PlainText)
    former_until: Named[datetime | None] = Column(Utc)


webhooks: Final = Table(
    "webhooks", metadata, WebhookColumns, Index("ix_webhooks_tenant", "tenant_id")
)


class DeliveryColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    webhook_id: Named[str] = Column(PlainText, nullable=False)
    event_type: Named[str] = Column(PlainText, nullable=False)
    payload: Named[str] = Column(PlainText, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    attempts: Named[int] = Column(Integer, nullable=False)
    next_attempt_at: Named[datetime] = Column(Utc, nullable=False)
    pending: Named[bool] = Column(Boolean, nullable=False)
    """Neither delivered nor given up."""
    delivered_at: Named[datetime | None] = Column(Utc)
    last_error: Named[str | None] = Column(PlainText)


deliveries: Final = Table(
    "deliveries",
    metadata,
    DeliveryColumns,
    Index("ix_deliveries_due", "pending", "next_attempt_at"),
    Index("ix_deliveries_webhook", "webhook_id", "created_at", "id"),
)


class IncidentColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    status: Named[IncidentStatus] = Column(Choice(IncidentStatus), nullable=False)
    cause: Named[str] = Column(PlainText, nullable=False)
    reason: Named[str] = Column(PlainText, nullable=False)
    opened_at: Named[datetime] = Column(Utc, nullable=False)
    opened_by: Named[str] = Column(PlainText, nullable=False)
    documents: Named[frozenset[str]] = Column(StringSet, nullable=False)
    confirmable: Named[frozenset[str]] = Column(StringSet, nullable=False)
    approved_at: Named[datetime | None] = Column(Utc)
    approved_by: Named[str | None] = Column(PlainText)
    contained_at: Named[datetime | None] = Column(Utc)
    contained_by: Named[str | None] = Column(PlainText)
    undone_at: Named[datetime | None] = Column(Utc)
    undone_by: Named[str | None] = Column(PlainText)


incidents: Final = Table(
    "incidents",
    metadata,
    IncidentColumns,
    Index("ix_incidents_tenant", "tenant_id", "opened_at", "id"),
)
