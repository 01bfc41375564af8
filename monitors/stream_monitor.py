"""Runs the detectors over each topic and each tenant, and keeps alerts in step with what they see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from domain.clock import IdFactory
from domain.documents import TenantId
from domain.errors import PermanentError
from domain.ledger import AlertLedger, ObservationLedger
from domain.monitoring import (
    Alert,
    AlertId,
    AlertStatus,
    AlertSuspect,
    MonitorState,
    Observation,
    Severity,
    Topic,
    TopicId,
)
from monitors.alert_suspects import alert_suspects
from monitors.detectors.interface import Detector
from monitors.detectors.registry import TENANT_DETECTORS, TOPIC_DETECTORS
from monitors.events import fingerprint
from monitors.sightings import Sighting, Signal, sighting_of
from monitors.standing import begin, end, firing
from monitors.stream import StreamOptions, StreamState, advance
from monitors.stream_states import NAME, dump_state, load_state

EVERYWHERE: Final = TopicId("*")
"""Where the state of the detectors is kept that look at all topics; no topic has that id."""

_SETTLED: Final = timedelta(minutes=2)
"""How long after a topic last changed its observations may still be on their way to the ledger."""

_FIRST_LOOK: Final = 64
_LONGEST_LOOK: Final = 4_096
_PAGE: Final = 1_000
_PAGES: Final = 8
_AROUND: Final = 100
"""Latest questions of a topic that an alert's suspects are told from."""


class StreamMonitor:
    """A `Monitor` of all that the detectors find, one alert a detector and topic.

    Alerts, like payloads, hold ids and numbers only. Not even a topic's terms: they are words of
    askers' questions, and receivers are outside. Who may see topics finds them by id.

    An alert is written before the state, so a crash between the two loses nothing: the next
    evaluation comes to the same signal, and the ledger takes it once, since an alert with that
    fingerprint is firing already. An alert of a topic that was merged into another follows the
    questions there until they are calm. At the end of each evaluation the ledger is made to say what the
    state says, which also undoes what an evaluator did that had been overtaken.
    """

    def __init__(
        self,
        observations: ObservationLedger,
        alerts: AlertLedger,
        *,
        ids: IdFactory,
        options: StreamOptions | None = None,
    ) -> None:
        self._observations = observations
        self._alerts = alerts
        self._ids = ids
        self._options = options or StreamOptions()
        self._seen: dict[TopicId, _Seen] = {}

    @property
    def name(self) -> str:
        return NAME

    async def evaluate(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Alert]:
        """Return alerts that changed status, oldest change first in each topic.

        Of two evaluators at once, the second finds the alert firing and the state moved on.

        Raises:
            TransientError: The ledger did not answer; the rest is done by the next call.
            PermanentError: The stored state of a topic cannot be read; the others were evaluated.
        """
        standing = await self._firing(tenant_id)
        changed: list[Alert] = []
        unreadable: PermanentError | None = None
        news = False
        for topic in await self._observations.topics(tenant_id):
            told = standing.get(topic.id, {})
            if not self._may_have_news(topic, now) and not told:
                continue
            news = True
            try:
                turn = _Turn(
                    tenant_id=tenant_id,
                    topic_id=topic.id,
                    detectors=TOPIC_DETECTORS,
                    standing=dict(told),
                    asked_at=topic.merged_into or topic.id,
                )
                changed += await self._evaluate_topic(turn, now)
            except PermanentError as exc:
                unreadable = exc
        if news:
            turn = _Turn(
                tenant_id=tenant_id,
                topic_id=EVERYWHERE,
                detectors=TENANT_DETECTORS,
                standing=dict(standing.get(EVERYWHERE, {})),
                asked_at=EVERYWHERE,
            )
            changed += await self._evaluate_tenant(turn, now)
        if unreadable is not None:
            raise unreadable
        return changed

    def _may_have_news(self, topic: Topic, now: datetime) -> bool:
        """Whether the topic changed lately, as it does with each question, or was not yet seen."""
        seen = self._seen.get(topic.id)
        if seen is None or seen.version != topic.version:
            self._seen[topic.id] = _Seen(version=topic.version, since=now)
            return True
        return now - seen.since <= _SETTLED

    async def _firing(self, tenant_id: TenantId) -> dict[TopicId, dict[str, Alert]]:
        """Return what fires, by topic and detector."""
        found: dict[TopicId, dict[str, Alert]] = {}
        async for alert in firing(self._alerts, tenant_id, *TOPIC_DETECTORS, *TENANT_DETECTORS):
            topic_id = TopicId(alert.labels.get("topic", EVERYWHERE))
            found.setdefault(topic_id, {})[alert.labels["monitor"]] = alert
        return found

    async def _evaluate_topic(self, turn: _Turn, now: datetime) -> Sequence[Alert]:
        stored, before = await self._state(turn)
        series = await self._unseen(turn, before.as_of(now, self._options))
        return await self._advance(turn, series, before, stored, now)

    async def _evaluate_tenant(self, turn: _Turn, now: datetime) -> Sequence[Alert]:
        """Take what was observed since the last call, page by page, oldest first."""
        stored, before = await self._state(turn)
        begin = before.as_of(now, self._options).horizon(self._options)
        series: list[Observation] = []
        for _ in range(_PAGES):
            page = await self._observations.recorded(
                turn.tenant_id,
                since=series[-1].observed_at if series else begin,
                after=series[-1].question_id if series else None,
                limit=_PAGE,
            )
            series += page
            if len(page) < _PAGE:
                break
        return await self._advance(turn, series, before, stored, now)

    async def _state(self, turn: _Turn) -> tuple[MonitorState | None, StreamState]:
        stored = await self._observations.monitor_state(turn.tenant_id, turn.topic_id, NAME)
        if stored is None:
            return None, StreamState()
        return stored, load_state(stored.state, turn.detectors)

    async def _advance(
        self,
        turn: _Turn,
        series: Sequence[Observation],
        before: StreamState,
        stored: MonitorState | None,
        now: datetime,
    ) -> Sequence[Alert]:
        turn.seen = [sighting_of(observation) for observation in series]
        step = advance(
            turn.seen,
            before,
            now=now,
            detectors=turn.detectors,
            options=self._options,
        )
        for signal in step.signals:
            if signal.status == AlertStatus.FIRING:
                await self._fire(turn, signal)
            else:
                await self._resolve(turn, signal.detector, signal.at, signal)
        if step.state == before or await self._save(turn, stored, step.state):
            await self._put_in_step(turn, step.state, now)
        return turn.changed

    async def _save(self, turn: _Turn, stored: MonitorState | None, state: StreamState) -> bool:
        return await self._observations.save_monitor_state(
            MonitorState(
                tenant_id=turn.tenant_id,
                topic_id=turn.topic_id,
                monitor=NAME,
                state=dump_state(state),
                version=0 if stored is None else stored.version + 1,
            )
        )

    async def _put_in_step(self, turn: _Turn, state: StreamState, now: datetime) -> None:
        for name in turn.detectors:
            signal = state.standing.get(name)
            if signal is None:
                await self._resolve(turn, name, now, None)
            elif name not in turn.standing:
                await self._fire(turn, signal)

    async def _unseen(self, turn: _Turn, state: StreamState) -> Sequence[Observation]:
        """Return the latest observations, back to what was taken long ago.

        After an outage with more than `_LONGEST_LOOK` questions on a topic the oldest are passed
        over.
        """
        horizon = state.horizon(self._options)
        limit = _FIRST_LOOK
        while True:
            series = await self._observations.window(turn.tenant_id, turn.asked_at, limit=limit)
            reached = horizon is not None and bool(series) and series[0].observed_at < horizon
            if reached or len(series) < limit or limit >= _LONGEST_LOOK:
                return series
            limit *= 4

    async def _fire(self, turn: _Turn, signal: Signal) -> None:
        alert = replace(
            _alert(turn, signal, id=AlertId(self._ids.new("alr"))),
            suspects=await self._suspects(turn, signal),
        )
        if await begin(self._alerts, alert, _numbers(signal)):
            turn.changed.append(alert)
            turn.standing[signal.detector] = alert
        elif signal.detector not in turn.standing:
            known = (await self._firing(turn.tenant_id)).get(turn.topic_id, {})
            if signal.detector in known:
                turn.standing[signal.detector] = known[signal.detector]

    async def _suspects(self, turn: _Turn, signal: Signal) -> tuple[AlertSuspect, ...]:
        around = await self._observations.window(
            turn.tenant_id, TopicId(signal.topic), limit=_AROUND
        )
        seen = {one.question_id: one for one in (*map(sighting_of, around), *turn.seen)}
        return alert_suspects(
            sorted(seen.values(), key=lambda one: one.order),
            affected=signal.questions,
            named=signal.sources,
        )

    async def _resolve(
        self, turn: _Turn, detector: str, at: datetime, signal: Signal | None
    ) -> None:
        standing = turn.standing.pop(detector, None)
        if standing is None:
            return
        numbers = {} if signal is None else _numbers(signal)
        resolved = await end(self._alerts, standing, numbers, at=at)
        if resolved is not None:
            turn.changed.append(resolved)


