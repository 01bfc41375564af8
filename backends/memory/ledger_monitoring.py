"""Questions, observations, alerts and webhooks in this process's memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from backends.ledger import cursors
from domain.answering import Outcome, QuestionId
from domain.documents import TenantId
from domain.errors import ConflictError, NotFoundError
from domain.ledger import Page, QuestionRecord
from domain.monitoring import (
    Latency,
    MonitorState,
    Observation,
    Topic,
    TopicId,
)


class InMemoryObservationLedger:
    def __init__(self) -> None:
        self._observations: list[Observation] = []
        self._topics: dict[tuple[TenantId, TopicId], Topic] = {}
        self._states: dict[tuple[TenantId, TopicId, str], MonitorState] = {}

    async def window(
        self, tenant_id: TenantId, topic_id: TopicId, *, limit: int
    ) -> Sequence[Observation]:
        cursors.require_limit(limit)
        found = [
            observation
            for observation in self._observations
            if observation.tenant_id == tenant_id and observation.topic_id == topic_id
        ]
        found.sort(key=lambda observation: (observation.observed_at, observation.question_id))
        return found[-limit:]

    async def recorded(
        self,
        tenant_id: TenantId,
        *,
        since: datetime | None,
        after: QuestionId | None,
        limit: int,
    ) -> Sequence[Observation]:
        cursors.require_limit(limit)
        found = [
            observation
            for observation in self._observations
            if observation.tenant_id == tenant_id
            and (since is None or observation.observed_at >= since)
            and (observation.observed_at != since or observation.question_id > (after or ""))
        ]
        found.sort(key=lambda observation: (observation.observed_at, observation.question_id))
        return found[:limit]

    def of_question(self, question_id: QuestionId) -> Observation | None:
        """Return what was observed of a question; None where it was not."""
        found = (one for one in self._observations if one.question_id == question_id)
        return next(found, None)

    async def latencies(
        self, tenant_id: TenantId, *, since: datetime, limit: int
    ) -> Sequence[Latency]:
        cursors.require_limit(limit)
        found = [
            observation
            for observation in self._observations
            if observation.tenant_id == tenant_id and observation.observed_at >= since
        ]
        found.sort(key=lambda observation: observation.observed_at)
        return [
            Latency(latency_class=one.latency_class, seconds=one.seconds) for one in found[-limit:]
        ]

    async def topics(self, tenant_id: TenantId) -> Sequence[Topic]:
        found = [topic for topic in self._topics.values() if topic.tenant_id == tenant_id]
        return sorted(found, key=lambda topic: (topic.created_at, topic.id))

    async def save_topic(self, topic: Topic) -> bool:
        known = self._topics.get((topic.tenant_id, topic.id))
        if not _follows(topic.version, None if known is None else known.version):
            return False
        self._topics[topic.tenant_id, topic.id] = replace(topic, centroid=topic.centroid.copy())
        return True

    async def monitor_state(
        self, tenant_id: TenantId, topic_id: TopicId, monitor: str
    ) -> MonitorState | None:
        return self._states.get((tenant_id, topic_id, monitor))

    async def save_monitor_state(self, state: MonitorState) -> bool:
        key = (state.tenant_id, state.topic_id, state.monitor)
        known = self._states.get(key)
        if not _follows(state.version, None if known is None else known.version):
            return False
        self._states[key] = state
        return True

    def write(self, observation: Observation) -> None:
        self._observations.append(observation)

    def forget(self, *, made_before: datetime, limit: int) -> int:
        old = [seen for seen in self._observations if seen.observed_at < made_before][:limit]
        gone = {seen.question_id for seen in old}
        self._observations = [seen for seen in self._observations if seen.question_id not in gone]
        return len(old)

    def tenants(self) -> frozenset[TenantId]:
        return frozenset(tenant_id for tenant_id, _ in self._topics)


class InMemoryQuestionLedger:
    def __init__(self, observations: InMemoryObservationLedger) -> None:
        self._observations = observations
        self._questions: dict[QuestionId, QuestionRecord] = {}

    async def add(self, record: QuestionRecord, observation: Observation | None) -> None:
        if record.id in self._questions:
            raise ConflictError("the ledger has a row with that id already")
        self._questions[record.id] = record
        if observation is not None:
            self._observations.write(observation)

    async def list(
        self, tenant_id: TenantId, *, outcome: Outcome | None, cursor: str | None, limit: int
    ) -> Page[QuestionRecord]:
        cursors.require_limit(limit)
        found = [
            record
            for record in self._questions.values()
            if record.tenant_id == tenant_id and outcome in {None, record.outcome}
        ]
        if cursor is not None:
            last = cursors.decode(cursor)
            found = [record for record in found if _asked(record).key < last.key]
        found.sort(key=lambda record: _asked(record).key, reverse=True)
        return cursors.page(found[: limit + 1], limit=limit, position=_asked)

    async def get(self, tenant_id: TenantId, question_id: QuestionId) -> QuestionRecord:
        record = self._questions.get(question_id)
        if record is None or record.tenant_id != tenant_id:
            raise NotFoundError(f"no question {question_id!r}")
        return record

    async def given_again(
        self, tenant_id: TenantId, of: Collection[QuestionId], *, until: datetime | None
    ) -> Sequence[QuestionId]:
        return sorted(
            record.id
            for record in self._questions.values()
            if record.tenant_id == tenant_id
            and record.again_of in of
            and (until is None or record.asked_at <= until)
        )


def _asked(record: QuestionRecord) -> cursors.Position:
    return cursors.Position(at=record.asked_at, id=record.id)


def _follows(version: int, known: int | None) -> bool:
    return known is None if version == 0 else known == version - 1
