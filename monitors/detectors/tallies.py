"""Many rare things watched at once: how often each happens to whom, and to whom too often."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from monitors.detectors.charts import Chart, ChartOptions, turn
from monitors.sightings import Sighting, Signal

_CHARTS_KEPT: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Charts by who is watched; those on whom nothing is won are not kept.

    Attributes:
        firing: Who made the episode that stands; empty where all is calm.
        since: When the episode began.
        calm: Trials in a row since the last hit of any that fires.
    """

    charts: Mapping[str, Chart] = field(default_factory=dict)
    firing: tuple[str, ...] = ()
    since: datetime | None = None
    calm: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """`change`: "firing" or "resolved" of the whole watch; one episode, whoever joins it later."""

    watch: Watch
    change: str | None = None
    who: str = ""
    affected: tuple[str, ...] = ()


def rate_ceiling(hits: float, trials: float, *, prior: float, weight: float, slack: float) -> float:
    """Return the highest rate taken for usual after so many hits."""
    worth = trials + weight
    rate = (hits + prior * weight) / worth
    return min(rate + slack + math.sqrt(rate * (1 - rate) / worth), 0.95)


def take(
    watch: Watch,
    trials: Mapping[str, tuple[bool, float]],
    *,
    question_id: str,
    at: datetime,
    options: ChartOptions,
) -> Change:
    """Take a question: by who is tried, whether it was a hit, and the highest usual rate."""
    charts = dict(watch.charts)
    fired = ""
    for who, (hit, ceiling) in trials.items():
        had = charts.get(who)
        if had is None and not hit:
            continue
        step = turn(
            had or Chart(),
            float(hit),
            ceiling,
            question_id=question_id,
            at=at,
            options=options,
        )
        charts[who] = step.chart
        if step.change == "firing":
            fired = fired or who
        if step.chart.idle and not step.chart.affected:
            del charts[who]
    while len(charts) > _CHARTS_KEPT:
        del charts[next(who for who in charts if who not in watch.firing)]
    if fired and not watch.firing:
        begun = Watch(charts=charts, firing=(fired,), since=at)
        return Change(watch=begun, change="firing", who=fired, affected=charts[fired].affected)
    firing = watch.firing
    if fired:
        firing = (*firing, fired)
    return _calmed(replace(watch, charts=charts, firing=firing), trials, options)


def told(
    change: Change,
    sighting: Sighting,
    *,
    detector: str,
    severity: str,
    begun: str,
    ended: str,
    sources: tuple[str, ...] = (),
) -> tuple[Signal, ...]:
    """Return the signal of a change, none where nothing changed; `begun` and `ended` say what did."""
    if change.change is None:
        return ()
    affected = f"{len(change.affected)} questions affected"
    return (
        Signal(
            detector=detector,
            topic=sighting.topic,
            at=sighting.at,
            question_id=sighting.question_id,
            status=change.change,
            severity=severity,
            reasons=(begun, affected) if change.change == "firing" else (ended,),
            numbers={"affected": len(change.affected)},
            questions=change.affected,
            sources=sources,
        ),
    )


def _calmed(
    watch: Watch, trials: Mapping[str, tuple[bool, float]], options: ChartOptions
) -> Change:
    if not watch.firing:
        return Change(watch=watch)
    hit = any(trials.get(who, (False, 0.0))[0] for who in watch.firing)
    watch = replace(watch, calm=0 if hit else watch.calm + 1)
    if watch.calm < options.calm:
        return Change(watch=watch)
    charts = {who: chart for who, chart in watch.charts.items() if who not in watch.firing}
    return Change(watch=Watch(charts=charts), change="resolved", who=watch.firing[0])