@dataclass(slots=True, kw_only=True)
class _Turn:
    """One evaluation of one stream.

    Attributes:
        standing: By detector, the alert that the ledger has firing.
        asked_at: Where its questions are: a merged topic's are asked at the one it went into.
        seen: The questions that are being taken.
    """

    tenant_id: TenantId
    topic_id: TopicId
    detectors: Mapping[str, Detector[Any]]
    standing: dict[str, Alert]
    asked_at: TopicId
    seen: Sequence[Sighting] = ()
    changed: list[Alert] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    version: int
    since: datetime


def _alert(turn: _Turn, signal: Signal, *, id: AlertId) -> Alert:
    labels = {"monitor": signal.detector}
    if turn.topic_id != EVERYWHERE:
        labels["topic"] = str(turn.topic_id)
    return Alert(
        id=id,
        tenant_id=turn.tenant_id,
        name=signal.detector,
        fingerprint=fingerprint(labels),
        severity=Severity(signal.severity),
        status=AlertStatus.FIRING,
        labels=labels,
        annotations={
            "reasons": "; ".join(signal.reasons),
            **{name: f"{value:.3g}" for name, value in signal.numbers.items()},
            "questions": ",".join(signal.questions),
            "sources": ",".join(signal.sources),
            "last_topic": signal.topic,
        },
        starts_at=signal.at,
    )


def _numbers(signal: Signal) -> Mapping[str, object]:
    return {
        **{name: round(value, 4) for name, value in signal.numbers.items()},
        "questions": list(signal.questions),
        "sources": list(signal.sources),
    }
