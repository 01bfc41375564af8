"""A latency class buys time with less scoring, never with fewer seats or softer rules."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from backends.memory.clock import ManualClock
from domain.answering import Draft, EvidenceSubset, Outcome, Question
from domain.verification import LatencyClass
from gateway.query.extractive import ExtractiveDrafter
from gateway.query.options import QueryOptions
from tests.fakes.question_path import QuestionPath, WordEmbedder

pytestmark = pytest.mark.anyio

QUESTION = "How many months does the warranty of the Verrin pump last?"


@dataclass(slots=True)
class Slow:
    """The extractive drafter, each of whose drafts takes a while."""

    clock: ManualClock
    seconds: float
    version: str = "slow"

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        self.clock.advance(self.seconds)
        return await ExtractiveDrafter(WordEmbedder()).draft(question, subset)


async def disputed(*, seconds: float) -> QuestionPath:
    clock = ManualClock()
    path = QuestionPath(
        clock=clock,
        drafter=Slow(clock, seconds),
        options=QueryOptions(tau=0.02, deadlines={LatencyClass.FAST: 1.0}),
    )
    await path.publish("maker", "The warranty of the Verrin pump does last 36 months.")
    await path.publish("dealer", "The warranty of the Verrin pump is 9 months long.")
    return path


@pytest.mark.parametrize(
    ("latency_class", "result"), [(LatencyClass.FAST, "no-time"), (None, "unavailable")]
)
async def test_a_rung_that_could_not_end_in_time_is_not_begun(
    latency_class: LatencyClass | None, result: str
) -> None:
    path = await disputed(seconds=0.3)

    answer = await path.ask(QUESTION, latency_class=latency_class)

    assert answer.outcome is Outcome.ABSTAIN
    assert answer.ladder[1].result == result
    assert answer.ladder[-1].result == "queued"


async def test_every_class_drafts_every_seat_and_keeps_the_rules() -> None:
    path = await disputed(seconds=0.0)

    answers = [await path.ask(QUESTION, latency_class=each) for each in (None, *LatencyClass)]

    assert {answer.outcome for answer in answers} == {Outcome.ABSTAIN}
    assert {len({s for sub in a.subsets for s in sub.seats}) for a in answers} == {2}
    assert [answer.latency_class for answer in answers] == [
        LatencyClass.INTERACTIVE,
        *LatencyClass,
    ]
