"""A monitor over a ledger whose clock ran ahead for a while, and was put right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.documents import DEFAULT_TENANT
from domain.ledger import Ledger
from domain.monitoring import AlertStatus, Observation, Topic
from monitors.detectors.registry import SPIKE
from monitors.stream_monitor import StreamMonitor
from tests.builders import EPOCH
from tests.ledger_rows import question
from tests.unit.monitors.streams import TOPIC, observe

pytestmark = pytest.mark.anyio

QUIET = [observe(number, 0.0) for number in range(30)]
LOUD = [replace(observe(number, 0.65), margin=1.0) for number in range(32, 52)]


async def write(ledger: Ledger, version: int, observations: Sequence[Observation]) -> None:
    topic = Topic(
        id=TOPIC,
        tenant_id=DEFAULT_TENANT,
        centroid=np.array([1.0, 0.0], dtype=np.float32),
        size=1,
        terms=(),
        created_at=EPOCH,
        version=version,
    )
    assert await ledger.observations.save_topic(topic)
    for seen in observations:
        await ledger.questions.add(question(seen.question_id), seen)


async def test_monitors_see_again_as_soon_as_the_clock_is_right() -> None:
    ids = SequentialIds()
    ledger = InMemoryLedger(clock=ManualClock(), ids=ids)
    monitor = StreamMonitor(ledger.observations, ledger.alerts, ids=ids)
    tomorrow = EPOCH + timedelta(days=1)
    ahead = replace(observe(30, 0.0), observed_at=tomorrow)
    await write(ledger, 0, [*QUIET, ahead])
    assert await monitor.evaluate(DEFAULT_TENANT, now=tomorrow) == []

    await monitor.evaluate(DEFAULT_TENANT, now=QUIET[-1].observed_at + timedelta(minutes=1))
    await write(ledger, 1, LOUD)
    told = await monitor.evaluate(DEFAULT_TENANT, now=LOUD[-1].observed_at)
    again = await monitor.evaluate(DEFAULT_TENANT, now=tomorrow)

    assert [(one.name, one.status) for one in told] == [(SPIKE, AlertStatus.FIRING)]
    assert again == []
