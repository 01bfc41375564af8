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
        first: Detector of that alert.
    """

    questions: int
    false: tuple[str, ...]
    delay: int | None
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
    first: Signal | None = None
    for signal in _alerts(sightings, topic, tenant):
        if t0 is None or signal.at < t0:
            false.append(signal.detector)
        else:
            first = signal
            break
    if first is None:
        return Score(questions=len(before), false=tuple(false), delay=None, first=None)
    affected = frozenset(recording.affected)
    delay = sum(seen.at <= first.at and seen.question_id in affected for seen in sightings)
    return Score(questions=len(before), false=tuple(false), delay=delay, first=first.detector)


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
