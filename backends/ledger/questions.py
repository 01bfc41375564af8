"""The table of answered questions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, select, tuple_

from backends.ledger import cursors
from backends.ledger.engine import Database
from backends.ledger.observations import insert_observation
from backends.ledger.schema import questions
from backends.ledger.statements import insert_rows
from domain.answering import Outcome, QuestionId
from domain.documents import TenantId
from domain.errors import NotFoundError
from domain.ledger import Page, QuestionRecord
from domain.monitoring import Observation

_IDS_A_QUERY: Final = 500


class SqlQuestionLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, record: QuestionRecord, observation: Observation | None) -> None:
        def body(connection: Connection) -> None:
            insert_rows(
                connection,
                questions,
                {
                    "id": record.id,
                    "tenant_id": record.tenant_id,
                    "principal": record.principal,
                    "asked_at": record.asked_at,
                    "outcome": record.outcome,
                    "trace": record.trace,
                    "again_of": record.again_of,
                },
            )
            if observation is not None:
                insert_observation(connection, observation)

        await self._database.write(body)

    async def list(
        self, tenant_id: TenantId, *, outcome: Outcome | None, cursor: str | None, limit: int
    ) -> Page[QuestionRecord]:
        cursors.require_limit(limit)
        query = select(questions).where(questions.c.tenant_id == tenant_id)
        if outcome is not None:
            query = query.where(questions.c.outcome == outcome)
        if cursor is not None:
            last = cursors.decode(cursor)
            query = query.where(
                tuple_(questions.c.asked_at, questions.c.id)
                < tuple_(last.at, last.id, types=[questions.c.asked_at.type, questions.c.id.type])
            )
        query = query.order_by(questions.c.asked_at.desc(), questions.c.id.desc())
        found = await self._database.read(
            lambda connection: [_record(row) for row in connection.execute(query.limit(limit + 1))]
        )
        return cursors.page(found, limit=limit, position=_position)

    async def get(self, tenant_id: TenantId, question_id: QuestionId) -> QuestionRecord:
        query = select(questions).where(
            questions.c.id == question_id, questions.c.tenant_id == tenant_id
        )
        row = await self._database.read(lambda connection: connection.execute(query).first())
        if row is None:
            raise NotFoundError(f"no question {question_id!r}")
        return _record(row)

    async def given_again(
        self, tenant_id: TenantId, of: Collection[QuestionId], *, until: datetime | None
    ) -> Sequence[QuestionId]:
        names = sorted(of)
        query = select(questions.c.id).where(questions.c.tenant_id == tenant_id)
        if until is not None:
            query = query.where(questions.c.asked_at <= until)
        queries = [
            query.where(questions.c.again_of.in_(names[start : start + _IDS_A_QUERY]))
            for start in range(0, len(names), _IDS_A_QUERY)
        ]
        found = await self._database.read(
            lambda connection: [row.id for one in queries for row in connection.execute(one)]
        )
        return sorted(map(QuestionId, found))


def _record(row: Row[Any]) -> QuestionRecord:
    return QuestionRecord(
        id=QuestionId(row.id),
        tenant_id=TenantId(row.tenant_id),
        principal=row.principal,
        asked_at=row.asked_at,
        outcome=row.outcome,
        trace=row.trace,
        again_of=None if row.again_of is None else QuestionId(row.again_of),
    )


def _position(record: QuestionRecord) -> cursors.Position:
    return cursors.Position(at=record.asked_at, id=record.id)
