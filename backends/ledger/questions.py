"""The table of answered questions."""

from __future__ import annotations

from sqlalchemy import Connection, select

from backends.ledger.engine import Database
from backends.ledger.observations import insert_observation
from backends.ledger.schema import questions
from backends.ledger.statements import insert_rows
from domain.answering import QuestionId
from domain.documents import TenantId
from domain.errors import NotFoundError
from domain.ledger import QuestionRecord
from domain.monitoring import Observation


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
                },
            )
            if observation is not None:
                insert_observation(connection, observation)

        await self._database.write(body)

    async def get(self, tenant_id: TenantId, question_id: QuestionId) -> QuestionRecord:
        query = select(questions).where(
            questions.c.id == question_id, questions.c.tenant_id == tenant_id
        )
        row = await self._database.read(lambda connection: connection.execute(query).first())
        if row is None:
            raise NotFoundError(f"no question {question_id!r}")
        return QuestionRecord(
            id=QuestionId(row.id),
            tenant_id=TenantId(row.tenant_id),
            principal=row.principal,
            asked_at=row.asked_at,
            outcome=row.outcome,
            trace=row.trace,
        )
