from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from backends.ledger.sql import SqlLedger
from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.documents import DEFAULT_TENANT, DocumentId, OriginKind, OriginRef, TenantId
from domain.errors import PermanentError, TransientError
from domain.ledger import Ledger, ObservationLedger, QuestionRecord
from domain.monitoring import (
    Alert,
    AlertId,
    AlertStatus,
    EvidenceNote,
    MonitorState,
    Observation,
    Severity,
    Topic,
    TopicId,
    Webhook,
    WebhookId,
)
from monitors.detectors.registry import SPIKE
from monitors.events import fingerprint
from monitors.stream_monitor import StreamMonitor
from monitors.stream_states import NAME
from tests.builders import EPOCH
from tests.ledger_rows import alert as other_alert
from tests.ledgers import clock, migrated_sqlite, sqlite_url
from tests.telling import tell
from tests.unit.monitors.streams import TOPIC, observe

__all__ = ["clock", "migrated_sqlite", "sqlite_url"]

pytestmark = pytest.mark.anyio

LATER = EPOCH + timedelta(days=1)
HOOK = WebhookId("wh_a")
QUIET = [observe(number, 0.0) for number in range(30)]
# Loud to the detector of spikes alone: neither disputed nor of thin margin.
LOUD = [replace(observe(number, 0.65), margin=1.0) for number in range(30, 50)]
CALM = [observe(number, 0.0) for number in range(50, 90)]


@pytest.fixture(params=["memory", "sqlite"])
async def ledger(request: pytest.FixtureRequest, clock: ManualClock) -> AsyncIterator[Ledger]:
    if request.param == "memory":
        yield InMemoryLedger(clock=clock, ids=SequentialIds())
        return
    url: str = request.getfixturevalue("sqlite_url")
    ledger = SqlLedger(url, clock=clock, ids=SequentialIds())
    yield ledger
    await ledger.close()


@pytest.fixture
def ids() -> SequentialIds:
    return SequentialIds()


@pytest.fixture
def monitor(ledger: Ledger, ids: SequentialIds) -> StreamMonitor:
    return StreamMonitor(ledger.observations, ledger.alerts, ids=ids)


async def write(
    ledger: Ledger, observations: Sequence[Observation], *, topic_id: TopicId = TOPIC
) -> None:
    """Write as the gateway does: the topic counts the question, then the observation is there."""
    known = {topic.id: topic for topic in await ledger.observations.topics(DEFAULT_TENANT)}
    old = known.get(topic_id)
    topic = Topic(
        id=topic_id,
        tenant_id=DEFAULT_TENANT,
        centroid=np.array([1.0, 0.0], dtype=np.float32),
        size=1,
        terms=("secretword",),
        created_at=EPOCH,
        version=0 if old is None else old.version + 1,
    )
    assert await ledger.observations.save_topic(topic)
    for observation in observations:
        record = QuestionRecord(
            id=observation.question_id,
            tenant_id=DEFAULT_TENANT,
            principal=observation.principal,
            asked_at=observation.observed_at,
            outcome=observation.outcome,
            trace="{}",
        )
        await ledger.questions.add(record, observation)


async def subscribe(ledger: Ledger) -> None:
    webhook = Webhook(
        id=HOOK,
        tenant_id=DEFAULT_TENANT,
        url="https://example.org/",
        secret="whsec_c2VjcmV0",
        event_types=frozenset({"alert.firing", "alert.resolved"}),
        created_at=EPOCH,
    )
    await ledger.webhooks.add(webhook, actor="test")


async def events(ledger: Ledger) -> list[dict[str, object]]:
    await tell(ledger)
    deliveries = await ledger.webhooks.deliveries(DEFAULT_TENANT, HOOK)
    return [json.loads(delivery.payload) for delivery in reversed(deliveries)]


async def alerts(ledger: Ledger) -> Sequence[Alert]:
    page = await ledger.alerts.list(DEFAULT_TENANT, status=None, cursor=None, limit=50)
    return page.items


