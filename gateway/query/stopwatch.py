"""How long each stage of a question took, told to who looks on."""

from __future__ import annotations

from domain.answering import Rung, StageTiming
from domain.clock import Clock
from domain.stages import UNOBSERVED, StageObserver, StageReport


class Stopwatch:
    """Adds up seconds by stage, in the order in which stages first ran, and reports each pass."""

    def __init__(self, clock: Clock, observer: StageObserver = UNOBSERVED) -> None:
        self._clock = clock
        self._observer = observer
        self._seconds: dict[str, float] = {}
        self._began = clock.monotonic()
        self._last = self._began

    @property
    def elapsed(self) -> float:
        """Seconds since the question came."""
        return self._clock.monotonic() - self._began

    def lap(self, stage: str, **counts: int) -> None:
        now = self._clock.monotonic()
        seconds = now - self._last
        self._seconds[stage] = self._seconds.get(stage, 0.0) + seconds
        self._last = now
        self._observer.reached(StageReport(stage=stage, seconds=seconds, counts=counts))

    def rung(self, rung: Rung) -> None:
        """Report a step of the ladder; its time stands in the stages that it went through."""
        self._observer.reached(StageReport(stage="rung", seconds=0.0, rung=rung))

    def timings(self) -> tuple[StageTiming, ...]:
        return (
            *(StageTiming(stage=s, seconds=seconds) for s, seconds in self._seconds.items()),
            StageTiming(stage="total", seconds=self.elapsed),
        )
