"""Micro-batches over questions: how they fill, that they are fair, and whom an error reaches."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.llm.collecting import CollectingScorer
from backends.llm.likelihood import ScoredText, ScoringJob
from backends.server_pool import RefusedError
from domain.errors import PermanentError, TransientError
from domain.stages import StageReport
from domain.usage import ModelRole, count_call, metered

pytestmark = pytest.mark.anyio

LONG = 60.0
"""Seconds that no test waits: what arrives went for another reason."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Recorder:
    """Scores a job by its length; refuses what it is told to, and may be held up."""

    def __init__(
        self, *, refused: frozenset[str] = frozenset(), error: Exception | None = None
    ) -> None:
        self.calls: list[list[str]] = []
        self.open = asyncio.Event()
        self.open.set()
        self.started = asyncio.Event()
        self.cancelled = 0
        self._refused = refused
        self._error = error

    async def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        self.calls.append([job.prefix for job in jobs])
        self.started.set()
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self._error is not None and self._refused & {job.prefix for job in jobs}:
            raise self._error
        count_call(ModelRole.VERIFIER, read=sum(len(job.prefix) for job in jobs), written=len(jobs))
        return [
            ScoredText(log_probabilities=(-float(len(job.prefix)),), tokens=(job.prefix,))
            for job in jobs
        ]


def job(name: str) -> ScoringJob:
    return ScoringJob(prefix=name, scored=" x")


def jobs(name: str, count: int) -> list[ScoringJob]:
    return [job(f"{name}{at}") for at in range(count)]


def said(scored: Sequence[ScoredText]) -> list[str]:
    return [one.tokens[0] for one in scored]


async def test_jobs_of_several_questions_go_together_in_their_own_order() -> None:
    recorder = Recorder()
    scorer = CollectingScorer(recorder, seconds=0.0, jobs=16)

    first, second = await asyncio.gather(scorer.score(jobs("a", 2)), scorer.score(jobs("b", 2)))

    assert (said(first), said(second)) == (["a0", "a1"], ["b0", "b1"])
    assert recorder.calls == [["a0", "a1", "b0", "b1"]]


async def test_a_full_batch_does_not_wait_for_the_clock() -> None:
    recorder = Recorder()
    scorer = CollectingScorer(recorder, seconds=LONG, jobs=4)

    await asyncio.wait_for(
        asyncio.gather(scorer.score(jobs("a", 2)), scorer.score(jobs("b", 2))), 10.0
    )

    assert recorder.calls == [["a0", "a1", "b0", "b1"]]


async def test_a_lone_job_goes_when_its_time_is_up() -> None:
    recorder = Recorder()
    scorer = CollectingScorer(recorder, seconds=0.01, jobs=16)

    assert said(await asyncio.wait_for(scorer.score([job("a")]), 10.0)) == ["a"]


async def test_no_job_gives_no_call() -> None:
    recorder = Recorder()

    assert await CollectingScorer(recorder).score([]) == []
    assert recorder.calls == []


async def test_a_question_with_many_jobs_does_not_hold_up_one_with_few() -> None:
    recorder = Recorder()
    scorer = CollectingScorer(recorder, seconds=0.0, jobs=4, at_once=1)
    recorder.open.clear()
    ahead = asyncio.ensure_future(scorer.score(jobs("z", 4)))
    await recorder.started.wait()

    many = asyncio.ensure_future(scorer.score(jobs("a", 12)))
    await asyncio.sleep(0)
    few = asyncio.ensure_future(scorer.score(jobs("b", 2)))
    await asyncio.sleep(0)
    recorder.open.set()
    await asyncio.gather(ahead, many, few)

    assert recorder.calls[1] == ["a0", "a1", "b0", "b1"]
    assert all(len(call) <= 4 for call in recorder.calls)


async def test_batches_under_way_are_bounded() -> None:
    recorder = Recorder()
    recorder.open.clear()
    scorer = CollectingScorer(recorder, seconds=0.0, jobs=1, at_once=2)
    running = asyncio.ensure_future(scorer.score(jobs("a", 5)))
    await recorder.started.wait()
    for _ in range(10):
        await asyncio.sleep(0)

    under_way = len(recorder.calls)
    recorder.open.set()
    await running

    assert under_way == 2
    assert len(recorder.calls) == 5


async def test_jobs_of_a_caller_that_gave_up_are_not_sent() -> None:
    recorder = Recorder()
    recorder.open.clear()
    scorer = CollectingScorer(recorder, seconds=0.0, jobs=2, at_once=1)
    ahead = asyncio.ensure_future(scorer.score(jobs("z", 2)))
    await recorder.started.wait()
    leaving = asyncio.ensure_future(scorer.score(jobs("a", 3)))
    staying = asyncio.ensure_future(scorer.score(jobs("b", 2)))
    await asyncio.sleep(0)

    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    recorder.open.set()
    await asyncio.gather(ahead, staying)

    assert recorder.calls == [["z0", "z1"], ["b0", "b1"]]


async def test_a_batch_that_nobody_waits_for_is_cancelled() -> None:
    recorder = Recorder()
    recorder.open.clear()
    scorer = CollectingScorer(recorder, seconds=0.0)
    leaving = asyncio.ensure_future(scorer.score(jobs("a", 2)))
    await recorder.started.wait()

    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    for _ in range(5):
        await asyncio.sleep(0)

    assert recorder.cancelled == 1
    recorder.open.set()
    assert said(await scorer.score([job("b")])) == ["b"]