async def test_a_spike_fires_once_however_often_it_is_evaluated(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await write(ledger, [*QUIET, *LOUD])

    first = await monitor.evaluate(DEFAULT_TENANT, now=LATER)
    again = await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    assert [alert.status for alert in first] == [AlertStatus.FIRING]
    assert again == []
    (stored,) = await alerts(ledger)
    assert stored == first[0]
    assert stored.labels == {"monitor": SPIKE, "topic": TOPIC}
    assert stored.severity is Severity.WARNING


async def test_an_alert_resolves_after_the_calm_and_keeps_its_id(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await write(ledger, [*QUIET, *LOUD])
    fired = await monitor.evaluate(DEFAULT_TENANT, now=LATER)
    await write(ledger, CALM)

    resolved = await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    assert [(alert.id, alert.status) for alert in resolved] == [(fired[0].id, AlertStatus.RESOLVED)]
    assert resolved[0].ends_at is not None
    assert resolved[0].ends_at > resolved[0].starts_at


async def test_only_the_struck_topic_alerts(ledger: Ledger, monitor: StreamMonitor) -> None:
    await write(ledger, [*QUIET, *LOUD])
    other = TopicId("top_other")
    calm = [replace(observe(number, 0.0), topic_id=other) for number in range(100, 160)]
    await write(ledger, calm, topic_id=other)

    changed = await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    assert [alert.labels["topic"] for alert in changed] == [TOPIC]


async def test_receivers_are_told_ids_and_numbers_and_no_words(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await subscribe(ledger)
    await write(ledger, [*QUIET, *LOUD, *CALM])

    changed = await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    assert [alert.status for alert in changed] == [AlertStatus.FIRING, AlertStatus.RESOLVED]
    firing, resolved = await events(ledger)
    assert (firing["type"], resolved["type"]) == ("alert.firing", "alert.resolved")
    assert "secretword" not in json.dumps([firing, resolved])
    data = firing["data"]
    assert isinstance(data, dict)
    assert data["id"] == changed[0].id
    assert data["labels"] == {"monitor": SPIKE, "topic": TOPIC}
    assert data["ceiling"] > data["usual"]
    assert set(data["questions"]) <= {seen.question_id for seen in LOUD}
    assert changed[0].annotations["questions"].split(",") == data["questions"]
    ended = resolved["data"]
    assert isinstance(ended, dict)
    assert (ended["id"], ended["status"]) == (changed[0].id, "resolved")


async def test_an_alert_and_its_event_name_whom_it_suspects(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await subscribe(ledger)
    note = EvidenceNote(
        document_id=DocumentId("doc_p"),
        origin=OriginRef(kind=OriginKind.UPLOADER, id="x"),
        established=False,
        family_id="fam_p",
        age_days=1.0,
        trust=0.5,
    )
    await write(ledger, [*QUIET, *(replace(one, evidence=(note,)) for one in LOUD)])

    await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    named = {one.name: one.suspects for one in await alerts(ledger)}
    (suspect,) = named[SPIKE]
    assert (suspect.document_id, suspect.origin) == ("doc_p", "uploader:x")
    data = next(e["data"] for e in await events(ledger) if e["data"]["name"] == SPIKE)  # type: ignore[index]
    assert data["suspects"] == [  # type: ignore[index]
        {
            "document": "doc_p",
            "origin": "uploader:x",
            "family": "fam_p",
            "score": suspect.score,
            "reasons": list(suspect.reasons),
        }
    ]


async def test_an_alert_of_a_merged_topic_ends_where_its_questions_go_on(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await write(ledger, [*QUIET, *LOUD])
    await monitor.evaluate(DEFAULT_TENANT, now=LATER)
    other = TopicId("top_other")
    await write(ledger, [replace(one, topic_id=other) for one in CALM], topic_id=other)
    (merged,) = [one for one in await ledger.observations.topics(DEFAULT_TENANT) if one.id == TOPIC]

    await ledger.observations.save_topic(
        replace(merged, merged_into=other, version=merged.version + 1)
    )
    changed = await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    assert (SPIKE, AlertStatus.RESOLVED) in {(one.name, one.status) for one in changed}


async def test_two_evaluators_at_once_fire_once(ledger: Ledger, ids: SequentialIds) -> None:
    await subscribe(ledger)
    await write(ledger, [*QUIET, *LOUD])
    pair = [StreamMonitor(ledger.observations, ledger.alerts, ids=ids) for _ in range(2)]

    changed = await asyncio.gather(
        *(monitor.evaluate(DEFAULT_TENANT, now=LATER) for monitor in pair)
    )

    assert sum(map(len, changed)) == 1
    assert len(await alerts(ledger)) == 1
    assert len(await events(ledger)) == 1


class DyingObservations:
    """An observation ledger whose process dies before it writes a monitor's state."""

    def __init__(self, ledger: ObservationLedger) -> None:
        self._ledger = ledger
        self.window = ledger.window
        self.latencies = ledger.latencies
        self.recorded = ledger.recorded
        self.topics = ledger.topics
        self.save_topic = ledger.save_topic
        self.monitor_state = ledger.monitor_state

    async def save_monitor_state(self, state: MonitorState) -> bool:
        raise TransientError("gone")


async def test_a_crash_between_alert_and_state_neither_loses_nor_doubles_the_alert(
    ledger: Ledger, ids: SequentialIds
) -> None:
    await subscribe(ledger)
    await write(ledger, [*QUIET, *LOUD])
    dying = StreamMonitor(DyingObservations(ledger.observations), ledger.alerts, ids=ids)
    with pytest.raises(TransientError):
        await dying.evaluate(DEFAULT_TENANT, now=LATER)
    survivor = StreamMonitor(ledger.observations, ledger.alerts, ids=ids)

    repeated = await survivor.evaluate(DEFAULT_TENANT, now=LATER)
    await write(ledger, CALM)
    resolved = await survivor.evaluate(DEFAULT_TENANT, now=LATER)

    assert repeated == []
    assert [alert.status for alert in resolved] == [AlertStatus.RESOLVED]
    assert [event["type"] for event in await events(ledger)] == ["alert.firing", "alert.resolved"]


async def test_a_restart_changes_nothing(ledger: Ledger, ids: SequentialIds) -> None:
    await write(ledger, [*QUIET, *LOUD[:3]])
    before = StreamMonitor(ledger.observations, ledger.alerts, ids=ids)
    await before.evaluate(DEFAULT_TENANT, now=LATER)
    await write(ledger, LOUD[3:])
    after = StreamMonitor(ledger.observations, ledger.alerts, ids=ids)

    changed = await after.evaluate(DEFAULT_TENANT, now=LATER)

    assert [alert.status for alert in changed] == [AlertStatus.FIRING]


async def test_an_alert_that_an_overtaken_evaluator_left_standing_is_resolved(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await write(ledger, QUIET)
    await monitor.evaluate(DEFAULT_TENANT, now=LATER)
    labels = {"monitor": SPIKE, "topic": str(TOPIC)}
    stray = Alert(
        id=AlertId("alr_stray"),
        tenant_id=DEFAULT_TENANT,
        name="stray",
        fingerprint=fingerprint(labels),
        severity=Severity.WARNING,
        status=AlertStatus.FIRING,
        labels=labels,
        annotations={},
        starts_at=EPOCH,
    )
    await ledger.alerts.fire(stray, event_type="alert.firing", payload="{}")

    changed = await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    assert [alert.status for alert in changed] == [AlertStatus.RESOLVED]


async def test_an_alert_that_was_resolved_over_the_state_stands_up_again(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await write(ledger, [*QUIET, *LOUD])
    (fired,) = await monitor.evaluate(DEFAULT_TENANT, now=LATER)
    await ledger.alerts.resolve(
        DEFAULT_TENANT, fired.fingerprint, at=LATER, event_type="alert.resolved", payload="{}"
    )

    changed = await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    assert [alert.status for alert in changed] == [AlertStatus.FIRING]
    assert changed[0].id != fired.id


async def test_alerts_of_other_monitors_are_left_alone(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await write(ledger, QUIET)
    await ledger.alerts.fire(other_alert(), event_type="alert.firing", payload="{}")

    assert await monitor.evaluate(DEFAULT_TENANT, now=LATER) == []


async def test_what_is_committed_shortly_after_its_topic_is_not_missed(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await write(ledger, QUIET)
    await write(ledger, [])
    await monitor.evaluate(DEFAULT_TENANT, now=LATER)
    for observation in LOUD:
        await ledger.questions.add(
            QuestionRecord(
                id=observation.question_id,
                tenant_id=DEFAULT_TENANT,
                principal="key:a",
                asked_at=observation.observed_at,
                outcome=observation.outcome,
                trace="{}",
            ),
            observation,
        )

    changed = await monitor.evaluate(DEFAULT_TENANT, now=LATER + timedelta(seconds=60))

    assert len(changed) == 1


class CountingObservations:
    def __init__(self, ledger: ObservationLedger) -> None:
        self._ledger = ledger
        self.latencies = ledger.latencies
        self.recorded = ledger.recorded
        self.topics = ledger.topics
        self.save_topic = ledger.save_topic
        self.monitor_state = ledger.monitor_state
        self.save_monitor_state = ledger.save_monitor_state
        self.limits: list[int] = []

    async def window(
        self, tenant_id: TenantId, topic_id: TopicId, *, limit: int
    ) -> Sequence[Observation]:
        self.limits.append(limit)
        return await self._ledger.window(tenant_id, topic_id, limit=limit)


async def test_topics_where_nothing_is_asked_are_not_read_again(
    ledger: Ledger, ids: SequentialIds
) -> None:
    counting = CountingObservations(ledger.observations)
    monitor = StreamMonitor(counting, ledger.alerts, ids=ids)
    await write(ledger, QUIET)
    await monitor.evaluate(DEFAULT_TENANT, now=LATER)
    counting.limits.clear()

    await monitor.evaluate(DEFAULT_TENANT, now=LATER + timedelta(minutes=10))

    assert counting.limits == []


async def test_a_backlog_is_read_back_to_what_was_taken(ledger: Ledger, ids: SequentialIds) -> None:
    backlog = [*QUIET, *LOUD, *(observe(number, 0.0) for number in range(50, 400))]
    await write(ledger, backlog)
    counting = CountingObservations(ledger.observations)
    monitor = StreamMonitor(counting, ledger.alerts, ids=ids)

    changed = await monitor.evaluate(DEFAULT_TENANT, now=LATER)
    counting.limits.clear()
    await write(ledger, [observe(400, 0.0)])
    await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    assert [alert.status for alert in changed] == [AlertStatus.FIRING, AlertStatus.RESOLVED]
    assert len(counting.limits) == 1


async def test_a_topic_whose_state_cannot_be_read_does_not_blind_the_others(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    bad = TopicId("top_a_bad")
    await write(ledger, [], topic_id=bad)
    await ledger.observations.save_monitor_state(
        MonitorState(tenant_id=DEFAULT_TENANT, topic_id=bad, monitor=NAME, state="junk")
    )
    await write(ledger, [*QUIET, *LOUD])

    with pytest.raises(PermanentError):
        await monitor.evaluate(DEFAULT_TENANT, now=LATER)

    assert len(await alerts(ledger)) == 1


async def test_tenants_do_not_see_each_others_alerts(
    ledger: Ledger, monitor: StreamMonitor
) -> None:
    await write(ledger, [*QUIET, *LOUD])

    assert await monitor.evaluate(TenantId("another"), now=LATER) == []


def test_a_fingerprint_does_not_depend_on_the_order_of_labels() -> None:
    assert fingerprint({"a": "1", "b": "2"}) == fingerprint({"b": "2", "a": "1"})
    assert fingerprint({"a": "1", "b": "2"}) != fingerprint({"a": "1,b", "": "2"})
