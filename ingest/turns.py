"""One at a time: whoever reads a tenant's families in order to write them, and the index with them.

Two near-copies that are scanned side by side would each find no admitted neighbour and each take
the vote. The turn is a lock in this process and, where there are several, a lease of the broker's
store. A lease can be lost (a holder that stalls, a store that is wiped): nobody's safety hangs on
it. The ledger decides by compare-and-set, and who held no turn to the end looks again after it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from domain.clock import Clock
from domain.documents import TenantId
from domain.errors import TransientError
from domain.jobs import Lock

_LEASE_SECONDS: Final = 60.0
"""Many times what a turn takes: parsing, scanning and embedding are done before it."""
_WAIT_SECONDS: Final = 30.0
_CONTAINMENT_WAIT_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 0.01
_LONGEST_POLL_SECONDS: Final = 0.1
"""A turn takes some 0.1 s: who asks half a second later than it could has lost a document's time."""


class Turn:
    """What a holder knows of its turn."""

    def __init__(self, *, clock: Clock, until: float | None) -> None:
        self._clock = clock
        self._until = until

    @property
    def held(self) -> bool:
        """Whether nobody else can have had the turn since it was taken."""
        return self._until is not None and self._clock.monotonic() < self._until


class Turns:
    """Hands out turns, one a tenant. One object a process.

    Args:
        lock: Between processes; None where this is the only one that writes.
        pause: Waits between two tries.
    """

    def __init__(
        self,
        *,
        lock: Lock | None,
        clock: Clock,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._lock = lock
        self._clock = clock
        self._pause = pause
        self._here: defaultdict[TenantId, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def take(self, tenant_id: TenantId, *, required: bool = True) -> AsyncIterator[Turn]:
        """Hold the tenant's turn for the body.

        Args:
            required: False for what takes things out: containment waits a moment, never longer.

        Raises:
            TransientError: It did not come in time, or the store did not answer; never where it
                is not required.
        """
        wait = _WAIT_SECONDS if required else _CONTAINMENT_WAIT_SECONDS
        here = self._here[tenant_id]
        try:
            async with asyncio.timeout(wait):
                await here.acquire()
        except TimeoutError:
            if required:
                raise TransientError("others were admitting documents for too long") from None
            yield Turn(clock=self._clock, until=None)
            return
        try:
            turn = await self._between_processes(tenant_id, wait=wait, required=required)
            try:
                yield turn
            finally:
                await self._let_go(tenant_id)
        finally:
            here.release()

    async def _between_processes(self, tenant_id: TenantId, *, wait: float, required: bool) -> Turn:
        if self._lock is None:
            return Turn(clock=self._clock, until=float("inf"))
        poll, waited = _POLL_SECONDS, 0.0
        while True:
            # Before the question: the lease begins at the earliest when it is asked for.
            until = self._clock.monotonic() + _LEASE_SECONDS
            try:
                if await self._lock.acquire(_name(tenant_id), lease_seconds=_LEASE_SECONDS):
                    return Turn(clock=self._clock, until=until)
            except TransientError:
                if required:
                    raise
                return Turn(clock=self._clock, until=None)
            if waited >= wait:
                if required:
                    raise TransientError("others were admitting documents for too long")
                return Turn(clock=self._clock, until=None)
            await self._pause(poll)
            waited += poll
            poll = min(_LONGEST_POLL_SECONDS, 2 * poll)

    async def _let_go(self, tenant_id: TenantId) -> None:
        if self._lock is None:
            return
        try:
            await self._lock.release(_name(tenant_id))
        except TransientError:
            return  # the lease ends it


def _name(tenant_id: TenantId) -> str:
    return f"families:{tenant_id}"
