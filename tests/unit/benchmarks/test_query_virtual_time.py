"""Time of the query benchmark: it passes where something waits, and computing takes none."""

from __future__ import annotations

import asyncio
import time

import pytest

from benchmarks.query.against_standard import SYSTEMS, measured, simulated
from benchmarks.query.model_server import Engine, Speed
from benchmarks.query.virtual_time import LoopClock, run_in_virtual_time


def test_waiting_takes_no_time_of_ours_and_all_of_the_loops() -> None:
    async def wait() -> float:
        began = LoopClock().monotonic()
        await asyncio.gather(asyncio.sleep(3600.0), asyncio.sleep(1800.0))
        return LoopClock().monotonic() - began

    began = time.monotonic()
    waited = run_in_virtual_time(wait())

    assert waited == pytest.approx(3600.0)
    assert time.monotonic() - began < 60.0


def test_computing_takes_no_virtual_time() -> None:
    async def compute() -> float:
        began = LoopClock().monotonic()
        sum(range(200_000))
        await asyncio.sleep(0)
        return LoopClock().monotonic() - began

    assert run_in_virtual_time(compute()) == 0.0


def test_timeouts_end_what_takes_too_long() -> None:
    async def late() -> None:
        async with asyncio.timeout(10.0):
            await asyncio.sleep(11.0)

    with pytest.raises(TimeoutError):
        run_in_virtual_time(late())


def test_three_passes_of_one_engine_take_three_times_one() -> None:
    engine = Engine(
        speed=Speed(prefill_ms=2.0, floor_ms=20.0, decode_ms=0.0), share=False, share_scored=False
    )

    async def ask() -> float:
        await asyncio.gather(*(engine.read([["word"] * 50], scored=False) for _ in range(3)))
        return LoopClock().monotonic()

    assert run_in_virtual_time(ask()) == pytest.approx(0.3)
    assert engine.told().prompt_tokens == 150
    assert engine.told().passes == 0


def test_a_question_takes_its_longest_draft_and_the_verification_and_not_the_sum() -> None:
    async def run() -> tuple[float, float, float, float]:
        async with simulated() as servers:
            rows = await measured(servers, count=2, at_once=(1,))
        row = next(one for one in rows if one.system == "speculative, own")
        return row.p50, row.longest, row.verify, row.summed

    p50, longest, verify, summed = run_in_virtual_time(run())

    assert p50 == pytest.approx(longest + verify, rel=0.1)
    assert summed > 2 * longest
    assert SYSTEMS[0].examination is None
