from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import numpy as np
import pytest
from pydantic import SecretStr

from backends.embedder_openai import OpenAIEmbedder
from domain.errors import PermanentError, TransientError

pytestmark = pytest.mark.anyio

SECRET_TEXT = "the merger closes on Friday"
KEY = "sk-secret"


def embedder(
    handler: Callable[[httpx.Request], httpx.Response], *, api_key: SecretStr | None = None
) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        client=httpx.AsyncClient(transport=httpx.MockTransport(handler)),
        base_url="http://embeddings.test/v1/",
        model="m",
        dimensions=2,
        api_key=api_key,
        batch_size=2,
        max_characters=100,
    )


def reply(*vectors: list[float]) -> dict[str, object]:
    return {"data": [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]}


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (302, PermanentError),
        (400, PermanentError),
        (401, PermanentError),
        (404, PermanentError),
        (408, TransientError),
        (413, PermanentError),
        (429, TransientError),
        (500, TransientError),
        (503, TransientError),
    ],
)
async def test_a_refusal_says_whether_retrying_may_help(
    status: int, error: type[Exception]
) -> None:
    refusing = embedder(lambda _: httpx.Response(status, text=SECRET_TEXT))

    with pytest.raises(error, match=str(status)):
        await refusing.embed(["text"])


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (httpx.ConnectError, TransientError),
        (httpx.ConnectTimeout, TransientError),
        (httpx.ReadTimeout, TransientError),
        (httpx.ReadError, TransientError),
        (httpx.RemoteProtocolError, TransientError),
        (httpx.UnsupportedProtocol, PermanentError),
        (httpx.TooManyRedirects, PermanentError),
    ],
)
async def test_a_failed_request_is_wrapped_once(
    failure: type[httpx.RequestError], error: type[Exception]
) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise failure(SECRET_TEXT, request=request)

    with pytest.raises(error, match=failure.__name__) as caught:
        await embedder(fail).embed(["text"])

    assert isinstance(caught.value.__cause__, failure)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"<html>", id="a page"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"data": 1}', id="a number"),
        pytest.param(b'{"error": "x"}', id="an error with status 200"),
        pytest.param(json.dumps(reply()).encode(), id="no vector"),
        pytest.param(json.dumps(reply([1, 0], [0, 1])).encode(), id="too many vectors"),
        pytest.param(json.dumps(reply([1, 0, 0])).encode(), id="too many dimensions"),
        pytest.param(json.dumps(reply([])).encode(), id="no dimensions"),
        pytest.param(json.dumps(reply([0, 0])).encode(), id="zero"),
        pytest.param(b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}', id="not a number"),
        pytest.param(b'{"data": [{"index": 0, "embedding": [1e999, 1]}]}', id="infinite"),
        pytest.param(b'{"data": [{"index": 0, "embedding": [null, 1]}]}', id="null"),
        pytest.param(b'{"data": [{"index": 1, "embedding": [0, 1]}]}', id="wrong number"),
        pytest.param(b'{"data": [{"index": 0, "embedding": "AACAPw=="}]}', id="base64"),
    ],
)
async def test_a_reply_that_is_not_one_good_vector_a_text_is_refused(content: bytes) -> None:
    broken = embedder(lambda _: httpx.Response(200, content=content))

    with pytest.raises(PermanentError):
        await broken.embed(["text"])


async def test_numbered_twice_is_refused() -> None:
    item = {"index": 0, "embedding": [1, 0]}
    broken = embedder(lambda _: httpx.Response(200, json={"data": [item, item]}))

    with pytest.raises(PermanentError):
        await broken.embed(["a", "b"])


@pytest.mark.parametrize("status", [200, 400, 503])
async def test_neither_text_nor_key_enters_an_error(status: int) -> None:
    echoing = embedder(
        lambda request: httpx.Response(status, content=request.content), api_key=SecretStr(KEY)
    )

    with pytest.raises((PermanentError, TransientError)) as caught:
        await echoing.embed([SECRET_TEXT])

    assert SECRET_TEXT not in str(caught.value)
    assert KEY not in str(caught.value)


async def test_requests_carry_model_key_and_a_batch_of_shortened_texts() -> None:
    seen: list[httpx.Request] = []

    def record(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(
            200, json=reply(*[[3.0, 4.0]] * len(json.loads(request.content)["input"]))
        )

    vectors = await embedder(record, api_key=SecretStr(KEY)).embed(["a", "b" * 200, ""])

    bodies = [json.loads(request.content) for request in seen]
    assert bodies == [{"model": "m", "input": ["a", "b" * 100]}, {"model": "m", "input": [" "]}]
    assert {str(request.url) for request in seen} == {"http://embeddings.test/v1/embeddings"}
    assert {request.headers["authorization"] for request in seen} == {f"Bearer {KEY}"}
    np.testing.assert_allclose(vectors, [[0.6, 0.8]] * 3, atol=1e-6)


async def test_no_key_sends_no_authorisation() -> None:
    def refuse_keys(request: httpx.Request) -> httpx.Response:
        status = 401 if "authorization" in request.headers else 200
        return httpx.Response(status, json=reply([1, 0]))

    assert (await embedder(refuse_keys).embed(["a"])).shape == (1, 2)


async def test_an_address_that_is_none_is_a_permanent_fault() -> None:
    broken = OpenAIEmbedder(
        client=httpx.AsyncClient(), base_url="http://[::1", model="m", dimensions=2
    )

    with pytest.raises(PermanentError):
        await broken.embed(["a"])
