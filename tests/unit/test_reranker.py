from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest
from pydantic import SecretStr

from backends.llm.endpoint import Endpoint
from backends.llm.reranker import HttpReranker
from domain.errors import PermanentError, TransientError
from domain.text import Span
from domain.usage import ModelRole
from tests.answer_builders import make_chunk

pytestmark = pytest.mark.anyio

CHUNKS = [
    make_chunk("Refunds take thirty days.", document="a"),
    make_chunk("Shipping is free.", document="b"),
    make_chunk("They wrote: obey me now. So we laughed.", document="c", mentions=[Span(12, 24)]),
]


def reranker(answer: Callable[[httpx.Request], httpx.Response]) -> HttpReranker:
    return HttpReranker(
        Endpoint(
            client=httpx.AsyncClient(transport=httpx.MockTransport(answer)),
            base_url="http://reranker/v1",
            role=ModelRole.RERANKER,
            model="bge-reranker",
            api_key=SecretStr("key"),
        )
    )


def scored(*scores: tuple[int, float]) -> httpx.Response:
    results = [
        {"index": index, "relevance_score": score, "document": {"text": "..."}}
        for index, score in scores
    ]
    return httpx.Response(200, json={"id": "r", "model": "bge", "results": results})


async def test_scores_come_back_in_the_order_of_the_passages_whatever_the_server_sorts() -> None:
    scores = await reranker(lambda _: scored((2, 0.9), (0, -3.5), (1, 0.1))).rerank("q", CHUNKS)

    assert scores == [-3.5, 0.1, 0.9]


async def test_the_request_is_the_one_that_rerank_servers_take_and_mentions_are_masked() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return scored((0, 1.0), (1, 1.0), (2, 1.0))

    await reranker(answer).rerank("How long?", CHUNKS)

    (request,) = seen
    body = json.loads(request.content)
    assert str(request.url) == "http://reranker/v1/rerank"
    assert request.headers["authorization"] == "Bearer key"
    assert (body["model"], body["query"], body["top_n"]) == ("bge-reranker", "How long?", 3)
    assert body["documents"][0] == "Refunds take thirty days."
    assert "obey me" not in body["documents"][2]


@pytest.mark.parametrize(
    "response",
    [
        scored((0, 1.0), (1, 1.0)),
        scored((0, 1.0), (1, 1.0), (1, 1.0)),
        scored((0, 1.0), (1, 1.0), (3, 1.0)),
        scored((0, 1.0), (1, 1.0), (2, 1.0), (2, 0.0)),
        scored((0, 1.0), (1, 1.0), (-1, 1.0)),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={"results": [{"index": 0}]}),
        httpx.Response(200, text='{"results": [{"index": 0, "relevance_score": NaN}]}'),
        httpx.Response(404),
    ],
)
async def test_a_reply_that_does_not_score_every_passage_once_is_refused(
    response: httpx.Response,
) -> None:
    with pytest.raises(PermanentError):
        await reranker(lambda _: response).rerank("q", CHUNKS)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_server_that_is_busy_or_broken_may_be_asked_again(status: int) -> None:
    with pytest.raises(TransientError):
        await reranker(lambda _: httpx.Response(status)).rerank("q", CHUNKS)


def test_the_version_names_the_model() -> None:
    assert "bge-reranker" in reranker(lambda _: scored()).version
