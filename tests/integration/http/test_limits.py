"""Bodies over the limit are refused before they are read whole, whatever their length claims."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

import pytest
from starlette.types import Message

from gateway.http.limits import LINGER_BYTES
from tests.http_services import MAX_BODY, Gateway
from tests.integration.http.problems import MEDIA_TYPE, problem

pytestmark = pytest.mark.anyio

SLACK = 64 * 1024
JSON_LIMIT = 64 * 1024
PIECE = b"x" * 16_384
TEXT = {"Content-Type": "text/plain"}
FORM = {"Content-Type": "multipart/form-data; boundary=b"}
FORM_HEAD = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'


@dataclass(slots=True)
class Endless:
    """A body of pieces without end, and how much of it was asked for."""

    head: bytes = b""
    sent: int = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.head
        while True:
            self.sent += len(PIECE)
            yield PIECE


@dataclass(slots=True)
class Exchange:
    """One request as a server hands it over, so that its length can lie."""

    pieces: Iterable[bytes]
    broken_off: bool = False
    read: int = 0
    read_unanswered: int = 0
    answer: list[Message] = field(default_factory=list)

    async def receive(self) -> Message:
        for piece in self.pieces:
            self.read += 1
            self.read_unanswered += not self.answer
            return {"type": "http.request", "body": piece, "more_body": True}
        if self.broken_off:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: Message) -> None:
        self.answer.append(message)

    async def run(self, gateway: Gateway, path: str, headers: dict[str, str]) -> None:
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": raw,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        await gateway.app(scope, self.receive, self.send)

    @property
    def status(self) -> int:
        return int(self.answer[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.answer[0]["headers"]}


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/scans", "/v1/nowhere"])
@pytest.mark.parametrize("length", [MAX_BODY + SLACK + 1, 10**17, 10**30])
async def test_a_declared_length_over_the_limit_is_refused_unread(
    shared: Gateway, path: str, length: int
) -> None:
    exchange = Exchange(iter([b"x"]))

    await exchange.run(shared, path, {**TEXT, "Content-Length": str(length)})

    assert exchange.status == 413
    assert exchange.read_unanswered == 0
    assert exchange.headers["content-type"] == MEDIA_TYPE
    assert exchange.headers["connection"] == "close"
    assert exchange.headers["x-request-id"].startswith("req_")


@pytest.mark.parametrize("length", [{}, {"Content-Length": "5"}, {"Content-Length": "9" * 5000}])
@pytest.mark.parametrize(
    ("kind", "head"), [(TEXT, b""), (FORM, FORM_HEAD)], ids=["raw", "multipart"]
)
async def test_a_body_that_is_longer_than_it_says_is_refused_when_it_is(
    shared: Gateway, kind: dict[str, str], head: bytes, length: dict[str, str]
) -> None:
    headers = await shared.writer()
    pieces = iter([head, *[PIECE] * 1000])
    exchange = Exchange(pieces)

    await exchange.run(shared, "/v1/documents", {**kind, **length, **headers})

    assert exchange.status == 413
    assert exchange.read_unanswered <= (MAX_BODY + SLACK) // len(PIECE) + 3
    assert exchange.read <= LINGER_BYTES // len(PIECE) + exchange.read_unanswered + 2
    assert exchange.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("kind", "head"), [(TEXT, b""), (FORM, FORM_HEAD)], ids=["raw", "multipart"]
)
async def test_a_body_without_a_length_is_read_up_to_the_limit_alone(
    shared: Gateway, kind: dict[str, str], head: bytes
) -> None:
    headers = await shared.writer()
    body = Endless(head)

    reply = await shared.client.post(
        "/v1/documents", content=body.__aiter__(), headers={**kind, **headers}
    )

    problem(reply, 413, "document-too-large")
    assert body.sent <= MAX_BODY + SLACK + LINGER_BYTES + 2 * len(PIECE)


async def test_an_upload_without_a_key_is_not_read_at_all(shared: Gateway) -> None:
    body = Endless()

    reply = await shared.client.post("/v1/documents", content=body.__aiter__(), headers=TEXT)

    problem(reply, 401, "unauthenticated")
    assert body.sent == 0


async def test_a_document_of_the_greatest_size_is_taken_and_one_byte_more_is_not(
    shared: Gateway,
) -> None:
    headers = await shared.writer()
    greatest = b"y" * MAX_BODY

    for files, content, kind in (
        (None, greatest, TEXT),
        ([("file", ("a.txt", greatest, "text/plain"))], None, {}),
    ):
        reply = await shared.client.post(
            "/v1/documents", content=content, files=files, headers={**kind, **headers}
        )
        assert reply.status_code == 202, reply.text
    for files, content, kind in (
        (None, greatest + b"y", TEXT),
        ([("file", ("a.txt", greatest + b"y", "text/plain"))], None, {}),
    ):
        reply = await shared.client.post(
            "/v1/documents", content=content, files=files, headers={**kind, **headers}
        )
        body = problem(reply, 413, "document-too-large")
        assert str(MAX_BODY) in body["detail"]


async def test_a_json_body_has_a_limit_of_its_own(shared: Gateway) -> None:
    headers = await shared.admin()
    declared = json.dumps({"question": "x" * JSON_LIMIT}).encode()
    endless = Endless(b'{"question": "')

    reply = await shared.client.post(
        "/v1/questions", content=declared, headers={"Content-Type": "application/json", **headers}
    )
    streamed = await shared.client.post(
        "/v1/questions",
        content=endless.__aiter__(),
        headers={"Content-Type": "application/json", **headers},
    )

    for each in (reply, streamed):
        body = problem(each, 413, "document-too-large")
        assert str(JSON_LIMIT) in body["detail"]
    assert endless.sent <= JSON_LIMIT + LINGER_BYTES + 2 * len(PIECE)


async def test_a_caller_who_goes_away_is_no_unexpected_error(shared: Gateway) -> None:
    headers = await shared.writer()
    exchange = Exchange(iter([b"half a "]), broken_off=True)

    await exchange.run(shared, "/v1/documents", {**TEXT, **headers})

    assert exchange.status == 400


async def test_dry_runs_are_limited_and_say_when_again(gateway: Gateway) -> None:
    headers = await gateway.writer()

    replies = [
        await gateway.client.post("/v1/scans", content=b"", headers={**TEXT, **headers})
        for _ in range(31)
    ]
    other = await gateway.client.post(
        "/v1/scans", content=b"", headers={**TEXT, **await gateway.writer()}
    )
    gateway.world.clock.advance(61)
    later = await gateway.client.post("/v1/scans", content=b"", headers={**TEXT, **headers})

    assert {reply.status_code for reply in replies[:30]} == {422}
    problem(replies[30], 429, "rate-limited")
    assert 1 <= int(replies[30].headers["retry-after"]) <= 60
    assert (other.status_code, later.status_code) == (422, 422)
