"""What every `ObservationLedger` must do."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from domain.documents import DEFAULT_TENANT
from domain.ledger import Ledger
from domain.monitoring import MonitorState, TopicId
from domain.verification import LatencyClass
from tests.ledger_rows import OTHER_TENANT, later, observation, question, topic

pytestmark = pytest.mark.anyio

T1 = TopicId("t1")


def state(version: int = 0, *, content: str = '{"mean": 0.1}') -> MonitorState:
    return MonitorState(
        tenant_id=DEFAULT_TENANT, topic_id=T1, monitor="spike", state=content, version=version
    )


async def test_a_window_holds_the_latest_oldest_first(ledger: Ledger) -> None:
    for name, seconds in (("q3", 3), ("q1", 1), ("q2b", 2), ("q2a", 2)):
        await ledger.questions.add(question(name), observation(name, observed_at=later(seconds)))

    latest = await ledger.observations.window(DEFAULT_TENANT, T1, limit=3)
    every = await ledger.observations.window(DEFAULT_TENANT, T1, limit=99)

    assert [item.question_id for item in latest] == ["q2a", "q2b", "q3"]
    assert [item.question_id for item in every] == ["q1", "q2a", "q2b", "q3"]


async def test_an_observation_comes_back_exactly(ledger: Ledger) -> None:
    seen = replace(
        observation(),
        disagreement=1 / 3,
        entropy=0.1 + 0.2,
        answer_group="ab" * 32,
        calibration_version=None,
        evidence=(),
        latency_class=LatencyClass.THOROUGH,
        seconds=0.1 + 0.2,
    )
    await ledger.questions.add(question("q1"), seen)
    await ledger.questions.add(question("q2"), observation("q2", observed_at=later(1)))

    window = await ledger.observations.window(DEFAULT_TENANT, T1, limit=9)

    assert window == [seen, observation("q2", observed_at=later(1))]


async def test_windows_are_apart_by_topic_and_tenant(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), observation("q1"))
    await ledger.questions.add(question("q2"), observation("q2", topic="t2"))
    await ledger.questions.add(
        question("q3", tenant_id=OTHER_TENANT), observation("q3", tenant_id=OTHER_TENANT)
    )

    window = await ledger.observations.window(DEFAULT_TENANT, T1, limit=9)

    assert [item.question_id for item in window] == ["q1"]


async def test_a_record_is_read_page_by_page_oldest_first_over_all_topics(ledger: Ledger) -> None:
    for name, topic_name, seconds in (
        ("q3", "t1", 3),
        ("q1", "t2", 1),
        ("q2b", "t1", 2),
        ("q2a", "t2", 2),
    ):
        seen = observation(name, topic=topic_name, observed_at=later(seconds))
        await ledger.questions.add(question(name), seen)
    other = observation("q0", tenant_id=OTHER_TENANT, observed_at=later(2))
    await ledger.questions.add(question("q0", tenant_id=OTHER_TENANT), other)

    first = await ledger.observations.recorded(DEFAULT_TENANT, since=None, after=None, limit=2)
    rest = await ledger.observations.recorded(
        DEFAULT_TENANT, since=first[-1].observed_at, after=first[-1].question_id, limit=9
    )
    since = await ledger.observations.recorded(DEFAULT_TENANT, since=later(2), after=None, limit=9)

    assert [item.question_id for item in first] == ["q1", "q2a"]
    assert [item.question_id for item in rest] == ["q2b", "q3"]
    assert [item.question_id for item in since] == ["q2a", "q2b", "q3"]


async def test_latencies_are_those_of_the_latest_of_a_tenant_since_a_moment(ledger: Ledger) -> None:
    for number in range(5):
        seen = replace(
            observation(f"q{number}", observed_at=later(number)),
            seconds=float(number),
            latency_class=LatencyClass.FAST,
        )
        await ledger.questions.add(question(f"q{number}"), seen)
    await ledger.questions.add(
        question("other", tenant_id=OTHER_TENANT), observation("other", tenant_id=OTHER_TENANT)
    )

    since = await ledger.observations.latencies(DEFAULT_TENANT, since=later(2), limit=9)
    latest = await ledger.observations.latencies(DEFAULT_TENANT, since=later(0), limit=2)

    assert {one.seconds for one in since} == {2.0, 3.0, 4.0}
    assert {one.latency_class for one in since} == {LatencyClass.FAST}
    assert {one.seconds for one in latest} == {3.0, 4.0}


async def test_a_topic_comes_back_with_its_centroid(ledger: Ledger) -> None:
    written = await ledger.observations.save_topic(topic())

    (found,) = await ledger.observations.topics(DEFAULT_TENANT)
    assert written
    assert found.centroid.dtype == np.float32
    assert np.array_equal(found.centroid, topic().centroid)
    for name in ("id", "tenant_id", "size", "terms", "created_at", "version"):
        assert getattr(found, name) == getattr(topic(), name)


async def test_a_merged_topic_comes_back_as_an_alias(ledger: Ledger) -> None:
    await ledger.observations.save_topic(topic("old"))
    await ledger.observations.save_topic(topic("young", created_at=later(1)))

    await ledger.observations.save_topic(
        replace(topic("young", created_at=later(1), version=1), merged_into=TopicId("old"))
    )

    found = await ledger.observations.topics(DEFAULT_TENANT)
    assert [(one.id, one.merged_into) for one in found] == [("old", None), ("young", "old")]


async def test_topics_are_listed_by_age_within_their_tenant(ledger: Ledger) -> None:
    await ledger.observations.save_topic(topic("young", created_at=later(1)))
    await ledger.observations.save_topic(topic("old"))
    await ledger.observations.save_topic(topic("far", tenant_id=OTHER_TENANT))

    found = await ledger.observations.topics(DEFAULT_TENANT)

    assert [item.id for item in found] == ["old", "young"]
    assert await ledger.documents.tenants() == [DEFAULT_TENANT, OTHER_TENANT]


@pytest.mark.parametrize(
    ("saved", "version", "written"),
    [
        ([], 0, True),
        ([], 1, False),
        ([0], 0, False),
        ([0], 1, True),
        ([0], 2, False),
        ([0, 1], 1, False),
        ([0, 1], 2, True),
        ([0, 1], 0, False),
    ],
)
async def test_only_the_next_version_is_written(
    ledger: Ledger, saved: list[int], version: int, written: bool
) -> None:
    for known in saved:
        await ledger.observations.save_topic(topic(version=known, size=known + 1))
        await ledger.observations.save_monitor_state(state(known, content=f"{known}"))

    topic_written = await ledger.observations.save_topic(topic(version=version, size=99))
    state_written = await ledger.observations.save_monitor_state(state(version, content="99"))

    found = await ledger.observations.topics(DEFAULT_TENANT)
    kept = await ledger.observations.monitor_state(DEFAULT_TENANT, T1, "spike")
    expected = [99] if written else [known + 1 for known in saved[-1:]]
    assert (topic_written, state_written) == (written, written)
    assert [item.size for item in found] == expected
    assert (kept is None) == (not expected)
    if kept is not None:
        assert kept.state == ("99" if written else str(saved[-1]))
        assert kept.version == (version if written else saved[-1])


@pytest.mark.parametrize("version", [0, 1])
async def test_of_concurrent_writers_of_one_version_one_wins(ledger: Ledger, version: int) -> None:
    for known in range(version):
        await ledger.observations.save_topic(topic(version=known))

    written = await asyncio.gather(
        *(ledger.observations.save_topic(topic(version=version, size=size)) for size in range(9))
    )

    (found,) = await ledger.observations.topics(DEFAULT_TENANT)
    assert written.count(True) == 1
    assert found.size == written.index(True)


async def test_a_monitor_remembers_each_topic_apart(ledger: Ledger) -> None:
    await ledger.observations.save_monitor_state(state())

    found = await ledger.observations.monitor_state(DEFAULT_TENANT, T1, "spike")

    assert found == state()
    for tenant, topic_id, monitor in (
        (OTHER_TENANT, T1, "spike"),
        (DEFAULT_TENANT, TopicId("t2"), "spike"),
        (DEFAULT_TENANT, T1, "collapse"),
    ):
        assert await ledger.observations.monitor_state(tenant, topic_id, monitor) is None
