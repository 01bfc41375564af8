"""A queue that only remembers, for tests."""

from __future__ import annotations

from domain.errors import TransientError
from domain.jobs import JobName


class InMemoryJobQueue:
    """`jobs` are those handed over and not yet taken; `down` makes every call fail."""

    def __init__(self) -> None:
        self.jobs: list[tuple[JobName, str]] = []
        self.down = False

    def enqueue(self, name: JobName, subject_id: str) -> None:
        self.ping()
        self.jobs.append((name, subject_id))

    def ping(self) -> None:
        if self.down:
            raise TransientError("broker does not answer")
