"""What becomes of documents after their verdict: columns of theirs, and the table of editions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import (
    Connection,
    Row,
    Select,
    and_,
    case,
    delete,
    func,
    or_,
    select,
    union,
    update,
)

from backends.ledger import entries, transitions
from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database
from backends.ledger.entries import POLICY_ACTOR
from backends.ledger.journal import append_entry
from backends.ledger.outbox import INGEST, queue_job
from backends.ledger.records import find_record, save_change
from backends.ledger.schema import documents, editions
from backends.ledger.statements import insert_rows
from domain.documents import DocumentId, DocumentStatus, OriginRef, TenantId
from domain.ledger import DocumentRecord, Settlement
from domain.lifecycle import Edition, EditionMark
from domain.retrieval import Signature
from domain.trust import CoarseReason, FinalOutcome, Verdict

MOST_EDITIONS = 2000
"""Of one origin that are looked at: those of the logical id, then those that stopped serving, then
the newest. A flood of its own costs no more, and hides none that an id links."""

_STANDING = (DocumentStatus.ADMITTED, DocumentStatus.SUPERSEDED, DocumentStatus.REJECTED)


def save_mark(connection: Connection, before: DocumentRecord, settlement: Settlement) -> None:
    """Write or replace what later versions know the document by; what was reviewed stays so."""
    if settlement.mark is None:
        return
    known = connection.execute(select(editions).where(editions.c.document_id == before.id)).first()
    connection.execute(delete(editions).where(editions.c.document_id == before.id))
    served = settlement.assessment.verdict is Verdict.ADMIT
    insert_rows(
        connection,
        editions,
        {
            "document_id": before.id,
            "tenant_id": before.tenant_id,
            "received_at": before.received_at,
            "reviewed": known is not None and known.reviewed,
            "served": served or (known is not None and known.served),
            "served_until": None if served or known is None else known.served_until,
            "signature": _written(settlement.mark.signature),
            "statements": settlement.mark.statements,
        },
    )


def mark_reviewed(connection: Connection, document_id: DocumentId) -> None:
    """Remember that a person released the document."""
    connection.execute(
        update(editions)
        .where(editions.c.document_id == document_id)
        .values(reviewed=True, served=True, served_until=None)
    )


def mark_gone(connection: Connection, document_id: DocumentId, *, at: datetime) -> None:
    """Remember until when a document served that does so no more."""
    connection.execute(
        update(editions)
        .where(
            editions.c.document_id == document_id,
            editions.c.served,
            editions.c.served_until.is_(None),
        )
        .values(served_until=at)
    )


class SqlDocumentLifecycle:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def held(
        self, *, decided_before: datetime, rescans_below: int, limit: int
    ) -> Sequence[DocumentId]:
        require_limit(limit)
        query = (
            select(documents.c.id)
            .where(
                documents.c.status == DocumentStatus.QUARANTINED,
                documents.c.reason == CoarseReason.HOLD,
                documents.c.decided_at < decided_before,
                documents.c.decided_by == POLICY_ACTOR,
                documents.c.rescans < rescans_below,
            )
            .order_by(documents.c.decided_at, documents.c.id)
            .limit(limit)
        )
        return await self._database.read(
            lambda connection: [DocumentId(row.id) for row in connection.execute(query)]
        )

    async def rescan(self, document_id: DocumentId, *, rescans_below: int, at: datetime) -> bool:
        def body(connection: Connection) -> bool:
            before = find_record(connection, document_id, locked=True)
            if not transitions.is_held(before, rescans_below=rescans_below):
                return False
            after = transitions.rescanned(before)
            save_change(connection, before, after, touched_at=at)
            queue_job(connection, INGEST, document_id, at=at)
            append_entry(connection, entries.document_rescanned(after, at=at))
            return True

        return await self._database.write(body)

    async def supersede(
        self, tenant_id: TenantId, document_id: DocumentId, *, by: DocumentId, at: datetime
    ) -> bool:
        def body(connection: Connection) -> bool:
            before = find_record(connection, document_id, tenant_id=tenant_id, locked=True)
            if before.status is not DocumentStatus.ADMITTED:
                return False
            save_change(connection, before, transitions.superseded(before))
            mark_gone(connection, document_id, at=at)
            append_entry(connection, entries.document_superseded(before, by=by, at=at))
            return True

        return await self._database.write(body)

    async def reweigh(self, tenant_id: TenantId, document_id: DocumentId, *, trust: float) -> bool:
        statement = (
            update(documents)
            .where(
                documents.c.id == document_id,
                documents.c.tenant_id == tenant_id,
                documents.c.status == DocumentStatus.ADMITTED,
            )
            .values(trust=trust)
        )
        return await self._database.write(
            lambda connection: connection.execute(statement).rowcount > 0
        )

    async def editions(
        self,
        tenant_id: TenantId,
        origin: OriginRef,
        *,
        logical_id: str | None,
        since: datetime,
        near: Sequence[DocumentId] = (),
    ) -> Sequence[Edition]:
        linked = documents.c.logical_id == logical_id
        own = (
            documents.c.tenant_id == tenant_id,
            documents.c.origin_kind == origin.kind,
            documents.c.origin_id == origin.id,
        )
        gone = editions.c.served_until >= since
        # Each part by its own index: an origin may have brought any number of documents.
        wanted = union(
            select(documents.c.id).where(*own, documents.c.received_at >= since),
            select(editions.c.document_id).where(editions.c.tenant_id == tenant_id, gone),
            *([] if logical_id is None else [select(documents.c.id).where(*own, linked)]),
            *([select(documents.c.id).where(*own, documents.c.id.in_(near))] if near else []),
        )
        query: Select[*tuple[Any, ...]] = (
            select(
                documents.c.id,
                documents.c.logical_id,
                documents.c.version,
                documents.c.received_at,
                documents.c.status,
                editions.c.reviewed,
                editions.c.served,
                editions.c.signature,
                editions.c.statements,
            )
            .join(editions, editions.c.document_id == documents.c.id)
            .where(*own, documents.c.id.in_(wanted))
            .order_by(
                *([] if logical_id is None else [case((linked, 0), else_=1)]),
                case((gone, 0), else_=1),
                documents.c.received_at.desc(),
                documents.c.id.desc(),
            )
            .limit(MOST_EDITIONS)
        )

        def body(connection: Connection) -> Sequence[Edition]:
            found = [_edition(row) for row in connection.execute(query)]
            return sorted(found, key=lambda one: (one.received_at, one.document_id), reverse=True)

        return await self._database.read(body)

    async def forget_editions(self, *, gone_before: datetime) -> int:
        gone = select(documents.c.id).where(documents.c.status == DocumentStatus.DELETED)
        statement = delete(editions).where(
            editions.c.received_at < gone_before,
            func.coalesce(editions.c.served_until, editions.c.received_at) < gone_before,
            editions.c.document_id.in_(gone),
        )
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def outcomes(
        self, tenant_id: TenantId, origin: OriginRef, *, limit: int
    ) -> Sequence[FinalOutcome]:
        require_limit(limit)
        query = (
            select(
                documents.c.sha256,
                documents.c.decided_at,
                documents.c.decided_by,
                documents.c.verdict,
            )
            .where(
                documents.c.tenant_id == tenant_id,
                documents.c.origin_kind == origin.kind,
                documents.c.origin_id == origin.id,
                or_(
                    documents.c.status.in_(_STANDING),
                    and_(
                        documents.c.status == DocumentStatus.DELETED,
                        documents.c.verdict == Verdict.REJECT,
                    ),
                ),
            )
            .order_by(documents.c.decided_at.desc(), documents.c.id.desc())
            .limit(limit)
        )

        def body(connection: Connection) -> Sequence[FinalOutcome]:
            return [
                FinalOutcome(
                    sha256=row.sha256,
                    at=row.decided_at,
                    rejected=row.verdict is Verdict.REJECT,
                    reviewed=row.decided_by != POLICY_ACTOR,
                )
                for row in connection.execute(query)
            ]

        return await self._database.read(body)


def _edition(row: Row[Any]) -> Edition:
    return Edition(
        document_id=DocumentId(row.id),
        logical_id=row.logical_id,
        version=row.version,
        received_at=row.received_at,
        status=row.status,
        reviewed=row.reviewed,
        served=row.served,
        mark=EditionMark(signature=_read(row.signature), statements=row.statements),
    )


def _written(signature: Signature | None) -> bytes | None:
    return None if signature is None else np.asarray(signature, dtype="<u4").tobytes()


def _read(content: bytes | None) -> Signature | None:
    return None if content is None else np.frombuffer(content, dtype="<u4").astype(np.uint32)
