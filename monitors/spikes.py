"""Finds where seats begin to disagree more than they used to: pure, one topic at a time.

`advance` takes what was observed and what is remembered, and returns what to remember and what
changed. Nothing else decides: not how the observations were cut into batches, nor in which order a
batch lists them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from domain.answering import QuestionId
from domain.monitoring import AlertStatus, Observation
from monitors.windows import Reading, Window, read

_DAY_SECONDS: Final = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpikeOptions:
    """When a rise is a spike. Shares and disagreements are in [0, 1].

    The defaults were chosen on the seeded streams of `tests/unit/monitors/streams.py`. On seeds
    that had no part in that, 191 of 200 poisoned streams alert within 12 affected questions (median
    5), and 9 alerts in 30,000 clean questions are false (95% upper bound 0.52 in 1,000).

    Attributes:
        window: Readings judged together.
        baseline: Readings a reference is made of.
        floor: Least mean disagreement of a window that can alert, whatever the reference.
        margin: Least rise of the window's mean over the reference.
        deviations: Least rise in standard errors of the difference of the two means.
        affected_rise: By how much a single question must lie above the reference to count as
            affected.
        least_affected: Affected questions in the window, at least.
        calm_share: A window is calm where the rise is below this share of what would alert.
        prior_mean, prior_spread, prior_weight: What is believed of a topic before its baseline, and
            how many readings that belief is worth: thirty quiet questions do not prove silence.
        drift_per_day: How far a reference may move in a day, however much is asked.
        drift_total: How far it may ever move from where it was frozen.
        lateness: How long after others of its time an observation may still arrive.
    """

    window: int = 14
    baseline: int = 30
    floor: float = 0.2
    margin: float = 0.15
    deviations: float = 3.2
    affected_rise: float = 0.25
    least_affected: int = 5
    calm_share: float = 0.5
    prior_mean: float = 0.08
    prior_spread: float = 0.25
    prior_weight: float = 10.0
    drift_per_day: float = 0.01
    drift_total: float = 0.1
    lateness: timedelta = timedelta(minutes=5)

    def __post_init__(self) -> None:
        if not 1 <= self.least_affected <= self.window:
            raise ValueError(
                f"least_affected must be 1 to window, got {self.least_affected}, {self.window}"
            )
        if self.baseline < 1 or self.deviations <= 0 or not 0 < self.calm_share < 1:
            raise ValueError("baseline must be >= 1, deviations > 0, calm_share between 0 and 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """How much one stratum of a topic disagrees when nothing is wrong.

    Attributes:
        sample: Disagreement by asker while it is being made; empty once it is frozen.
        mean, spread: Meaningful once frozen.
        frozen_mean: Where `mean` stood at first.
        moved_at: The latest reading that moved it; None while it is being made.
        cold: The topic had no reference at all when this one was begun.
    """

    sample: Mapping[str, float] = field(default_factory=dict)
    mean: float = 0.0
    spread: float = 0.0
    frozen_mean: float = 0.0
    moved_at: datetime | None = None
    cold: bool = True

    @property
    def frozen(self) -> bool:
        return self.moved_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """An alert that stands. `calm`: fresh readings in a row that left the window calm."""

    started_at: datetime
    calm: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpikeState:
    """All that is remembered of a topic.

    Attributes:
        references: By stratum, in order of first appearance.
        latest: Time of the latest observation taken; None before the first.
        taken: Observations taken that are recent enough to be handed in again.
    """

    window: tuple[Reading, ...] = ()
    references: Mapping[str, Reference] = field(default_factory=dict)
    episode: Episode | None = None
    latest: datetime | None = None
    taken: Mapping[QuestionId, datetime] = field(default_factory=dict)

    def horizon(self, options: SpikeOptions) -> datetime | None:
        """Return the time before which nothing is looked at any more."""
        return None if self.latest is None else self.latest - options.lateness


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A change of status, and the numbers behind it.

    Attributes:
        at: Time of the observation that brought it about.
        question_id: That observation.
        mean: Mean disagreement of the window.
        reference: Mean of the references that its readings were held against.
        needed: The rise over `reference` that alerts.
        affected: Questions of the window that lie clearly above the reference, oldest first.
    """

    status: AlertStatus
    at: datetime
    question_id: QuestionId
    mean: float
    reference: float
    needed: float
    affected: tuple[QuestionId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """`signals` alternate between firing and resolved, in order of time."""

    state: SpikeState
    signals: tuple[Signal, ...]


def advance(
    series: Sequence[Observation], state: SpikeState, *, now: datetime, options: SpikeOptions
) -> Advance:
    """Take the observations of one topic that were not taken yet.

    Args:
        series: Any order; those taken before, those older than the horizon and those from after
            `now` (a clock that is ahead) are passed over.
        state: As returned by the last call; `SpikeState()` at first.
        now: The present moment.
        options: The same in every call.
    """
    horizon = state.horizon(options)
    new = {
        observation.question_id: observation
        for observation in series
        if observation.observed_at <= now
        and observation.question_id not in state.taken
        and (horizon is None or observation.observed_at >= horizon)
    }
    signals: list[Signal] = []
    for observation in sorted(new.values(), key=lambda seen: (seen.observed_at, seen.question_id)):
        reading = read(observation)
        if reading is not None:
            step = _take(reading, state, options)
            state = step.state
            signals.extend(step.signals)
    return Advance(state=_remember(new, state, options), signals=tuple(signals))


def standing_signal(state: SpikeState, options: SpikeOptions) -> Signal | None:
    """Return what the alert that stands would be told of now; None where none stands."""
    view = _look(Window(size=options.window, readings=state.window), state.references, options)
    if state.episode is None or view is None:
        return None
    return _signal(AlertStatus.FIRING, state.window[-1], view, at=state.episode.started_at)


def _remember(
    new: Mapping[QuestionId, Observation], state: SpikeState, options: SpikeOptions
) -> SpikeState:
    times = {id: observation.observed_at for id, observation in new.items()}
    if not times:
        return state
    newest = max(times.values())
    state = replace(state, latest=newest if state.latest is None else max(state.latest, newest))
    horizon = state.horizon(options)
    taken = {**state.taken, **times}
    return replace(
        state, taken={id: at for id, at in taken.items() if horizon is None or at >= horizon}
    )


def _take(reading: Reading, state: SpikeState, options: SpikeOptions) -> Advance:
    references = dict(state.references)
    warm = any(reference.frozen for reference in references.values())
    known = references.get(reading.stratum, Reference(cold=not warm))
    if state.episode is None and not known.frozen:
        references[reading.stratum] = _learn(known, reading, options)
    if warm and known.cold and not known.frozen:
        return Advance(state=replace(state, references=references), signals=())
    push = Window(size=options.window, readings=state.window).push(reading)
    left = push.left
    if state.episode is None and left is not None and left.stratum in references:
        references[left.stratum] = _drift(references[left.stratum], left, options)
    state = replace(state, window=push.window.readings, references=references)
    view = _look(push.window, references, options)
    if view is None:
        return Advance(state=state, signals=())
    return _turn(reading, state, view, fresh=push.fresh, options=options)


def _learn(reference: Reference, reading: Reading, options: SpikeOptions) -> Reference:
    sample = {**reference.sample, reading.asker: reading.disagreement}
    if len(sample) < options.baseline:
        return replace(reference, sample=sample)
    count, weight = len(sample), options.prior_weight
    total = count + weight
    mean = (math.fsum(sample.values()) + weight * options.prior_mean) / total
    squares = math.fsum((value - mean) ** 2 for value in sample.values())
    spread = math.sqrt((squares + weight * options.prior_spread**2) / total)
    return replace(
        reference,
        sample={},
        mean=mean,
        spread=spread,
        frozen_mean=mean,
        moved_at=reading.observed_at,
    )


def _drift(reference: Reference, left: Reading, options: SpikeOptions) -> Reference:
    """Let a reading that left the window without an alert move the reference a little.

    The step is bounded by the time since the last one, not by the number of questions, so that
    nobody teaches a topic to disagree by asking much.
    """
    if reference.moved_at is None or left.observed_at <= reference.moved_at:
        return reference
    days = min((left.observed_at - reference.moved_at).total_seconds() / _DAY_SECONDS, 1.0)
    bound = options.drift_per_day * days
    step = (left.disagreement - reference.mean) / options.baseline
    mean = reference.mean + min(max(step, -bound), bound)
    lowest = max(reference.frozen_mean - options.drift_total, 0.0)
    highest = reference.frozen_mean + options.drift_total
    return replace(reference, mean=min(max(mean, lowest), highest), moved_at=left.observed_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """A full window held against its references."""

    mean: float
    reference: float
    needed: float
    affected: tuple[QuestionId, ...]

    @property
    def rise(self) -> float:
        return self.mean - self.reference


def _look(
    window: Window, references: Mapping[str, Reference], options: SpikeOptions
) -> _View | None:
    """Return the window's numbers; None while it is not full or no reference is frozen.

    A stratum that appears once the topic has a reference is held against that one until it has its
    own: asking with another m must not be a way to stay unseen. Strata that began together wait for
    their own, as a topic does.
    """
    first = next((reference for reference in references.values() if reference.frozen), None)
    if first is None or not window.full:
        return None
    held = []
    for reading in window.readings:
        own = references.get(reading.stratum, first)
        if not own.frozen and own.cold:
            return None
        held.append((reading, own if own.frozen else first))
    size = len(held)
    spread = math.sqrt(math.fsum(reference.spread**2 for _, reference in held) / size)
    error = spread * math.sqrt(1 / size + 1 / options.baseline)
    return _View(
        mean=math.fsum(reading.disagreement for reading, _ in held) / size,
        reference=math.fsum(reference.mean for _, reference in held) / size,
        needed=max(options.margin, options.deviations * error),
        affected=tuple(
            reading.question_id
            for reading, reference in held
            if reading.disagreement >= reference.mean + options.affected_rise
        ),
    )


def _turn(
    reading: Reading, state: SpikeState, view: _View, *, fresh: bool, options: SpikeOptions
) -> Advance:
    episode = state.episode
    if episode is None:
        if (
            view.rise < view.needed
            or view.mean < options.floor
            or len(view.affected) < options.least_affected
        ):
            return Advance(state=state, signals=())
        fired = replace(state, episode=Episode(started_at=reading.observed_at))
        signal = _signal(AlertStatus.FIRING, reading, view, at=reading.observed_at)
        return Advance(state=fired, signals=(signal,))
    if view.rise >= view.needed * options.calm_share:
        return Advance(state=replace(state, episode=replace(episode, calm=0)), signals=())
    calm = episode.calm + fresh
    if calm < options.window:
        return Advance(state=replace(state, episode=replace(episode, calm=calm)), signals=())
    at = max(reading.observed_at, episode.started_at)
    signal = _signal(AlertStatus.RESOLVED, reading, view, at=at)
    return Advance(state=replace(state, episode=None), signals=(signal,))


def _signal(status: AlertStatus, reading: Reading, view: _View, *, at: datetime) -> Signal:
    return Signal(
        status=status,
        at=at,
        question_id=reading.question_id,
        mean=view.mean,
        reference=view.reference,
        needed=view.needed,
        affected=view.affected,
    )
