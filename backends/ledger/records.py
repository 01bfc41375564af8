"""Rows of the documents table and the records they stand for."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, Update, bindparam, select, update

from backends.ledger.schema import documents
from backends.ledger.transitions import unknown_document
from domain.documents import DocumentId, OriginRef, TenantId
from domain.ledger import DocumentRecord
from domain.retrieval import FamilyId


def read_record(row: Row[Any]) -> DocumentRecord:
    return DocumentRecord(
        id=DocumentId(row.id),
        tenant_id=TenantId(row.tenant_id),
        origin=OriginRef(kind=row.origin_kind, id=row.origin_id),
        sha256=row.sha256,
        size_bytes=row.size_bytes,
        media_type=row.media_type,
        file_name=row.file_name,
        title=row.title,
        source_uri=row.source_uri,
        labels=row.labels,
        status=row.status,
        attempts=row.attempts,
        received_at=row.received_at,
        verdict=row.verdict,
        reason=row.reason,
        trust=row.trust,
        policy_version=row.policy_version,
        decided_at=row.decided_at,
        decided_by=row.decided_by,
        admitted_at=row.admitted_at,
        family_id=None if row.family_id is None else FamilyId(row.family_id),
        voting=row.voting,
        logical_id=row.logical_id,
        version=row.version,
        signature=row.signature,
        rescans=row.rescans,
    )


def record_row(record: DocumentRecord, *, touched_at: datetime) -> dict[str, object]:
    row: dict[str, object] = {
        column.name: getattr(record, column.name)
        for column in fields(record)
        if column.name != "origin"
    }
    return {
        **row,
        "origin_kind": record.origin.kind,
        "origin_id": record.origin.id,
        "touched_at": touched_at,
    }


def find_record(
    connection: Connection,
    document_id: DocumentId,
    *,
    tenant_id: TenantId | None = None,
    locked: bool = False,
) -> DocumentRecord:
    """Return the record, `locked` against other transactions where the caller will change it.

    Raises:
        NotFoundError: Unknown, or unknown to the tenant.
    """
    row = connection.execute(
        _by_id(of_tenant=tenant_id is not None, locked=locked),
        {"document_id": document_id, "of_tenant": tenant_id},
    ).first()
    if row is None:
        raise unknown_document(document_id)
    return read_record(row)


def save_change(
    connection: Connection,
    before: DocumentRecord,
    after: DocumentRecord,
    *,
    touched_at: datetime | None = None,
) -> None:
    """Write what differs: an index whose columns did not change is left alone."""
    changed: dict[str, object] = {
        column.name: getattr(after, column.name)
        for column in fields(after)
        if getattr(after, column.name) != getattr(before, column.name)
    }
    if touched_at is not None:
        changed["touched_at"] = touched_at
    own = {"document_id": before.id, "of_tenant": before.tenant_id}
    connection.execute(_change(), {**changed, **own})


@cache
def _by_id(*, of_tenant: bool, locked: bool) -> Select[*tuple[Any, ...]]:
    query = select(documents).where(documents.c.id == bindparam("document_id"))
    if of_tenant:
        query = query.where(documents.c.tenant_id == bindparam("of_tenant"))
    return query.with_for_update() if locked else query


@cache
def _change() -> Update:
    return update(documents).where(
        documents.c.id == bindparam("document_id"),
        documents.c.tenant_id == bindparam("of_tenant"),
    )
