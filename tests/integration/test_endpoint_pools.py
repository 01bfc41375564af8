"""Pools of real servers on loopback that die, hang, lie and come back while questions are asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import SecretStr

from backends.embedder_openai import OpenAIEmbedder
from backends.llm.endpoint import Endpoint
from backends.llm.openai_verifier import VerifierMode
from domain.errors import TransientError
from domain.usage import ModelRole
from tests.fakes.evidence import make_draft, make_question, make_subset
from tests.fakes.llm import KEY, openai_drafter, openai_verifier
from tests.fakes.openai_server import DIMENSIONS, MODEL, Fault, Served, serving

pytestmark = pytest.mark.anyio

QUESTION = make_question("How many months does the warranty last?")
SUBSET = make_subset("The warranty lasts 24 months.")
FAULTS = [
    Fault.BROKEN,
    Fault.BUSY,
    Fault.SILENT,
    Fault.UNAUTHORISED,
    Fault.NOT_JSON,
    Fault.NO_CHOICES,
]


@pytest.fixture
def pair() -> Iterator[tuple[Served, Served]]:
    with serving() as first, serving() as second:
        yield first, second


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as made:
        yield made


def pooled(
    client: httpx.AsyncClient, served: Sequence[Served], *, timeout_seconds: float = 20.0
) -> Endpoint:
    return Endpoint(
        client=client,
        base_url=served[0].base_url,
        more_urls=[one.base_url for one in served[1:]],
        role=ModelRole.DRAFTER,
        model=MODEL,
        api_key=SecretStr(KEY),
        timeout_seconds=timeout_seconds,
    )


def faults_of(endpoint: Endpoint) -> dict[str, str | None]:
    return {state.url: state.fault for state in endpoint.pool.states()}


async def test_no_draft_is_lost_when_one_of_two_servers_dies(client: httpx.AsyncClient) -> None:
    with serving() as living, ExitStack() as dying:
        mortal = dying.enter_context(serving())
        target = pooled(client, [living, mortal])
        drafter = openai_drafter(target)
        before = await asyncio.gather(*(drafter.draft(QUESTION, SUBSET) for _ in range(12)))

        drafts = [asyncio.ensure_future(drafter.draft(QUESTION, SUBSET)) for _ in range(6)]
        await asyncio.to_thread(dying.close)
        after = await asyncio.gather(*(drafter.draft(QUESTION, SUBSET) for _ in range(12)))
        during = await asyncio.gather(*drafts)

        assert mortal.bodies
        assert all("24 months" in draft.answer for draft in [*before, *during, *after])
        assert faults_of(target)[mortal.base_url] is not None
        assert faults_of(target)[living.base_url] is None


@pytest.mark.parametrize("fault", FAULTS)
async def test_no_draft_is_lost_where_one_of_two_servers_fails(
    client: httpx.AsyncClient, pair: tuple[Served, Served], fault: Fault
) -> None:
    pair[1].fault = fault
    drafter = openai_drafter(pooled(client, pair, timeout_seconds=1.5))

    drafts = await asyncio.gather(*(drafter.draft(QUESTION, SUBSET) for _ in range(8)))

    assert all("24 months" in draft.answer for draft in drafts)


@pytest.mark.parametrize("fault", FAULTS)
async def test_no_score_is_lost_where_one_of_two_servers_fails(
    client: httpx.AsyncClient, pair: tuple[Served, Served], fault: Fault
) -> None:
    verifier = openai_verifier(pooled(client, pair, timeout_seconds=1.5))
    await verifier.probe()
    draft = make_draft("24 months", SUBSET)
    whole = await verifier.score(QUESTION, [draft], [None, SUBSET])

    pair[0].fault = fault
    partial = [await verifier.score(QUESTION, [draft], [None, SUBSET]) for _ in range(4)]

    assert all(np.allclose(one, whole) for one in partial)


@pytest.mark.parametrize(
    "fault", [Fault.MISALIGNED, Fault.NO_LOGPROBS, Fault.NO_PROMPT_LOGPROBS, Fault.NO_COMPLETIONS]
)
async def test_a_server_whose_log_probabilities_are_wrong_scores_nothing(
    client: httpx.AsyncClient, pair: tuple[Served, Served], fault: Fault
) -> None:
    pair[1].fault = fault
    target = pooled(client, pair)
    verifier = openai_verifier(target)
    draft = make_draft("24 months", SUBSET)

    mode = await verifier.probe()
    pair[1].bodies.clear()
    for _ in range(3):
        await verifier.score(QUESTION, [draft], [None, SUBSET])

    assert mode is VerifierMode.PROMPT_LOGPROBS
    assert not any("24 months" in str(body) for body in pair[1].bodies)
    assert faults_of(target)[pair[1].base_url] is not None


async def test_a_server_that_comes_back_with_wrong_log_probabilities_stays_out(
    client: httpx.AsyncClient, pair: tuple[Served, Served]
) -> None:
    pair[1].fault = Fault.BROKEN
    target = pooled(client, pair)
    verifier = openai_verifier(target)
    await verifier.probe()

    pair[1].fault = Fault.MISALIGNED
    pair[0].fault = Fault.BROKEN
    draft = make_draft("24 months", SUBSET)
    with pytest.raises(TransientError):
        await verifier.score(QUESTION, [draft], [SUBSET])
    pair[1].fault = None
    scores = await verifier.score(QUESTION, [draft], [SUBSET])

    assert scores.shape == (1, 1)


async def test_a_drafting_server_without_log_probabilities_is_left_out(
    client: httpx.AsyncClient, pair: tuple[Served, Served]
) -> None:
    pair[0].fault = Fault.NO_LOGPROBS
    target = pooled(client, pair)
    drafter = openai_drafter(target)

    drafts = await asyncio.gather(*(drafter.draft(QUESTION, SUBSET) for _ in range(6)))

    assert drafter.version.endswith(":logprobs")
    assert {draft.probability for draft in drafts} == {drafts[0].probability}
    assert faults_of(target)[pair[0].base_url] is not None


async def test_drafters_of_which_none_gives_log_probabilities_are_neutral(
    client: httpx.AsyncClient, pair: tuple[Served, Served]
) -> None:
    pair[0].fault = pair[1].fault = Fault.NO_LOGPROBS
    drafter = openai_drafter(pooled(client, pair))

    await drafter.draft(QUESTION, SUBSET)

    assert drafter.version.endswith(":neutral")


def embedder(client: httpx.AsyncClient, served: Sequence[Served]) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        client=client,
        base_url=served[0].base_url,
        more_urls=[one.base_url for one in served[1:]],
        model=MODEL,
        dimensions=DIMENSIONS,
        timeout_seconds=1.5,
    )


@pytest.mark.parametrize("fault", [Fault.BROKEN, Fault.BUSY, Fault.SILENT, Fault.NOT_JSON])
async def test_no_vector_is_lost_where_one_of_two_servers_fails(
    client: httpx.AsyncClient, pair: tuple[Served, Served], fault: Fault
) -> None:
    pooled_embedder = embedder(client, pair)
    whole = await pooled_embedder.embed(["a pump", "a valve"])

    pair[0].fault = fault
    found: list[NDArray[np.float32]] = [
        await pooled_embedder.embed(["a pump", "a valve"]) for _ in range(4)
    ]

    assert all(np.allclose(one, whole) for one in found)


async def test_a_server_with_another_models_vectors_embeds_nothing(
    client: httpx.AsyncClient, pair: tuple[Served, Served]
) -> None:
    pair[1].fault = Fault.OTHER_VECTORS
    pooled_embedder = embedder(client, pair)

    first = await pooled_embedder.embed(["a pump"])
    rest = [await pooled_embedder.embed(["a pump"]) for _ in range(5)]

    assert all(np.allclose(one, first) for one in rest)
    assert sum(state.fault is not None for state in pooled_embedder.pool.states()) == 1
