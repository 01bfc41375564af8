"""Documents: as received, as scanned, as remembered; and the jobs that they wait for."""

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
    Named,
    PrimaryKeyConstraint,
    Table,
    Text,
    TypedColumns,
    text,
)

from backends.ledger.schema.base import Serial, metadata
from backends.ledger.types import Choice, PlainText, StringMapping, StringSet, Utc
from domain.documents import DocumentStatus, OriginKind
from domain.publishing import SignatureState
from domain.scanning import FindingLevel
from domain.trust import CoarseReason, Verdict

LIVE: Final = "status NOT IN ('deleted', 'superseded')"
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


class EditionColumns(TypedColumns):
    document_id: Named[str] = Column(PlainText, ForeignKey("documents.id"), primary_key=True)
    tenant_id: Named[str] = Column(PlainText, nullable=False)
    received_at: Named[datetime] = Column(Utc, nullable=False)
    reviewed: Named[bool] = Column(Boolean, nullable=False)
    """A person released it once; a later rejection or deletion does not undo that."""
    served: Named[bool] = Column(Boolean, nullable=False)
    served_until: Named[datetime | None] = Column(Utc)
    """When it was deleted, rejected or replaced, having served; None while it serves."""
    signature: Named[bytes | None] = Column(LargeBinary)
    """uint32, little-endian."""
    statements: Named[bytes] = Column(LargeBinary, nullable=False)


editions: Final = Table(
    "editions",
    metadata,
    EditionColumns,
    Index("ix_editions_received", "received_at"),
    Index("ix_editions_gone", "tenant_id", "served_until"),
)
