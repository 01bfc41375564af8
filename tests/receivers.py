"""Real webhook receivers on loopback that behave as told."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

Behaviour: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True, kw_only=True)
class Receiver:
    """Answers every request by `behaviour` and keeps what came."""

    behaviour: Behaviour
    port: int = 0
    received: list[Received] = field(default_factory=list)
    connections: int = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            self.received.append(await _read(reader))
            await self.behaviour(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def answer(status: int, *, headers: str = "", body: bytes = b"") -> Behaviour:
    async def behave(writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        writer.write(head.encode() + body)
        await writer.drain()

    return behave


async def hang(writer: asyncio.StreamWriter) -> None:
    """Never answer."""
    await asyncio.sleep(3600)


async def drip(writer: asyncio.StreamWriter) -> None:
    """Answer at once, and then send a byte now and then for ever."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.05)


async def flood(writer: asyncio.StreamWriter) -> None:
    """Answer with a body that has no end."""
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b"x" * 65_536)
        await writer.drain()


async def flood_headers(writer: asyncio.StreamWriter) -> None:
    """Answer with a head that has no end."""
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-Long: " + b"x" * 8_192 + b"\r\n")
        await writer.drain()


async def babble(writer: asyncio.StreamWriter) -> None:
    """Answer with what is not HTTP."""
    writer.write(b"\x00\x01 this is not a status line\r\n\r\n")
    await writer.drain()


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close without an answer."""


@asynccontextmanager
async def receiving(
    behaviour: Behaviour, *, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    """Serve on a free loopback port until the end of the block."""
    receiver = Receiver(behaviour=behaviour)
    handlers: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handlers.add(task)
        try:
            await receiver.handle(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            handlers.discard(task)

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        for task in handlers:
            task.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(target=head[0].split(" ")[1], headers=headers, body=body)
