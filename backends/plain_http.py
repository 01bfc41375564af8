"""A lean HTTP/1.1 client below httpx, for model servers spoken to without TLS.

A question makes seven calls of model servers. httpx's own transport takes 2 ms of processor time for each, most of
it in layers that serve HTTP/2, proxies and other event loops (docs/benchmarks/query.md). This one speaks to one
origin at a time over asyncio, and no more than that; what is not plain HTTP stays with httpx's.

It reads replies strictly: what two parsers could understand differently is refused, and a connection on which
anything came unasked is not used again.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.request import getproxies

import httpx

IDLE_SECONDS: Final = 4.0
"""Servers close theirs after 5 s (uvicorn, so vLLM) or more: what is sent just then would be lost."""

MAX_HEAD_BYTES: Final = 65_536
MAX_LINE_BYTES: Final = 8_192
"""Of a chunk's size with its extensions, and of all trailers together."""

_HELD_BYTES: Final = 262_144
_IDLE_AT_MOST: Final = 20
_STATUS: Final = re.compile(rb"HTTP/1\.([01]) ([1-9]\d\d)(?: ([\t \x21-\x7e\x80-\xff]*))?")
_FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\x00]*?)[ \t]*")
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n\x00]*)?")
_LENGTH: Final = re.compile(rb"\d{1,18}")
_UNSENDABLE: Final = re.compile(rb"[\r\n\x00]")
_CONTINUES: Final = 200
_SWITCHES: Final = 101
_BODILESS: Final = frozenset({204, 304})
_BLOCK: Final = 65_536


def plain_mounts(urls: Iterable[str]) -> Mapping[str, httpx.AsyncBaseTransport | None]:
    """Return what an `httpx.AsyncClient` takes as `mounts` so that the origins of `urls` are asked leanly.

    None are where the environment names a proxy for plain HTTP, for only httpx's transport asks one.
    """
    if {"http", "all"} & getproxies().keys():
        return {}
    transport = PlainTransport()
    parsed = [httpx.URL(url) for url in urls]
    return {
        f"http://{url.netloc.decode('ascii')}": transport for url in parsed if url.scheme == "http"
    }


