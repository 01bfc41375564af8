"""Work handed to the workers. Payloads are ids; the worker loads the rest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

JobName = Literal[
    "documents.ingest",
    "documents.ingest-bulk",
    "monitors.evaluate",
    "alerts.deliver",
    "audit.checkpoint",
    "maintenance.sweep",
    "maintenance.prune",
    "maintenance.verify",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEntry:
    """A job written in the same transaction as what it is about, and published after it."""

    id: int
    name: JobName
    subject_id: str
    created_at: datetime


class JobQueue(Protocol):
    def enqueue(self, name: JobName, subject_id: str) -> None:
        """Hand over one job, at least once. Call only after the transaction has committed.

        Raises:
            TransientError: The broker did not take it.
        """
        ...

    def ping(self) -> None:
        """Return if the broker answers.

        Raises:
            TransientError: It does not.
        """
        ...


class Lock(Protocol):
    """Mutual exclusion between processes, with a lease."""

    async def acquire(self, name: str, *, lease_seconds: float) -> bool:
        """Return whether this caller now holds `name`; it lapses after the lease."""
        ...

    async def release(self, name: str) -> None:
        """Let go, if still held by this caller."""
        ...
