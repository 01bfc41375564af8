"""A scan holds a lease of its document as long as it gives signs of life."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from domain.documents import DocumentId
from domain.errors import DependencyError, NotFoundError, TransientError
from domain.ledger import DocumentLedger, DocumentRecord

_SIGNS_A_LEASE: Final = 4
"""One may be late, another may fail: two are left."""


class ScanLeases:
    """Takes leases and keeps them.

    A job may be handed out twice, and a worker may die: the second job of a document waits while
    the first still scans, and no longer than a lease where the first is dead.
    """

    def __init__(
        self,
        *,
        documents: DocumentLedger,
        seconds: float,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._documents = documents
        self._seconds = seconds
        self._pause = pause

    async def begin(self, document_id: DocumentId) -> DocumentRecord | None:
        """As `DocumentLedger.begin_attempt`."""
        return await self._documents.begin_attempt(document_id, lease_seconds=self._seconds)

    @asynccontextmanager
    async def kept(self, record: DocumentRecord) -> AsyncIterator[None]:
        """Give signs of life during the body; an attempt that a service failed is given back."""
        keeper = asyncio.get_running_loop().create_task(self._keep(record))
        try:
            yield
        except DependencyError:
            # The document is not at fault: this attempt does not count.
            with suppress(DependencyError, NotFoundError):
                await self._documents.give_back(record.id, attempt=record.attempts)
            raise
        finally:
            keeper.cancel()
            with suppress(asyncio.CancelledError):
                await keeper

    async def _keep(self, record: DocumentRecord) -> None:
        while True:
            await self._pause(self._seconds / _SIGNS_A_LEASE)
            with suppress(TransientError):
                if not await self._documents.extend_lease(record.id, attempt=record.attempts):
                    return
