"""What model servers tell of themselves on `/metrics`, in vLLM's names.

Read when our own metrics are; a server that does not answer, or speaks another format, is `up` or
not with nothing else said of it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import httpx

TIMEOUT_SECONDS: Final = 2.0
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
            content = bytearray()
            if response.is_success:
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > MAX_BYTES:
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
