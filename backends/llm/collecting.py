"""Micro-batches: the scoring jobs of questions under way go to the model together.

Scoring given text is prefill alone, which a server does far better for sixteen prompts than for one.
So jobs wait a moment for others: `seconds` at most, or until `jobs` of them are there.

- **Fair**: each caller's jobs are taken in turn, so that a question with thirty does not hold up one
  with two. Within a batch a caller's jobs stay neighbours, for their prompts begin alike.
- **Safe to cancel**: jobs of a caller that gave up leave the queue, and a batch that nobody waits
  for any more is cancelled.
- **Errors reach their own jobs alone**: what a server refuses for good is split until the job that it
  refuses stands alone. A server that does not answer fails the jobs that were sent.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backends.llm.likelihood import ScoredText, ScoringJob, TextScorer
from backends.server_pool import RefusedError
from domain.errors import MithridateError, PermanentError
from domain.stages import UNOBSERVED, StageObserver, StageReport
from domain.usage import ModelRole, ModelUsage, UsageMeter, current_meter, metered

BATCH_SECONDS: Final = 0.010
BATCH_JOBS: Final = 16
BATCHES_AT_ONCE: Final = 4

_ABOUT_A_JOB: Final = frozenset({400, 413, 422})
"""Statuses with which a server refuses one prompt; others refuse whoever asks."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Waiting:
    job: ScoringJob
    future: asyncio.Future[ScoredText]
    meter: UsageMeter | None


class CollectingScorer:
    """A `TextScorer` that joins jobs of many callers before they reach another one.

    Lives on one event loop. What a batch cost is told to the questions in it, shared by the lengths
    of their prompts.
    """

    def __init__(
        self,
        scorer: TextScorer,
        *,
        seconds: float = BATCH_SECONDS,
        jobs: int = BATCH_JOBS,
        at_once: int = BATCHES_AT_ONCE,
        observer: StageObserver = UNOBSERVED,
    ) -> None:
        """Set up; nothing runs until jobs come.

        Args:
            scorer: Asked with at most `jobs` jobs a call.
            seconds: For how long a job waits for others; 0 for those of the same turn alone.
            jobs: With so many a batch goes at once.
            at_once: Batches under way; while they are, others wait and grow.
            observer: Is told of each batch that is over, as stage `batch`.
        """
        if seconds < 0 or jobs < 1 or at_once < 1:
            raise ValueError("seconds must be >= 0, jobs and at_once >= 1")
        self._scorer = scorer
        self._seconds = seconds
        self._jobs = jobs
        self._at_once = at_once
        self._observer = observer
        self._callers: deque[deque[_Waiting]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._due = False
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """Jobs that no batch has taken yet."""
        return sum(len(held) for held in self._callers)

    async def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        loop = asyncio.get_running_loop()
        meter = current_meter()
        waiting = [_Waiting(job=job, future=loop.create_future(), meter=meter) for job in jobs]
        if waiting:
            self._callers.append(deque(waiting))
            self._arrange(loop)
        try:
            return [await one.future for one in waiting]
        finally:
            for one in waiting:
                one.future.cancel()
                if not one.future.cancelled():
                    one.future.exception()  # seen, though another job's error was raised

    def _arrange(self, loop: asyncio.AbstractEventLoop) -> None:
        """Send what is full or has waited long enough, as far as batches may be under way."""
        while len(self._under_way) < self._at_once:
            if self.waiting == 0 or not (self._due or self.waiting >= self._jobs):
                break
            batch = self._take()
            if batch:
                self._send(loop, batch)
        if not self._callers:
            self._due = False
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        elif self._timer is None and not self._due:
            self._timer = loop.call_later(self._seconds, self._fall_due, loop)

    def _fall_due(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer, self._due = None, True
        self._arrange(loop)

    def _take(self) -> list[_Waiting]:
        """Take one job of each caller in turn; jobs that nobody waits for are dropped."""
        taken: dict[int, list[_Waiting]] = {}
        count = 0
        while self._callers and count < self._jobs:
            held = self._callers.popleft()
            one = held.popleft()
            if not one.future.done():
                taken.setdefault(id(held), []).append(one)
                count += 1
            if held:
                self._callers.append(held)
        return [one for own in taken.values() for one in own]

    def _send(self, loop: asyncio.AbstractEventLoop, batch: Sequence[_Waiting]) -> None:
        # a context of its own: what the batch costs is not the first caller's alone
        task = loop.create_task(self._observed(batch), context=contextvars.Context())
        self._under_way.add(task)

        def ended(done: asyncio.Task[None]) -> None:
            self._under_way.discard(done)
            for one in batch:
                one.future.cancel()  # of a task that was cancelled; no others are left
            self._arrange(loop)

        def given_up(future: asyncio.Future[ScoredText]) -> None:
            if future.cancelled() and all(one.future.cancelled() for one in batch):
                task.cancel()

        task.add_done_callback(ended)
        for one in batch:
            one.future.add_done_callback(given_up)

    async def _observed(self, batch: Sequence[_Waiting]) -> None:
        now = asyncio.get_running_loop().time
        began = now()
        await self._run(batch)
        callers = {id(one.meter) for one in batch}
        self._observer.reached(
            StageReport(
                stage="batch",
                seconds=now() - began,
                counts={"jobs": len(batch), "questions": len(callers)},
            )
        )

    async def _run(self, batch: Sequence[_Waiting]) -> None:
        with metered() as meter:
            try:
                scored = await self._scorer.score([one.job for one in batch])
            except MithridateError as error:
                if len(batch) == 1 or not _splits(error):
                    _fail(batch, error)
                    return
                middle = len(batch) // 2
                await asyncio.gather(self._run(batch[:middle]), self._run(batch[middle:]))
                return
            except Exception as error:  # a fault of ours: the callers must hear of it
                _fail(batch, error)
                return
        _share(meter.usage(), batch)
        for one, result in zip(batch, scored, strict=True):
            if not one.future.done():
                one.future.set_result(result)


def _splits(error: MithridateError) -> bool:
    """Whether one job may be to blame."""
    if isinstance(error, RefusedError):
        return error.status in _ABOUT_A_JOB
    return isinstance(error, PermanentError)


def _fail(batch: Sequence[_Waiting], error: Exception) -> None:
    for one in batch:
        if not one.future.done():
            one.future.set_exception(error)


def _share(usage: ModelUsage, batch: Sequence[_Waiting]) -> None:
    """Tell each question its part of the tokens; the parts add up to the whole."""
    lengths: dict[int, int] = {}
    meters = {id(one.meter): one.meter for one in batch if one.meter is not None}
    for one in batch:
        job = one.job
        length = len(job.prefix) + len(job.scored) + len(job.tail)
        lengths[id(one.meter)] = lengths.get(id(one.meter), 0) + length
    for role, used in usage.by_role.items():
        left = sum(lengths.values())
        rest = [used.read_tokens, used.cached_tokens, used.written_tokens]
        for key, length in lengths.items():
            own = [round(count * length / left) for count in rest]
            left, rest = (
                left - length,
                [count - part for count, part in zip(rest, own, strict=True)],
            )
            if (meter := meters.get(key)) is not None:
                _tell(meter, role, own, calls=used.calls, counted=used.uncounted_calls == 0)


def _tell(
    meter: UsageMeter, role: ModelRole, own: Sequence[int], *, calls: int, counted: bool
) -> None:
    """Count every call of the batch, the tokens with the first."""
    for call in range(calls):
        read, cached, written = own if call == 0 else (0, 0, 0)
        meter.add(
            role,
            read=read if counted else None,
            cached=cached if counted else None,
            written=written if counted else None,
        )
