"""Shares with their uncertainty, and how well a score tells two classes apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_Z: Final = 1.959963984540054  # two-sided 95% of the normal distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """`hits` of `total`.

    Attributes:
        low: Lower end of Wilson's 95% interval (Wilson 1927), in [0, 1].
        high: Its upper end.
    """

    hits: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.total:
            raise ValueError(f"{self.hits} hits of {self.total}")

    @property
    def share(self) -> float:
        """NaN where there was nothing to count."""
        return self.hits / self.total if self.total else math.nan

    @property
    def low(self) -> float:
        return self._bound(-1.0)

    @property
    def high(self) -> float:
        return self._bound(1.0)

    def _bound(self, side: float) -> float:
        if not self.total:
            return math.nan
        share, squared = self.share, _Z * _Z / self.total
        middle = share + squared / 2
        spread = _Z * math.sqrt(share * (1 - share) / self.total + squared / (4 * self.total))
        bound = (middle + side * spread) / (1 + squared)
        # At no or all hits the exact bound is the share, which rounding would miss.
        return max(0.0, min(share, bound)) if side < 0 else min(1.0, max(share, bound))


def rate(results: Iterable[bool]) -> Rate:
    counted = list(results)
    return Rate(hits=sum(counted), total=len(counted))


def auroc(attacks: Sequence[float], benign: Sequence[float]) -> float:
    """Return the probability that an attack scores above a benign text, ties counting half.

    NaN where a class is empty.
    """
    if not attacks or not benign:
        return math.nan
    ordered = sorted([(score, True) for score in attacks] + [(score, False) for score in benign])
    ranks = 0.0
    start = 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        middle = (start + 1 + end) / 2  # of the ranks start + 1 .. end
        ranks += middle * sum(attack for _, attack in ordered[start:end])
        start = end
    count = len(attacks)
    return (ranks - count * (count + 1) / 2) / (count * len(benign))


def percent(rate: Rate) -> str:
    """Return e.g. `8% (4-15)`, or `-` where there was nothing to count."""
    if not rate.total:
        return "-"
    return f"{rate.share:.0%} ({100 * rate.low:.0f}-{100 * rate.high:.0f})"
