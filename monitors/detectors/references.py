"""What is usual: the mean of something in [0, 1], frozen early and moved at a capped rate (Law 11)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final

_DAY_SECONDS: Final = 86_400.0
_HIGHEST: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceOptions:
    """How a reference is made and how far it may move.

    Attributes:
        least: Values before anything is held against it: a cold start is quiet.
        baseline: Values it is frozen at.
        prior_mean, prior_spread, prior_weight: What is believed before the first value, and how
            many values that belief is worth: a few quiet questions do not prove silence.
        slack: What may be above the mean for good without being told: drift, and the time of day.
        deviations: Standard errors of the mean that are conceded on top.
        memory: Values that a frozen mean follows over.
        drift_per_day: How far a frozen mean may move in a day once `memory` values are in.
        drift_total: How far it may ever move from where it was frozen.
    """

    least: int = 12
    baseline: int = 30
    prior_mean: float = 0.05
    prior_spread: float = 0.25
    prior_weight: float = 8.0
    slack: float = 0.06
    deviations: float = 1.0
    memory: int = 150
    drift_per_day: float = 0.01
    drift_total: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The mean so far, and what it is worth.

    Attributes:
        count: Values taken in.
        squares: Sum of squared distances from the mean, of values and prior.
        frozen: The mean at `baseline` values; None before.
        moved_at: Time of the latest value that moved it.
    """

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    frozen: float | None = None
    moved_at: datetime | None = None

    def ready(self, options: ReferenceOptions) -> bool:
        return self.count >= options.least

    def ceiling(self, options: ReferenceOptions) -> float:
        """Return the highest mean that is taken for usual."""
        worth = self.count + options.prior_weight
        spread = math.sqrt(self.squares / worth)
        error = options.deviations * spread / math.sqrt(worth)
        return min(self.mean + options.slack + error, _HIGHEST)


def begun(options: ReferenceOptions, *, mean: float | None = None) -> Reference:
    """Return a reference before its first value; `mean` in place of the prior's."""
    return Reference(
        mean=options.prior_mean if mean is None else mean,
        squares=options.prior_weight * options.prior_spread**2,
    )


def learn(reference: Reference, value: float, at: datetime, options: ReferenceOptions) -> Reference:
    """Return the reference with a value of an undisturbed time in it.

    Until it is frozen the mean is that of all values. Then each value moves it as one of
    `count`, as one of `memory` at last, within `drift_total` of where it was frozen, and beyond
    `memory` values by the time that passed, so that nobody teaches much by asking much.
    """
    if reference.moved_at is not None and at < reference.moved_at:
        at = reference.moved_at
    count = reference.count + 1
    step = (value - reference.mean) / (min(count, options.memory) + options.prior_weight)
    if reference.count >= options.memory and reference.moved_at is not None:
        days = min((at - reference.moved_at).total_seconds() / _DAY_SECONDS, 1.0)
        bound = options.drift_per_day * days
        step = min(max(step, -bound), bound)
    mean = reference.mean + step
    if reference.frozen is not None:
        lowest, highest = (
            reference.frozen - options.drift_total,
            reference.frozen + options.drift_total,
        )
        mean = min(max(mean, lowest, 0.0), highest, 1.0)
    squares = reference.squares
    if count <= options.memory:
        squares += (value - reference.mean) * (value - mean)
    frozen = mean if count == options.baseline else reference.frozen
    if reference.count >= options.memory:
        count = reference.count
    return Reference(count=count, mean=mean, squares=squares, frozen=frozen, moved_at=at)