class PlainTransport(httpx.AsyncBaseTransport):
    """Sends requests of `http` URLs over connections that it keeps for the next.

    How many are open at once is for the caller to bound (`backends.server_pool` does). Lives on one
    event loop. Raises httpx's own errors; nothing is sent twice.
    """

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._idle: dict[tuple[str, int], deque[_Wire]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its reply, of which the head is read.

        Raises:
            httpx.UnsupportedProtocol: The URL is not of plain HTTP.
            httpx.LocalProtocolError: A line break in the head, or a body of unknown length.
            httpx.RemoteProtocolError: The reply is none, or not one that can be read in one way only.
            httpx.TransportError: Connecting, sending or reading failed, or took too long.
        """
        if request.url.scheme != "http":
            raise httpx.UnsupportedProtocol("only plain HTTP is spoken here", request=request)
        content = _head(request) + await request.aread()
        limits: Mapping[str, float | None] = request.extensions.get("timeout", {})
        origin = (request.url.host, request.url.port or 80)
        if self._idle.get(origin):
            for _ in range(2):  # the loop looks which were closed meanwhile, then tells them
                await asyncio.sleep(0)
        wire = self._kept(origin) or await _connected(origin, limits.get("connect"))
        try:
            wire.read_seconds = limits.get("read")
            wire.send(content)
            reply = await _read_head(wire)
            body = _Body(wire, reply.framing(request.method), self._returner(origin, wire, reply))
        except BaseException:
            wire.abort()
            raise
        return httpx.Response(
            reply.status,
            headers=reply.fields,
            stream=body,
            extensions={"http_version": reply.version, "reason_phrase": reply.reason},
        )

    async def aclose(self) -> None:
        for wires in self._idle.values():
            for wire in wires:
                wire.abort()
        self._idle.clear()

    def _kept(self, origin: tuple[str, int]) -> _Wire | None:
        """Return the connection used last, of those that are still good."""
        wires = self._idle.get(origin, deque())
        while wires:
            wire = wires.pop()
            if wire.untouched and time.monotonic() - wire.idle_since < self._idle_seconds:
                return wire
            wire.abort()
        return None

    def _returner(self, origin: tuple[str, int], wire: _Wire, reply: _Head) -> Callable[[], None]:
        def keep() -> None:
            wires = self._idle.setdefault(origin, deque())
            if not (reply.lasting and wire.untouched):
                wire.abort()
                return
            wire.idle_since = time.monotonic()
            wires.append(wire)
            while len(wires) > _IDLE_AT_MOST:
                wires.popleft().abort()

        return keep


class _Wire(asyncio.Protocol):
    """A connection, and what came on it that nobody has taken yet."""

    def __init__(self) -> None:
        self.held = bytearray()
        self.idle_since = 0.0
        self.read_seconds: float | None = None
        self._over = False
        self._fault: BaseException | None = None
        self._paused = False
        self._waiter: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None

    @property
    def untouched(self) -> bool:
        """Whether it is open and nothing waits on it."""
        transport = self._transport
        return not (self._over or self.held or transport is None or transport.is_closing())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            raise TypeError("a connection of TCP is needed")
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self.held += data
        if len(self.held) > _HELD_BYTES and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._over = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._over, self._fault = True, exc
        self._wake()

    def send(self, content: bytes) -> None:
        if self._transport is not None:
            self._transport.write(content)

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    async def until(self, separator: bytes, most: int) -> bytes:
        """Return what stands before `separator`, which is taken too; `most` bytes at the utmost."""
        looked = 0
        while (at := self.held.find(separator, looked)) < 0:
            looked = max(0, len(self.held) - len(separator))
            if len(self.held) > most:
                break
            if not await self.more():
                raise httpx.RemoteProtocolError("the server broke off within a reply")
        if not 0 <= at <= most:
            raise httpx.RemoteProtocolError(f"a reply's head or line is over {most} bytes")
        found = bytes(self.held[:at])
        del self.held[: at + len(separator)]
        return found

    def take(self, most: int) -> bytes:
        found = bytes(self.held[:most])
        del self.held[:most]
        return found

    async def more(self) -> bool:
        """Wait for bytes; return False where the server sends none any more.

        Raises:
            httpx.ReadTimeout: None came in time.
            httpx.ReadError: The connection failed.
        """
        if self._over:
            if self._fault is not None:
                raise httpx.ReadError(type(self._fault).__name__) from self._fault
            return False
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self.read_seconds):
                await self._waiter
        except TimeoutError as exc:
            raise httpx.ReadTimeout("nothing came in time") from exc
        finally:
            self._waiter = None
        return bool(self.held) or await self.more()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """Attributes: `lasting` is whether the server keeps the connection behind this reply."""

    version: bytes
    status: int
    reason: bytes
    fields: list[tuple[bytes, bytes]]
    lasting: bool

    def framing(self, method: str) -> int | str | None:
        """Return the body's length; "chunked"; or None where it lasts as long as the connection."""
        codings, lengths = self._all(b"transfer-encoding"), set(self._all(b"content-length"))
        if codings and (lengths or [one.lower() for one in codings] != [b"chunked"]):
            raise httpx.RemoteProtocolError("a reply's length is told in no way that is known")
        if len(lengths) > 1 or any(_LENGTH.fullmatch(one) is None for one in lengths):
            raise httpx.RemoteProtocolError("a reply's length is no single number")
        if method == "HEAD" or self.status in _BODILESS:
            return 0
        if codings:
            return "chunked"
        return int(lengths.pop()) if lengths else None

    def _all(self, name: bytes) -> list[bytes]:
        return [value for key, value in self.fields if key.lower() == name]


class _Body(httpx.AsyncByteStream):
    """A reply's body, as it comes; the connection is kept only where it was read to its end."""

    def __init__(self, wire: _Wire, framing: int | str | None, keep: Callable[[], None]) -> None:
        self._wire = wire
        self._framing = framing
        self._keep = keep
        self._ended = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._framing == "chunked":
            async for piece in self._chunks():
                yield piece
        elif isinstance(self._framing, int):
            async for piece in self._counted(self._framing):
                yield piece
        else:
            while self._wire.held or await self._wire.more():
                yield self._wire.take(_BLOCK)
            return  # its end is the connection's
        self._ended = True

    async def aclose(self) -> None:
        if self._ended:
            self._ended = False  # once
            self._keep()
        else:
            self._wire.abort()

    async def _counted(self, left: int) -> AsyncIterator[bytes]:
        while left:
            if not (self._wire.held or await self._wire.more()):
                raise httpx.RemoteProtocolError("the server broke off within a reply")
            piece = self._wire.take(min(left, _BLOCK))
            left -= len(piece)
            yield piece

    async def _chunks(self) -> AsyncIterator[bytes]:
        while True:
            told = _CHUNK.fullmatch(await self._wire.until(b"\r\n", MAX_LINE_BYTES))
            if told is None:
                raise httpx.RemoteProtocolError("a chunk does not tell its size")
            size = int(told[1], 16)
            if not size:
                break
            async for piece in self._counted(size):
                yield piece
            if await self._wire.until(b"\r\n", MAX_LINE_BYTES):
                raise httpx.RemoteProtocolError("a chunk is longer than it says")
        left = MAX_LINE_BYTES
        while trailer := await self._wire.until(b"\r\n", left):  # not wanted
            left -= len(trailer)


def _head(request: httpx.Request) -> bytes:
    """Return the lines before a request's body."""
    if "transfer-encoding" in request.headers:
        raise httpx.LocalProtocolError("a body of unknown length is not sent", request=request)
    lines = [request.method.encode("ascii") + b" " + request.url.raw_path + b" HTTP/1.1"]
    lines += [name + b": " + value for name, value in request.headers.raw]
    if any(_UNSENDABLE.search(line) for line in lines):
        raise httpx.LocalProtocolError("a request's head has a line break", request=request)
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def _connected(origin: tuple[str, int], seconds: float | None) -> _Wire:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(seconds):
            _, wire = await loop.create_connection(_Wire, *origin, happy_eyeballs_delay=0.25)
    except TimeoutError as exc:
        raise httpx.ConnectTimeout("no connection in time") from exc
    except (OSError, UnicodeError) as exc:
        raise httpx.ConnectError(type(exc).__name__) from exc
    return wire


async def _read_head(wire: _Wire) -> _Head:
    """Read a reply's head, and those before it that only say to wait."""
    left = MAX_HEAD_BYTES
    while True:
        block = await wire.until(b"\r\n\r\n", left)
        left -= len(block)
        first, *rest = block.split(b"\r\n")
        said = _STATUS.fullmatch(first)
        fields = [_FIELD.fullmatch(line) for line in rest]
        if said is None or None in fields or int(said[2]) == _SWITCHES:
            raise httpx.RemoteProtocolError("what the server sent is no reply of HTTP/1")
        if int(said[2]) >= _CONTINUES:
            break
    told = [(field[1], field[2]) for field in fields if field is not None]
    options = b",".join(value for name, value in told if name.lower() == b"connection").lower()
    lasting = said[1] == b"1" and b"close" not in [one.strip() for one in options.split(b",")]
    return _Head(
        version=b"HTTP/1." + said[1],
        status=int(said[2]),
        reason=said[3] or b"",
        fields=told,
        lasting=lasting,
    )
