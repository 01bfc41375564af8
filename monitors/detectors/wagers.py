"""Finds when the mean of something in [0, 1] rises above a ceiling, with few false alarms by proof.

Several gamblers bet on each value being above the ceiling; while the mean is not, none of them can
expect to win, whatever the distribution. When a gambler has lost all that he won he begins anew
with 1, so that a rise is found whenever it comes. The mean wealth of all is an e-detector: under
any sequence of values whose means, given the past, are at most the ceiling, it takes exp(threshold)
values on average, at least, until the mean wealth reaches exp(threshold). (Shin, Ramdas & Rinaldo
2023, "E-detectors: a nonparametric framework for sequential change detection", theorem 2.4 for the
CUSUM form; Waudby-Smith & Ramdas 2024 for betting on bounded means.) With values 0 and 1 a gambler
is Page's CUSUM of a Bernoulli rate (Page 1954).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

BETS: Final = (0.12, 0.3, 0.55, 0.85)
"""Shares of the largest possible bet: small ones find small rises in noise, large ones rare things."""

Wealth = tuple[float, ...]
"""Logarithms, a gambler each, never under 0."""

BROKE: Final[Wealth] = (0.0,) * len(BETS)


def wager(wealth: Wealth, value: float, ceiling: float) -> Wealth:
    """Return the gamblers' wealth after a value in [0, 1]; `ceiling` in (0, 1), from the past alone."""
    rise = (value - ceiling) / ceiling
    return tuple(
        max(0.0, had + math.log1p(bet * rise)) for had, bet in zip(wealth, BETS, strict=True)
    )


def evidence(wealth: Sequence[float]) -> float:
    """Return the logarithm of the mean wealth."""
    top = max(wealth)
    if top == 0.0:
        return 0.0
    return top + math.log(math.fsum(math.exp(had - top) for had in wealth) / len(wealth))
