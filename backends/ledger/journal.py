"""The journal table: a chain. Triggers of the database refuse to change or delete its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select, text

from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database, audit_key_of
from backends.ledger.entries import EntryDraft
from backends.ledger.schema import journal
from backends.ledger.statements import insert_rows
from domain.audit import GENESIS, ChainHead, JournalEntry, SealedEntry, sealed
from domain.documents import TenantId

HEAD_LOCK: Final = 0x6A726E6C
"""PostgreSQL's lock of the chain's end: `jrnl` in ASCII."""

_LAST = select(journal.c.seq, journal.c.hash).order_by(journal.c.seq.desc()).limit(1)


def append_entry(connection: Connection, draft: EntryDraft) -> None:
    """Write an entry behind the last one, in the transaction of what it tells of.

    Writers take turns until they commit, so that there is one chain: in SQLite by the lock that
    a writing transaction begins with, in PostgreSQL by one that is taken here.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": HEAD_LOCK})
    last = connection.execute(_LAST).first()
    entry = JournalEntry(
        seq=1 if last is None else last.seq + 1,
        at=draft.at,
        tenant_id=draft.tenant_id,
        actor=draft.actor,
        action=draft.action,
        object_kind=draft.object_kind,
        object_id=draft.object_id,
        reason=draft.reason,
        facts=draft.facts,
    )
    new = sealed(GENESIS if last is None else last.hash, entry, audit_key_of(connection))
    insert_rows(
        connection,
        journal,
        {
            "seq": entry.seq,
            "at": entry.at,
            "tenant_id": entry.tenant_id,
            "actor": entry.actor,
            "action": entry.action,
            "object_kind": entry.object_kind,
            "object_id": entry.object_id,
            "reason": entry.reason,
            "facts": entry.facts,
            "hash": new.hash,
            "key_id": new.key_id,
            "mac": new.mac,
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

    async def sealed(self, *, after: int, limit: int) -> Sequence[SealedEntry]:
        require_limit(limit)
        query = select(journal).where(journal.c.seq > after).order_by(journal.c.seq).limit(limit)
        return await self._database.read(
            lambda connection: [
                SealedEntry(entry=_entry(row), hash=row.hash, key_id=row.key_id, mac=row.mac)
                for row in connection.execute(query)
            ]
        )

    async def head(self) -> ChainHead | None:
        def body(connection: Connection) -> ChainHead | None:
            last = connection.execute(_LAST).first()
            if last is None:
                return None
            # Entries may come in between: only those up to the last one seen are counted.
            count = select(func.count()).select_from(journal).where(journal.c.seq <= last.seq)
            return ChainHead(
                seq=last.seq, count=connection.execute(count).scalar_one(), hash=last.hash
            )

        return await self._database.read(body)


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
