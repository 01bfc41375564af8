"""What receivers are told of alerts, and which questions are put before reviewers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.answering import QuestionId
from domain.documents import DEFAULT_TENANT
from domain.monitoring import Alert, Severity, WebhookId
from monitors.events import payload
from monitors.lifecycle import MOST_TOGETHER, LifecycleOptions
from monitors.reviewing import ReviewSampler, sampled
from monitors.routing import AlertDispatcher
from tests.ledger_rows import REVIEWER, alert, observation, question, webhook

pytestmark = pytest.mark.anyio

HOOK = WebhookId("w1")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def ledger(clock: ManualClock) -> InMemoryLedger:
    return InMemoryLedger(clock=clock, ids=SequentialIds())


@pytest.fixture
def dispatcher(ledger: InMemoryLedger, clock: ManualClock) -> AlertDispatcher:
    return AlertDispatcher(
        ledger.alerts,
        ledger.silences,
        clock=clock,
        options=LifecycleOptions(
            group_interval=timedelta(minutes=1), repeat_interval=timedelta(hours=4)
        ),
        reviews=ReviewSampler(
            ledger.questions, ledger.observations, ledger.reviews, sample=3, quota=2
        ),
        public_url="https://gateway.acme.example/",
    )


async def subscribe(ledger: InMemoryLedger, *types: str) -> None:
    await ledger.webhooks.add(webhook(event_types=types), actor=REVIEWER)


async def fire(ledger: InMemoryLedger, *alerts: Alert) -> None:
    for one in alerts:
        told = payload("alert.firing", one, {"disagreement": 0.61})
        assert await ledger.alerts.fire(one, event_type="alert.firing", payload=told)


async def resolve(ledger: InMemoryLedger, clock: ManualClock, fingerprint: str = "f1") -> None:
    await ledger.alerts.resolve(
        DEFAULT_TENANT,
        fingerprint,
        at=clock.now(),
        event_type="alert.resolved",
        payload=payload("alert.resolved", alert(fingerprint=fingerprint), {}),
    )


async def events(ledger: InMemoryLedger) -> Sequence[dict[str, Any]]:
    found = await ledger.webhooks.deliveries(DEFAULT_TENANT, HOOK)
    return [json.loads(one.payload) for one in reversed(found)]


async def test_a_notice_carries_numbers_ids_and_a_link(
    ledger: InMemoryLedger, dispatcher: AlertDispatcher
) -> None:
    await subscribe(ledger, "alert.firing")
    await fire(ledger, alert())

    given = await dispatcher.dispatch(DEFAULT_TENANT)
    again = await dispatcher.dispatch(DEFAULT_TENANT)

    (told,) = await events(ledger)
    assert (given, again) == (1, 0)
    assert told["type"] == "alert.firing"
    assert told["data"]["disagreement"] == 0.61
    assert told["data"]["url"] == "https://gateway.acme.example/v1/alerts/a1"
    assert "alerts" not in told["data"]


@pytest.mark.parametrize(
    ("name", "firing", "resolved"),
    [
        ("disagreement-spike", "disagreement.firing", "disagreement.resolved"),
        ("answer-flip", "disagreement.firing", "disagreement.resolved"),
        ("calibration-drift", "calibration.drifted", None),
        ("detector-unavailable", "detector.unavailable", None),
        ("latency-p99", None, None),
    ],
)
async def test_receivers_may_want_one_kind_of_alert_alone(
    ledger: InMemoryLedger,
    dispatcher: AlertDispatcher,
    clock: ManualClock,
    name: str,
    firing: str | None,
    resolved: str | None,
) -> None:
    kinds = ("disagreement.firing", "disagreement.resolved", "calibration.drifted")
    await subscribe(ledger, *kinds, "detector.unavailable")
    await fire(ledger, replace(alert(), name=name))
    await dispatcher.dispatch(DEFAULT_TENANT)
    await resolve(ledger, clock)
    await dispatcher.dispatch(DEFAULT_TENANT)

    told = [event["type"] for event in await events(ledger)]

    assert told == [each for each in (firing, resolved) if each is not None]


async def test_an_episode_between_two_dispatches_is_told_whole(
    ledger: InMemoryLedger, dispatcher: AlertDispatcher, clock: ManualClock
) -> None:
    await subscribe(ledger, "alert.firing", "alert.resolved")
    await fire(ledger, alert())
    await resolve(ledger, clock)

    given = await dispatcher.dispatch(DEFAULT_TENANT)

    assert given == 2
    assert [event["type"] for event in await events(ledger)] == ["alert.firing", "alert.resolved"]
    assert not await ledger.alerts.standing(DEFAULT_TENANT)


async def test_a_reminder_says_that_it_is_one(
    ledger: InMemoryLedger, dispatcher: AlertDispatcher, clock: ManualClock
) -> None:
    await subscribe(ledger, "alert.firing")
    await fire(ledger, alert())
    await dispatcher.dispatch(DEFAULT_TENANT)
    clock.advance(4 * 3_600)

    await dispatcher.dispatch(DEFAULT_TENANT)

    first, second = await events(ledger)
    assert "reminder" not in first["data"]
    assert second["data"]["reminder"] == 1


async def test_a_flood_is_told_together_the_worst_first_and_each_is_named(
    ledger: InMemoryLedger, dispatcher: AlertDispatcher, clock: ManualClock
) -> None:
    await subscribe(ledger, "alert.firing")
    await fire(ledger, alert("first", fingerprint="first"))
    await dispatcher.dispatch(DEFAULT_TENANT)
    flood = [
        replace(alert(f"a{n}", fingerprint=f"f{n}"), severity=Severity.WARNING) for n in range(99)
    ]
    await fire(ledger, *flood, alert("worst", fingerprint="worst"))
    early = await dispatcher.dispatch(DEFAULT_TENANT)
    clock.advance(60)

    given = await dispatcher.dispatch(DEFAULT_TENANT)

    _, *together = await events(ledger)
    named = [one["id"] for event in together for one in event["data"]["alerts"]]
    assert (early, given) == (0, 2)
    assert [event["data"]["count"] for event in together] == [MOST_TOGETHER, MOST_TOGETHER]
    assert named[0] == together[0]["data"]["id"] == "worst"
    assert sorted(named) == sorted(["worst", *(f"a{n}" for n in range(99))])


async def test_a_sample_of_the_questions_waits_for_a_reviewer(
    ledger: InMemoryLedger, dispatcher: AlertDispatcher, clock: ManualClock
) -> None:
    ids = [f"q{n}" for n in range(6)]
    for n, id in enumerate(ids):
        asker = f"key:{'flooder' if n < 5 else 'other'}"
        seen = replace(observation(id), principal=asker)
        await ledger.questions.add(replace(question(id), principal=asker), seen)
    fired = replace(alert(), annotations={"questions": ",".join([*ids, "q_gone"])})
    await fire(ledger, fired)

    await dispatcher.dispatch(DEFAULT_TENANT)

    waiting = await ledger.reviews.open(DEFAULT_TENANT, limit=9)
    chosen = sampled(fired, 3)
    assert {one.question_id for one in waiting} <= set(chosen)
    assert sum(one.principal == "key:flooder" for one in waiting) <= 2
    assert {one.reach for one in waiting} == {2}
    assert {one.priority for one in waiting} == {6}


def test_a_sample_is_the_same_each_time_and_another_for_another_alert() -> None:
    ids = ",".join(f"q{n}" for n in range(100))
    one = replace(alert("a1"), annotations={"questions": ids})
    other = replace(alert("a2"), annotations={"questions": ids})

    assert sampled(one, 5) == sampled(one, 5) != sampled(other, 5)
    assert set(sampled(one, 999)) == {QuestionId(f"q{n}") for n in range(100)}
    assert not sampled(alert(), 5)
