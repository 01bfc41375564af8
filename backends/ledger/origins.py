"""The table of origins: who vouches, and who was vouched for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select, update

from backends.ledger import entries
from backends.ledger.engine import Database
from backends.ledger.entries import EntryDraft
from backends.ledger.journal import append_entry
from backends.ledger.schema import origins
from backends.ledger.statements import insert_new
from backends.ledger.transitions import (
    require_closed,
    require_connector,
    require_reason,
    unknown_origin,
)
from domain.documents import Origin, OriginKind, OriginRef, TenantId


def add_origin(
    connection: Connection, tenant_id: TenantId, ref: OriginRef, *, actor: str, at: datetime
) -> None:
    """Write a new unestablished origin with its journal entry; leave a known one alone."""
    created = insert_new(
        connection,
        origins,
        {
            "tenant_id": tenant_id,
            "kind": ref.kind,
            "id": ref.id,
            "established": False,
            "reviewed": False,
            "created_at": at,
        },
        unique=("tenant_id", "kind", "id"),
    )
    if created:
        append_entry(connection, entries.origin_added(tenant_id, ref, actor=actor, at=at))


class SqlOriginLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, tenant_id: TenantId, ref: OriginRef) -> Origin:
        found = await self._database.read(lambda connection: _find(connection, tenant_id, ref))
        return found or Origin(kind=ref.kind, id=ref.id, established=False)

    async def add(
        self, tenant_id: TenantId, kind: OriginKind, id: str, *, actor: str, at: datetime
    ) -> Origin:
        ref = OriginRef(kind=kind, id=id)

        def body(connection: Connection) -> Origin:
            add_origin(connection, tenant_id, ref, actor=actor, at=at)
            return _known(connection, tenant_id, ref)

        return await self._database.write(body)

    async def list(self, tenant_id: TenantId) -> Sequence[Origin]:
        query = (
            select(origins)
            .where(origins.c.tenant_id == tenant_id)
            .order_by(origins.c.kind, origins.c.id)
        )
        return await self._database.read(
            lambda connection: [_origin(row) for row in connection.execute(query)]
        )

    async def establish(
        self,
        tenant_id: TenantId,
        ref: OriginRef,
        *,
        reviewed: bool,
        reason: str,
        actor: str,
        at: datetime,
    ) -> Origin:
        require_reason(reason)
        draft = entries.origin_established(
            tenant_id, ref, reviewed=reviewed, reason=reason, actor=actor, at=at
        )
        after = Origin(kind=ref.kind, id=ref.id, established=True, reviewed=reviewed)

        def body(connection: Connection) -> Origin:
            require_closed(_declared(connection, tenant_id, ref, locked=True), ref)
            return _save(connection, tenant_id, after, draft)

        return await self._database.write(body)

    async def revoke(
        self, tenant_id: TenantId, ref: OriginRef, *, reason: str, actor: str, at: datetime
    ) -> Origin:
        require_reason(reason)
        draft = entries.origin_revoked(tenant_id, ref, reason=reason, actor=actor, at=at)
        after = Origin(kind=ref.kind, id=ref.id, established=False)
        return await self._database.write(
            lambda connection: _save(connection, tenant_id, after, draft)
        )

    async def declare(
        self, tenant_id: TenantId, ref: OriginRef, *, open_write: bool, actor: str, at: datetime
    ) -> Origin:
        require_connector(ref)
        draft = entries.origin_declared(tenant_id, ref, open_write=open_write, actor=actor, at=at)

        def body(connection: Connection) -> Origin:
            _declared(connection, tenant_id, ref, locked=True)
            before = _known(connection, tenant_id, ref)
            after = Origin(kind=ref.kind, id=ref.id, established=False) if open_write else before
            connection.execute(
                update(origins).where(*_is(tenant_id, ref)).values(open_write=open_write)
            )
            return _save(connection, tenant_id, after, draft)

        return await self._database.write(body)

    async def open_write(self, tenant_id: TenantId, ref: OriginRef) -> bool | None:
        return await self._database.read(lambda connection: _declared(connection, tenant_id, ref))


def _save(connection: Connection, tenant_id: TenantId, after: Origin, draft: EntryDraft) -> Origin:
    changed = connection.execute(
        update(origins)
        .where(*_is(tenant_id, after.ref))
        .values(established=after.established, reviewed=after.reviewed)
    )
    if changed.rowcount == 0:
        raise unknown_origin(after.ref)
    append_entry(connection, draft)
    return after


def _declared(
    connection: Connection, tenant_id: TenantId, ref: OriginRef, *, locked: bool = False
) -> bool | None:
    query = select(origins.c.open_write).where(*_is(tenant_id, ref))
    return connection.execute(query.with_for_update() if locked else query).scalar_one_or_none()


def _is(tenant_id: TenantId, ref: OriginRef) -> tuple[ColumnElement[bool], ...]:
    return (
        origins.c.tenant_id == tenant_id,
        origins.c.kind == ref.kind,
        origins.c.id == ref.id,
    )


def _find(connection: Connection, tenant_id: TenantId, ref: OriginRef) -> Origin | None:
    row = connection.execute(select(origins).where(*_is(tenant_id, ref))).first()
    return None if row is None else _origin(row)


def _known(connection: Connection, tenant_id: TenantId, ref: OriginRef) -> Origin:
    found = _find(connection, tenant_id, ref)
    if found is None:
        raise unknown_origin(ref)
    return found


def _origin(row: Row[Any]) -> Origin:
    return Origin(kind=row.kind, id=row.id, established=row.established, reviewed=row.reviewed)
