"""Topics that become one, that become two, and that an administrator defines."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain import escaping
from domain.documents import DEFAULT_TENANT, TenantId
from domain.errors import InputError
from domain.monitoring import MonitorState, Topic, TopicId
from monitors.defined_topics import MOST_DEFINED, define_topic
from monitors.detectors.registry import SPIKE, TOPIC_DETECTORS
from monitors.known_topics import TopicOptions
from monitors.sightings import Signal
from monitors.stream import StreamState
from monitors.stream_states import NAME, dump_state
from monitors.topic_shapes import ShapeOptions, halves_of, unit
from monitors.topic_words import question_words
from monitors.topics import Topics
from tests.builders import EPOCH

pytestmark = pytest.mark.anyio

AXES = np.eye(16, dtype=np.float32)
OPTIONS = TopicOptions(similarity=0.4, shapes=ShapeOptions(kept=64, every=8, part=8))
Vector = NDArray[np.float32]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def ids() -> SequentialIds:
    return SequentialIds()


@pytest.fixture
def ledger(clock: ManualClock, ids: SequentialIds) -> InMemoryLedger:
    return InMemoryLedger(clock=clock, ids=ids)


@pytest.fixture
def topics(ledger: InMemoryLedger, ids: SequentialIds) -> Topics:
    return Topics(
        ledger.observations, ids=ids, options=OPTIONS, definitions=ledger.topic_definitions
    )


def between(one: int, other: int, weight: float) -> Vector:
    return unit(AXES[one] * (1 - weight) + AXES[other] * weight)


async def ask(topics: Topics, vectors: Sequence[Vector], text: str = "a question") -> list[TopicId]:
    return [await topics.assign(DEFAULT_TENANT, text, one, at=EPOCH) for one in vectors]


async def known(ledger: InMemoryLedger) -> dict[TopicId, Topic]:
    return {one.id: one for one in await ledger.observations.topics(DEFAULT_TENANT)}


async def remember(ledger: InMemoryLedger, topic_id: TopicId, state: StreamState) -> None:
    written = await ledger.observations.save_monitor_state(
        MonitorState(
            tenant_id=DEFAULT_TENANT, topic_id=topic_id, monitor=NAME, state=dump_state(state)
        )
    )
    assert written


ALARMED = StreamState(
    standing={
        SPIKE: Signal(
            detector=SPIKE,
            topic="t",
            at=EPOCH,
            question_id="q",
            status="firing",
            severity="warning",
        )
    }
)


async def drift_together(topics: Topics) -> tuple[TopicId, TopicId]:
    """Begin two topics, the first larger, and ask until their centroids meet."""
    (first, *_) = await ask(topics, [AXES[0]] * 9)
    (second,) = await ask(topics, [AXES[1]])
    await ask(topics, [between(1, 0, 0.4), between(0, 1, 0.4)] * 40)
    return first, second


async def test_topics_that_come_to_be_alike_are_one_and_the_smaller_ones_id_is_its_alias(
    topics: Topics, ledger: InMemoryLedger
) -> None:
    first, second = await drift_together(topics)

    after = await known(ledger)
    (alias,) = [one for one in after.values() if one.merged_into is not None]
    kept = after[TopicId(str(alias.merged_into))]
    assert {kept.id, alias.id} == {first, second}
    assert kept.size >= alias.size
    assert await ask(topics, [AXES[0], AXES[1], between(0, 1, 0.5)]) == [kept.id] * 3


async def test_a_restart_knows_what_was_merged(
    topics: Topics, ledger: InMemoryLedger, ids: SequentialIds
) -> None:
    await drift_together(topics)
    kept = {one.id for one in (await known(ledger)).values() if one.merged_into is None}

    restarted = Topics(ledger.observations, ids=ids, options=OPTIONS)

    assert set(await ask(restarted, [AXES[0], AXES[1]])) == kept


async def test_a_topic_on_which_an_alert_stands_is_not_merged(
    topics: Topics, ledger: InMemoryLedger
) -> None:
    (first, *_) = await ask(topics, [AXES[0]] * 9)
    await remember(ledger, first, ALARMED)
    await drift_together(topics)

    assert all(one.merged_into is None for one in (await known(ledger)).values())


def of_two(rng: np.random.Generator, count: int, *, second: float) -> list[Vector]:
    """Return questions about two matters that have little in common but one direction."""
    found = []
    for number in range(count):
        own = 2 if (number % 10) < second * 10 else 1
        noise = rng.normal(0, 0.03, 16).astype(np.float32)
        found.append(unit(AXES[0] * 0.62 + AXES[own] + noise))
    return found


async def test_a_topic_that_comes_to_be_two_is_split_and_the_larger_half_keeps_the_id(
    topics: Topics, ledger: InMemoryLedger
) -> None:
    (first, *_) = await ask(topics, [AXES[0]] * 3)
    questions = of_two(np.random.default_rng(4), 90, second=0.3)

    assigned = await ask(topics, questions)

    after = await known(ledger)
    assert len(after) == 2
    (other,) = after.keys() - {first}
    assert assigned[-10:].count(first) == 7
    assert assigned[-10:].count(other) == 3
    assert after[first].size + after[other].size == 93


async def test_a_half_takes_along_what_was_usual(topics: Topics, ledger: InMemoryLedger) -> None:
    (first, *_) = await ask(topics, [AXES[0]] * 3)
    state = StreamState(detectors={SPIKE: TOPIC_DETECTORS[SPIKE].start()}, latest=EPOCH)
    await remember(ledger, first, state)

    await ask(topics, of_two(np.random.default_rng(4), 90, second=0.3))

    (other,) = (await known(ledger)).keys() - {first}
    kept = await ledger.observations.monitor_state(DEFAULT_TENANT, other, NAME)
    assert kept is not None
    assert kept.state == dump_state(state)


async def test_a_topic_on_which_an_alert_stands_is_not_split(
    topics: Topics, ledger: InMemoryLedger
) -> None:
    (first, *_) = await ask(topics, [AXES[0]] * 3)
    await remember(ledger, first, ALARMED)

    await ask(topics, of_two(np.random.default_rng(4), 90, second=0.3))

    assert (await known(ledger)).keys() == {first}


async def test_a_split_never_goes_beyond_the_cap(
    ledger: InMemoryLedger, ids: SequentialIds
) -> None:
    options = TopicOptions(similarity=0.4, max_topics=1, shapes=OPTIONS.shapes)
    topics = Topics(ledger.observations, ids=ids, options=options)

    await ask(topics, [AXES[0], *of_two(np.random.default_rng(4), 90, second=0.3)])

    assert len(await known(ledger)) == 1


async def test_labels_of_the_halves_are_their_own(topics: Topics, ledger: InMemoryLedger) -> None:
    questions = of_two(np.random.default_rng(4), 90, second=0.3)
    for number, question in enumerate(questions):
        text = "pump pressure" if number % 10 < 3 else "return deadline"
        await topics.assign(DEFAULT_TENANT, text, question, at=EPOCH)

    labels = {frozenset(one.terms) for one in (await known(ledger)).values()}

    assert labels == {frozenset({"pump", "pressure"}), frozenset({"return", "deadline"})}


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(2, 60), spread=st.floats(0.01, 1.0))
def test_halves_are_of_the_least_size_and_unit_centroids(
    seed: int, count: int, spread: float
) -> None:
    rng = np.random.default_rng(seed)
    raw = rng.normal(0, spread, (count, 16)) + AXES[rng.integers(0, 2, count)]
    questions = np.stack([unit(one.astype(np.float32)) for one in raw])

    halves = halves_of(questions, OPTIONS.shapes)

    if halves is not None:
        assert OPTIONS.shapes.part <= halves.smaller.sum() <= count // 2
        assert np.linalg.norm(halves.centroid) == pytest.approx(1.0, abs=1e-4)
        assert float(halves.centroid @ halves.leaving) <= OPTIONS.shapes.split + 1e-6


@pytest.mark.parametrize(("split", "merge"), [(0.9, 0.5), (0.0, 0.8), (0.4, 1.0), (0.5, 0.5)])
def test_what_is_split_is_never_merged_at_once(split: float, merge: float) -> None:
    with pytest.raises(ValueError, match="split < merge"):
        ShapeOptions(split=split, merge=merge)


HOSTILE = [
    "What is [click](https://evil.example) **deadline**?",
    "<script>alert('deadline')</script> <img src=x onerror=y>",
    "deadline|CEF:0|x|y|z|critical|10|msg=owned \\n src=1.2.3.4",
    '=HYPERLINK("https://evil.example";"deadline") +cmd @sum',
    "deadline\x1b[31m\u202egnp.exe\u202c\x07\r\n@channel <!everyone>",
    "`rm -rf` ~~deadline~~ #heading | table > quote ![](x)",
    "срок возврата <b>товара</b> 期限=締め切り|退货 المهلة_x",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize(
    "sink", ["markdown", "html", "csv_cell", "cef_header", "cef_value", "defanged", "line"]
)
async def test_a_label_reads_alike_in_every_sink(
    topics: Topics, ledger: InMemoryLedger, text: str, sink: str
) -> None:
    await ask(topics, [AXES[0]], text)
    (topic,) = (await known(ledger)).values()

    shown = " ".join(topic.terms)

    assert topic.terms
    assert getattr(escaping, sink)(shown) == shown


@given(text=st.text(max_size=200))
def test_no_text_at_all_brings_a_mark_into_a_label(text: str) -> None:
    for word in question_words(text):
        assert all(char.isalpha() or not char.isascii() for char in word)
        for sink in (escaping.markdown, escaping.html, escaping.csv_cell, escaping.cef_value):
            assert sink(word) == word


async def define(ledger: InMemoryLedger, ids: SequentialIds, *about: str, at: int = 0) -> TopicId:
    clock = ManualClock(EPOCH + timedelta(seconds=at))
    made = await define_topic(
        ledger.topic_definitions,
        DEFAULT_TENANT,
        name="returns",
        about=about,
        reason="watched",
        actor="ada",
        clock=clock,
        ids=ids,
    )
    return made.id


async def test_a_question_that_a_definition_covers_goes_to_its_topic_whatever_it_is_like(
    topics: Topics, ledger: InMemoryLedger, ids: SequentialIds
) -> None:
    defined = await define(ledger, ids, "return deadline")

    inflected = await ask(topics, [AXES[0]], "When do the deadlines for returns end?")
    other = await ask(topics, [AXES[0]], "What does the deadline cost?")
    like = await ask(topics, [AXES[5]], "return deadline")

    assert inflected == like == [defined]
    assert other != [defined]


async def test_a_defined_topic_takes_nothing_by_likeness_and_is_never_reshaped(
    topics: Topics, ledger: InMemoryLedger, ids: SequentialIds
) -> None:
    defined = await define(ledger, ids, "return deadline")
    await ask(topics, of_two(np.random.default_rng(4), 90, second=0.3), "return deadline")

    elsewhere = await ask(topics, [AXES[0]] * 20)

    assert (await known(ledger)).keys() == {defined, elsewhere[0]}


async def test_a_removed_definition_takes_no_more_questions_and_keeps_its_topic(
    topics: Topics, ledger: InMemoryLedger, ids: SequentialIds
) -> None:
    defined = await define(ledger, ids, "return deadline")
    await ask(topics, [AXES[0]], "return deadline")
    await ledger.topic_definitions.remove(
        DEFAULT_TENANT, defined, reason="over", actor="ada", at=EPOCH
    )
    later = EPOCH + timedelta(minutes=1)

    after = await topics.assign(DEFAULT_TENANT, "return deadline", AXES[0], at=later)

    assert after != defined
    assert defined in await known(ledger)


async def test_another_process_hears_of_a_definition_within_half_a_minute(
    topics: Topics, ledger: InMemoryLedger, ids: SequentialIds
) -> None:
    await ask(topics, [AXES[0]], "return deadline")
    defined = await define(ledger, ids, "return deadline")

    soon = await topics.assign(
        DEFAULT_TENANT, "return deadline", AXES[0], at=EPOCH + timedelta(seconds=30)
    )

    assert soon == defined


async def test_of_two_definitions_the_older_takes_the_question(
    topics: Topics, ledger: InMemoryLedger, ids: SequentialIds
) -> None:
    await define(ledger, ids, "deadline", at=10)
    older = await define(ledger, ids, "return deadline", at=5)

    assert await ask(topics, [AXES[0]], "return deadline") == [older]


async def test_definitions_are_their_tenants_own(
    topics: Topics, ledger: InMemoryLedger, ids: SequentialIds
) -> None:
    defined = await define(ledger, ids, "return deadline")

    theirs = await topics.assign(TenantId("other"), "return deadline", AXES[0], at=EPOCH)

    assert theirs != defined


@pytest.mark.parametrize("about", [(), ("the of",), ("deadline", "?!")])
async def test_a_definition_without_matter_is_refused(
    ledger: InMemoryLedger, ids: SequentialIds, about: tuple[str, ...]
) -> None:
    with pytest.raises(InputError, match="content word"):
        await define(ledger, ids, *about)


async def test_no_more_topics_are_defined_than_each_question_can_be_held_against(
    ledger: InMemoryLedger, ids: SequentialIds
) -> None:
    made = [await define(ledger, ids, f"deadline {number + 100}") for number in range(MOST_DEFINED)]

    with pytest.raises(InputError, match="limit is 64"):
        await define(ledger, ids, "another deadline")

    await ledger.topic_definitions.remove(
        DEFAULT_TENANT, made[0], reason="over", actor="ada", at=EPOCH
    )
    assert await define(ledger, ids, "another deadline")


async def test_questions_asked_at_once_are_all_counted_over_merges(
    topics: Topics, ledger: InMemoryLedger
) -> None:
    rng = np.random.default_rng(7)
    vectors = of_two(rng, 60, second=0.4)

    await asyncio.gather(*(topics.assign(DEFAULT_TENANT, "x", one, at=EPOCH) for one in vectors))

    sizes = [one.size for one in (await known(ledger)).values() if one.merged_into is None]
    assert sum(sizes) == 60