async def test_one_caller_leaving_a_shared_batch_does_not_cancel_it() -> None:
    recorder = Recorder()
    recorder.open.clear()
    scorer = CollectingScorer(recorder, seconds=0.0)
    leaving = asyncio.ensure_future(scorer.score([job("a")]))
    staying = asyncio.ensure_future(scorer.score([job("b")]))
    await recorder.started.wait()

    leaving.cancel()
    await asyncio.sleep(0)
    recorder.open.set()

    assert said(await staying) == ["b"]
    assert recorder.cancelled == 0


@pytest.mark.parametrize(
    "error",
    [
        RefusedError("model endpoint answered 400", status=400),
        RefusedError("model endpoint answered 413", status=413),
        PermanentError("model endpoint's tokens do not line up with the prompt"),
    ],
)
async def test_what_is_refused_for_good_fails_its_own_question_alone(error: Exception) -> None:
    recorder = Recorder(refused=frozenset({"b1"}), error=error)
    scorer = CollectingScorer(recorder, seconds=0.0)

    results = await asyncio.gather(
        scorer.score(jobs("a", 3)),
        scorer.score(jobs("b", 3)),
        scorer.score(jobs("c", 3)),
        return_exceptions=True,
    )

    assert results[1] is error
    assert not isinstance(results[0], BaseException)
    assert not isinstance(results[2], BaseException)
    assert (said(results[0]), said(results[2])) == (["a0", "a1", "a2"], ["c0", "c1", "c2"])


@pytest.mark.parametrize(
    "error",
    [
        TransientError("model endpoint answered 503"),
        RefusedError("model endpoint answered 401", status=401),
    ],
)
async def test_what_concerns_the_server_is_asked_once(error: Exception) -> None:
    recorder = Recorder(refused=frozenset({"a0"}), error=error)
    scorer = CollectingScorer(recorder, seconds=0.0)

    results = await asyncio.gather(
        scorer.score(jobs("a", 2)), scorer.score(jobs("b", 2)), return_exceptions=True
    )

    assert [result is error for result in results] == [True, True]
    assert len(recorder.calls) == 1


async def test_a_failed_batch_does_not_stop_the_next() -> None:
    recorder = Recorder(refused=frozenset({"a0"}), error=TransientError("away"))
    scorer = CollectingScorer(recorder, seconds=0.0, at_once=1)
    with pytest.raises(TransientError):
        await scorer.score([job("a0")])

    assert said(await scorer.score([job("b")])) == ["b"]


async def test_what_a_batch_cost_is_told_to_the_questions_in_it() -> None:
    scorer = CollectingScorer(Recorder(), seconds=0.0)

    async def asked(name: str, count: int) -> tuple[int, int]:
        with metered() as meter:
            await scorer.score([job(name * 20)] * count)
        return meter.usage().read_tokens, meter.usage().written_tokens

    one, other = await asyncio.gather(asked("a", 1), asked("b", 3))

    assert (one[0] + other[0], one[1] + other[1]) == (80, 4)
    assert (one, other) == ((20, 1), (60, 3))


async def test_a_batch_of_several_questions_is_told_with_its_jobs_and_questions() -> None:
    reports: list[StageReport] = []

    class Noting:
        def reached(self, report: StageReport) -> None:
            reports.append(report)

    scorer = CollectingScorer(Recorder(), seconds=0.0, observer=Noting())

    async def asked(count: int) -> None:
        with metered():
            await scorer.score([job("a")] * count)

    await asyncio.gather(asked(1), asked(3))

    assert [(one.stage, one.counts) for one in reports] == [("batch", {"jobs": 4, "questions": 2})]


async def test_jobs_that_no_batch_has_taken_wait() -> None:
    scorer = CollectingScorer(Recorder(), seconds=LONG, jobs=8)
    asking = asyncio.create_task(scorer.score([job("a"), job("b")]))
    await asyncio.sleep(0)

    waiting = scorer.waiting
    asking.cancel()

    assert waiting == 2


@given(
    counts=st.lists(st.integers(0, 7), min_size=1, max_size=8),
    limit=st.integers(1, 6),
    at_once=st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_every_caller_gets_its_own_scores_in_order_whatever_the_batches(
    counts: list[int], limit: int, at_once: int
) -> None:
    async def run() -> tuple[list[list[str]], list[list[str]]]:
        recorder = Recorder()
        scorer = CollectingScorer(recorder, seconds=0.0, jobs=limit, at_once=at_once)
        results = await asyncio.gather(
            *(scorer.score(jobs(f"{at}.", count)) for at, count in enumerate(counts))
        )
        return [said(one) for one in results], recorder.calls

    results, calls = asyncio.run(run())

    assert results == [[f"{at}.{n}" for n in range(count)] for at, count in enumerate(counts)]
    assert sorted(name for call in calls for name in call) == sorted(
        name for one in results for name in one
    )
    assert all(1 <= len(call) <= limit for call in calls)


@pytest.mark.parametrize(
    ("seconds", "limit", "at_once"), [(-0.1, 16, 4), (0.01, 0, 4), (0.01, 16, 0)]
)
def test_a_setting_that_makes_no_sense_is_refused(seconds: float, limit: int, at_once: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        CollectingScorer(Recorder(), seconds=seconds, jobs=limit, at_once=at_once)
