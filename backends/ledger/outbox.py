"""The outbox table: jobs written with what they are about, published after the commit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, select, update

from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database
from backends.ledger.schema import documents, outbox
from backends.ledger.statements import insert_rows
from domain.jobs import JobName, OutboxEntry

INGEST: JobName = "documents.ingest"
INGEST_BULK: JobName = "documents.ingest-bulk"


def queue_job(connection: Connection, name: JobName, subject_id: str, *, at: datetime) -> None:
    """Write an entry in the transaction of what it is about."""
    insert_rows(
        connection,
        outbox,
        {"name": name, "subject_id": subject_id, "created_at": at, "published_at": None},
    )


class SqlOutbox:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def pending(self, *, limit: int) -> Sequence[OutboxEntry]:
        require_limit(limit)
        query = (
            select(outbox).where(outbox.c.published_at.is_(None)).order_by(outbox.c.id).limit(limit)
        )

        def body(connection: Connection) -> Sequence[OutboxEntry]:
            return [
                OutboxEntry(
                    id=row.id,
                    name=row.name,
                    subject_id=row.subject_id,
                    created_at=row.created_at,
                )
                for row in connection.execute(query)
            ]

        return await self._database.read(body)

    async def mark_published(self, entry_ids: Sequence[int], *, at: datetime) -> None:
        if not entry_ids:
            return
        statement = (
            update(outbox)
            .where(outbox.c.id.in_(entry_ids), outbox.c.published_at.is_(None))
            .values(published_at=at)
        )

        def body(connection: Connection) -> None:
            connection.execute(statement)

        await self._database.write(body)

    async def add(self, name: JobName, subject_id: str, *, at: datetime) -> None:
        def body(connection: Connection) -> None:
            queue_job(connection, name, subject_id, at=at)
            if name == INGEST:
                connection.execute(
                    update(documents).where(documents.c.id == subject_id).values(touched_at=at)
                )

        await self._database.write(body)
