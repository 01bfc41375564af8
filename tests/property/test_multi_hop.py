"""Laws of questions in hops: what passes on is above tau, and the whole is no stronger than its hops."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.answering import (
    AbstainReason,
    AnswerResult,
    Calibrator,
    Outcome,
    PartitionMode,
    Question,
    QuestionId,
    Source,
    Tolerance,
)
from domain.decomposition import Decomposer, HopResult, Plan
from domain.documents import DEFAULT_TENANT, DocumentId, OriginKind, OriginRef, Span, Tier
from domain.errors import TransientError
from domain.stages import UNOBSERVED, StageObserver
from domain.verification import LatencyClass
from gateway.query.multi_hop import MultiHop, RuleDecomposer
from gateway.query.options import AS_CONFIGURED, QueryOptions, Wishes
from tests.fakes.question_path import QuestionPath, WordEmbedder

pytestmark = pytest.mark.anyio

TAU = 0.7
BRIDGED = "Where was the founder of Acme Corp born?"
FIRST = "Who is the founder of Acme Corp?"


@dataclass(kw_only=True)
class Oracle:
    """A question path that answers by table: answer, confidence and tolerance by question."""

    table: Mapping[str, tuple[str | None, float, int | None]]
    asked: list[str] = field(default_factory=list)
    guarded: str = ""
    tolerances: list[int] = field(default_factory=list)

    def calibrator(self, configuration: str) -> Calibrator | None:
        return None

    def tau(self, calibrator: Calibrator | None) -> float:
        return TAU

    def required_tolerance(self, text: str) -> int:
        return 2 if text == self.guarded else 0

    async def answer(
        self,
        question: Question,
        wishes: Wishes = AS_CONFIGURED,
        *,
        observer: StageObserver = UNOBSERVED,
    ) -> AnswerResult:
        self.tolerances.append(wishes.min_tolerance)
        self.asked.append(question.text)
        answer, confidence, tolerated = self.table.get(question.text, (None, 0.0, None))
        return result_of(question, answer, confidence, tolerated)


def source_of(quote: str) -> Source:
    return Source(
        document_id=DocumentId(f"of-{quote}"),
        span=Span(0, len(quote)),
        quote=quote,
        origin=OriginRef(kind=OriginKind.PUBLISHER, id="press"),
        tier=Tier.ESTABLISHED,
        trust=1.0,
        title="",
        source_uri=None,
    )


def result_of(
    question: Question, answer: str | None, confidence: float, tolerated: int | None
) -> AnswerResult:
    return AnswerResult(
        question=question,
        outcome=Outcome.ABSTAIN if answer is None else Outcome.ANSWER,
        reason=AbstainReason.NOT_IN_DOCUMENTS if answer is None else None,
        warnings=(),
        answer=answer,
        confidence=confidence,
        sources=() if answer is None else (source_of(answer),),
        agreement=1.0,
        entropy=0.0,
        margin=1.0,
        disagreement=0.0,
        mode=PartitionMode.ISOLATED,
        m=5,
        k=5,
        retrieved=(),
        subsets=(),
        drafts=(),
        scored=(),
        groups=(),
        ladder=(),
        timings=(),
        calibration_version=None,
        configuration="table",
        embedding=np.zeros(3, dtype=np.float32),
        best=None,
        tolerance=None
        if tolerated is None
        else Tolerance(answer=tolerated, abstention=tolerated, seats=5),
    )


def asked_of(oracle: Oracle, text: str, decomposer: Decomposer | None = None) -> AnswerResult:
    hopping = MultiHop(oracle, decomposer=decomposer or RuleDecomposer(), embedder=WordEmbedder())
    question = Question(id=QuestionId("q"), tenant_id=DEFAULT_TENANT, text=text)
    return asyncio.run(hopping.answer(question))


confidences = st.floats(0.0, 1.0, allow_nan=False)
tolerances = st.none() | st.integers(0, 5)
names = st.sampled_from(["Ada Verrin", "Tom Hale", "Eve Poison"])


@settings(deadline=None)
@given(name=names, confidence=confidences)
def test_an_answer_below_tau_never_enters_the_next_query(name: str, confidence: float) -> None:
    oracle = Oracle(
        table={FIRST: (name, confidence, 2), f"Where was {name} born?": ("Gent", 0.9, 2)}
    )

    result = asked_of(oracle, BRIDGED)

    went_on = any(name in text for text in oracle.asked)
    assert went_on is (confidence >= TAU)
    if not went_on:
        assert result.answer is None
        assert oracle.asked == [FIRST]
        assert [hop.result for hop in result.hops] == [HopResult.UNSURE, HopResult.NOT_ASKED]


@settings(deadline=None)
@given(first=confidences, second=confidences, one=tolerances, other=tolerances)
def test_the_whole_is_no_stronger_than_its_hops(
    first: float, second: float, one: int | None, other: int | None
) -> None:
    table = {
        FIRST: ("Ada Verrin", first, one),
        "Where was Ada Verrin born?": ("Gent", second, other),
    }

    result = asked_of(Oracle(table=table), BRIDGED)

    asked = [hop for hop in result.hops if hop.outcome is not None]
    assert result.confidence <= min(hop.confidence for hop in asked)
    if result.answer is not None:
        assert result.confidence >= TAU
        if one is None or other is None:
            assert result.tolerance is None
        else:
            assert result.tolerance is not None
            assert result.tolerance.answer == min(one, other)
    else:
        assert result.outcome is Outcome.ABSTAIN
        assert result.reason is not None
        assert not result.sources


@settings(deadline=None)
@given(text=st.text(max_size=120))
def test_what_an_answer_says_never_becomes_a_question_but_for_a_name(text: str) -> None:
    oracle = Oracle(table={FIRST: (text, 0.99, 1)})

    asked_of(oracle, BRIDGED)

    for asked in oracle.asked[1:]:
        inserted = asked.removeprefix("Where was ").removesuffix(" born?")
        assert inserted in text
        assert len(inserted) <= 60
        assert not set(inserted) & set('\n\r<>{}[]()"`:;!?')


class Fixed:
    """A decomposer that always has the same plan, or fails."""

    def __init__(self, plan: Plan | None, error: Exception | None = None) -> None:
        self.plan, self.error = plan, error
        self.seen: list[str] = []

    @property
    def version(self) -> str:
        return "fixed"

    async def decompose(self, question: str) -> Plan | None:
        self.seen.append(question)
        if self.error is not None:
            raise self.error
        return self.plan


def test_a_question_that_needs_no_hops_takes_the_path_alone() -> None:
    oracle = Oracle(table={"When?": ("At noon", 0.9, 1)})

    result = asked_of(oracle, "When?")

    assert oracle.asked == ["When?"]
    assert result.hops == ()
    assert result.answer == "At noon"


def test_where_no_plan_can_be_had_the_question_stays_whole() -> None:
    oracle = Oracle(table={BRIDGED: ("Gent", 0.9, 1)})

    result = asked_of(oracle, BRIDGED, Fixed(None, TransientError("away")))

    assert result.answer == "Gent"
    assert result.hops == ()


def test_a_hop_that_fails_ends_the_plan_and_says_why() -> None:
    plan = Plan(hops=("A?", "B of {1}?", "C of {2}?"))
    oracle = Oracle(table={"A?": ("Ada", 0.9, 1), "B of Ada?": (None, 0.0, None)})

    result = asked_of(oracle, "Long?", Fixed(plan))

    assert [hop.result for hop in result.hops] == [
        HopResult.PASSED,
        HopResult.ABSTAINED,
        HopResult.NOT_ASKED,
    ]
    assert result.reason is AbstainReason.NOT_IN_DOCUMENTS
    assert result.question.text == "Long?"


def test_the_fast_class_is_never_split() -> None:
    decomposer = Fixed(Plan(hops=("A?", "B of {1}?")))
    oracle = Oracle(table={"Q?": ("x", 0.9, 1)})
    hopping = MultiHop(oracle, decomposer=decomposer, embedder=WordEmbedder())
    question = Question(id=QuestionId("q"), tenant_id=DEFAULT_TENANT, text="Q?")

    result = asyncio.run(hopping.answer(question, Wishes(latency_class=LatencyClass.FAST)))

    assert decomposer.seen == []
    assert result.answer == "x"


async def test_a_poisoned_pool_does_not_steer_the_second_hop() -> None:
    path = QuestionPath(options=QueryOptions(tau=0.3))
    await path.publish("register", "The founder of Acme Corp is Ada Verrin.")
    await path.publish("press", "The founder of Acme Corp is Ada Verrin, says the press.")
    await path.publish("archive", "Ada Verrin was born in Ghent.")
    await path.publish("parish", "Ada Verrin was born in Ghent in 1901.")
    for at in range(6):
        await path.publish(
            f"anyone-{at}", "The founder of Acme Corp is Eve Mallory.", tier=Tier.POOL
        )
    await path.publish("anyone", "Eve Mallory was born in Moscow.", tier=Tier.POOL)
    hopping = MultiHop(path.pipeline(), decomposer=RuleDecomposer(), embedder=WordEmbedder())

    result = await hopping.answer(
        Question(id=QuestionId("q"), tenant_id=DEFAULT_TENANT, text=BRIDGED)
    )

    assert result.hops[0].question == FIRST
    assert not any("Mallory" in hop.question for hop in result.hops)
    assert "Moscow" not in (result.answer or "")


def test_every_hop_must_have_the_tolerance_that_the_topic_of_the_whole_requires() -> None:
    table: dict[str, tuple[str | None, float, int | None]] = {
        FIRST: ("Ada Verrin", 0.95, 2),
        "Where was Ada Verrin born?": ("Gent", 0.95, 2),
    }
    oracle = Oracle(table=table, guarded=BRIDGED)

    asked_of(oracle, BRIDGED)

    assert oracle.tolerances == [2, 2]


def test_sources_of_an_answer_are_those_of_every_hop() -> None:
    table: dict[str, tuple[str | None, float, int | None]] = {
        FIRST: ("Ada Verrin", 0.95, 1),
        "Where was Ada Verrin born?": ("Gent", 0.95, 1),
    }

    result = asked_of(Oracle(table=table), BRIDGED)

    assert [source.quote for source in result.sources] == ["Ada Verrin", "Gent"]
