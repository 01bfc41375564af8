"""The table of suppressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from backends.ledger import entries
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.schema import suppressions
from backends.ledger.statements import insert_rows
from backends.ledger.transitions import require_reason, unknown_suppression
from domain.documents import DocumentId, OriginRef, Span, TenantId
from domain.suppressions import Suppression


class SqlSuppressionLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, suppression: Suppression) -> None:
        require_reason(suppression.reason)

        def body(connection: Connection) -> None:
            insert_rows(connection, suppressions, _row(suppression))
            append_entry(connection, entries.suppression_added(suppression))

        await self._database.write(body)

    async def list(
        self, tenant_id: TenantId, *, origin: OriginRef | None = None
    ) -> Sequence[Suppression]:
        query = select(suppressions).where(suppressions.c.tenant_id == tenant_id)
        if origin is not None:
            query = query.where(
                suppressions.c.origin_kind == origin.kind, suppressions.c.origin_id == origin.id
            )
        query = query.order_by(suppressions.c.created_at.desc(), suppressions.c.id.desc())
        return await self._database.read(
            lambda connection: [_suppression(row) for row in connection.execute(query)]
        )

    async def remove(
        self, tenant_id: TenantId, suppression_id: str, *, reason: str, actor: str, at: datetime
    ) -> Suppression:
        require_reason(reason)
        known = select(suppressions).where(
            suppressions.c.id == suppression_id, suppressions.c.tenant_id == tenant_id
        )

        def body(connection: Connection) -> Suppression:
            row = connection.execute(known.with_for_update()).first()
            if row is None:
                raise unknown_suppression(suppression_id)
            before = _suppression(row)
            if before.removed_at is not None:
                return before
            connection.execute(
                update(suppressions)
                .where(suppressions.c.id == suppression_id, suppressions.c.tenant_id == tenant_id)
                .values(removed_at=at)
            )
            draft = entries.suppression_removed(before, reason=reason, actor=actor, at=at)
            append_entry(connection, draft)
            return replace(before, removed_at=at)

        return await self._database.write(body)


def _row(suppression: Suppression) -> dict[str, object]:
    return {
        "id": suppression.id,
        "tenant_id": suppression.tenant_id,
        "rule": suppression.rule,
        "origin_kind": suppression.origin.kind,
        "origin_id": suppression.origin.id,
        "sentences": suppression.sentences,
        "document_id": suppression.document_id,
        "start": suppression.span.start,
        "end": suppression.span.end,
        "reason": suppression.reason,
        "created_by": suppression.created_by,
        "created_at": suppression.created_at,
        "expires_at": suppression.expires_at,
        "removed_at": suppression.removed_at,
    }


def _suppression(row: Row[Any]) -> Suppression:
    return Suppression(
        id=row.id,
        tenant_id=TenantId(row.tenant_id),
        rule=row.rule,
        origin=OriginRef(kind=row.origin_kind, id=row.origin_id),
        sentences=row.sentences,
        document_id=DocumentId(row.document_id),
        span=Span(row.start, row.end),
        reason=row.reason,
        created_by=row.created_by,
        created_at=row.created_at,
        expires_at=row.expires_at,
        removed_at=row.removed_at,
    )
