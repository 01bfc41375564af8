"""Scans again what the policy holds: a few times, after a while; then it waits for a person."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from domain.clock import Clock
from domain.lifecycle import DocumentLifecycle
from domain.trust import TrustPolicy

_BATCH: Final = 100


class HeldDocuments:
    """The queue of what is held."""

    def __init__(self, *, lifecycle: DocumentLifecycle, policy: TrustPolicy, clock: Clock) -> None:
        self._lifecycle = lifecycle
        self._policy = policy
        self._clock = clock

    async def rescan_due(self) -> int:
        """Put into the outbox what has been held long enough; return how many.

        Raises:
            TransientError: The ledger did not answer.
        """
        terms = self._policy.hold_terms
        now = self._clock.now()
        due = await self._lifecycle.held(
            decided_before=now - timedelta(seconds=terms.rescan_after_seconds),
            rescans_below=terms.times,
            limit=_BATCH,
        )
        queued = [
            await self._lifecycle.rescan(document_id, rescans_below=terms.times, at=now)
            for document_id in due
        ]
        return sum(queued)
