"""The tables of silences and of questions that alerts put before reviewers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, case, func, or_, select, update

from backends.ledger import entries
from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.schema import reviews, silences
from backends.ledger.statements import insert_new, insert_rows
from backends.ledger.transitions import require_reason, unknown_review, unknown_silence
from domain.alerting import SEVERITY_WEIGHTS, Review, Silence
from domain.answering import QuestionId
from domain.documents import TenantId
from domain.monitoring import AlertId


class SqlSilenceLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, silence: Silence) -> None:
        require_reason(silence.reason)

        def body(connection: Connection) -> None:
            insert_rows(
                connection,
                silences,
                {
                    "id": silence.id,
                    "tenant_id": silence.tenant_id,
                    "matchers": silence.matchers,
                    "author": silence.author,
                    "reason": silence.reason,
                    "created_at": silence.created_at,
                    "expires_at": silence.expires_at,
                    "removed_at": silence.removed_at,
                },
            )
            append_entry(connection, entries.silence_added(silence))

        await self._database.write(body)

    async def list(self, tenant_id: TenantId) -> Sequence[Silence]:
        query = (
            select(silences)
            .where(silences.c.tenant_id == tenant_id)
            .order_by(silences.c.created_at.desc(), silences.c.id.desc())
        )
        return await self._database.read(
            lambda connection: [_silence(row) for row in connection.execute(query)]
        )

    async def active(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Silence]:
        query = select(silences).where(
            silences.c.tenant_id == tenant_id,
            silences.c.expires_at > now,
            or_(silences.c.removed_at.is_(None), silences.c.removed_at > now),
        )
        return await self._database.read(
            lambda connection: [_silence(row) for row in connection.execute(query)]
        )

    async def remove(
        self, tenant_id: TenantId, silence_id: str, *, actor: str, at: datetime
    ) -> Silence:
        query = select(silences).where(
            silences.c.tenant_id == tenant_id, silences.c.id == silence_id
        )

        def body(connection: Connection) -> Silence:
            row = connection.execute(query.with_for_update()).first()
            if row is None:
                raise unknown_silence(silence_id)
            before = _silence(row)
            if before.removed_at is not None:
                return before
            connection.execute(
                update(silences)
                .where(silences.c.id == silence_id, silences.c.tenant_id == tenant_id)
                .values(removed_at=at)
            )
            append_entry(connection, entries.silence_removed(before, actor=actor, at=at))
            return replace(before, removed_at=at)

        return await self._database.write(body)


class SqlReviewLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, new: Sequence[Review], *, quota: int) -> int:
        def body(connection: Connection) -> int:
            return sum(_add(connection, review, quota) for review in new)

        return await self._database.write(body)

    async def open(self, tenant_id: TenantId, *, limit: int) -> Sequence[Review]:
        require_limit(limit)
        weight = case(dict(SEVERITY_WEIGHTS), value=reviews.c.severity)
        query = (
            select(reviews)
            .where(reviews.c.tenant_id == tenant_id, reviews.c.closed_at.is_(None))
            .order_by((reviews.c.reach * weight).desc(), reviews.c.added_at, reviews.c.question_id)
            .limit(limit)
        )
        return await self._database.read(
            lambda connection: [_review(row) for row in connection.execute(query)]
        )

    async def close(
        self, tenant_id: TenantId, question_id: QuestionId, *, actor: str, at: datetime
    ) -> Review:
        chosen = (reviews.c.tenant_id == tenant_id, reviews.c.question_id == question_id)

        def body(connection: Connection) -> Review:
            row = connection.execute(select(reviews).where(*chosen).with_for_update()).first()
            if row is None:
                raise unknown_review(question_id)
            before = _review(row)
            if before.closed_at is not None:
                return before
            connection.execute(update(reviews).where(*chosen).values(closed_at=at, closed_by=actor))
            append_entry(connection, entries.review_closed(before, actor=actor, at=at))
            return replace(before, closed_at=at, closed_by=actor)

        return await self._database.write(body)


def _add(connection: Connection, review: Review, quota: int) -> bool:
    waiting = connection.execute(
        select(func.count())
        .select_from(reviews)
        .where(
            reviews.c.tenant_id == review.tenant_id,
            reviews.c.principal == review.principal,
            reviews.c.closed_at.is_(None),
        )
    ).scalar_one()
    if waiting >= quota:
        return False
    row = {
        "tenant_id": review.tenant_id,
        "question_id": review.question_id,
        "principal": review.principal,
        "alert_id": review.alert_id,
        "severity": review.severity,
        "reach": review.reach,
        "added_at": review.added_at,
        "closed_at": review.closed_at,
        "closed_by": review.closed_by,
    }
    return insert_new(connection, reviews, row, unique=("tenant_id", "question_id"))


def _silence(row: Row[Any]) -> Silence:
    return Silence(
        id=row.id,
        tenant_id=TenantId(row.tenant_id),
        matchers=row.matchers,
        author=row.author,
        reason=row.reason,
        created_at=row.created_at,
        expires_at=row.expires_at,
        removed_at=row.removed_at,
    )


def _review(row: Row[Any]) -> Review:
    return Review(
        tenant_id=TenantId(row.tenant_id),
        question_id=QuestionId(row.question_id),
        principal=row.principal,
        alert_id=AlertId(row.alert_id),
        severity=row.severity,
        reach=row.reach,
        added_at=row.added_at,
        closed_at=row.closed_at,
        closed_by=row.closed_by,
    )
