"""What a real server does with heads and bodies that come slowly, in vain, or by the hundred."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import anyio
import httpx
import pytest
from anyio import to_thread

from domain.scanning import Detector
from gateway.http.connections import PatientProtocol
from runtime.settings import ServerSettings, Settings
from tests.http_services import Gateway, open_gateway
from tests.serving import serve

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

LIMIT: Final = 200_000
QUICK: Final = 0.5
"""Seconds in which a head or a body must be here."""
PATIENCE: Final = 20.0


class Quick(PatientProtocol):
    head_seconds = QUICK


class Served:
    """A gateway behind a real server, and raw connections to it."""

    def __init__(self, gateway: Gateway, url: str) -> None:
        self.gateway = gateway
        self.url = url
        parts = urlsplit(url)
        self.address = (str(parts.hostname), int(parts.port or 0))

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=PATIENCE)

    async def told(self, *pieces: bytes, trickle: bytes = b"") -> tuple[int, dict[str, Any]]:
        """Send, then `trickle` until the server has had enough; return status and body."""
        answer = await to_thread.run_sync(lambda: self.exchange(pieces, trickle))
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(body)

    def exchange(self, pieces: Sequence[bytes], trickle: bytes) -> bytes:
        with self.connect() as connection:
            for piece in pieces:
                connection.sendall(piece)
            connection.settimeout(0.05)
            answer = b""
            for _ in range(int(PATIENCE / 0.05)):
                with contextlib.suppress(TimeoutError):
                    piece = connection.recv(65_536)
                    if not piece:
                        return answer
                    answer += piece
                    continue
                with contextlib.suppress(OSError):  # it may have been closed for writing
                    connection.sendall(trickle)
            raise AssertionError("the server never closed the connection")


@pytest.fixture(scope="module")
async def served(
    tmp_path_factory: pytest.TempPathFactory, detectors: Sequence[Detector], anyio_backend: str
) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    settings = Settings(
        data_dir=folder,
        server=ServerSettings(max_body_bytes=LIMIT, body_seconds=QUICK, max_connections=60),
    )
    async with (
        open_gateway(folder, detectors=detectors, settings=settings) as gateway,
        serve(
            gateway.app,
            http=Quick,
            ws="none",
            limit_concurrency=settings.server.max_connections,
            h11_max_incomplete_event_size=64 * 1024,
        ) as url,
    ):
        yield Served(gateway, url)


def head(path: str, headers: dict[str, str], **more: str | int) -> bytes:
    lines = {"Host": "gateway", **headers, **{k.replace("_", "-"): v for k, v in more.items()}}
    fields = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST {path} HTTP/1.1\r\n{fields}\r\n".encode()


async def test_a_head_that_trickles_in_is_given_up(served: Served) -> None:
    status, body = await served.told(b"GET /healthz HTTP/1.1\r\n", trickle=b"X-A: b\r\n")

    assert (status, body["type"]) == (408, "urn:mithridate:problem:request-timeout")


async def test_a_connection_on_which_nothing_comes_is_given_up(served: Served) -> None:
    status, _ = await served.told()

    assert status == 408


async def test_a_second_head_on_one_connection_has_its_time_too(served: Served) -> None:
    first = b"GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n"

    answer = await to_thread.run_sync(lambda: served.exchange([first, b"GET /hea"], b"l"))

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in answer


@pytest.mark.parametrize("length", [{"Content_Length": 50_000}, {"Transfer_Encoding": "chunked"}])
@pytest.mark.parametrize("path", ["/v1/documents", "/v1/questions"])
async def test_a_body_that_trickles_in_is_given_up(
    served: Served, path: str, length: dict[str, Any]
) -> None:
    admin = await served.gateway.admin()
    kind = "text/plain" if path == "/v1/documents" else "application/json"
    trickle = b"1\r\nx\r\n" if "Transfer_Encoding" in length else b"x"

    status, body = await served.told(
        head(path, admin, Content_Type=kind, **length), trickle=trickle
    )

    assert (status, body["type"]) == (408, "urn:mithridate:problem:request-timeout")


async def test_a_slow_body_that_keeps_up_its_rate_is_taken(served: Served) -> None:
    writer = await served.gateway.writer()
    piece = b"A lamp gives light. " * 100

    async def steady() -> AsyncIterator[bytes]:
        for _ in range(20):
            await anyio.sleep(2 * QUICK / 20)
            yield piece

    async with httpx.AsyncClient(base_url=served.url, timeout=PATIENCE) as client:
        reply = await client.post(
            "/v1/documents", content=steady(), headers={"Content-Type": "text/plain", **writer}
        )

    assert reply.status_code == 202, reply.text


@pytest.mark.parametrize("size", [70_000, 1_000_000, 8_000_000])
@pytest.mark.parametrize("path", ["/v1/policy/replays", "/v1/questions", "/v1/documents"])
async def test_who_sends_a_body_over_the_limit_reads_the_answer_before_the_end(
    served: Served, path: str, size: int
) -> None:
    admin = await served.gateway.admin()
    size = max(size, LIMIT + 70_000) if path == "/v1/documents" else size
    kind = "text/plain" if path == "/v1/documents" else "application/json"
    body = b"x" * size

    async with httpx.AsyncClient(base_url=served.url, timeout=PATIENCE) as client:
        for _ in range(10):
            reply = await client.post(path, content=body, headers={"Content-Type": kind, **admin})

            assert reply.status_code == 413
            assert reply.json()["type"] == "urn:mithridate:problem:document-too-large"


@pytest.mark.parametrize(
    "bytes_",
    [b"\x16\x03\x01\x02\x00" * 20, b"GET /\x00 HTTP/1.1\r\n\r\n", b"\r\n" * 3 + b"{}\r\n\r\n"],
)
async def test_what_is_no_http_is_refused_and_closed(served: Served, bytes_: bytes) -> None:
    answer = await to_thread.run_sync(lambda: served.exchange([bytes_], b""))

    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 408 "))


@pytest.mark.parametrize("fields", [1, 3000], ids=["one long field", "many fields"])
async def test_a_head_over_the_limit_is_refused(served: Served, fields: int) -> None:
    value = "x" * (80_000 // fields)
    lines = "".join(f"X-{number}: {value}\r\n" for number in range(fields))

    answer = await to_thread.run_sync(
        lambda: served.exchange([f"GET /healthz HTTP/1.1\r\n{lines}".encode()], b"")
    )

    assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.fixture
def crowd(served: Served) -> Iterator[list[socket.socket]]:
    """As many idle connections as one process takes."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(served.connect()) for _ in range(60)]


