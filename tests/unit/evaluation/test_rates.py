"""Rates: intervals and the area under the curve."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.rates import Rate, auroc, percent, rate


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_an_interval_is_wilson_s(hits: int, total: int, low: float, high: float) -> None:
    made = Rate(hits=hits, total=total)

    assert made.low == pytest.approx(low, abs=5e-5)
    assert made.high == pytest.approx(high, abs=5e-5)


@given(st.integers(0, 400), st.integers(0, 400))
@settings(deadline=None)
def test_an_interval_holds_the_share_and_stays_in_the_unit_range(hits: int, more: int) -> None:
    assume(hits + more > 0)

    made = Rate(hits=hits, total=hits + more)

    assert 0.0 <= made.low <= made.share <= made.high <= 1.0


def test_a_rate_of_nothing_is_told_as_nothing() -> None:
    made = rate([])

    assert math.isnan(made.share)
    assert percent(made) == "-"


def test_a_rate_counts_what_is_true() -> None:
    made = rate([True, False, True, False])

    assert made == Rate(hits=2, total=4)
    assert percent(made) == "50% (15-85)"


def test_more_hits_than_there_were_are_refused() -> None:
    with pytest.raises(ValueError, match="3 hits of 2"):
        Rate(hits=3, total=2)


SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5]), min_size=1, max_size=30)


@given(SCORES, SCORES)
@settings(deadline=None)
def test_the_area_is_the_share_of_pairs_in_order_ties_counting_half(
    attacks: list[float], benign: list[float]
) -> None:
    pairs = [(one > other) + 0.5 * (one == other) for one in attacks for other in benign]

    assert auroc(attacks, benign) == pytest.approx(sum(pairs) / len(pairs))


def test_an_area_needs_both_classes() -> None:
    assert math.isnan(auroc([1.0], []))
    assert math.isnan(auroc([], [1.0]))
