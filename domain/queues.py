"""How much waits for a model, as far as its part of the question path can tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDepth:
    """At one moment, over all questions of this process.

    Attributes:
        waiting: Not sent yet: drafts that wait for a turn at a server, jobs that wait for a batch.
        under_way: Calls that a server has and has not answered.
    """

    waiting: int
    under_way: int


@runtime_checkable
class Queued(Protocol):
    """A drafter or verifier that sends its work to servers."""

    def queue_depth(self) -> QueueDepth:
        """Return what waits now. Cheap: it is asked at every scrape."""
        ...
