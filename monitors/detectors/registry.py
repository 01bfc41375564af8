"""Every detector, by name. The defaults' sources are in `docs/monitors.md`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from monitors.detectors.arrivals import ArrivalsDetector
from monitors.detectors.charts import ChartOptions
from monitors.detectors.concentration import ConcentrationDetector, ConcentrationOptions
from monitors.detectors.flips import FlipDetector, FlipOptions
from monitors.detectors.interface import Detector
from monitors.detectors.levels import LevelDetector
from monitors.detectors.references import ReferenceOptions
from monitors.detectors.sources import SourcesDetector
from monitors.detectors.sustained import (
    ContestedDetector,
    ContestedOptions,
    SustainedDetector,
    SustainedOptions,
)
from monitors.sightings import Sighting

SPIKE: Final = "disagreement-spike"
SUSTAINED: Final = "sustained-disagreement"
COLLAPSE: Final = "entropy-collapse"
FLIP: Final = "answer-flip"
CONCENTRATION: Final = "source-concentration"
MARGIN: Final = "margin-collapse"
ABSTENTION: Final = "abstention-surge"
CONTESTED: Final = "contested"
SOURCES: Final = "suspect-sources"
ARRIVALS: Final = "new-evidence"


def _margin(sighting: Sighting) -> float | None:
    return None if sighting.margin is None else 1.0 - min(sighting.margin, 1.0)


TOPIC_DETECTORS: Final[Mapping[str, Detector[Any]]] = {
    SPIKE: LevelDetector(
        name=SPIKE,
        quantity="disagreement",
        read=lambda sighting: sighting.disagreement,
        references=ReferenceOptions(floor=0.12),
        chart=ChartOptions(threshold=6.0),
        shares=ReferenceOptions(slack=0.09),
    ),
    SUSTAINED: SustainedDetector(name=SUSTAINED, options=SustainedOptions()),
    COLLAPSE: ConcentrationDetector(
        name=COLLAPSE,
        options=ConcentrationOptions(),
        references=ReferenceOptions(),
        chart=ChartOptions(threshold=6.5),
        collapsing=True,
    ),
    FLIP: FlipDetector(name=FLIP, options=FlipOptions(), chart=ChartOptions(threshold=7.0)),
    CONCENTRATION: ConcentrationDetector(
        name=CONCENTRATION,
        options=ConcentrationOptions(),
        references=ReferenceOptions(),
        chart=ChartOptions(threshold=7.0),
    ),
    MARGIN: LevelDetector(
        name=MARGIN,
        quantity="1 - margin",
        read=_margin,
        references=ReferenceOptions(prior_mean=0.2, slack=0.1),
        chart=ChartOptions(threshold=12.0),
    ),
    ABSTENTION: LevelDetector(
        name=ABSTENTION,
        quantity="share of abstentions",
        read=lambda sighting: float(sighting.withheld),
        references=ReferenceOptions(prior_mean=0.08),
        chart=ChartOptions(threshold=7.0),
    ),
    ARRIVALS: ArrivalsDetector(
        name=ARRIVALS,
        references=ReferenceOptions(),
        chart=ChartOptions(threshold=4.0),
        young=ChartOptions(threshold=3.0),
        single=ChartOptions(threshold=4.5),
    ),
    CONTESTED: ContestedDetector(name=CONTESTED, options=ContestedOptions()),
}
"""Those that look at one topic."""

TENANT_DETECTORS: Final[Mapping[str, Detector[Any]]] = {
    SOURCES: SourcesDetector(
        name=SOURCES, references=ReferenceOptions(), chart=ChartOptions(threshold=6.0)
    ),
}
"""Those that look at all questions of a tenant."""
