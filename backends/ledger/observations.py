"""The tables of the monitors: observations, topics, and what detectors remember."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, Row, Table, select, update

from backends.ledger.cursors import require_limit
from backends.ledger.engine import Database
from backends.ledger.schema import monitor_states, observations, topics
from backends.ledger.statements import insert_new, insert_rows
from backends.ledger.types import to_json
from domain.answering import QuestionId
from domain.documents import DocumentId, OriginKind, OriginRef, TenantId
from domain.monitoring import EvidenceNote, Latency, MonitorState, Observation, Topic, TopicId


def insert_observation(connection: Connection, observation: Observation) -> None:
    insert_rows(
        connection,
        observations,
        {
            "question_id": observation.question_id,
            "tenant_id": observation.tenant_id,
            "topic_id": observation.topic_id,
            "principal": observation.principal,
            "question_key": observation.question_key,
            "observed_at": observation.observed_at,
            "disagreement": observation.disagreement,
            "entropy": observation.entropy,
            "agreement": observation.agreement,
            "margin": observation.margin,
            "confidence": observation.confidence,
            "outcome": observation.outcome,
            "answer_group": observation.answer_group,
            "seats": observation.seats,
            "m": observation.m,
            "route": observation.route,
            "calibration_version": observation.calibration_version,
            "evidence": to_json([_written_note(note) for note in observation.evidence]),
            "latency_class": observation.latency_class,
            "seconds": observation.seconds,
        },
    )


class SqlObservationLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def window(
        self, tenant_id: TenantId, topic_id: TopicId, *, limit: int
    ) -> Sequence[Observation]:
        require_limit(limit)
        query = (
            select(observations)
            .where(observations.c.tenant_id == tenant_id, observations.c.topic_id == topic_id)
            .order_by(observations.c.observed_at.desc(), observations.c.question_id.desc())
            .limit(limit)
        )
        found = await self._database.read(
            lambda connection: [_observation(row) for row in connection.execute(query)]
        )
        return found[::-1]

    async def recorded(
        self,
        tenant_id: TenantId,
        *,
        since: datetime | None,
        after: QuestionId | None,
        limit: int,
    ) -> Sequence[Observation]:
        require_limit(limit)
        at, question_id = observations.c.observed_at, observations.c.question_id
        query = select(observations).where(observations.c.tenant_id == tenant_id)
        if since is not None:
            same = (at == since) & (question_id > (after or ""))
            query = query.where((at > since) | same)
        query = query.order_by(at, question_id).limit(limit)
        return await self._database.read(
            lambda connection: [_observation(row) for row in connection.execute(query)]
        )

    async def latencies(
        self, tenant_id: TenantId, *, since: datetime, limit: int
    ) -> Sequence[Latency]:
        require_limit(limit)
        query = (
            select(observations.c.latency_class, observations.c.seconds)
            .where(observations.c.tenant_id == tenant_id, observations.c.observed_at >= since)
            .order_by(observations.c.observed_at.desc())
            .limit(limit)
        )
        return await self._database.read(
            lambda connection: [
                Latency(latency_class=row.latency_class, seconds=row.seconds)
                for row in connection.execute(query)
            ]
        )

    async def topics(self, tenant_id: TenantId) -> Sequence[Topic]:
        query = (
            select(topics)
            .where(topics.c.tenant_id == tenant_id)
            .order_by(topics.c.created_at, topics.c.id)
        )
        return await self._database.read(
            lambda connection: [_topic(row) for row in connection.execute(query)]
        )

    async def save_topic(self, topic: Topic) -> bool:
        key = {"tenant_id": topic.tenant_id, "id": topic.id}
        values = {
            "centroid": np.asarray(topic.centroid, dtype="<f4").tobytes(),
            "size": topic.size,
            "terms": to_json(topic.terms),
            "created_at": topic.created_at,
            "merged_into": topic.merged_into,
        }
        return await self._database.write(
            lambda connection: _save_version(connection, topics, key, values, topic.version)
        )

    async def monitor_state(
        self, tenant_id: TenantId, topic_id: TopicId, monitor: str
    ) -> MonitorState | None:
        query = select(monitor_states).where(
            monitor_states.c.tenant_id == tenant_id,
            monitor_states.c.topic_id == topic_id,
            monitor_states.c.monitor == monitor,
        )
        row = await self._database.read(lambda connection: connection.execute(query).first())
        if row is None:
            return None
        return MonitorState(
            tenant_id=TenantId(row.tenant_id),
            topic_id=TopicId(row.topic_id),
            monitor=row.monitor,
            state=row.state,
            version=row.version,
        )

    async def save_monitor_state(self, state: MonitorState) -> bool:
        key = {
            "tenant_id": state.tenant_id,
            "topic_id": state.topic_id,
            "monitor": state.monitor,
        }
        return await self._database.write(
            lambda connection: _save_version(
                connection, monitor_states, key, {"state": state.state}, state.version
            )
        )


def _save_version(
    connection: Connection,
    table: Table[Any],
    key: Mapping[str, str],
    values: Mapping[str, object],
    version: int,
) -> bool:
    """Insert version 0, or replace the version before this one; return whether it was written."""
    if version == 0:
        return insert_new(
            connection,
            table,
            {**key, **values, "version": 0},
            unique=tuple(table.primary_key.columns.keys()),
        )
    same: list[ColumnElement[bool]] = [table.c[name] == value for name, value in key.items()]
    changed = connection.execute(
        update(table)
        .where(*same, table.c["version"] == version - 1)
        .values(**values, version=version)
    )
    return changed.rowcount == 1


def _written_note(note: EvidenceNote) -> Mapping[str, object]:
    return {
        "document_id": note.document_id,
        "origin_kind": note.origin.kind.value,
        "origin_id": note.origin.id,
        "established": note.established,
        "family_id": note.family_id,
        "age_days": note.age_days,
        "trust": note.trust,
    }


def _note(written: Mapping[str, Any]) -> EvidenceNote:
    return EvidenceNote(
        document_id=DocumentId(written["document_id"]),
        origin=OriginRef(kind=OriginKind(written["origin_kind"]), id=written["origin_id"]),
        established=written["established"],
        family_id=written["family_id"],
        age_days=written["age_days"],
        trust=written["trust"],
    )


def _observation(row: Row[Any]) -> Observation:
    return Observation(
        question_id=QuestionId(row.question_id),
        tenant_id=TenantId(row.tenant_id),
        topic_id=TopicId(row.topic_id),
        principal=row.principal,
        question_key=row.question_key,
        observed_at=row.observed_at,
        disagreement=row.disagreement,
        entropy=row.entropy,
        agreement=row.agreement,
        margin=row.margin,
        confidence=row.confidence,
        outcome=row.outcome,
        answer_group=row.answer_group,
        seats=row.seats,
        m=row.m,
        route=row.route,
        calibration_version=row.calibration_version,
        evidence=tuple(_note(written) for written in json.loads(row.evidence)),
        latency_class=row.latency_class,
        seconds=row.seconds,
    )


def _topic(row: Row[Any]) -> Topic:
    return Topic(
        id=TopicId(row.id),
        tenant_id=TenantId(row.tenant_id),
        centroid=np.frombuffer(row.centroid, dtype="<f4").astype(np.float32),
        size=row.size,
        terms=tuple(json.loads(row.terms)),
        created_at=row.created_at,
        version=row.version,
        merged_into=None if row.merged_into is None else TopicId(row.merged_into),
    )
