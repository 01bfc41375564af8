"""Where a value lies among those that were usual, as evidence that it lies too high.

A value that is drawn as the usual ones are has each rank among them with the same probability. So
its being among the highest `level` of all is worth 1 / level to a gambler, whatever the
distribution, however few usual ones there are and however the level moves, if both move alike:
conformal betting (Vovk, Nouretdinov & Gammerman 2003, "Testing exchangeability on-line"; Vovk 2021,
"Testing randomness online"). Equal values share their ranks: what counts is the mean over them,
which is fair too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

_SAME: Final = 1e-9
_COMMONPLACE: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """What is usual.

    Attributes:
        least: Usual values before anything is ranked among them.
        delay: Values that a new one waits for before it is usual, so that a rise is doubted before it
            teaches.
        memory: Usual values that are kept, the latest.
        a_day: New ones in a day, at most, once there are so many: as other references nobody
            teaches much by asking much.
    """

    least: int = 12
    delay: int = 8
    memory: int = 150
    a_day: int = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """`values`, the latest last; `waiting`: those to come; `moved_at`: when one last came."""

    values: tuple[float, ...] = ()
    waiting: tuple[float, ...] = ()
    moved_at: datetime | None = None

    def learned(
        self, value: float, at: datetime, options: RankOptions, *, doubtful: bool = False
    ) -> Usual:
        """Return what is usual after one more value; in doubt what was to come is passed over."""
        waiting = (*self.waiting, round(value, 4))
        if len(waiting) <= options.delay:
            return replace(self, waiting=waiting)
        first, *others = waiting
        after = replace(self, waiting=tuple(others))
        full = len(self.values) >= options.memory
        early = self.moved_at is not None and at - self.moved_at < timedelta(days=1) / options.a_day
        if doubtful or (full and early):
            return after
        return replace(after, values=(*self.values, first)[-options.memory :], moved_at=at)

    def among_highest(self, value: float, level: float) -> float:
        """Return how much of the value's ranks is among the highest `level` of all, in [0, 1].

        Its mean is `level` at most where the value is drawn as the usual ones are: what half of them
        reach is no sign at all, so that nobody is accused of what is commonplace.
        """
        higher = sum(one > value + _SAME for one in self.values)
        same = 1 + sum(abs(one - value) <= _SAME for one in self.values)
        count = len(self.values) + 1
        if higher + same > _COMMONPLACE * count:
            return 0.0
        return min(max((count * level - higher) / same, 0.0), 1.0)


def is_ready(usual: Usual, options: RankOptions) -> bool:
    return len(usual.values) >= options.least
