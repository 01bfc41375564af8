"""Time and identity that tests decide."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final

from backends.ids import encode

START: Final = datetime(2026, 1, 1, tzinfo=UTC)


class ManualClock:
    """Stands still until told to `advance`."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._elapsed = timedelta()
        self._set_by = timedelta()

    def now(self) -> datetime:
        return self._start + self._elapsed + self._set_by

    def monotonic(self) -> float:
        return self._elapsed.total_seconds()

    def advance(self, seconds: float) -> datetime:
        """Move on and return the new moment.

        Raises:
            ValueError: `seconds` is negative.
        """
        if seconds < 0:
            raise ValueError(f"time does not go back: {seconds!r}")
        self._elapsed += timedelta(seconds=seconds)
        return self.now()

    def jump(self, seconds: float) -> datetime:
        """Be set forward or back, as a host's clock is; `monotonic` does not notice."""
        self._set_by += timedelta(seconds=seconds)
        return self.now()


class SequentialIds:
    """Ids that count up from 1, whatever the prefix."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def new(self, prefix: str) -> str:
        return f"{prefix}_{encode(next(self._numbers))}"
