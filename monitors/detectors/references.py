"""What is usual: the mean of something in [0, 1], frozen early and moved at a capped rate (Law 11)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

_DAY_SECONDS: Final = 86_400.0
_HIGHEST: Final = 0.95
_SPREADS: Final = 1.5
_LEAST_RISE: Final = 0.15
_MOST_RISE: Final = 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceOptions:
    """How a reference is made and how far it may move.

    Attributes:
        least: Values before anything is held against it: a cold start is quiet.
        baseline: Values it is frozen at.
        prior_mean, prior_spread, prior_weight: What is believed before the first value, and how
            many values that belief is worth: a few quiet questions do not prove silence.
        slack: What may be above the mean for good without being told: drift, and the time of day.
        floor: Least ceiling, whatever was learned.
        deviations: Standard errors of the mean that are conceded on top.
        memory: Values that a frozen mean follows over.
        delay: Values that a new one waits for before it is learned, so that a rise is doubted before
            it teaches.
        drift_per_day: How far a frozen mean may move in a day once `memory` values are in.
        drift_total: How far it may ever move from where it was frozen.
    """

    least: int = 12
    baseline: int = 30
    prior_mean: float = 0.05
    prior_spread: float = 0.25
    prior_weight: float = 8.0
    slack: float = 0.06
    floor: float = 0.0
    deviations: float = 1.0
    memory: int = 150
    delay: int = 15
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
        waiting: Values that are not learned yet, oldest first.
    """

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    frozen: float | None = None
    moved_at: datetime | None = None
    waiting: tuple[float, ...] = ()

    def ready(self, options: ReferenceOptions) -> bool:
        return self.count >= options.least

    def spread(self, options: ReferenceOptions) -> float:
        """Return the standard deviation of the values, the prior's among them."""
        return math.sqrt(self.squares / (self.count + options.prior_weight))

    def ceiling(self, options: ReferenceOptions) -> float:
        """Return the highest mean that is taken for usual."""
        worth = self.count + options.prior_weight
        error = options.deviations * self.spread(options) / math.sqrt(worth)
        return min(max(self.mean + options.slack + error, options.floor), _HIGHEST)


def is_clearly_above(value: float, usual: Reference, options: ReferenceOptions) -> bool:
    """Say whether a value is loud: by 1.5 spreads of the usual ones, but by 0.15 to 0.35."""
    rise = min(max(_SPREADS * usual.spread(options), _LEAST_RISE), _MOST_RISE)
    return value >= usual.mean + rise


def begun(options: ReferenceOptions, *, mean: float | None = None) -> Reference:
    """Return a reference before its first value; `mean` in place of the prior's."""
    return Reference(
        mean=options.prior_mean if mean is None else mean,
        squares=options.prior_weight * options.prior_spread**2,
    )


def learn(
    reference: Reference,
    value: float,
    at: datetime,
    options: ReferenceOptions,
    *,
    doubtful: bool = False,
) -> Reference:
    """Return the reference after one more value.

    Once it is frozen values wait for `delay` others; what comes out of the wait while the present
    is `doubtful` is passed over. Until it is frozen the mean is that of all values. Then each moves
    it as one of `count`, as one of `memory` at last, within `drift_total` of where it was frozen,
    and beyond `memory` values by the time that passed, so that nobody teaches much by asking much.
    """
    if reference.frozen is None:
        return reference if doubtful else _moved(reference, value, at, options)
    waiting = (*reference.waiting, value)
    if len(waiting) > options.delay:
        if not doubtful:
            reference = _moved(reference, waiting[0], at, options)
        waiting = waiting[1:]
    return replace(reference, waiting=waiting)


def _moved(
    reference: Reference, value: float, at: datetime, options: ReferenceOptions
) -> Reference:
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
    return replace(reference, count=count, mean=mean, squares=squares, frozen=frozen, moved_at=at)
