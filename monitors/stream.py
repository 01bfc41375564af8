"""Drives detectors over observations as they come: late, repeated, out of order.

`advance` takes what was observed and what is remembered, and returns what to remember and what
changed. Nothing else decides: not how the observations were cut into batches, nor in which order a
batch lists them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from monitors.detectors.interface import Detector
from monitors.sightings import Sighting, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """What counts.

    Attributes:
        window: Counted questions within which a repeat by the same asker counts again only if it is
            worse than what was counted of him, and once.
        worse: Rise in disagreement that makes a repeat worse; so do an abstention and another answer.
        repeat_after: Time after which it counts in any case.
        lateness: How long after others of its time an observation may still arrive.
    """

    window: int = 14
    worse: float = 0.2
    repeat_after: timedelta = timedelta(days=1)
    lateness: timedelta = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What counted of an asker last. `again`: it was a repeat that had become worse."""

    at: datetime
    disagreement: float
    withheld: bool
    group: str | None
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamState:
    """All that is remembered of a stream.

    Attributes:
        detectors: By name, each one's own state.
        latest: Time of the latest observation taken; None before the first.
        taken: Observations taken that are recent enough to be handed in again.
        askers: Who asked the latest counted questions, and what was counted.
        standing: By detector, what its alert that stands was told with.
    """

    detectors: Mapping[str, Any] = field(default_factory=dict)
    latest: datetime | None = None
    taken: Mapping[str, datetime] = field(default_factory=dict)
    askers: Mapping[str, Counted] = field(default_factory=dict)
    standing: Mapping[str, Signal] = field(default_factory=dict)

    def horizon(self, options: StreamOptions) -> datetime | None:
        """Return the time before which nothing is looked at any more."""
        return None if self.latest is None else self.latest - options.lateness

    def as_of(self, now: datetime, options: StreamOptions) -> StreamState:
        """Return the state with what a clock that ran ahead left in it taken back.

        An observation from a day ahead would keep the monitors blind for that day, once the clock is
        right again. They look again from the present on; what was taken before is not taken twice.
        """
        most = now + options.lateness
        if self.latest is None or self.latest <= most:
            return self
        return replace(self, latest=most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """`signals` of one detector alternate between firing and resolved, in order of time."""

    state: StreamState
    signals: tuple[Signal, ...]


def advance(
    series: Sequence[Sighting],
    state: StreamState,
    *,
    now: datetime,
    detectors: Mapping[str, Detector[Any]],
    options: StreamOptions,
) -> Advance:
    """Take the sightings that were not taken yet.

    Args:
        series: Any order; those taken before, those older than the horizon and those from after
            `now` (a clock that is ahead) are passed over.
        state: As returned by the last call; `StreamState()` at first.
        now: The present moment.
        detectors: The same in every call; one that is new starts with what comes.
        options: The same in every call.
    """
    state = state.as_of(now, options)
    horizon = state.horizon(options)
    new = {
        sighting.question_id: sighting
        for sighting in series
        if sighting.at <= now
        and sighting.question_id not in state.taken
        and (horizon is None or sighting.at >= horizon)
    }
    signals: list[Signal] = []
    askers, states, standing = dict(state.askers), dict(state.detectors), dict(state.standing)
    for sighting in sorted(new.values(), key=lambda seen: seen.order):
        counted = _count(sighting, askers.get(sighting.asker), options)
        if counted is None:
            continue
        askers.pop(sighting.asker, None)
        askers[sighting.asker] = counted
        if len(askers) > options.window:
            del askers[next(iter(askers))]
        for name, detector in detectors.items():
            step = detector.take(sighting, states[name] if name in states else detector.start())
            states[name] = step.state
            for signal in step.signals:
                signals.append(signal)
                standing.pop(name, None)
                if signal.status == "firing":
                    standing[name] = signal
    state = replace(state, detectors=states, askers=askers, standing=standing)
    return Advance(state=_remember(new, state, options), signals=tuple(signals))


def _count(sighting: Sighting, before: Counted | None, options: StreamOptions) -> Counted | None:
    """Return what counts of a question; None where it is a repeat that says nothing new."""
    counted = Counted(
        at=sighting.at,
        disagreement=sighting.disagreement or 0.0,
        withheld=sighting.withheld,
        group=sighting.group,
    )
    if before is None or sighting.at - before.at >= options.repeat_after:
        return counted
    worse = (
        counted.disagreement >= before.disagreement + options.worse
        or (counted.withheld and not before.withheld)
        or (None not in {counted.group, before.group} and counted.group != before.group)
    )
    return replace(counted, again=True) if worse and not before.again else None


def _remember(
    new: Mapping[str, Sighting], state: StreamState, options: StreamOptions
) -> StreamState:
    times = {question_id: sighting.at for question_id, sighting in new.items()}
    if not times:
        return state
    newest = max(times.values())
    state = replace(state, latest=newest if state.latest is None else max(state.latest, newest))
    horizon = state.horizon(options)
    taken = {**state.taken, **times}
    return replace(
        state, taken={id: at for id, at in taken.items() if horizon is None or at >= horizon}
    )
