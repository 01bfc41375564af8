"""The lean transport against httpx's own, by replies as they come over the wire."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import pytest

from backends.http_bodies import body_within
from backends.plain_http import MAX_HEAD_BYTES, PlainTransport, plain_mounts

pytestmark = pytest.mark.anyio

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
ZIPPED = gzip.compress(b"hello " * 900)
BOTH = [PlainTransport, httpx.AsyncHTTPTransport]


@dataclass(slots=True)
class Wires:
    """A server that says the next of its replies to each request, whatever it asks."""

    replies: list[Sequence[bytes]]
    close_after: bool = False
    port: int = 0
    connections: int = 0
    heads: list[bytes] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/x?y=%20z"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while self.replies:
                head = await reader.readuntil(b"\r\n\r\n")
                self.heads.append(head)
                lengths = [
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length:")
                ]
                self.bodies.append(await reader.readexactly(sum(lengths)))
                for piece in self.replies.pop(0):
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0)
                if self.close_after:
                    break
            else:
                await reader.read()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self.left.set()


@asynccontextmanager
async def wired(*replies: Sequence[bytes], close_after: bool = False) -> AsyncIterator[Wires]:
    wires = Wires(replies=list(replies), close_after=close_after)
    server = await asyncio.start_server(wires.handle, "127.0.0.1", 0)
    wires.port = server.sockets[0].getsockname()[1]
    try:
        yield wires
    finally:
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("transport", BOTH)
@pytest.mark.parametrize(
    ("reply", "status", "body", "close_after"),
    [
        ([OK], 200, b"hi", False),
        ([bytes([one]) for one in OK], 200, b"hi", False),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], 204, b"", False),
        ([b"HTTP/1.1 200 \r\ncontent-length:0\r\n\r\n"], 200, b"", False),
        ([b"HTTP/1.1 100 Continue\r\n\r\n", OK], 200, b"hi", False),
        ([b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nlate"], 503, b"late", False),
        ([b"HTTP/1.1 200 OK\r\n\r\nto the ", b"end"], 200, b"to the end", True),
        ([b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"], 200, b"hi", True),
        (
            [
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                b"3\r\nabc\r\n",
                b'A;why="not"\r\n0123456789\r\n0\r\nX-Trailer: 1\r\n\r\n',
            ],
            200,
            b"abc0123456789",
            False,
        ),
        (
            [
                b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
                % len(ZIPPED),
                ZIPPED,
            ],
            200,
            b"hello " * 900,
            False,
        ),
        (
            [b"HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n", b"x" * 2_000_000],
            200,
            b"x" * 2_000_000,
            False,
        ),
    ],
)
async def test_a_reply_is_read_as_httpx_reads_it(
    transport: Callable[[], httpx.AsyncBaseTransport],
    reply: Sequence[bytes],
    status: int,
    body: bytes,
    close_after: bool,
) -> None:
    async with (
        wired(reply, close_after=close_after) as wires,
        httpx.AsyncClient(transport=transport()) as client,
    ):
        answer = await client.post(wires.url, json={"a": "é"})

    assert (answer.status_code, answer.content) == (status, body)
    assert wires.bodies == ['{"a":"é"}'.encode()]
    assert wires.heads[0].startswith(b"POST /v1/x?y=%20z HTTP/1.1\r\nHost: 127.0.0.1:")


@pytest.mark.parametrize("transport", BOTH)
@pytest.mark.parametrize(
    "reply",
    [
        [],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi"],
        [b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nhi"],
        [b"HTTP/1.1 200 OK\r\nBroken Name: 1\r\n\r\n"],
        [b"SSH-2.0-OpenSSH\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n"],
    ],
)
async def test_a_reply_that_is_none_is_an_error_of_the_transport(
    transport: Callable[[], httpx.AsyncBaseTransport], reply: Sequence[bytes]
) -> None:
    async with (
        wired(reply, close_after=True) as wires,
        httpx.AsyncClient(transport=transport()) as client,
    ):
        with pytest.raises(httpx.TransportError):
            await client.post(wires.url, json={})


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: 1\r\n folded: 2\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nX: 1\nY: 2\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        b"HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * MAX_HEAD_BYTES + b"\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 9_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 9_000,
    ],
)
async def test_what_could_be_read_in_two_ways_or_never_ends_is_refused(reply: bytes) -> None:
    async with (
        wired([reply], close_after=True) as wires,
        httpx.AsyncClient(transport=PlainTransport()) as client,
    ):
        with pytest.raises(httpx.RemoteProtocolError):
            await client.post(wires.url, json={})


async def test_a_connection_serves_one_request_after_the_other() -> None:
    async with (
        wired(*[[OK]] * 5) as wires,
        httpx.AsyncClient(transport=PlainTransport()) as client,
    ):
        answers = [await client.get(wires.url) for _ in range(5)]

    assert [one.content for one in answers] == [b"hi"] * 5
    assert wires.connections == 1


async def test_requests_at_once_have_connections_of_their_own() -> None:
    async with (
        wired(*[[OK]] * 4) as wires,
        httpx.AsyncClient(transport=PlainTransport()) as client,
    ):
        answers = await asyncio.gather(*[client.get(wires.url) for _ in range(4)])

    assert [one.content for one in answers] == [b"hi"] * 4
    assert wires.connections == 4


@pytest.mark.parametrize(
    "reply",
    [
        OK + b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged",
        b"HTTP/1.1 200 OK\r\nConnection: Keep-Alive, Close\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
    ],
)
async def test_a_connection_is_not_kept_where_more_came_or_the_server_ends_it(reply: bytes) -> None:
    async with (
        wired([reply], [OK]) as wires,
        httpx.AsyncClient(transport=PlainTransport()) as client,
    ):
        answers = [await client.get(wires.url) for _ in range(2)]

    assert [one.content for one in answers] == [b"hi", b"hi"]
    assert wires.connections == 2


async def test_a_connection_that_the_server_closed_meanwhile_is_not_used() -> None:
    async with (
        wired([OK], [OK], close_after=True) as wires,
        httpx.AsyncClient(transport=PlainTransport()) as client,
    ):
        await client.get(wires.url)
        await wires.left.wait()
        answer = await client.get(wires.url)

    assert answer.content == b"hi"
    assert wires.connections == 2


async def test_a_connection_that_was_idle_for_long_is_not_used() -> None:
    async with (
        wired([OK], [OK]) as wires,
        httpx.AsyncClient(transport=PlainTransport(idle_seconds=0)) as client,
    ):
        for _ in range(2):
            await client.get(wires.url)

    assert wires.connections == 2


async def test_a_body_that_is_not_read_to_its_end_ends_the_connection() -> None:
    long = b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n" + b"x" * 900_000
    async with (
        wired([long], [OK]) as wires,
        httpx.AsyncClient(transport=PlainTransport()) as client,
    ):
        async with client.stream("GET", wires.url) as response:
            body = await body_within(response, 1_000)
        answer = await client.get(wires.url)

    assert body is None
    assert answer.content == b"hi"
    assert wires.connections == 2


async def test_a_request_that_is_given_up_ends_its_connection() -> None:
    async with (
        wired([], [OK]) as wires,
        httpx.AsyncClient(transport=PlainTransport()) as client,
    ):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await client.get(wires.url)
        async with asyncio.timeout(5):
            await wires.left.wait()
        answer = await client.get(wires.url)

    assert answer.content == b"hi"
    assert wires.connections == 2


async def test_a_server_that_says_nothing_is_left_in_time() -> None:
    async with (
        wired([], [OK]) as wires,
        httpx.AsyncClient(transport=PlainTransport()) as client,
    ):
        with pytest.raises(httpx.ReadTimeout):
            await client.get(wires.url, timeout=0.05)


async def test_nobody_there_is_an_error_of_connecting() -> None:
    async with wired() as wires:
        pass
    async with httpx.AsyncClient(transport=PlainTransport()) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(wires.url)


@pytest.mark.parametrize("header", ["a\r\nX-Injected: 1", "a\nb", "a\x00b"])
async def test_no_header_makes_another(header: str) -> None:
    async with (
        wired([OK]) as wires,
        httpx.AsyncClient(transport=PlainTransport()) as client,
    ):
        with pytest.raises(httpx.LocalProtocolError):
            await client.get(wires.url, headers={"Authorization": header})

    assert wires.heads == []


async def test_only_plain_http_is_spoken() -> None:
    async with httpx.AsyncClient(transport=PlainTransport()) as client:
        with pytest.raises(httpx.UnsupportedProtocol):
            await client.get("https://models.example.test/v1/models")


@pytest.mark.parametrize("proxy", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_asked_as_before(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv(proxy, "http://proxy.example.test:3128")

    assert plain_mounts(["http://models.example.test:8000/v1"]) == {}


def test_origins_without_tls_are_mounted_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    mounts = plain_mounts(
        ["http://one.example.test:8000/v1", "https://two.example.test/v1", "http://[::1]:9000/v1"]
    )

    assert sorted(mounts) == ["http://[::1]:9000", "http://one.example.test:8000"]
