"""The model server's time is what it says: a pass's floor, tokens not cached, one pass at a time."""

from __future__ import annotations

import asyncio
import time

import pytest

from benchmarks.query.against_standard import busy
from benchmarks.query.model_server import BLOCK, Counted, Engine, Speed
from benchmarks.query.toy_model import log_probabilities, reply_to, tokens_of

FAST = Speed(prefill_ms=0.0, floor_ms=0.0, decode_ms=0.0)
PROMPT = [f"word{number}" for number in range(3 * BLOCK + 5)]


@pytest.mark.anyio
async def test_what_begins_alike_is_read_once() -> None:
    engine = Engine(speed=FAST, share=True, share_scored=False)

    await engine.read([PROMPT], scored=False)
    await engine.read([[*PROMPT[: 2 * BLOCK], *reversed(PROMPT)]], scored=False)

    assert engine.counted.cached_tokens == 2 * BLOCK


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("share", "share_scored", "cached"), [(True, True, 3), (True, False, 0), (False, True, 0)]
)
async def test_scored_prompts_are_cached_only_where_told(
    *, share: bool, share_scored: bool, cached: int
) -> None:
    engine = Engine(speed=FAST, share=share, share_scored=share_scored)

    await engine.read([PROMPT], scored=True)
    await engine.read([PROMPT], scored=True)

    assert engine.counted.cached_tokens == cached * BLOCK


@pytest.mark.anyio
async def test_a_block_further_on_is_not_taken_without_those_before_it() -> None:
    engine = Engine(speed=FAST, share=True, share_scored=False)

    await engine.read([PROMPT], scored=False)
    await engine.read([["other", *PROMPT[1:]]], scored=False)

    assert engine.counted.cached_tokens == 0


@pytest.mark.anyio
async def test_passes_follow_one_another_and_cost_at_least_the_floor() -> None:
    engine = Engine(
        speed=Speed(prefill_ms=0.001, floor_ms=20.0, decode_ms=0.0), share=False, share_scored=False
    )
    begun = time.monotonic()

    await asyncio.gather(*(engine.read([["one"]], scored=False) for _ in range(3)))

    assert time.monotonic() - begun >= 0.06
    assert engine.counted.passes == 3


def test_busy_time_is_of_tokens_not_cached_and_written() -> None:
    counted = Counted(passes=1, prompt_tokens=110, cached_tokens=10, written_tokens=5)

    seconds = busy(counted, Speed(prefill_ms=1.0, floor_ms=50.0, decode_ms=20.0))

    assert seconds == pytest.approx(0.2)


def test_tokens_spell_the_text_and_evidence_makes_words_likelier() -> None:
    text = "The ferry sails at nine. Answer: nine"

    values = log_probabilities(tokens_of(text))

    assert "".join(tokens_of(text)) == text
    assert values[-1] is not None
    assert values[1] is not None
    assert values[-1] > values[1]


def test_a_greeting_is_answered_and_an_unknown_matter_is_not_invented() -> None:
    asked = (
        "Question: Who owns the blue lighthouse?\nMark: f00\nf00 document 1 begins\nTea.\nReply."
    )

    assert reply_to([{"role": "user", "content": "Reply with the word ready."}]) == "ready"
    assert '"UNKNOWN"' in reply_to([{"role": "user", "content": asked}])
