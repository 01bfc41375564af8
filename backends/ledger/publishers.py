"""The tables of publishers' keys and of the versions they have published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from backends.ledger import entries
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.schema import publications, publisher_keys
from backends.ledger.statements import insert_new, insert_rows
from backends.ledger.transitions import require_newer, require_reason, unknown_publisher_key
from domain.documents import TenantId
from domain.publishing import Publication, PublisherKey


def note_publication(connection: Connection, tenant_id: TenantId, publication: Publication) -> None:
    """Write what was published; of concurrent calls each sees those before it.

    Raises:
        ConflictError: It is not newer than what the publisher has published.
    """
    row = {
        "tenant_id": tenant_id,
        "publisher": publication.publisher,
        "logical_id": publication.logical_id,
        "version": publication.version,
        "sha256": publication.sha256,
    }
    key = ("tenant_id", "publisher", "logical_id")
    if insert_new(connection, publications, row, unique=key):
        return
    same = [publications.c[column] == row[column] for column in key]
    known = connection.execute(select(publications).where(*same).with_for_update()).one()
    require_newer(publication, version=known.version, sha256=known.sha256)
    connection.execute(
        update(publications)
        .where(*same)
        .values(version=publication.version, sha256=publication.sha256)
    )


class SqlPublisherLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: PublisherKey, *, reason: str, actor: str) -> None:
        require_reason(reason)
        row = {
            "tenant_id": key.tenant_id,
            "publisher": key.publisher,
            "id": key.id,
            "public_key": key.public_key,
            "added_at": key.added_at,
            "revoked_at": key.revoked_at,
        }

        def body(connection: Connection) -> None:
            insert_rows(connection, publisher_keys, row)
            append_entry(connection, entries.publisher_key_added(key, reason=reason, actor=actor))

        await self._database.write(body)

    async def list(self, tenant_id: TenantId) -> Sequence[PublisherKey]:
        query = (
            select(publisher_keys)
            .where(publisher_keys.c.tenant_id == tenant_id)
            .order_by(publisher_keys.c.publisher, publisher_keys.c.added_at, publisher_keys.c.id)
        )
        return await self._database.read(
            lambda connection: [_key(row) for row in connection.execute(query)]
        )

    async def keys(self, tenant_id: TenantId, publisher: str) -> Sequence[PublisherKey]:
        query = (
            select(publisher_keys)
            .where(
                publisher_keys.c.tenant_id == tenant_id,
                publisher_keys.c.publisher == publisher,
                publisher_keys.c.revoked_at.is_(None),
            )
            .order_by(publisher_keys.c.added_at, publisher_keys.c.id)
        )
        return await self._database.read(
            lambda connection: [_key(row) for row in connection.execute(query)]
        )

    async def revoke(
        self,
        tenant_id: TenantId,
        publisher: str,
        key_id: str,
        *,
        reason: str,
        actor: str,
        at: datetime,
    ) -> PublisherKey:
        require_reason(reason)
        same = (
            publisher_keys.c.tenant_id == tenant_id,
            publisher_keys.c.publisher == publisher,
            publisher_keys.c.id == key_id,
        )

        def body(connection: Connection) -> PublisherKey:
            row = connection.execute(select(publisher_keys).where(*same).with_for_update()).first()
            if row is None:
                raise unknown_publisher_key(publisher, key_id)
            before = _key(row)
            if before.revoked_at is not None:
                return before
            connection.execute(update(publisher_keys).where(*same).values(revoked_at=at))
            draft = entries.publisher_key_revoked(before, reason=reason, actor=actor, at=at)
            append_entry(connection, draft)
            return replace(before, revoked_at=at)

        return await self._database.write(body)


def _key(row: Row[Any]) -> PublisherKey:
    return PublisherKey(
        tenant_id=TenantId(row.tenant_id),
        publisher=row.publisher,
        id=row.id,
        public_key=row.public_key,
        added_at=row.added_at,
        revoked_at=row.revoked_at,
    )