async def test_with_too_many_connections_the_next_is_told_so_and_later_served(
    served: Served, crowd: list[socket.socket]
) -> None:
    async with httpx.AsyncClient(base_url=served.url, timeout=PATIENCE) as client:
        full = await client.get("/healthz")

    # Idle ones are given up, and all is as before.
    for connection in crowd:
        await to_thread.run_sync(connection.recv, 65_536)
    async with httpx.AsyncClient(base_url=served.url, timeout=PATIENCE) as client:
        after = await client.get("/healthz")

    assert (full.status_code, after.status_code) == (503, 200)


async def test_other_sites_scripts_are_told_nothing(shared: Gateway) -> None:
    origin = {"Origin": "https://elsewhere.example"}
    admin = await shared.admin()

    asked = await shared.client.options(
        "/v1/documents", headers={**origin, "Access-Control-Request-Method": "POST"}
    )
    read = await shared.client.get("/v1/documents", headers={**origin, **admin})

    assert asked.status_code == 405
    for reply in (asked, read):
        assert not [name for name in reply.headers if name.startswith("access-control-")]


async def test_over_tls_browsers_are_told_to_stay_with_it(shared: Gateway) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=shared.app), base_url="https://gateway"
    ) as client:
        over_tls = await client.get("/healthz")
    plain = await shared.client.get("/healthz")

    assert over_tls.headers["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in plain.headers
