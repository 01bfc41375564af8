"""Watches every topic for engineered disagreement and keeps its alert in step with what it sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from domain.clock import IdFactory
from domain.documents import TenantId
from domain.errors import PermanentError
from domain.ledger import AlertLedger, ObservationLedger
from domain.monitoring import (
    Alert,
    AlertId,
    AlertStatus,
    MonitorState,
    Observation,
    Severity,
    Topic,
    TopicId,
)
from monitors.events import EVENT_FIRING, EVENT_RESOLVED, fingerprint, payload
from monitors.spike_states import dump_state, load_state
from monitors.spikes import Signal, SpikeOptions, SpikeState, advance, standing_signal
from monitors.standing import firing

NAME: Final = "disagreement-spike"

_CRITICAL_MEAN: Final = 0.5
"""Mean disagreement from which most pairs of seats contradict each other: no majority is left."""

_SETTLED: Final = timedelta(minutes=2)
"""How long after a topic last changed its observations may still be on their way to the ledger."""

_FIRST_LOOK: Final = 64
_LONGEST_LOOK: Final = 4_096


class DisagreementMonitor:
    """A `Monitor` of the spikes that `monitors.spikes` finds, one alert a topic.

    Alerts, like payloads, hold ids and numbers only. Not even a topic's terms: they are words of
    askers' questions, and receivers are outside. Who may see topics finds them by id.

    The alert is written before the state, so a crash between the two loses nothing: the next
    evaluation comes to the same signal, and the ledger takes it once, since an alert with that
    fingerprint is firing already. At the end of each evaluation the ledger is made to say what the
    state says, which also undoes what an evaluator did that had been overtaken.
    """

    def __init__(
        self,
        observations: ObservationLedger,
        alerts: AlertLedger,
        *,
        ids: IdFactory,
        options: SpikeOptions | None = None,
    ) -> None:
        self._observations = observations
        self._alerts = alerts
        self._ids = ids
        self._options = options or SpikeOptions()
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
        firing = await self._firing(tenant_id)
        changed: list[Alert] = []
        unreadable: PermanentError | None = None
        for topic in await self._observations.topics(tenant_id):
            if topic.id not in firing and not self._may_have_news(topic, now):
                continue
            try:
                changed += await self._evaluate_topic(topic, firing.get(topic.id), now)
            except PermanentError as exc:
                unreadable = exc
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

    async def _firing(self, tenant_id: TenantId) -> dict[TopicId, Alert]:
        return {
            TopicId(alert.labels["topic"]): alert
            async for alert in firing(self._alerts, tenant_id, NAME)
        }

    async def _evaluate_topic(
        self, topic: Topic, standing: Alert | None, now: datetime
    ) -> Sequence[Alert]:
        stored = await self._observations.monitor_state(topic.tenant_id, topic.id, NAME)
        before = SpikeState() if stored is None else load_state(stored.state)
        series = await self._unseen(topic, before)
        step = advance(series, before, now=now, options=self._options)
        turn = _Turn(topic=topic, standing=standing)
        for signal in step.signals:
            if signal.status is AlertStatus.FIRING:
                await self._fire(turn, signal)
            else:
                await self._resolve(turn, signal.at, signal)
        if step.state == before or await self._save(topic, stored, step.state):
            await self._put_in_step(turn, step.state, now)
        return turn.changed

    async def _save(self, topic: Topic, stored: MonitorState | None, state: SpikeState) -> bool:
        return await self._observations.save_monitor_state(
            MonitorState(
                tenant_id=topic.tenant_id,
                topic_id=topic.id,
                monitor=NAME,
                state=dump_state(state),
                version=0 if stored is None else stored.version + 1,
            )
        )

    async def _put_in_step(self, turn: _Turn, state: SpikeState, now: datetime) -> None:
        signal = standing_signal(state, self._options)
        if signal is None:
            await self._resolve(turn, now, None)
        elif turn.standing is None:
            await self._fire(turn, signal)

    async def _unseen(self, topic: Topic, state: SpikeState) -> Sequence[Observation]:
        """Return the latest observations, back to what was taken long ago.

        After an outage with more than `_LONGEST_LOOK` questions on a topic the oldest are passed
        over.
        """
        horizon = state.horizon(self._options)
        limit = _FIRST_LOOK
        while True:
            series = await self._observations.window(topic.tenant_id, topic.id, limit=limit)
            reached = horizon is not None and bool(series) and series[0].observed_at < horizon
            if reached or len(series) < limit or limit >= _LONGEST_LOOK:
                return series
            limit *= 4

    async def _fire(self, turn: _Turn, signal: Signal) -> None:
        alert = _alert(turn.topic, signal, id=AlertId(self._ids.new("alr")))
        told = _payload(EVENT_FIRING, alert, signal)
        if await self._alerts.fire(alert, event_type=EVENT_FIRING, payload=told):
            turn.changed.append(alert)
            turn.standing = alert
        elif turn.standing is None:
            turn.standing = (await self._firing(alert.tenant_id)).get(turn.topic.id)

    async def _resolve(self, turn: _Turn, at: datetime, signal: Signal | None) -> None:
        standing, turn.standing = turn.standing, None
        if standing is None:
            return
        at = max(at, standing.starts_at)
        ended = replace(standing, status=AlertStatus.RESOLVED, ends_at=at)
        resolved = await self._alerts.resolve(
            standing.tenant_id,
            standing.fingerprint,
            at=at,
            event_type=EVENT_RESOLVED,
            payload=_payload(EVENT_RESOLVED, ended, signal),
        )
        if resolved is not None:
            turn.changed.append(resolved)


@dataclass(slots=True, kw_only=True)
class _Turn:
    """One evaluation of one topic. `standing`: the alert that the ledger has firing."""

    topic: Topic
    standing: Alert | None
    changed: list[Alert] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    version: int
    since: datetime


def _alert(topic: Topic, signal: Signal, *, id: AlertId) -> Alert:
    labels = {"monitor": NAME, "topic": str(topic.id)}
    return Alert(
        id=id,
        tenant_id=topic.tenant_id,
        name=NAME,
        fingerprint=fingerprint(labels),
        severity=Severity.CRITICAL if signal.mean >= _CRITICAL_MEAN else Severity.WARNING,
        status=AlertStatus.FIRING,
        labels=labels,
        annotations={
            "disagreement": f"{signal.mean:.3f}",
            "reference": f"{signal.reference:.3f}",
            "threshold": f"{signal.reference + signal.needed:.3f}",
            "affected": str(len(signal.affected)),
            "questions": ",".join(signal.affected),
        },
        starts_at=signal.at,
    )


def _payload(event_type: str, alert: Alert, signal: Signal | None) -> str:
    """Return the event as receivers get it; `signal` is None where nothing new was observed."""
    if signal is None:
        return payload(event_type, alert, {})
    return payload(
        event_type,
        alert,
        {
            "disagreement": round(signal.mean, 4),
            "reference": round(signal.reference, 4),
            "threshold": round(signal.reference + signal.needed, 4),
            "questions": list(signal.affected),
        },
    )
