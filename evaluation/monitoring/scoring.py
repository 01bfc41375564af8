"""What the detectors make of a recording."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.monitoring.recordings import Recording
from monitors.detectors.interface import Detector
from monitors.detectors.registry import TENANT_DETECTORS, TOPIC_DETECTORS
from monitors.records import read_lines
from monitors.sightings import Sighting, Signal
from monitors.stream import StreamOptions, StreamState, advance

_BATCH: Final = 50
"""Questions taken at once; how a stream is cut changes nothing."""
_OPTIONS: Final = StreamOptions()

Detectors = Mapping[str, Detector[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Of one recording.

    Attributes:
        questions: Those before the attack; all of them where there is none.
        false: Detectors of the alerts before the attack; notices are no alerts.
        delay: Affected questions up to and with the first alert of the attack; None without one.
        struck: The same counted in struck questions, from the first of them on.
        first: Detector of the first alert since an answer was affected.
    """

    questions: int
    false: tuple[str, ...]
    delay: int | None
    struck: int | None
    first: str | None


def score(
    recording: Recording,
    *,
    topic: Detectors = TOPIC_DETECTORS,
    tenant: Detectors = TENANT_DETECTORS,
) -> Score:
    """Run the detectors until the attack is told; all of the recording where there is none."""
    t0 = recording.t0
    sightings = list(read_lines(json.dumps(line) for line in recording.lines))
    before = [seen for seen in sightings if t0 is None or seen.at < t0]
    false: list[str] = []
    begins = next((seen.at for seen in sightings if seen.question_id in recording.struck[:1]), t0)
    first: Signal | None = None
    early: Signal | None = None
    for signal in _alerts(sightings, topic, tenant):
        if begins is not None and early is None and signal.at >= begins:
            early = signal
        if t0 is None or signal.at < t0:
            false.append(signal.detector)
        else:
            first = signal
            break
    return Score(
        questions=len(before),
        false=tuple(false),
        delay=_reached(recording.affected, sightings, first),
        struck=_reached(recording.struck, sightings, early),
        first=None if first is None else first.detector,
    )


def _reached(ids: Sequence[str], sightings: Sequence[Sighting], until: Signal | None) -> int | None:
    """Return how many of these questions were asked up to a signal; None without one."""
    if until is None:
        return None
    named = frozenset(ids)
    return sum(seen.at <= until.at and seen.question_id in named for seen in sightings)


def _alerts(sightings: Sequence[Sighting], topic: Detectors, tenant: Detectors) -> Iterator[Signal]:
    """Yield alerts in order of time, a batch of questions after the other."""
    states: dict[str, StreamState] = {}
    everywhere = StreamState()
    for start in range(0, len(sightings), _BATCH):
        batch = sightings[start : start + _BATCH]
        now = batch[-1].at
        signals: list[Signal] = []
        by_topic: dict[str, list[Sighting]] = {}
        for seen in batch:
            by_topic.setdefault(seen.topic, []).append(seen)
        for name, series in by_topic.items():
            step = advance(
                series, states.get(name, StreamState()), now=now, detectors=topic, options=_OPTIONS
            )
            states[name] = step.state
            signals.extend(step.signals)
        step = advance(batch, everywhere, now=now, detectors=tenant, options=_OPTIONS)
        everywhere = step.state
        signals.extend(step.signals)
        for signal in sorted(signals, key=lambda one: (one.at, one.question_id)):
            if signal.status == "firing" and signal.severity != "notice":
                yield signal
