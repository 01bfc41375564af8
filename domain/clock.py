"""Time and identity, injected so that tests decide them."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Return the present moment, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start, never going back. For durations."""
        ...


class IdFactory(Protocol):
    def new(self, prefix: str) -> str:
        """Return `<prefix>_<26 lower-case base32 characters>`, unique; ids sort by creation time."""
        ...
