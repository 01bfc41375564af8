"""What the detectors make of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.monitoring.recordings import Recording
from monitors.records import read_lines
from monitors.replay import replay
from monitors.sightings import Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Of one recording.

    Attributes:
        false: Alerts before the attack, or at all where there is none; notices are none.
        delay: Struck questions up to and with the first alert of the attack; None where it came
            through.
        first: Detector of that alert.
        detectors: How many struck questions each detector needed.
    """

    questions: int
    false: tuple[str, ...]
    delay: int | None
    first: str | None
    detectors: dict[str, int]


def score(recording: Recording) -> Score:
    signals = replay(read_lines(recording.text().splitlines()))
    return judge(recording, [one for one in signals if one.status == "firing"])


def judge(recording: Recording, fired: Sequence[Signal]) -> Score:
    alarms = [one for one in fired if one.severity != "notice"]
    t0 = recording.t0
    false = tuple(one.detector for one in alarms if t0 is None or one.at < t0)
    detectors: dict[str, int] = {}
    if t0 is not None:
        struck = set(recording.affected)
        counted, seen = {}, 0
        for line in recording.lines:
            seen += line["question_id"] in struck
            counted[line["question_id"]] = seen
        for one in alarms:
            if one.at >= t0:
                detectors.setdefault(one.detector, counted[one.question_id])
    first = min(detectors, key=lambda name: detectors[name], default=None)
    before = len(recording.lines)
    if t0 is not None:
        before = sum(str(line["at"]) < t0.isoformat() for line in recording.lines)
    return Score(
        questions=before,
        false=false,
        delay=None if first is None else detectors[first],
        first=first,
        detectors=detectors,
    )
