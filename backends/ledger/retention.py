"""Deletes what has been kept for long enough, a bounded batch at a time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, CursorResult, delete, select, tuple_

from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database
from backends.ledger.schema import claims, deliveries, observations, outbox


class SqlRetention:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def prune_claims(self, *, made_before: datetime, limit: int) -> int:
        require_limit(limit)
        old = select(claims.c.key_id, claims.c.key).where(claims.c.created_at < made_before)
        key = tuple_(claims.c.key_id, claims.c.key)
        return await self._run(lambda c: c.execute(delete(claims).where(key.in_(old.limit(limit)))))

    async def prune_outbox(self, *, published_before: datetime, limit: int) -> int:
        require_limit(limit)
        old = select(outbox.c.id).where(outbox.c.published_at < published_before).limit(limit)
        return await self._run(lambda c: c.execute(delete(outbox).where(outbox.c.id.in_(old))))

    async def prune_deliveries(self, *, made_before: datetime, limit: int) -> int:
        require_limit(limit)
        old = (
            select(deliveries.c.id)
            .where(deliveries.c.pending.is_(False), deliveries.c.created_at < made_before)
            .limit(limit)
        )
        gone = delete(deliveries).where(deliveries.c.id.in_(old), deliveries.c.pending.is_(False))
        return await self._run(lambda c: c.execute(gone))

    async def prune_observations(self, *, made_before: datetime, limit: int) -> int:
        require_limit(limit)
        key = observations.c.question_id
        old = select(key).where(observations.c.observed_at < made_before).limit(limit)
        return await self._run(lambda c: c.execute(delete(observations).where(key.in_(old))))

    async def _run(self, statement: Callable[[Connection], CursorResult[Any]]) -> int:
        return await self._database.write(lambda connection: statement(connection).rowcount)
