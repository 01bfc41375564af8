"""A question followed stage by stage, as server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import ClientDisconnect

from domain.documents import DEFAULT_TENANT, OriginKind, OriginRef
from domain.errors import TransientError
from domain.scanning import Detector
from domain.stages import StageObserver
from gateway.http.events import question_events
from gateway.http.following import HEARTBEAT, EventStream, wants_events
from gateway.http.models_questions import TraceModel
from tests.http_services import Gateway, open_broken_gateway
from tests.serving import serve

pytestmark = pytest.mark.anyio

PRESS = OriginRef(kind=OriginKind.PUBLISHER, id="press")
PAGE = "# The quarry road\n\nThe quarry road closes at 16:20 in winter.\n"
QUESTION = {"question": "When does the quarry road close in winter?"}
UNKNOWN = {"question": "Who composed the anthem of the moon colony?"}
EVENTS = {"Accept": "text/event-stream"}


def events(text: str) -> list[tuple[str, Any]]:
    """Read a stream; comments are left out."""
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    found = []
    for block in blocks:
        name, data = block.split("\n")
        assert name.startswith("event: ")
        assert data.startswith("data: ")
        found.append((name[7:], json.loads(data[6:])))
    return found


async def asked(gateway: Gateway, body: dict[str, Any]) -> httpx.Response:
    headers = {**EVENTS, **await gateway.admin()}
    return await gateway.client.post("/v1/questions", json=body, headers=headers)


async def test_each_stage_is_told_and_the_answer_comes_last(gateway: Gateway) -> None:
    await gateway.world.establish(PRESS, reviewed=True)
    await gateway.settled(await gateway.writer(PRESS), PAGE)

    reply = await asked(gateway, QUESTION)

    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.headers["cache-control"] == "no-store"
    told = events(reply.text)
    assert {name for name, _ in told[:-1]} == {"stage"}
    stages = [data["stage"] for _, data in told[:-1]]
    assert stages[:6] == ["embed", "retrieve", "partition", "draft", "verify", "decide"]
    assert told[1][1]["counts"] == {"established": 1, "pool": 0, "established_origins": 1}
    name, answer = told[-1]
    assert name == "answer"
    assert "16:20" in answer["answer"]
    trace = await gateway.client.get(f"/v1/questions/{answer['id']}", headers=await gateway.admin())
    assert {field: trace.json()[field] for field in answer} == answer


async def test_no_text_of_a_document_or_draft_is_sent_before_the_answer(gateway: Gateway) -> None:
    await gateway.world.establish(PRESS, reviewed=True)
    await gateway.settled(await gateway.writer(PRESS), PAGE)

    reply = await asked(gateway, QUESTION)

    before = reply.text[: reply.text.index("event: answer")]
    assert "quarry" not in before
    assert "16:20" not in before


async def test_the_rungs_of_the_ladder_are_told(gateway: Gateway) -> None:
    told = events((await asked(gateway, UNKNOWN)).text)

    rungs = [data["rung"] for name, data in told if name == "stage" and data["stage"] == "rung"]
    assert rungs[-1] == {"step": "abstain", "result": "queued"}
    assert told[-1][1]["outcome"] == "abstain"


@pytest.mark.parametrize(
    ("error", "status", "code", "detail"),
    [
        (TransientError("no index"), 503, "dependency-unavailable", "no index"),
        (RuntimeError("SECRET"), 500, "internal", "an unexpected error was logged"),
    ],
)
async def test_what_goes_wrong_is_an_event_with_a_problem(
    tmp_path: Path,
    detectors: list[Detector],
    error: Exception,
    status: int,
    code: str,
    detail: str,
) -> None:
    async with open_broken_gateway(tmp_path, error, detectors=detectors) as broken:
        reply = await asked(broken, QUESTION)

    ((name, problem),) = events(reply.text)
    assert (reply.status_code, name) == (200, "error")
    assert problem["type"] == f"urn:mithridate:problem:{code}"
    assert (problem["status"], problem["detail"]) == (status, detail)


async def test_a_request_that_is_not_valid_is_refused_before_the_stream(shared: Gateway) -> None:
    reply = await asked(shared, {"question": ""})

    assert reply.status_code == 422
    assert reply.headers["content-type"] == "application/problem+json"


class Unending:
    """A question that is never answered; `ended` is set when its work is cancelled."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.ended = asyncio.Event()

    async def answer(self, observer: StageObserver) -> TraceModel:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        raise AssertionError("never answered")


async def test_a_slow_question_sends_signs_of_life_and_closing_cancels_it() -> None:
    question = Unending()
    stream = question_events(question.answer, route="/x", heartbeat_seconds=0.005)

    beats = [await anext(stream) for _ in range(3)]
    await stream.aclose()

    assert beats == [HEARTBEAT] * 3
    await asyncio.wait_for(question.ended.wait(), 5)


@pytest.mark.parametrize("version", ["2.3", "2.4"])
async def test_a_client_that_leaves_cancels_the_work(version: str) -> None:
    question = Unending()
    response = EventStream(question_events(question.answer, route="/x", heartbeat_seconds=0.005))
    left = asyncio.Event()

    async def receive() -> dict[str, Any]:
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            left.set()
            if version == "2.4":  # such a server says so where something is sent
                raise OSError("gone")

    scope = {"type": "http", "asgi": {"spec_version": version}}
    with contextlib.suppress(ClientDisconnect):
        await response(scope, receive, send)

    await asyncio.wait_for(question.ended.wait(), 5)


@pytest.fixture
async def url(gateway: Gateway) -> AsyncIterator[str]:
    async with serve(gateway.app) as served:
        yield served


async def test_a_connection_that_is_closed_leaves_no_question_behind(
    gateway: Gateway, url: str
) -> None:
    headers = {**EVENTS, **await gateway.admin()}

    async with (
        httpx.AsyncClient(base_url=url) as client,
        client.stream("POST", "/v1/questions", json=UNKNOWN, headers=headers) as reply,
    ):
        first = await anext(reply.aiter_text())
    still = await gateway.client.post("/v1/questions", json=UNKNOWN, headers=headers)

    assert first.startswith("event: stage")
    assert events(still.text)[-1][0] == "answer"
    kept = await gateway.world.ledger.questions.list(
        DEFAULT_TENANT, outcome=None, cursor=None, limit=9
    )
    assert 1 <= len(kept.items) <= 2


@pytest.mark.parametrize(
    ("accept", "events_wanted"),
    [
        ("text/event-stream", True),
        ("TEXT/Event-Stream; charset=utf-8", True),
        ("text/event-stream, application/json;q=0.5", True),
        ("application/json, text/event-stream", True),
        ("text/event-stream;q=0.1, application/json", False),
        ("text/event-stream;q=0", False),
        ("text/event-stream;q=x", False),
        ("application/json", False),
        ("*/*", False),
        ("", False),
    ],
)
def test_events_are_sent_to_who_names_them(accept: str, events_wanted: bool) -> None:
    assert wants_events(accept) is events_wanted
