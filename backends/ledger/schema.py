"""The tables. What the migrations make must agree with them: a test compares the two.

No type of one database alone. Moments are integers of microseconds, structures are JSON as text.
Names of constraints are fixed, so that a later migration can drop them anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Named,
    PrimaryKeyConstraint,
    Table,
    Text,
    TypedColumns,
    text,
)

from backends.ledger.types import Choice, PlainText, StringMapping, StringSet, Utc
from domain.answering import Outcome
from domain.documents import DocumentStatus, OriginKind
from domain.monitoring import AlertStatus, Severity
from domain.publishing import SignatureState
from domain.scanning import FindingLevel
from domain.trust import CoarseReason, Verdict

NAMING: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

metadata: Final = MetaData(naming_convention=NAMING)

# SQLite numbers rows itself only where the type is exactly INTEGER.
Serial: Final = BigInteger().with_variant(Integer, "sqlite")

LIVE: Final = "status NOT IN ('deleted', 'superseded')"
FIRING: Final = "status = 'firing'"
UNPUBLISHED: Final = "published_at IS NULL"


class DocumentColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    origin_kind: Named[OriginKind] = Column(Choice(OriginKind), nullable=False)
    origin_id: Named[str] = Column(PlainText, nullable=False)
    sha256: Named[str] = Column(PlainText, nullable=False)
    size_bytes: Named[int] = Column(BigInteger, nullable=False)
    media_type: Named[str | None] = Column(PlainText)
    file_name: Named[str | None] = Column(PlainText)
    title: Named[str | None] = Column(PlainText)
    source_uri: Named[str | None] = Column(PlainText)
    labels: Named[Mapping[str, str]] = Column(StringMapping, nullable=False)
    status: Named[DocumentStatus] = Column(Choice(DocumentStatus), nullable=False)
    attempts: Named[int] = Column(Integer, nullable=False)
    received_at: Named[datetime] = Column(Utc, nullable=False)
    touched_at: Named[datetime] = Column(Utc, nullable=False)
    """When it was last received, queued or begun: the sweeper leaves what is in hand alone."""
    verdict: Named[Verdict | None] = Column(Choice(Verdict))
    reason: Named[CoarseReason | None] = Column(Choice(CoarseReason))
    trust: Named[float | None] = Column(Double)
    policy_version: Named[str | None] = Column(PlainText)
    decided_at: Named[datetime | None] = Column(Utc)
    decided_by: Named[str | None] = Column(PlainText)
    admitted_at: Named[datetime | None] = Column(Utc)
    family_id: Named[str | None] = Column(PlainText)
    voting: Named[bool] = Column(Boolean, nullable=False)
    logical_id: Named[str | None] = Column(PlainText)
    version: Named[int | None] = Column(BigInteger)
    signature: Named[SignatureState | None] = Column(Choice(SignatureState))
    rescans: Named[int] = Column(Integer, nullable=False, server_default="0")


documents: Final = Table(
    "documents",
    metadata,
    DocumentColumns,
    # Of concurrent uploads of the same bytes one wins; one that is gone does not stand in the way.
    Index(
        "uq_documents_live_bytes",
        "tenant_id",
        "sha256",
        "origin_kind",
        "origin_id",
        unique=True,
        sqlite_where=text(LIVE),
        postgresql_where=text(LIVE),
    ),
    Index("ix_documents_newest", "tenant_id", "received_at", "id"),
    Index("ix_documents_status", "tenant_id", "status", "received_at", "id"),
    Index("ix_documents_touched", "status", "touched_at"),
    Index("ix_documents_family", "tenant_id", "family_id"),
    Index("ix_documents_origin", "tenant_id", "origin_kind", "origin_id", "received_at"),
    Index("ix_documents_held", "status", "reason", "decided_at"),
)


class ClaimColumns(TypedColumns):
    key_id: Named[str] = Column(PlainText, nullable=False)
    key: Named[str] = Column(PlainText, nullable=False)
    request_hash: Named[str] = Column(PlainText, nullable=False)
    document_id: Named[str] = Column(PlainText, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)


claims: Final = Table("claims", metadata, ClaimColumns, PrimaryKeyConstraint("key_id", "key"))


class AssessmentColumns(TypedColumns):
    document_id: Named[str] = Column(PlainText, ForeignKey("documents.id"), primary_key=True)
    score: Named[float] = Column(Double, nullable=False)
    risk: Named[float] = Column(Double, nullable=False)
    verdict: Named[Verdict] = Column(Choice(Verdict), nullable=False)
    reason: Named[CoarseReason] = Column(Choice(CoarseReason), nullable=False)
    policy_version: Named[str] = Column(PlainText, nullable=False)
    contributions: Named[str] = Column(Text, nullable=False)
    completed: Named[Mapping[str, str]] = Column(StringMapping, nullable=False)
    unavailable: Named[frozenset[str]] = Column(StringSet, nullable=False)
    decisive: Named[str | None] = Column(PlainText)


assessments: Final = Table("assessments", metadata, AssessmentColumns)


class FindingColumns(TypedColumns):
    document_id: Named[str] = Column(PlainText, ForeignKey("documents.id"), nullable=False)
    ordinal: Named[int] = Column(Integer, nullable=False)
    rule: Named[str] = Column(PlainText, nullable=False)
    detector: Named[str] = Column(PlainText, nullable=False)
    risk: Named[float] = Column(Double, nullable=False)
    level: Named[FindingLevel] = Column(Choice(FindingLevel), nullable=False)
    start: Named[int | None] = Column(BigInteger)
    end: Named[int | None] = Column(BigInteger)
    locator: Named[str | None] = Column(PlainText)
    message: Named[str] = Column(PlainText, nullable=False)
    evidence: Named[str] = Column(Text, nullable=False)
    suppressed_by: Named[str | None] = Column(PlainText)


findings: Final = Table(
    "findings",
    metadata,
    FindingColumns,
    PrimaryKeyConstraint("document_id", "ordinal"),
    Index("ix_findings_rule", "detector", "rule", "document_id"),
)


class SignatureColumns(TypedColumns):
    document_id: Named[str] = Column(PlainText, ForeignKey("documents.id"), primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    content: Named[bytes] = Column(LargeBinary, nullable=False)
    """uint32, little-endian; empty where the text is too short for a signature."""
    scheme: Named[str | None] = Column(PlainText)
    """How the row was made; None for rows of before there was anything but signatures."""
    exact: Named[bytes | None] = Column(LargeBinary)
    passages: Named[bytes | None] = Column(LargeBinary)
    """uint32, little-endian, ascending."""
    sampled: Named[int | None] = Column(Integer)
    """Passages are one in 2^sampled of the text's windows."""


