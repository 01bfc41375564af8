"""Who is vouched for, who may do what, and who did it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    Named,
    PrimaryKeyConstraint,
    Table,
    TypedColumns,
)

from backends.ledger.schema.base import Serial, metadata
from backends.ledger.types import Choice, PlainText, StringMapping, StringSet, Utc
from domain.documents import OriginKind


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
    expires_at: Named[datetime | None] = Column(Utc)
    last_used_at: Named[datetime | None] = Column(Utc)
    requests_per_minute: Named[int | None] = Column(Integer)
    former_sha256: Named[str | None] = Column(PlainText)
    former_until: Named[datetime | None] = Column(Utc)


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
    hash: Named[str] = Column(PlainText, nullable=False)
    key_id: Named[str | None] = Column(PlainText)
    mac: Named[str | None] = Column(PlainText)


journal: Final = Table(
    "journal",
    metadata,
    JournalColumns,
    Index("ix_journal_tenant", "tenant_id", "seq"),
    Index("ix_journal_object", "tenant_id", "object_id", "seq"),
    sqlite_autoincrement=True,
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
