from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr

from backends.web_search_http import HttpWebSearch
from domain.errors import ConfigurationError, PermanentError, TransientError
from tests.receivers import Behaviour, answer, babble, flood, hang, receiving

pytestmark = pytest.mark.anyio

QUESTION = "Wie lange gilt die Garantie? & count=99"
FOUND = {"title": "Garantie", "url": "https://example.org/a?b=c", "text": "Sie gilt drei Jahre."}


def results(*found: object, **rest: object) -> Behaviour:
    return answer(200, body=json.dumps({"results": found, **rest}).encode())


def search_at(port: int) -> HttpWebSearch:
    return HttpWebSearch(
        f"http://127.0.0.1:{port}/search",
        api_key=SecretStr("key"),
        allow_private_networks=True,
        timeout_seconds=1.0,
    )


async def test_a_search_is_one_get_with_the_question_and_the_count() -> None:
    async with receiving(results(FOUND, took=3)) as engine:
        (found,) = await search_at(engine.port).search(QUESTION, count=5)

    (request,) = engine.received
    asked = urlsplit(request.target)
    assert asked.path == "/search"
    assert parse_qs(asked.query) == {"q": [QUESTION], "count": ["5"]}
    assert request.headers["authorization"] == "Bearer key"
    assert (found.title, found.url, found.text) == tuple(FOUND.values())


async def test_more_results_than_asked_for_and_empty_ones_are_left_out() -> None:
    empty = {"url": "https://example.org", "text": "  "}
    async with receiving(results(empty, *[FOUND] * 9)) as engine:
        found = await search_at(engine.port).search("q", count=3)

    assert len(found) == 2


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (answer(429), TransientError),
        (answer(503), TransientError),
        (hang, TransientError),
        (babble, TransientError),
        (flood, PermanentError),
        (answer(401), PermanentError),
        (answer(302, headers="Location: http://169.254.169.254/\r\n"), PermanentError),
        (answer(200, body=b"<html>"), PermanentError),
        (answer(200, body=b'{"results": {}}'), PermanentError),
        (results({"url": "https://example.org"}), PermanentError),
        (answer(200, headers="Content-Encoding: gzip\r\n", body=b"x"), PermanentError),
    ],
)
async def test_whatever_an_engine_does_is_an_error_of_ours_that_repeats_nothing(
    behaviour: Behaviour, error: type[Exception]
) -> None:
    async with receiving(behaviour) as engine:
        with pytest.raises(error) as raised:
            await search_at(engine.port).search("a secret question", count=3)

    assert "secret" not in str(raised.value)
    assert engine.connections == 1


async def test_an_engine_whose_name_leads_inside_is_not_asked() -> None:
    async def inside(host: str, port: int) -> Sequence[str]:
        del host, port
        return ["127.0.0.1"]

    search = HttpWebSearch("https://search.example/s", resolve=inside)

    with pytest.raises(PermanentError):
        await search.search("q", count=1)


@pytest.mark.parametrize(
    "url",
    [
        "http://search.example/s",
        "https://127.0.0.1/s",
        "https://user:password@search.example/s",
        "https://search.example/s?key=1",
        "nothing",
    ],
)
def test_an_address_that_cannot_be_used_is_a_fault_of_the_configuration(url: str) -> None:
    with pytest.raises(ConfigurationError):
        HttpWebSearch(url)
