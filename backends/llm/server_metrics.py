"""What model servers tell of themselves on `/metrics`, in vLLM's names.

Read when our own metrics are, at most every few seconds; a server that does not answer, or speaks
another format, is `up` or not with nothing else said of it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import httpx

from backends.http_bodies import body_within

TIMEOUT_SECONDS: Final = 2.0
FRESH_SECONDS: Final = 5.0
WAIT_SECONDS: Final = 0.25
MAX_BYTES: Final = 2_000_000

_NAMES: Final = {
    "vllm:num_requests_running": "running",
    "vllm:num_requests_waiting": "waiting",
    "vllm:kv_cache_usage_perc": "cache",
    "vllm:gpu_cache_usage_perc": "cache",  # until 0.10
}
_LINE: Final = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{[^}]*\})?\s+([-+.\w]+)(?:\s+\d+)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLoad:
    """One server at one moment; None: it does not tell.

    Attributes:
        running, waiting: Requests, over all models that it serves.
        cache: Share of its KV cache in use, in [0, 1]; of several engines the fullest.
    """

    role: str
    url: str
    up: bool
    running: float | None = None
    waiting: float | None = None
    cache: float | None = None


class ServerWatch:
    """Knows what servers told lately; whoever asks waits for none that is slow."""

    def __init__(
        self,
        servers: Mapping[str, Sequence[str]],
        client: httpx.AsyncClient,
        *,
        fresh_seconds: float = FRESH_SECONDS,
        wait_seconds: float = WAIT_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set up; nothing is asked yet.

        Args:
            servers: URLs by role.
            client: Shared connections.
            fresh_seconds: For how long what was told is told again.
            wait_seconds: For servers, by one who asks; after it what they told before is told.
            monotonic: Seconds that never go back.
        """
        self._servers = servers
        self._client = client
        self._fresh_seconds = fresh_seconds
        self._wait_seconds = wait_seconds
        self._monotonic = monotonic
        self._told: Sequence[ServerLoad] = ()
        self._told_at: float | None = None
        self._reading: asyncio.Task[None] | None = None

    async def loads(self) -> Sequence[ServerLoad]:
        """Return what servers told last; nothing before they did the first time."""
        if not self._servers or self._fresh():
            return self._told
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())
        await asyncio.wait({self._reading}, timeout=self._wait_seconds)
        return self._told

    async def close(self) -> None:
        """Ask no more."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    def _fresh(self) -> bool:
        now = self._monotonic()
        return self._told_at is not None and now - self._told_at < self._fresh_seconds

    async def _read(self) -> None:
        try:
            self._told = await read_loads(self._servers, self._client)
            self._told_at = self._monotonic()
        finally:
            self._reading = None


async def read_loads(
    servers: Mapping[str, Sequence[str]], client: httpx.AsyncClient
) -> Sequence[ServerLoad]:
    """Ask every server of every role (`drafter`, `verifier` ...) at once; never raises."""
    return await asyncio.gather(
        *(_read(role, url, client) for role, urls in servers.items() for url in urls)
    )


async def _read(role: str, url: str, client: httpx.AsyncClient) -> ServerLoad:
    root = url.rstrip("/").removesuffix("/v1")
    try:
        async with (
            asyncio.timeout(TIMEOUT_SECONDS),
            client.stream("GET", f"{root}/metrics", follow_redirects=False) as response,
        ):
            content = await body_within(response, MAX_BYTES) if response.is_success else b""
            if content is None:
                return ServerLoad(role=role, url=url, up=True)
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError):
        return ServerLoad(role=role, url=url, up=False)
    told = parse_load(content.decode("utf-8", "replace"))
    return ServerLoad(
        role=role,
        url=url,
        up=True,
        running=told.get("running"),
        waiting=told.get("waiting"),
        cache=told.get("cache"),
    )


def parse_load(text: str) -> Mapping[str, float]:
    """Read the known gauges of a Prometheus text; lines that are none are passed over."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        match = _LINE.match(line.strip())
        name = _NAMES.get(match[1]) if match else None
        if match is None or name is None:
            continue
        try:
            value = float(match[2])
        except ValueError:
            continue
        if not 0 <= value < float("inf"):
            continue
        found[name] = (
            max(found.get(name, 0.0), value) if name == "cache" else found.get(name, 0.0) + value
        )
    return found
