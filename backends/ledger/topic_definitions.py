"""The table of defined topics."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from backends.ledger import entries
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.schema import topic_definitions
from backends.ledger.statements import insert_rows
from backends.ledger.transitions import require_reason, unknown_topic
from backends.ledger.types import to_json
from domain.documents import TenantId
from domain.monitoring import TopicId
from domain.topics import TopicDefinition


class SqlTopicDefinitionLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, definition: TopicDefinition) -> None:
        require_reason(definition.reason)

        def body(connection: Connection) -> None:
            insert_rows(connection, topic_definitions, _row(definition))
            append_entry(connection, entries.topic_defined(definition))

        await self._database.write(body)

    async def list(self, tenant_id: TenantId) -> Sequence[TopicDefinition]:
        query = (
            select(topic_definitions)
            .where(topic_definitions.c.tenant_id == tenant_id)
            .order_by(topic_definitions.c.created_at, topic_definitions.c.id)
        )
        return await self._database.read(
            lambda connection: [_definition(row) for row in connection.execute(query)]
        )

    async def remove(
        self, tenant_id: TenantId, topic_id: TopicId, *, reason: str, actor: str, at: datetime
    ) -> TopicDefinition:
        require_reason(reason)
        known = select(topic_definitions).where(
            topic_definitions.c.id == topic_id, topic_definitions.c.tenant_id == tenant_id
        )

        def body(connection: Connection) -> TopicDefinition:
            row = connection.execute(known.with_for_update()).first()
            if row is None:
                raise unknown_topic(topic_id)
            before = _definition(row)
            if before.removed_at is not None:
                return before
            connection.execute(
                update(topic_definitions)
                .where(
                    topic_definitions.c.id == topic_id, topic_definitions.c.tenant_id == tenant_id
                )
                .values(removed_at=at)
            )
            draft = entries.topic_removed(before, reason=reason, actor=actor, at=at)
            append_entry(connection, draft)
            return replace(before, removed_at=at)

        return await self._database.write(body)


def _row(definition: TopicDefinition) -> dict[str, object]:
    return {
        "id": definition.id,
        "tenant_id": definition.tenant_id,
        "name": definition.name,
        "about": to_json(definition.about),
        "reason": definition.reason,
        "created_by": definition.created_by,
        "created_at": definition.created_at,
        "removed_at": definition.removed_at,
    }


def _definition(row: Row[Any]) -> TopicDefinition:
    return TopicDefinition(
        id=TopicId(row.id),
        tenant_id=TenantId(row.tenant_id),
        name=row.name,
        about=tuple(json.loads(row.about)),
        reason=row.reason,
        created_by=row.created_by,
        created_at=row.created_at,
        removed_at=row.removed_at,
    )
