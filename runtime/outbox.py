"""Publishes what the ledger wrote down to be done, after the commit and again until it is taken."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from domain.clock import Clock
from domain.errors import TransientError
from domain.jobs import JobQueue, OutboxEntry
from domain.ledger import DocumentLedger, Outbox

_BATCH: Final = 200


class OutboxRelay:
    """At least once: a crash between publishing and marking publishes again, and tasks allow that."""

    def __init__(
        self, *, outbox: Outbox, documents: DocumentLedger, queue: JobQueue, clock: Clock
    ) -> None:
        self._outbox = outbox
        self._documents = documents
        self._queue = queue
        self._clock = clock
        self._publishing = asyncio.Lock()
        self._next_waits = False

    async def publish_pending(self) -> int:
        """Publish unpublished entries; return how many. A broker that is down leaves the rest.

        Where another call waits to begin it publishes this one's entries too, and this one is done.
        """
        if self._next_waits:
            return 0
        self._next_waits = True
        # One at a time: calls side by side would each publish what the others are publishing.
        try:
            await self._publishing.acquire()
        finally:
            self._next_waits = False
        try:
            return await self._publish()
        finally:
            self._publishing.release()

    async def _publish(self) -> int:
        pending = await self._outbox.pending(limit=_BATCH)
        published = await asyncio.to_thread(self._hand_over, pending) if pending else ()
        if published:
            await self._outbox.mark_published(published, at=self._clock.now())
        return len(published)

    def _hand_over(self, entries: Sequence[OutboxEntry]) -> Sequence[int]:
        published: list[int] = []
        for entry in entries:
            try:
                self._queue.enqueue(entry.name, entry.subject_id)
            except TransientError:
                break
            published.append(entry.id)
        return published

    async def requeue_undecided(self, *, older_than_seconds: float) -> int:
        """Write an entry for each document without a verdict for that long; return how many.

        This is what survives a wiped broker: the ledger alone says what is still to be done.
        """
        now = self._clock.now()
        patience = timedelta(seconds=older_than_seconds)
        overdue = await self._documents.undecided(
            received_before=now - patience, limit=_BATCH, latest=now + patience
        )
        for document_id in overdue:
            await self._outbox.add("documents.ingest", document_id, at=now)
        return len(overdue)
