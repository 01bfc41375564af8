"""Sightings and evidence for tests of detectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from monitors.detectors.interface import Detector
from monitors.sightings import Sighting, Signal, Source
from monitors.stream import StreamOptions, StreamState, advance
from tests.builders import EPOCH


def source(
    document: str,
    *,
    origin: str | None = None,
    family: str | None = None,
    age: float = 300.0,
    trust: float = 0.8,
    established: bool | None = True,
) -> Source:
    return Source(
        document=document,
        origin=origin or f"publisher:{document}",
        family=family or f"fam_{document}",
        age_days=age,
        trust=trust,
        established=established,
    )


HONEST = tuple(source(name) for name in ("a", "b", "c", "d"))


def planted(
    count: int, *, family: str | None = None, trust: float = 0.5, origin: str = "uploader:x"
) -> tuple[Source, ...]:
    """Return documents that one uploader added a day ago."""
    return tuple(
        source(f"p{n}", origin=origin, family=family, age=1.0, trust=trust, established=False)
        for n in range(count)
    )


def sighting(number: int, disagreement: float | None = 0.1, **fields: Any) -> Sighting:
    """Return question `number`, an hour after that of the one before."""
    made: dict[str, Any] = {
        "question_id": f"q_{number:05}",
        "topic": "t",
        "at": EPOCH + timedelta(hours=number),
        "asker": f"asker {number}",
        "key": None,
        "stratum": "5:long",
        "disagreement": disagreement,
        "disputed": (disagreement or 0.0) > 0.7,
        "withheld": False,
        "group": "g",
        "margin": None,
        "evidence": HONEST,
    }
    return Sighting(**{**made, **fields})


def run(detector: Detector[Any], series: Iterable[Sighting]) -> Sequence[Signal]:
    """Return the signals of one detector."""
    found = list(series)
    return advance(
        found,
        StreamState(),
        now=max(seen.at for seen in found),
        detectors={detector.name: detector},
        options=StreamOptions(),
    ).signals


def statuses(signals: Sequence[Signal]) -> list[str]:
    return [signal.status for signal in signals]


def at(number: int) -> Mapping[str, Any]:
    return {"at": EPOCH + timedelta(hours=number)}
