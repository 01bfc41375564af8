"""The published cost model, and what the gateway's own modes make of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from defences.answering.cost import (
    PROMPT_TOKENS,
    Deployment,
    crossover_passages,
    speculative,
    standard,
    verify_tokens,
)
from domain.verification import CrossExamination

PUBLISHED = Deployment()


def test_with_ten_passages_of_300_tokens_the_large_model_reads_800_instead_of_3200() -> None:
    assert standard(PUBLISHED).large_tokens - PUBLISHED.draft_tokens == 3200
    assert speculative(PUBLISHED).large_tokens == 800


def test_short_contexts_do_not_pay() -> None:
    assert 3 < crossover_passages(PUBLISHED) < 10


@given(
    st.integers(1, 30), st.integers(1, 8), st.integers(1, 5), st.floats(0, 1), st.integers(10, 400)
)
def test_at_the_crossover_both_cost_the_same_but_for_prompts_and_the_answer(
    passages: int, m: int, subset: int, ratio: float, draft: int
) -> None:
    one = Deployment(
        passages=passages, m=m, subset_passages=subset, price_ratio=ratio, draft_tokens=draft
    )
    reading = one.passages * one.passage_tokens
    small = m * (subset * one.passage_tokens + draft)

    pays = reading > verify_tokens(one) + ratio * small

    assert pays == (passages > crossover_passages(one))


@pytest.mark.parametrize(
    ("mode", "tokens"),
    [
        (CrossExamination.OFF, 0),
        (CrossExamination.PUBLISHED, 600),
        (CrossExamination.OWN, 3000 + 1200),
        (CrossExamination.ALL, 3000 + 3600),
    ],
)
def test_what_the_verifier_reads_by_mode(mode: CrossExamination, tokens: int) -> None:
    assert verify_tokens(replace(PUBLISHED, mode=mode)) == tokens


def test_latency_is_the_slowest_drafter_and_the_verification_and_never_the_sum() -> None:
    side_by_side = speculative(PUBLISHED).seconds
    one_by_one = speculative(replace(PUBLISHED, drafters=1)).seconds
    verifying = (PROMPT_TOKENS + 600) / PUBLISHED.large_prefill

    assert one_by_one - verifying == pytest.approx(5 * (side_by_side - verifying))


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="sizes"):
        Deployment(m=0)
