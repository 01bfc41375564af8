from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.documents import DEFAULT_TENANT
from domain.monitoring import AlertStatus, Severity, Webhook, WebhookId
from domain.verification import LatencyClass
from monitors.latency import LatencyMonitor, LatencyOptions, percentile
from tests.builders import EPOCH
from tests.ledger_rows import observation, question
from tests.telling import tell

pytestmark = pytest.mark.anyio

BUDGETS = {LatencyClass.FAST: 0.2, LatencyClass.THOROUGH: 30.0}
HOOK = WebhookId("wh_a")


@pytest.fixture
def ledger() -> InMemoryLedger:
    return InMemoryLedger(clock=ManualClock(), ids=SequentialIds())


@pytest.fixture
def monitor(ledger: InMemoryLedger) -> LatencyMonitor:
    return LatencyMonitor(
        ledger.observations,
        ledger.alerts,
        ids=SequentialIds(),
        options=LatencyOptions(budgets=BUDGETS, least=100),
    )


async def answers(
    ledger: InMemoryLedger,
    seconds: Sequence[float],
    *,
    at: datetime = EPOCH,
    latency_class: LatencyClass = LatencyClass.FAST,
) -> None:
    for number, taken in enumerate(seconds):
        name = f"{at.isoformat()}-{latency_class}-{number}"
        await ledger.questions.add(
            question(name),
            replace(observation(name, observed_at=at), seconds=taken, latency_class=latency_class),
        )


def test_a_percentile_is_the_nearest_rank() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([float(n) for n in range(1, 101)], 0.99) == 99.0
    assert percentile([7.0], 0.99) == 7.0


async def test_one_slow_answer_in_a_hundred_is_no_alert_and_two_are(
    ledger: InMemoryLedger, monitor: LatencyMonitor
) -> None:
    await answers(ledger, [0.05] * 99 + [0.9])
    one = await monitor.evaluate(DEFAULT_TENANT, now=EPOCH)

    await answers(ledger, [0.3], at=EPOCH + timedelta(seconds=1))
    (two,) = await monitor.evaluate(DEFAULT_TENANT, now=EPOCH + timedelta(seconds=1))

    assert one == []
    assert (two.status, two.severity) == (AlertStatus.FIRING, Severity.WARNING)
    assert two.labels == {"monitor": "latency-p99", "latency_class": "fast"}
    assert two.annotations == {"p99_seconds": "0.300", "budget_seconds": "0.2", "answers": "101"}


async def test_a_p99_far_over_the_budget_is_critical(
    ledger: InMemoryLedger, monitor: LatencyMonitor
) -> None:
    await answers(ledger, [0.5] * 100)

    (alert,) = await monitor.evaluate(DEFAULT_TENANT, now=EPOCH)

    assert alert.severity is Severity.CRITICAL


async def test_too_few_answers_prove_nothing(
    ledger: InMemoryLedger, monitor: LatencyMonitor
) -> None:
    await answers(ledger, [9.0] * 99)

    assert await monitor.evaluate(DEFAULT_TENANT, now=EPOCH) == []


async def test_each_class_has_its_own_budget(
    ledger: InMemoryLedger, monitor: LatencyMonitor
) -> None:
    await answers(ledger, [9.0] * 100, latency_class=LatencyClass.THOROUGH)
    await answers(ledger, [0.1] * 100)

    assert await monitor.evaluate(DEFAULT_TENANT, now=EPOCH) == []


async def test_a_standing_alert_is_told_once_and_ends_when_answers_are_quick_again(
    ledger: InMemoryLedger, monitor: LatencyMonitor
) -> None:
    await answers(ledger, [0.3] * 100)
    fired = await monitor.evaluate(DEFAULT_TENANT, now=EPOCH)
    again = await monitor.evaluate(DEFAULT_TENANT, now=EPOCH)
    later = EPOCH + timedelta(minutes=11)
    await answers(ledger, [0.19] * 100, at=later)
    still = await monitor.evaluate(DEFAULT_TENANT, now=later)
    calm = later + timedelta(minutes=11)
    await answers(ledger, [0.1] * 100, at=calm)

    (ended,) = await monitor.evaluate(DEFAULT_TENANT, now=calm)

    assert len(fired) == 1
    assert again == []
    assert still == []  # under the budget, and not by a tenth
    assert (ended.status, ended.ends_at) == (AlertStatus.RESOLVED, calm)


async def test_an_alert_ends_where_nobody_asks_any_more(
    ledger: InMemoryLedger, monitor: LatencyMonitor
) -> None:
    await answers(ledger, [0.3] * 100)
    await monitor.evaluate(DEFAULT_TENANT, now=EPOCH)

    (ended,) = await monitor.evaluate(DEFAULT_TENANT, now=EPOCH + timedelta(hours=1))

    assert ended.status is AlertStatus.RESOLVED


async def test_receivers_get_numbers(ledger: InMemoryLedger, monitor: LatencyMonitor) -> None:
    await ledger.webhooks.add(
        Webhook(
            id=HOOK,
            tenant_id=DEFAULT_TENANT,
            url="https://receiver.example/hook",
            secret="whsec_c2VjcmV0",
            event_types=frozenset({"alert.firing"}),
            created_at=EPOCH,
        ),
        actor="test",
    )
    await answers(ledger, [0.5] * 100)

    await monitor.evaluate(DEFAULT_TENANT, now=EPOCH)
    await tell(ledger)

    (delivery,) = await ledger.webhooks.deliveries(DEFAULT_TENANT, HOOK)
    told = json.loads(delivery.payload)
    assert told["type"] == "alert.firing"
    assert told["data"]["labels"] == {"monitor": "latency-p99", "latency_class": "fast"}
    assert (told["data"]["p99"], told["data"]["budget"], told["data"]["answers"]) == (0.5, 0.2, 100)
