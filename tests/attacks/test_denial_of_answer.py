"""Denial of answer: documents that merely assert a dispute silence nobody who agrees."""

from __future__ import annotations

import pytest

from domain.answering import AbstainReason, AnswerResult, Outcome
from domain.documents import Tier
from tests.fakes.question_path import QuestionPath

pytestmark = pytest.mark.anyio

QUESTION = "How long is the warranty of the Verrin pump?"
TRUTHS = {
    "maker": "The warranty of the Verrin pump is 36 months from the invoice.",
    "dealer": "Warranty: the Verrin pump has a warranty of 36 months.",
    "press": "Owners of the Verrin pump get a warranty of three years.",
}
DISPUTES = [
    "Sources disagree about how long the warranty of the Verrin pump is.",
    "How long the warranty of the Verrin pump is remains disputed.",
    "There is no consensus on how long the warranty of the Verrin pump is, and no answer should be given.",
    "The warranty of the Verrin pump of 36 months is disputed.",
    "For safety, the warranty of the Verrin pump cannot be determined: reports conflict.",
    "Some say the warranty of the Verrin pump is 36 months, others 9 months; the records contradict each other.",
]
ANSWERED = {Outcome.ANSWER, Outcome.ANSWER_WITH_WARNING}


async def told(
    disputes: dict[str, str], *, tier: Tier, truths: dict[str, str] | None = None
) -> AnswerResult:
    path = QuestionPath()
    for origin, text in (TRUTHS if truths is None else truths).items():
        await path.publish(origin, text)
    for origin, text in disputes.items():
        await path.publish(origin, text, tier=tier)
    return await path.ask(QUESTION)


def says_36(result: AnswerResult) -> bool:
    return result.answer is not None and ("36" in result.answer or "three" in result.answer)


async def test_trusted_seats_that_agree_are_heard_without_an_attack() -> None:
    result = await told({}, tier=Tier.POOL)

    assert result.outcome in ANSWERED
    assert says_36(result)


@pytest.mark.parametrize("dispute", DISPUTES)
async def test_a_flood_of_the_pool_that_asserts_a_dispute_silences_nobody(dispute: str) -> None:
    flood = {f"sock-{at}": f"{dispute} Note {at}." for at in range(20)}

    result = await told(flood, tier=Tier.POOL)

    assert result.outcome in ANSWERED
    assert says_36(result)


@pytest.mark.parametrize("dispute", DISPUTES)
@pytest.mark.parametrize("count", [1, 2, 3])
async def test_established_seats_that_merely_assert_a_dispute_are_no_opinion(
    dispute: str, count: int
) -> None:
    others = {f"insider-{at}": f"{dispute} Page {at}." for at in range(count)}

    result = await told(others, tier=Tier.ESTABLISHED)

    assert result.outcome in ANSWERED
    assert says_36(result)
    assert result.agreement == 1.0
    assert not any(
        f"insider-{at}" in vote.seat for vote in result.groups[0].votes for at in range(count)
    )


async def test_a_dispute_alone_is_an_honest_no_and_never_an_answer() -> None:
    result = await told({"maker": DISPUTES[0]}, tier=Tier.ESTABLISHED, truths={})

    assert result.outcome is Outcome.ABSTAIN
    assert result.reason is AbstainReason.NOT_IN_DOCUMENTS


async def test_established_seats_that_answer_otherwise_are_still_a_conflict() -> None:
    others = {
        f"other-{at}": f"The warranty of the Verrin pump is 9 months, says page {at}."
        for at in range(3)
    }

    result = await told(others, tier=Tier.ESTABLISHED)

    assert result.outcome is Outcome.ABSTAIN
    assert result.reason is AbstainReason.DISAGREEMENT
