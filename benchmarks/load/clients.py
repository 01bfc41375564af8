"""Clients that cost little: keep-alive connections of plain sockets, each with one request at a time."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final
from urllib.parse import urlsplit

_WARM_SHARE: Final = 0.15
"""Of the time, not counted: connections and caches come up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a server did in one window.

    Attributes:
        seconds: Of the window.
        latencies: In seconds, of the requests that were answered as they should.
        failed: Answered with another status.
    """

    seconds: float
    latencies: Sequence[float]
    failed: int

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    @property
    def p50(self) -> float:
        return median(self.latencies) if self.latencies else 0.0


async def load(
    url: str,
    request: Callable[[int], bytes],
    *,
    connections: int,
    seconds: float,
    expect: int,
    numbers: Iterator[int] | None = None,
) -> Load:
    """Send requests one after the other on each connection until the time is over.

    Args:
        url: Whose host and port are connected to.
        request: Makes the bytes of the request of a number that is used once.
        connections: How many at once.
        seconds: The window's length, with a warm-up that is not counted.
        expect: The status that counts.
        numbers: Where numbers come from, if several windows must share them.
    """
    parts = urlsplit(url)
    numbers = numbers or itertools.count()
    began = time.perf_counter() + seconds * _WARM_SHARE
    end = began + seconds * (1 - _WARM_SHARE)
    latencies: list[float] = []
    failed = 0

    async def one() -> None:
        nonlocal failed
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            while (now := time.perf_counter()) < end:
                writer.write(request(next(numbers)))
                status = await _answer(reader)
                took = time.perf_counter() - now
                if status != expect:
                    failed += 1
                elif now >= began:
                    latencies.append(took)
        finally:
            writer.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return Load(seconds=time.perf_counter() - began, latencies=latencies, failed=failed)


async def _answer(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            await reader.readexactly(int(line.partition(b":")[2]))
    return int(head.split(maxsplit=2)[1])


def post(path: str, *, authorization: str, content_type: str, body: bytes) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: {authorization}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body
