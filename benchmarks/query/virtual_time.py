"""An event loop whose clock jumps to the next timer instead of waiting for it.

What is waited for (a model server's stated time, a batch's ten milliseconds, a timeout) passes on the
loop's clock alone; computing takes none of it. So a run measures what the method waits for, the same
on every machine and under any load. Our own computing is measured apart, as processor time.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

_MOMENT: Final = datetime(2026, 1, 1, tzinfo=UTC)

ResultT = TypeVar("ResultT")


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for nothing that comes of time alone."""

    jumped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:  # no timer: only what another thread does can go on
            return super().select(None)
        ready = super().select(0)
        if not ready:
            self.jumped += max(0.0, timeout)
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Runs one process without threads or sockets that others answer."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.jumped


class LoopClock:
    """A `Clock` that tells the time of the event loop it is asked on."""

    def now(self) -> datetime:
        return _MOMENT

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


def run_in_virtual_time(main: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run to the end, on a loop of its own."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
