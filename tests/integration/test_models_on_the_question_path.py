"""Language models on the whole question path: slow ones, wordy ones, modes of cross-examination."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import httpx
import pytest

from backends.llm.openai_refiner import OpenAIRefiner
from domain.answering import Outcome, Refinement
from domain.documents import Tier
from domain.errors import TransientError
from domain.verification import CrossExamination, LatencyClass
from gateway.query.options import QueryOptions
from tests.fakes.llm import endpoint, numbered_fences, openai_drafter, openai_verifier
from tests.fakes.openai_server import Fault, Served, serving
from tests.fakes.question_path import QuestionPath

pytestmark = pytest.mark.anyio

QUESTION = "How many months does the warranty of the Verrin pump last?"
TRUTHS = {
    "maker": "The warranty of the Verrin pump does last 36 months.",
    "dealer": "For how many months does the warranty last? The Verrin pump warranty is 36 months.",
    "press": "The Verrin pump warranty lasts 36 months, says the press.",
}


@pytest.fixture(scope="module")
def running() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.fixture
def served(running: Served) -> Served:
    running.fault = None
    running.silent_on = None
    running.bodies.clear()
    return running


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as made:
        yield made


async def path_of(
    served: Served,
    client: httpx.AsyncClient,
    *,
    options: QueryOptions | None = None,
    timeout_seconds: float = 20.0,
) -> QuestionPath:
    drafting = endpoint(served, client, timeout_seconds=timeout_seconds)
    path = QuestionPath(
        options=options or QueryOptions(tau=0.001),
        drafter=openai_drafter(drafting),
        verifier=openai_verifier(endpoint(served, client)),
    )
    for origin, text in TRUTHS.items():
        await path.publish(origin, text)
    return path


def scoring_prompts(bodies: list[Mapping[str, Any]]) -> int:
    """Return how many prompts the verifier sent, the probe's left out."""
    prompts = [prompt for body in bodies for prompt in body.get("prompt", [])]
    return sum("Verrin" in prompt for prompt in prompts)


async def test_every_draft_of_a_question_is_asked_for_at_once(
    served: Served, client: httpx.AsyncClient
) -> None:
    path = await path_of(served, client)

    result = await path.ask(QUESTION)

    drafting = [body for body in served.bodies if "messages" in body and len(body["messages"]) > 1]
    shared = {body["messages"][1]["content"].split("\nMark:")[0] for body in drafting}
    assert len(drafting) == 3
    assert len({body["messages"][0]["content"] for body in drafting}) == 1
    assert shared == {f"Question: {QUESTION}"}
    assert result.answer is not None


async def test_one_slow_drafter_fails_its_own_draft_alone(
    served: Served, client: httpx.AsyncClient
) -> None:
    path = await path_of(served, client, timeout_seconds=1.5)
    served.silent_on = "says the press"

    result = await path.ask(QUESTION)

    assert [draft.failure for draft in result.drafts].count(TransientError.code) == 1
    assert result.outcome in {Outcome.ANSWER, Outcome.ANSWER_WITH_WARNING}
    assert "36 months" in (result.answer or "")


async def test_no_drafter_at_all_is_an_outage_and_no_abstention(
    served: Served, client: httpx.AsyncClient
) -> None:
    path = await path_of(served, client, timeout_seconds=0.5)
    served.silent_on = "Verrin"

    with pytest.raises(TransientError):
        await path.ask(QUESTION)


@pytest.mark.parametrize(
    ("mode", "prompts"),
    [
        (CrossExamination.ALL, 3 * 3 + 3),
        (CrossExamination.OWN, 3 + 3),
        (CrossExamination.PUBLISHED, 3),
        (CrossExamination.OFF, 0),
    ],
)
async def test_a_mode_of_cross_examination_reads_so_much_and_is_told(
    served: Served, client: httpx.AsyncClient, mode: CrossExamination, prompts: int
) -> None:
    options = QueryOptions(tau=0.001, cross_examination=mode)
    path = await path_of(served, client, options=options)

    result = await path.ask(QUESTION)

    assert scoring_prompts(served.bodies) == prompts
    assert result.cross_examination is mode
    scored = result.scored[0]
    assert (scored.faithfulness is not None) is (
        mode in {CrossExamination.ALL, CrossExamination.OWN}
    )
    assert (scored.unconditional is not None) is (mode is not CrossExamination.OFF)
    assert (scored.corroboration != 0.0) is (mode is CrossExamination.ALL)


async def test_a_latency_class_has_a_mode_of_its_own_and_a_key_of_its_own(
    served: Served, client: httpx.AsyncClient
) -> None:
    options = QueryOptions(tau=0.001, cross_examinations={LatencyClass.FAST: CrossExamination.OWN})
    path = await path_of(served, client, options=options)

    fast = await path.ask(QUESTION, latency_class=LatencyClass.FAST)
    thorough = await path.ask(QUESTION, latency_class=LatencyClass.THOROUGH)

    assert (fast.cross_examination, thorough.cross_examination) == (
        CrossExamination.OWN,
        CrossExamination.ALL,
    )
    assert fast.configuration != thorough.configuration


async def test_the_trace_says_where_the_verifier_voted_and_measured_nothing(
    served: Served, client: httpx.AsyncClient
) -> None:
    served.fault = Fault.NO_COMPLETIONS
    path = await path_of(served, client)

    result = await path.ask(QUESTION)

    assert result.verifier.endswith(":generative")
    assert result.verifier in result.configuration


async def test_the_answer_in_other_words_passes_when_it_means_the_same(
    served: Served, client: httpx.AsyncClient
) -> None:
    path = await path_of(served, client)
    path.refiner = OpenAIRefiner(endpoint(served, client), fences=numbered_fences())
    await path.publish("forum", "The Verrin pump warranty lasts 9 months.", tier=Tier.POOL)

    result = await path.ask(QUESTION)

    assert result.refinement is Refinement.REFINED
    assert "36 months" in (result.answer or "")
    refining = served.bodies[-1]["messages"][1]["content"]
    assert "9 months" not in refining


@pytest.mark.parametrize("fault", [Fault.INVENTS, Fault.REFUSAL, Fault.RAMBLING])
async def test_words_that_fail_the_check_change_nothing(
    served: Served, client: httpx.AsyncClient, fault: Fault
) -> None:
    plain = await (await path_of(served, client)).ask(QUESTION)
    path = await path_of(served, client)
    with serving() as large:
        large.fault = fault
        path.refiner = OpenAIRefiner(endpoint(large, client), fences=numbered_fences())

        result = await path.ask(QUESTION)

    assert result.refinement is Refinement.REJECTED
    assert result.answer == plain.answer


async def test_a_large_model_that_is_away_costs_the_answer_nothing(
    served: Served, client: httpx.AsyncClient
) -> None:
    path = await path_of(served, client)
    nowhere = Served(base_url="http://127.0.0.1:1/v1")
    path.refiner = OpenAIRefiner(endpoint(nowhere, client), fences=numbered_fences())

    result = await path.ask(QUESTION)

    assert result.refinement is Refinement.UNAVAILABLE
    assert result.answer is not None
