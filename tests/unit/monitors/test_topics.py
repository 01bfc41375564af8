from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.embedder_onnx import OnnxEmbedder
from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from backends.memory.ledger_monitoring import InMemoryObservationLedger
from domain.documents import DEFAULT_TENANT, TenantId
from domain.errors import TransientError
from domain.ledger import ObservationLedger
from domain.monitoring import Topic, TopicId
from evaluation.demo.manifest import load_manifest
from monitors.known_topics import TopicOptions
from monitors.topic_words import question_key, question_words
from monitors.topics import Topics
from tests.builders import EPOCH

pytestmark = pytest.mark.anyio

AXES = np.eye(8, dtype=np.float32)


@pytest.fixture
def ledger() -> ObservationLedger:
    return InMemoryLedger(clock=ManualClock(), ids=SequentialIds()).observations


@pytest.fixture
def ids() -> SequentialIds:
    return SequentialIds()


def near(axis: int, cosine: float, *, towards: int) -> NDArray[np.float32]:
    """Return the unit vector at this cosine to an axis, tilted towards another."""
    tilted: NDArray[np.float32] = cosine * AXES[axis] + (1 - cosine**2) ** 0.5 * AXES[towards]
    return tilted.astype(np.float32)


async def assign(
    topics: Topics, vector: NDArray[np.float32], text: str = "a question", tenant: str = "default"
) -> TopicId:
    return await topics.assign(TenantId(tenant), text, vector, at=EPOCH)


