"""The table of API keys, by their hashes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, or_, select, update

from backends.ledger import key_changes
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.origins import add_origin
from backends.ledger.schema import api_keys
from backends.ledger.statements import insert_rows
from backends.ledger.transitions import unknown_key
from domain.access import ApiKey, KeyId, Scope
from domain.documents import OriginRef, TenantId

_AS_THEY_ARE: Final = (
    "revoked_at",
    "expires_at",
    "last_used_at",
    "requests_per_minute",
    "former_sha256",
    "former_until",
)


class SqlKeyLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: ApiKey, *, actor: str) -> None:
        def body(connection: Connection) -> None:
            insert_rows(
                connection,
                api_keys,
                {
                    "id": key.id,
                    "tenant_id": key.tenant_id,
                    "name": key.name,
                    "secret_sha256": key.secret_sha256,
                    "scopes": key.scopes,
                    "origin_kind": None if key.origin is None else key.origin.kind,
                    "origin_id": None if key.origin is None else key.origin.id,
                    "created_at": key.created_at,
                    **{name: getattr(key, name) for name in _AS_THEY_ARE},
                },
            )
            if key.origin is not None:
                add_origin(connection, key.tenant_id, key.origin, actor=actor, at=key.created_at)
            append_entry(connection, key_changes.key_created(key, actor=actor))

        await self._database.write(body)

    async def find(self, key_id: KeyId) -> ApiKey | None:
        return await self._database.read(lambda connection: _find(connection, key_id))

    async def list(self, tenant_id: TenantId) -> Sequence[ApiKey]:
        query = (
            select(api_keys)
            .where(api_keys.c.tenant_id == tenant_id)
            .order_by(api_keys.c.created_at, api_keys.c.id)
        )
        return await self._database.read(
            lambda connection: [_key(row) for row in connection.execute(query)]
        )

    async def revoke(
        self, tenant_id: TenantId, key_id: KeyId, *, actor: str, at: datetime
    ) -> ApiKey:
        def body(connection: Connection) -> ApiKey:
            key = _find(connection, key_id)
            if key is None or key.tenant_id != tenant_id:
                raise unknown_key(key_id)
            changed = connection.execute(
                update(api_keys)
                .where(
                    api_keys.c.id == key_id,
                    api_keys.c.tenant_id == tenant_id,
                    api_keys.c.revoked_at.is_(None),
                )
                .values(revoked_at=at)
            )
            if changed.rowcount == 0:
                return key
            append_entry(connection, key_changes.key_revoked(tenant_id, key_id, actor=actor, at=at))
            return replace(key, revoked_at=at)

        return await self._database.write(body)

    async def rotate(
        self,
        tenant_id: TenantId,
        key_id: KeyId,
        *,
        secret_sha256: str,
        former_until: datetime,
        actor: str,
        at: datetime,
    ) -> ApiKey:
        def body(connection: Connection) -> ApiKey:
            before = _find(connection, key_id, locked=True)
            after = key_changes.rotated(
                before,
                tenant_id=tenant_id,
                key_id=key_id,
                secret_sha256=secret_sha256,
                former_until=former_until,
                at=at,
            )
            connection.execute(
                update(api_keys)
                .where(api_keys.c.id == key_id, api_keys.c.tenant_id == tenant_id)
                .values(
                    secret_sha256=after.secret_sha256,
                    former_sha256=after.former_sha256,
                    former_until=after.former_until,
                )
            )
            append_entry(connection, key_changes.key_rotated(after, actor=actor, at=at))
            return after

        return await self._database.write(body)

    async def used(self, key_id: KeyId, *, at: datetime) -> None:
        change = (
            update(api_keys)
            .where(
                api_keys.c.id == key_id,
                or_(api_keys.c.last_used_at.is_(None), api_keys.c.last_used_at < at),
            )
            .values(last_used_at=at)
        )

        def body(connection: Connection) -> None:
            connection.execute(change)

        await self._database.write(body)


def _find(connection: Connection, key_id: KeyId, *, locked: bool = False) -> ApiKey | None:
    query = select(api_keys).where(api_keys.c.id == key_id)
    row = connection.execute(query.with_for_update() if locked else query).first()
    return None if row is None else _key(row)


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=KeyId(row.id),
        tenant_id=TenantId(row.tenant_id),
        name=row.name,
        secret_sha256=row.secret_sha256,
        scopes=frozenset(Scope(scope) for scope in row.scopes),
        origin=None
        if row.origin_kind is None
        else OriginRef(kind=row.origin_kind, id=row.origin_id),
        created_at=row.created_at,
        **{name: getattr(row, name) for name in _AS_THEY_ARE},
    )
