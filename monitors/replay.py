"""Runs the detectors over a recording, as they would have run over the stream itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from monitors.detectors.registry import TENANT_DETECTORS, TOPIC_DETECTORS
from monitors.sightings import Sighting, Signal
from monitors.stream import StreamOptions, StreamState, advance


def replay(sightings: Iterable[Sighting], options: StreamOptions | None = None) -> Sequence[Signal]:
    """Return every change of an alert's status, in order of time.

    The recording may list its questions in any order; they are taken by time, each topic's by its
    own detectors and all of them by those that look at the whole.
    """
    options = options or StreamOptions()
    topics: dict[str, list[Sighting]] = {}
    everything = sorted({seen.question_id: seen for seen in sightings}.values(), key=_order)
    for sighting in everything:
        topics.setdefault(sighting.topic, []).append(sighting)
    signals: list[Signal] = []
    watched = [(series, TOPIC_DETECTORS) for series in topics.values()]
    for series, detectors in [*watched, (everything, TENANT_DETECTORS)] if everything else []:
        step = advance(
            series, StreamState(), now=series[-1].at, detectors=detectors, options=options
        )
        signals.extend(step.signals)
    return sorted(signals, key=lambda signal: (signal.at, signal.question_id, signal.detector))


def _order(sighting: Sighting) -> tuple[datetime, str]:
    return sighting.order