signatures: Final = Table(
    "signatures", metadata, SignatureColumns, Index("ix_signatures_tenant", "tenant_id")
)


class OutboxColumns(TypedColumns):
    id: Named[int] = Column(Serial, primary_key=True)
    name: Named[str] = Column(PlainText, nullable=False)
    subject_id: Named[str] = Column(PlainText, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    published_at: Named[datetime | None] = Column(Utc)


outbox: Final = Table(
    "outbox",
    metadata,
    OutboxColumns,
    Index(
        "ix_outbox_pending",
        "id",
        sqlite_where=text(UNPUBLISHED),
        postgresql_where=text(UNPUBLISHED),
    ),
    sqlite_autoincrement=True,
)


class OriginColumns(TypedColumns):
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    kind: Named[OriginKind] = Column(Choice(OriginKind), nullable=False)
    id: Named[str] = Column(PlainText, nullable=False)
    established: Named[bool] = Column(Boolean, nullable=False)
    reviewed: Named[bool] = Column(Boolean, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    open_write: Named[bool | None] = Column(Boolean)
    """Whether anybody may write to what a connector reads; None where that was never declared."""


origins: Final = Table(
    "origins", metadata, OriginColumns, PrimaryKeyConstraint("tenant_id", "kind", "id")
)


class KeyColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    name: Named[str] = Column(PlainText, nullable=False)
    secret_sha256: Named[str] = Column(PlainText, nullable=False)
    scopes: Named[frozenset[str]] = Column(StringSet, nullable=False)
    origin_kind: Named[OriginKind | None] = Column(Choice(OriginKind))
    origin_id: Named[str | None] = Column(PlainText)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    revoked_at: Named[datetime | None] = Column(Utc)


api_keys: Final = Table("api_keys", metadata, KeyColumns, Index("ix_api_keys_tenant", "tenant_id"))


class JournalColumns(TypedColumns):
    seq: Named[int] = Column(Serial, primary_key=True)
    at: Named[datetime] = Column(Utc, nullable=False)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    actor: Named[str] = Column(PlainText, nullable=False)
    action: Named[str] = Column(PlainText, nullable=False)
    object_kind: Named[str] = Column(PlainText, nullable=False)
    object_id: Named[str] = Column(PlainText, nullable=False)
    reason: Named[str | None] = Column(PlainText)
    facts: Named[Mapping[str, str]] = Column(StringMapping, nullable=False)


journal: Final = Table(
    "journal",
    metadata,
    JournalColumns,
    Index("ix_journal_tenant", "tenant_id", "seq"),
    Index("ix_journal_object", "tenant_id", "object_id", "seq"),
    sqlite_autoincrement=True,
)


class QuestionColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    principal: Named[str] = Column(PlainText, nullable=False)
    asked_at: Named[datetime] = Column(Utc, nullable=False)
    outcome: Named[Outcome] = Column(Choice(Outcome), nullable=False)
    trace: Named[str] = Column(PlainText, nullable=False)


questions: Final = Table(
    "questions",
    metadata,
    QuestionColumns,
    Index("ix_questions_newest", "tenant_id", "outcome", "asked_at", "id"),
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


observations: Final = Table(
    "observations",
    metadata,
    ObservationColumns,
    Index("ix_observations_window", "tenant_id", "topic_id", "observed_at", "question_id"),
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


topics: Final = Table("topics", metadata, TopicColumns, PrimaryKeyConstraint("tenant_id", "id"))


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
)


class WebhookColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    url: Named[str] = Column(PlainText, nullable=False)
    secret: Named[str] = Column(PlainText, nullable=False)
    event_types: Named[frozenset[str]] = Column(StringSet, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    disabled_at: Named[datetime | None] = Column(Utc)


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


class EditionColumns(TypedColumns):
    document_id: Named[str] = Column(PlainText, ForeignKey("documents.id"), primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    received_at: Named[datetime] = Column(Utc, nullable=False)
    reviewed: Named[bool] = Column(Boolean, nullable=False)
    """A person released it once; a later rejection or deletion does not undo that."""
    served: Named[bool] = Column(Boolean, nullable=False)
    signature: Named[bytes | None] = Column(LargeBinary)
    """uint32, little-endian."""
    statements: Named[bytes] = Column(LargeBinary, nullable=False)


editions: Final = Table(
    "editions", metadata, EditionColumns, Index("ix_editions_received", "received_at")
)


class SuppressionColumns(TypedColumns):
    id: Named[str] = Column(PlainText, primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    rule: Named[str] = Column(PlainText, nullable=False)
    origin_kind: Named[OriginKind] = Column(Choice(OriginKind), nullable=False)
    origin_id: Named[str] = Column(PlainText, nullable=False)
    sentences: Named[frozenset[str]] = Column(StringSet, nullable=False)
    document_id: Named[str] = Column(PlainText, nullable=False)
    start: Named[int] = Column(BigInteger, nullable=False)
    end: Named[int] = Column(BigInteger, nullable=False)
    reason: Named[str] = Column(PlainText, nullable=False)
    created_by: Named[str] = Column(PlainText, nullable=False)
    created_at: Named[datetime] = Column(Utc, nullable=False)
    expires_at: Named[datetime] = Column(Utc, nullable=False)
    removed_at: Named[datetime | None] = Column(Utc)


suppressions: Final = Table(
    "suppressions",
    metadata,
    SuppressionColumns,
    Index("ix_suppressions_origin", "tenant_id", "origin_kind", "origin_id"),
)


class PublisherKeyColumns(TypedColumns):
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    publisher: Named[str] = Column(PlainText, nullable=False)
    id: Named[str] = Column(PlainText, nullable=False)
    public_key: Named[bytes] = Column(LargeBinary, nullable=False)
    added_at: Named[datetime] = Column(Utc, nullable=False)
    revoked_at: Named[datetime | None] = Column(Utc)


publisher_keys: Final = Table(
    "publisher_keys",
    metadata,
    PublisherKeyColumns,
    PrimaryKeyConstraint("tenant_id", "publisher", "id"),
)


class PublicationColumns(TypedColumns):
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    publisher: Named[str] = Column(PlainText, nullable=False)
    logical_id: Named[str] = Column(PlainText, nullable=False)
    version: Named[int] = Column(BigInteger, nullable=False)
    """The greatest so far: it never falls, whatever becomes of the document."""
    sha256: Named[str] = Column(PlainText, nullable=False)


publications: Final = Table(
    "publications",
    metadata,
    PublicationColumns,
    PrimaryKeyConstraint("tenant_id", "publisher", "logical_id"),
)
