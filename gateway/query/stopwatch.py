"""How long each stage of a question took."""

from __future__ import annotations

from domain.answering import StageTiming
from domain.clock import Clock


class Stopwatch:
    """Adds up seconds by stage, in the order in which stages first ran."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seconds: dict[str, float] = {}
        self._began = clock.monotonic()
        self._last = self._began

    def lap(self, stage: str) -> None:
        now = self._clock.monotonic()
        self._seconds[stage] = self._seconds.get(stage, 0.0) + now - self._last
        self._last = now

    def timings(self) -> tuple[StageTiming, ...]:
        total = self._clock.monotonic() - self._began
        return (
            *(StageTiming(stage=s, seconds=seconds) for s, seconds in self._seconds.items()),
            StageTiming(stage="total", seconds=total),
        )
