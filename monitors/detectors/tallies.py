"""Many rare things watched at once: how often each happens to whom, and to whom too often."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from monitors.detectors.charts import Aside, Chart, ChartOptions, turn
from monitors.detectors.wagers import evidence
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
class Trial:
    """What a question says of one who is watched.

    Attributes:
        hit: Whether it happened to him.
        ceiling: Highest mean of `value` that is usual, in (0, 1).
        value: What the gamblers bet on, in [0, 1]; 1 for a hit and 0 else where it is None. Where it
            is given his episode lasts until the values are usual again, else until the hits end.
        asides: Further signs of the same, with ceilings of their own.
        options: In place of the watch's.
    """

    hit: bool
    ceiling: float
    value: float | None = None
    asides: tuple[Aside, ...] = ()
    options: ChartOptions | None = None

    @property
    def sign(self) -> Aside:
        value = float(self.hit) if self.value is None else self.value
        return Aside(value=value, ceiling=self.ceiling)


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
    trials: Mapping[str, Trial],
    *,
    question_id: str,
    at: datetime,
    options: ChartOptions,
) -> Change:
    """Take a question: by who is tried, what it says of him."""
    charts = dict(watch.charts)
    fired = ""
    for who, trial in trials.items():
        had = charts.get(who)
        sign = trial.sign
        if had is None and sign.value <= sign.ceiling:
            continue
        step = turn(
            had or Chart(),
            sign.value,
            sign.ceiling,
            question_id=question_id,
            at=at,
            options=trial.options or options,
            asides=trial.asides,
        )
        charts[who] = step.chart
        if step.change == "firing":
            fired = fired or who
        if step.chart.idle and not step.chart.affected:
            del charts[who]
    charts = _kept(charts, watch.firing)
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


def _kept(charts: Mapping[str, Chart], firing: tuple[str, ...]) -> dict[str, Chart]:
    """Return the charts without those of the older half on whom least is won, if there are too many.

    Who brings in many others neither pushes out whom much is won on nor keeps out who is new.
    """
    spare = len(charts) - _CHARTS_KEPT
    if spare <= 0:
        return dict(charts)
    named = frozenset(firing)
    older = list(charts)[: _CHARTS_KEPT // 2 + spare]
    older.sort(key=lambda who: (who in named, evidence(charts[who].wealth)))
    least = frozenset(older[:spare])
    return {who: chart for who, chart in charts.items() if who not in least}


def _lasts(trial: Trial, chart: Chart | None) -> bool:
    if trial.value is None:
        return trial.hit
    return chart is not None and chart.since is not None


def _calmed(watch: Watch, trials: Mapping[str, Trial], options: ChartOptions) -> Change:
    if not watch.firing:
        return Change(watch=watch)
    hit = any(who in trials and _lasts(trials[who], watch.charts.get(who)) for who in watch.firing)
    watch = replace(watch, calm=0 if hit else watch.calm + 1)
    if watch.calm < options.calm:
        return Change(watch=watch)
    charts = {who: chart for who, chart in watch.charts.items() if who not in watch.firing}
    return Change(watch=Watch(charts=charts), change="resolved", who=watch.firing[0])
