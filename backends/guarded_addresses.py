"""Resolves a host once, and gives back only addresses that may be connected to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import httpx

from backends.webhook_addresses import refusal
from domain.errors import PermanentError, TransientError

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host, best first; raises `OSError` where it has none."""

MAX_ADDRESSES: Final = 3
_PORTS: Final = {"https": 443, "http": 80}


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """Ask the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def guarded_addresses(
    url: httpx.URL, *, resolve: Resolver, allow_private_networks: bool, who: str
) -> Sequence[str]:
    """Return where the host may be connected to; one bad address condemns the host.

    Connect to these, never to the name again: it may change its mind.

    Raises:
        TransientError: The host cannot be resolved; the message names it as `who`.
        PermanentError: It stands at an address that is refused.
    """
    port = url.port or _PORTS[url.scheme]
    try:
        addresses = await resolve(url.raw_host.decode("ascii"), port)
    except OSError as exc:
        raise TransientError(f"{who} cannot be resolved: {type(exc).__name__}") from exc
    if not addresses:
        raise TransientError(f"{who} cannot be resolved: no address")
    for address in addresses:
        reason = refusal(address, allow_private_networks=allow_private_networks)
        if reason is not None:
            raise PermanentError(f"{who} is at {reason}")
    return addresses[:MAX_ADDRESSES]
