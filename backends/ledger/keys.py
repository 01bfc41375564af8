"""The table of API keys, by their hashes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from backends.ledger import entries
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.origins import add_origin
from backends.ledger.schema import api_keys
from backends.ledger.statements import insert_rows
from backends.ledger.transitions import unknown_key
from domain.access import ApiKey, KeyId, Scope
from domain.documents import OriginRef, TenantId


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
                    "revoked_at": key.revoked_at,
                },
            )
            if key.origin is not None:
                add_origin(connection, key.tenant_id, key.origin, actor=actor, at=key.created_at)
            append_entry(connection, entries.key_created(key, actor=actor))

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
                .where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
                .values(revoked_at=at)
            )
            if changed.rowcount == 0:
                return key
            append_entry(connection, entries.key_revoked(tenant_id, key_id, actor=actor, at=at))
            return replace(key, revoked_at=at)

        return await self._database.write(body)


def _find(connection: Connection, key_id: KeyId) -> ApiKey | None:
    row = connection.execute(select(api_keys).where(api_keys.c.id == key_id)).first()
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
        revoked_at=row.revoked_at,
    )
