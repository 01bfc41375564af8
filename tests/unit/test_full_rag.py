"""The rung of the large model: established seats alone, the same rules, and honest where it is down."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from domain.answering import (
    AbstainReason,
    Draft,
    EvidenceSubset,
    LadderStep,
    Outcome,
    Question,
    Quote,
)
from domain.documents import Tier
from domain.errors import TransientError
from domain.text import Span
from gateway.query.options import QueryOptions
from tests.fakes.question_path import QuestionPath

pytestmark = pytest.mark.anyio

QUESTION = "How many months does the warranty of the Verrin pump last?"
TEXT = "The warranty of the Verrin pump does last 36 months."


class Silent:
    """A drafter that finds nothing."""

    version = "silent"

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        return Draft(
            subset=subset, answer="", rationale="", quotes=(), probability=1.0, abstained=True
        )


@dataclass(slots=True)
class Large:
    """Quotes the first passage as a whole, or says what it was told to say."""

    says: str | None = None
    down: bool = False
    asked: list[EvidenceSubset] = field(default_factory=list)
    version: str = "large"

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        self.asked.append(subset)
        if self.down:
            raise TransientError("the large model did not answer")
        hit = subset.chunks[0]
        text = self.says or hit.chunk.text
        quote = Quote(
            document_id=hit.chunk.document_id,
            origin=hit.origin.ref,
            text=text,
            span=Span(0, len(hit.chunk.text)),
            trust=hit.trust,
        )
        return Draft(
            subset=subset, answer=text, rationale="It says so.", quotes=(quote,), probability=0.9
        )


async def path(large: Large | None) -> QuestionPath:
    made = QuestionPath(drafter=Silent(), large_model=large, options=QueryOptions(tau=0.02))
    await made.publish("maker", TEXT)
    await made.publish("dealer", "The warranty of the Verrin pump is 36 months long.")
    await made.publish("stranger", "The warranty of the Verrin pump is 9 months.", tier=Tier.POOL)
    return made


async def test_what_no_draft_settles_the_large_model_drafts_over_established_seats_alone() -> None:
    large = Large()

    result = await (await path(large)).ask(QUESTION)

    assert result.outcome is Outcome.ESCALATED
    assert [(rung.step, rung.result) for rung in result.ladder][-1] == (
        LadderStep.FULL_RAG,
        "answered",
    )
    assert {subset.tier for subset in large.asked} == {Tier.ESTABLISHED}
    assert all(len(subset.seats) == 1 for subset in large.asked)
    assert "drafter=large" in result.configuration
    assert not result.cacheable


async def test_without_a_large_model_the_rung_says_that_it_is_not_there() -> None:
    result = await (await path(None)).ask(QUESTION)

    assert (LadderStep.FULL_RAG, "unavailable") in [(r.step, r.result) for r in result.ladder]
    assert result.outcome is Outcome.ABSTAIN


async def test_a_large_model_that_is_down_leaves_the_question_unanswered_and_no_error() -> None:
    result = await (await path(Large(down=True))).ask(QUESTION)

    assert (LadderStep.FULL_RAG, "unavailable") in [(r.step, r.result) for r in result.ladder]
    assert (result.outcome, result.reason) == (Outcome.ABSTAIN, AbstainReason.NOT_IN_DOCUMENTS)


async def test_what_the_large_model_quotes_and_nobody_wrote_is_no_answer() -> None:
    result = await (await path(Large(says="The warranty lasts 99 months."))).ask(QUESTION)

    assert result.outcome is Outcome.ABSTAIN
    assert (LadderStep.FULL_RAG, "no-better") in [(r.step, r.result) for r in result.ladder]
