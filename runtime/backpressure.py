"""Puts uploads off before what waits for its scan grows without bound, and keeps lanes apart."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from domain.clock import Clock
from domain.documents import OriginRef, TenantId
from domain.errors import BacklogError, TransientError
from domain.ledger import Backlog, DocumentLedger
from domain.limits import RateLimiter
from runtime.storage_sections import QueueSettings

_FRESH_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 30.0
_BULK_WINDOW_SECONDS: Final = 60
_STORE_SECONDS: Final = 1.0
_STORE_PAUSE_SECONDS: Final = 5.0


class BackPressure:
    """Looks at the ledger, once a second at most: it is what counts, whatever the broker holds.

    What was let in since it looked is added, so that one gateway keeps to the limit whatever comes
    within that second; of several each may go beyond it by what the others let in meanwhile.
    """

    def __init__(
        self,
        *,
        documents: DocumentLedger,
        limiter: RateLimiter,
        clock: Clock,
        settings: QueueSettings,
    ) -> None:
        self._documents = documents
        self._limiter = limiter
        self._clock = clock
        self._settings = settings
        self._seen: Mapping[TenantId, Backlog] = {}
        self._let_in = Counter[TenantId]()
        self._seen_at = float("-inf")
        self._looking = asyncio.Lock()
        self._store_down_until = float("-inf")

    async def require_room(self, tenant_id: TenantId) -> None:
        """Return where another document may be taken.

        Raises:
            BacklogError: Too much waits, of the tenant or altogether, or for too long.
            TransientError: The ledger does not answer.
        """
        backlogs = await self._backlogs()
        own = backlogs.get(tenant_id, Backlog(waiting=0, oldest_received_at=None))
        settings = self._settings
        waiting = own.waiting + self._let_in[tenant_id]
        if waiting >= settings.max_waiting_of_tenant:
            raise _full(f"{waiting} documents of the tenant wait for their scan")
        everywhere = sum(each.waiting for each in backlogs.values()) + self._let_in.total()
        if everywhere >= settings.max_waiting:
            raise _full("too many documents wait for their scan")
        if _age(own, self._clock.now()) > settings.max_wait_seconds:
            raise _full("the oldest document of the tenant waits for its scan for too long")
        self._let_in[tenant_id] += 1

    async def is_bulk(self, tenant_id: TenantId, origin: OriginRef) -> bool:
        """Count one upload; whether its origin sent so many that it takes the lane of imports."""
        if self._clock.monotonic() < self._store_down_until:
            return False
        try:
            async with asyncio.timeout(_STORE_SECONDS):
                wait = await self._limiter.take(
                    f"uploads:{tenant_id}:{origin}",
                    limit=self._settings.bulk_after,
                    window_seconds=_BULK_WINDOW_SECONDS,
                )
        except (TransientError, TimeoutError):
            # The broker that would be spared is down: no upload waits for it.
            self._store_down_until = self._clock.monotonic() + _STORE_PAUSE_SECONDS
            return False
        return wait > 0

    async def _backlogs(self) -> Mapping[TenantId, Backlog]:
        async with self._looking:
            if self._clock.monotonic() - self._seen_at >= _FRESH_SECONDS:
                # Who is let in while the ledger is asked may be in its answer: then twice, for once.
                self._let_in.clear()
                self._seen = await self._documents.backlog()
                self._seen_at = self._clock.monotonic()
            return self._seen


def _age(backlog: Backlog, now: datetime) -> float:
    if backlog.oldest_received_at is None:
        return 0.0
    return (now - backlog.oldest_received_at).total_seconds()


def _full(message: str) -> BacklogError:
    return BacklogError(message, retry_after_seconds=_RETRY_SECONDS)
