"""The journal table. Triggers of the database refuse to change or delete its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database
from backends.ledger.entries import EntryDraft
from backends.ledger.schema import journal
from backends.ledger.statements import insert_rows
from domain.documents import TenantId
from domain.ledger import JournalEntry


def append_entry(connection: Connection, draft: EntryDraft) -> None:
    """Write an entry in the transaction of what it tells of."""
    insert_rows(
        connection,
        journal,
        {
            "at": draft.at,
            "tenant_id": draft.tenant_id,
            "actor": draft.actor,
            "action": draft.action,
            "object_kind": draft.object_kind,
            "object_id": draft.object_id,
            "reason": draft.reason,
            "facts": draft.facts,
        },
    )


class SqlJournal:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(
        self,
        *,
        tenant_id: TenantId,
        at: datetime,
        actor: str,
        action: str,
        object_kind: str,
        object_id: str,
        reason: str | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        draft = EntryDraft(
            at=at,
            tenant_id=tenant_id,
            actor=actor,
            action=action,
            object_kind=object_kind,
            object_id=object_id,
            reason=reason,
            facts=dict(facts or {}),
        )
        await self._database.write(lambda connection: append_entry(connection, draft))

    async def entries(
        self, tenant_id: TenantId, *, object_id: str | None = None, limit: int = 100
    ) -> Sequence[JournalEntry]:
        require_limit(limit)
        query = select(journal).where(journal.c.tenant_id == tenant_id)
        if object_id is not None:
            query = query.where(journal.c.object_id == object_id)
        query = query.order_by(journal.c.seq.desc()).limit(limit)
        return await self._database.read(
            lambda connection: [_entry(row) for row in connection.execute(query)]
        )


def _entry(row: Row[Any]) -> JournalEntry:
    return JournalEntry(
        seq=row.seq,
        at=row.at,
        tenant_id=TenantId(row.tenant_id),
        actor=row.actor,
        action=row.action,
        object_kind=row.object_kind,
        object_id=row.object_id,
        reason=row.reason,
        facts=row.facts,
    )
