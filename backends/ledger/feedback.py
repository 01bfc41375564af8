"""The table of what people said of answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, select

from backends.ledger import entries
from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.schema import feedback, observations, questions
from backends.ledger.statements import insert_rows
from domain.answering import QuestionId
from domain.documents import TenantId
from domain.errors import NotFoundError
from domain.feedback import Feedback, FeedbackVerdict, LabelledOutcome


class SqlFeedbackLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def give(self, given: Feedback) -> None:
        asked = select(questions.c.id).where(
            questions.c.id == given.question_id, questions.c.tenant_id == given.tenant_id
        )
        before = delete(feedback).where(
            feedback.c.question_id == given.question_id,
            feedback.c.tenant_id == given.tenant_id,
            feedback.c.author == given.author,
        )

        def body(connection: Connection) -> None:
            if connection.execute(asked.with_for_update()).first() is None:
                raise NotFoundError(f"no question {given.question_id!r}")
            connection.execute(before)
            insert_rows(connection, feedback, _row(given))
            append_entry(connection, entries.feedback_given(given))

        await self._database.write(body)

    async def of_question(self, tenant_id: TenantId, question_id: QuestionId) -> Sequence[Feedback]:
        query = (
            select(feedback)
            .where(feedback.c.question_id == question_id, feedback.c.tenant_id == tenant_id)
            .order_by(feedback.c.label.desc(), feedback.c.given_at.desc(), feedback.c.author)
        )
        return await self._database.read(
            lambda connection: [_feedback(row) for row in connection.execute(query)]
        )

    async def labelled(
        self, tenant_id: TenantId, *, since: datetime, limit: int
    ) -> Sequence[LabelledOutcome]:
        require_limit(limit)
        query = (
            select(
                feedback.c.question_id,
                feedback.c.verdict,
                observations.c.outcome,
                observations.c.confidence,
                observations.c.calibration_version,
            )
            .join(observations, observations.c.question_id == feedback.c.question_id)
            .where(
                feedback.c.tenant_id == tenant_id,
                feedback.c.label.is_(True),
                feedback.c.given_at >= since,
            )
            .order_by(feedback.c.given_at.desc(), feedback.c.author)
            .limit(limit)
        )
        return await self._database.read(
            lambda connection: _latest(list(connection.execute(query)))
        )


def _latest(rows: Sequence[Row[Any]]) -> Sequence[LabelledOutcome]:
    """Keep the first row of each question."""
    found: dict[str, LabelledOutcome] = {}
    for row in rows:
        found.setdefault(
            row.question_id,
            LabelledOutcome(
                question_id=QuestionId(row.question_id),
                right=row.verdict is FeedbackVerdict.RIGHT,
                outcome=row.outcome,
                confidence=row.confidence,
                calibration_version=row.calibration_version,
            ),
        )
    return list(found.values())


def _row(given: Feedback) -> dict[str, object]:
    return {
        "question_id": given.question_id,
        "tenant_id": given.tenant_id,
        "author": given.author,
        "verdict": given.verdict,
        "answer": given.answer,
        "comment": given.comment,
        "label": given.label,
        "given_at": given.given_at,
    }


def _feedback(row: Row[Any]) -> Feedback:
    return Feedback(
        question_id=QuestionId(row.question_id),
        tenant_id=TenantId(row.tenant_id),
        author=row.author,
        verdict=row.verdict,
        answer=row.answer,
        comment=row.comment,
        label=row.label,
        given_at=row.given_at,
    )