async def test_questions_that_are_near_share_a_topic_and_others_do_not(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    topics = Topics(ledger, ids=ids, options=TopicOptions())

    first = await assign(topics, AXES[0])
    close = await assign(topics, near(0, 0.6, towards=1))
    far = await assign(topics, AXES[2])

    assert first == close != far
    assert {topic.id: topic.size for topic in await ledger.topics(DEFAULT_TENANT)} == {
        first: 2,
        far: 1,
    }


async def test_a_topic_is_its_centroid_and_not_its_first_question(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    topics = Topics(ledger, ids=ids, options=TopicOptions(similarity=0.6))
    first = await assign(topics, AXES[0])
    for _ in range(3):
        await assign(topics, near(0, 0.7, towards=1))

    joined = await assign(topics, near(0, 0.3, towards=1))

    assert joined == first


async def test_centroids_stay_unit_vectors(ledger: ObservationLedger, ids: SequentialIds) -> None:
    topics = Topics(ledger, ids=ids, options=TopicOptions())
    for cosine in (1.0, 0.8, 0.6, 0.9):
        await assign(topics, near(0, cosine, towards=1))

    (topic,) = await ledger.topics(DEFAULT_TENANT)

    assert np.linalg.norm(topic.centroid) == pytest.approx(1.0, abs=1e-5)


async def test_an_old_topic_still_follows_but_slowly(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    topics = Topics(ledger, ids=ids, options=TopicOptions(learning=4))
    for _ in range(50):
        await assign(topics, AXES[0])

    await assign(topics, near(0, 0.6, towards=1))

    (topic,) = await ledger.topics(DEFAULT_TENANT)
    assert 0.9 < topic.centroid[0] < 0.999


async def test_beyond_the_cap_the_nearest_topic_takes_the_question_and_learns_nothing(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    topics = Topics(ledger, ids=ids, options=TopicOptions(max_topics=2))
    first = await assign(topics, AXES[0], "alpha question")
    second = await assign(topics, AXES[1], "beta question")
    before = {topic.id: topic for topic in await ledger.topics(DEFAULT_TENANT)}

    taken = await assign(topics, near(1, 0.3, towards=5), "stranger")

    after = {topic.id: topic for topic in await ledger.topics(DEFAULT_TENANT)}
    assert taken == second
    assert after.keys() == {first, second}
    assert after[second].size == 2
    assert after[second].terms == before[second].terms
    np.testing.assert_array_equal(after[second].centroid, before[second].centroid)


async def test_tenants_have_topics_of_their_own(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    topics = Topics(ledger, ids=ids, options=TopicOptions(max_topics=1))

    ours = await assign(topics, AXES[0], tenant="a")
    theirs = await assign(topics, AXES[0], tenant="b")

    assert ours != theirs


async def test_vectors_of_another_length_never_meet_a_topic(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    topics = Topics(ledger, ids=ids, options=TopicOptions(max_topics=1))
    old = await assign(topics, AXES[0])

    new = await assign(topics, np.eye(3, dtype=np.float32)[0])

    assert new != old


async def test_a_restart_finds_the_topics_again(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    before = await assign(Topics(ledger, ids=ids, options=TopicOptions()), AXES[0])

    after = await assign(Topics(ledger, ids=ids, options=TopicOptions()), AXES[0])

    assert before == after


async def test_two_processes_count_every_question(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    pair = [Topics(ledger, ids=ids, options=TopicOptions()) for _ in range(2)]

    assigned = [await assign(pair[number % 2], AXES[0]) for number in range(20)]

    (topic,) = await ledger.topics(DEFAULT_TENANT)
    assert set(assigned) == {topic.id}
    assert topic.size == 20


async def test_one_process_begins_a_topic_once_however_many_ask_at_once(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    topics = Topics(ledger, ids=ids, options=TopicOptions())

    assigned = await asyncio.gather(*(assign(topics, AXES[0]) for _ in range(10)))

    assert len(set(assigned)) == 1


async def test_a_topic_that_another_process_began_meanwhile_is_joined(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    slow = Topics(ledger, ids=ids, options=TopicOptions())
    await assign(slow, AXES[3])
    begun = await assign(Topics(ledger, ids=ids, options=TopicOptions()), AXES[0])

    joined = await assign(slow, AXES[0])

    assert joined == begun


class LosingLedger(InMemoryObservationLedger):
    """An observation ledger where somebody else is always faster to write."""

    def __init__(self, topics: Sequence[Topic]) -> None:
        super().__init__()
        self._known = topics
        self.attempts = 0

    async def topics(self, tenant_id: TenantId) -> Sequence[Topic]:
        return self._known

    async def save_topic(self, topic: Topic) -> bool:
        self.attempts += 1
        return False


def make_topic(axis: int) -> Topic:
    return Topic(
        id=TopicId("top_known"),
        tenant_id=DEFAULT_TENANT,
        centroid=AXES[axis],
        size=3,
        terms=("known",),
        created_at=EPOCH,
        version=2,
    )


async def test_who_loses_every_race_is_assigned_all_the_same(ids: SequentialIds) -> None:
    losing = LosingLedger([make_topic(0)])

    assigned = await assign(Topics(losing, ids=ids, options=TopicOptions(attempts=3)), AXES[0])

    assert assigned == "top_known"
    assert losing.attempts == 3


async def test_a_first_topic_that_cannot_be_written_is_an_error(ids: SequentialIds) -> None:
    losing = LosingLedger([])

    with pytest.raises(TransientError):
        await assign(Topics(losing, ids=ids, options=TopicOptions(attempts=3)), AXES[0])


async def test_a_label_prefers_words_that_other_topics_do_not_use(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    topics = Topics(ledger, ids=ids, options=TopicOptions(terms=2))
    for part in ("blade", "motor", "filter"):
        await assign(topics, AXES[1], f"How do I order a new {part} for the mower?")
    for part in ("hose", "nozzle", "tank"):
        await assign(topics, AXES[0], f"How do I order a new {part} for the sprayer?")

    labels = [topic.terms for topic in await ledger.topics(DEFAULT_TENANT)]

    assert [label[0] for label in labels] == ["mower", "sprayer"]


async def test_a_restarted_process_does_not_relabel_what_it_has_not_seen(
    ledger: ObservationLedger, ids: SequentialIds
) -> None:
    before = Topics(ledger, ids=ids, options=TopicOptions())
    for _ in range(10):
        await assign(before, AXES[0], "mower blade")

    await assign(Topics(ledger, ids=ids, options=TopicOptions()), AXES[0], "something else")

    (topic,) = await ledger.topics(DEFAULT_TENANT)
    assert topic.terms == ("blade", "mower")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("How long?", "how long"),
        ("How  long \n is it?", "How long is it?"),
        ("How long", "How long ?!"),
        ("\uff28\uff2f\uff37 long\uff1f", "how long"),
        ("STRASSE?", "straße?"),
        ("  what  ", "what"),
    ],
)
def test_spellings_of_one_question_share_a_key(first: str, second: str) -> None:
    assert question_key(first) == question_key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("5 mg or 50 mg?", "5 mg or 5 mg?"),
        ("Is it safe?", "Is it not safe?"),
        ("résumé", "resume"),
        ("what. now", "what now"),
        ("", "?a"),
    ],
)
def test_different_questions_have_different_keys(first: str, second: str) -> None:
    assert question_key(first) != question_key(second)


def test_half_a_surrogate_pair_has_a_key_too() -> None:
    assert len(question_key("\ud800")) == 32


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How long is the warranty?", {"long", "warranty"}),
        ("Call 555-0199 or 0x41 now", {"call", "now"}),
        ("Order ABC4711DEF please, or my_key", {"order"}),
        ("Wie lange gilt die Gewährleistung?", {"wie", "lange", "gilt", "die", "gewährleistung"}),
        ("<script>alert(1)</script>", {"script", "alert"}),
        ("x" * 200, set()),
        ("保証期間はどのくらいですか", {"保証期間はどのくらいですか"}),
        ("", set()),
    ],
)
def test_labels_are_made_of_plain_words_alone(text: str, expected: set[str]) -> None:
    assert question_words(text) == expected


def demo_topics() -> tuple[list[str], list[str]]:
    questions = load_manifest().questions
    return [question.question for question in questions], [one.topic for one in questions]


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.parametrize("seed", [None, 1, 2])
async def test_the_demo_topics_stay_whole_and_apart_in_any_order(
    seed: int | None, ledger: ObservationLedger, ids: SequentialIds
) -> None:
    texts, truth = demo_topics()
    vectors = OnnxEmbedder().embed_sync(texts)
    order = list(range(len(texts)))
    if seed is not None:
        random.Random(seed).shuffle(order)  # noqa: S311 - an order, no secret
    topics = Topics(ledger, ids=ids, options=TopicOptions())

    assigned: Mapping[int, TopicId] = {
        at: await assign(topics, vectors[at], texts[at]) for at in order
    }

    for name in ("pellin-returns", "tavik-calibration"):
        held = Counter(assigned[at] for at in order if truth[at] == name)
        assert len(held) == 1, name
        (topic_id,) = held
        assert {truth[at] for at in order if assigned[at] == topic_id} == {name}
