"""Following a question while it is answered: its stages as they end, and its answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, Final

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from domain.stages import StageObserver, StageReport
from gateway.http.models_questions import TraceModel

HEARTBEAT_SECONDS: Final = 10.0
"""Shorter than the idle limit of any usual proxy."""
HEARTBEAT: Final = ": heartbeat\n\n"
"""A comment: clients skip it, proxies see life."""
EVENTS: Final = "text/event-stream"

Answering = Callable[[StageObserver], Coroutine[Any, Any, TraceModel]]


class _Queued:
    """Passes reports on; never blocks the question."""

    def __init__(self, queue: asyncio.Queue[StageReport | None]) -> None:
        self._queue = queue

    def reached(self, report: StageReport) -> None:
        self._queue.put_nowait(report)


async def follow(
    answering: Answering, *, heartbeat_seconds: float = HEARTBEAT_SECONDS
) -> AsyncGenerator[StageReport | TraceModel | None, None]:
    """Yield each stage as it ends and the answer at last; None where nothing ends for a while.

    Closing the generator cancels the work.

    Raises:
        MithridateError: What the question ended with.
    """
    queue: asyncio.Queue[StageReport | None] = asyncio.Queue()
    work = asyncio.create_task(answering(_Queued(queue)))
    work.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while True:
            try:
                async with asyncio.timeout(heartbeat_seconds):
                    report = await queue.get()
            except TimeoutError:
                yield None
                continue
            if report is None:
                break
            yield report
        yield work.result()
    finally:
        work.cancel()


class EventStream(StreamingResponse):
    """Sends events of a generator, and closes it however the connection ends."""

    def __init__(self, events: AsyncGenerator[str, None]) -> None:
        # X-Accel-Buffering: nginx would hold events back until its buffer is full.
        super().__init__(events, media_type=EVENTS, headers={"X-Accel-Buffering": "no"})
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            with contextlib.suppress(RuntimeError):  # it is at work still: its task was cancelled
                await self._events.aclose()


def wants_events(accept: str) -> bool:
    """Whether a caller asked for events by name, and rather than for JSON."""
    wishes = {"text/event-stream": -1.0, "application/json": -1.0}
    for part in accept.lower().split(","):
        name, _, parameters = part.partition(";")
        if name.strip() in wishes:
            wishes[name.strip()] = _quality(parameters)
    return wishes[EVENTS] > 0 and wishes[EVENTS] >= wishes["application/json"]


def _quality(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
