"""Whether work grows with its input or faster, told on a machine that does other things too."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

S = TypeVar("S", str, bytes, Sequence[object])

_RUNS: Final = 3
_TOO_SHORT_SECONDS: Final = 0.15
"""Below this, noise would decide."""


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the least CPU time of this thread over a few runs: all that can happen adds to it.

    The collector is off, since its share grows with whatever else the test process keeps.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        return min(_timed(work) for _ in range(_RUNS))
    finally:
        if was_on:
            gc.enable()


def assert_linear(work: Callable[[S], object], source: S) -> None:
    """Fail where four times the input is far more than four times the work; quadratic is 16."""
    quarter = source[: len(source) // 4]

    short = cpu_seconds(lambda: work(quarter))
    long = cpu_seconds(lambda: work(source))

    assert long < 10 * max(short, _TOO_SHORT_SECONDS)


def _timed(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return time.thread_time() - started
