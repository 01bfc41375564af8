"""One quantity of one topic under watch: what was won on it, and the alert that stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from monitors.detectors.wagers import BETS, BROKE, Wealth, evidence, wager

_AFFECTED_KEPT: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartOptions:
    """When a rise is told, and when it is over.

    Attributes:
        threshold: Logarithm of the mean wealth that alerts: exp(threshold) values lie between two
            false alarms on average, at least.
        doubt: Share of the threshold from which nothing is learned any more.
        least_affected: Values clearly above the ceiling that an alert needs.
        clearly: By how much such a value lies above it.
        calm: Values in a row that together must not lie above the ceiling for the alert to end.
    """

    threshold: float = 10.0
    doubt: float = 0.4
    least_affected: int = 4
    clearly: float = 0.1
    calm: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """All that is remembered.

    Attributes:
        since: Start of the episode that stands; None where all is calm.
        rises: Of the values since it started, the latest `calm`, how far each was above its ceiling.
        affected: Questions clearly above the ceiling since there was anything won, the latest.
    """

    wealth: Wealth = BROKE
    since: datetime | None = None
    rises: tuple[float, ...] = ()
    affected: tuple[str, ...] = ()

    def doubtful(self, options: ChartOptions) -> bool:
        """Whether what is seen now should not be learned from."""
        return self.since is not None or evidence(self.wealth) >= options.threshold * options.doubt

    @property
    def idle(self) -> bool:
        return self.since is None and not any(self.wealth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """Another sign of the same rise, and its own ceiling."""

    value: float
    ceiling: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """`change`: "firing", "resolved", or None where the status stays."""

    chart: Chart
    change: str | None = None


_STAYS_IDLE: Final = Turn(chart=Chart())


def turn(
    chart: Chart,
    value: float,
    ceiling: float,
    *,
    question_id: str,
    at: datetime,
    options: ChartOptions,
    asides: Sequence[Aside] = (),
) -> Turn:
    """Take one value, held against a ceiling that does not depend on it.

    On each of the `asides` gamblers of its own bet; what counts is the mean wealth of all, which is
    an e-detector as that of the first four is.
    """
    quiet = value <= ceiling and all(one.value <= one.ceiling for one in asides)
    if quiet and chart.idle:
        return _STAYS_IDLE
    affected = chart.affected
    if value >= ceiling + options.clearly:
        affected = (*affected, question_id)[-_AFFECTED_KEPT:]
    if chart.since is not None:
        rises = (*chart.rises, value - ceiling)[-options.calm :]
        if len(rises) == options.calm and math.fsum(rises) <= 0:
            return Turn(chart=Chart(), change="resolved")
        return Turn(chart=Chart(since=chart.since, rises=rises, affected=affected))
    wealth = _wagered(chart.wealth, (Aside(value=value, ceiling=ceiling), *asides))
    if not any(wealth):
        return _STAYS_IDLE
    if len(affected) >= options.least_affected and evidence(wealth) >= options.threshold:
        return Turn(chart=Chart(wealth=wealth, since=at, affected=affected), change="firing")
    return Turn(chart=Chart(wealth=wealth, affected=affected))


def _wagered(wealth: Wealth, signs: Sequence[Aside]) -> Wealth:
    """Return all gamblers' wealth, those of the first sign first; who is new begins with nothing won."""
    size = len(BETS)
    after: Wealth = ()
    for place, sign in enumerate(signs):
        had = wealth[place * size : (place + 1) * size] or BROKE
        after += wager(had, sign.value, sign.ceiling)
    return after
