"""Asks each server of a pool whether it can do what is wanted, and leaves out those that cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from backends.llm.endpoint import Endpoint
from domain.errors import TransientError

FaultOf: TypeAlias = Callable[[Endpoint], Awaitable[str | None]]
"""Looks at one server; None if nothing is wrong with it. Raises TransientError: no answer."""

Faults: TypeAlias = Mapping[str, str | TransientError | None]
"""By URL: what is wrong with a server, that it does not answer, or None."""


async def look(endpoint: Endpoint, fault_of: FaultOf) -> Faults:
    """Look at every server at once.

    Raises:
        TransientError: None of them answers.
    """

    async def one(member: Endpoint) -> str | TransientError | None:
        try:
            return await fault_of(member)
        except TransientError as exc:
            return exc

    found = await asyncio.gather(*(one(member) for member in endpoint.members()))
    away = [fault for fault in found if isinstance(fault, TransientError)]
    if len(away) == len(found):
        raise away[0]
    return dict(zip(endpoint.pool.urls, found, strict=True))


def keep_fit(endpoint: Endpoint, found: Faults, fault_of: FaultOf) -> None:
    """Leave out servers with a fault; who comes back must have none."""
    endpoint.pool.require(lambda url: fault_of(endpoint.member(url)))
    for url, fault in found.items():
        if fault is not None:
            endpoint.pool.take_out(url, str(fault))
