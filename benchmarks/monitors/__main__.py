"""`python -m benchmarks.monitors`: measure, and write docs/benchmarks/monitors.md with its chart.

    .venv/bin/python -m benchmarks.monitors [--streams 200] [--clean 100] [--curve 12]
        [--kept FILE] [--minutes N]

Recordings come from `evaluation.monitoring`, on seeds from 100,000 on: thresholds and other numbers
of the detectors were chosen on seeds below 1,000. One process, no service. Spikes come first, then
every kind in rounds. What was measured is kept in FILE, a line a stream, and a later run goes on
from there if detectors and recordings are made by the same code; after N minutes the page is written
of what there is by then.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import platform
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from scipy.stats import beta, chi2

from benchmarks.commit import commit
from benchmarks.ingest.asking import ROOT
from benchmarks.ingest.report import placed
from evaluation import charts
from evaluation.markdown import table
from evaluation.monitoring.recordings import Recording, record
from evaluation.monitoring.scenarios import POISONED, Kind
from evaluation.monitoring.scoring import Score, score
from monitors.detectors.interface import Detector
from monitors.detectors.registry import (
    ABSTENTION,
    ARRIVALS,
    COLLAPSE,
    CONCENTRATION,
    FLIP,
    MARGIN,
    SOURCES,
    SPIKE,
    SUSTAINED,
    TENANT_DETECTORS,
    TOPIC_DETECTORS,
)
from monitors.detectors.sustained import SustainedDetector

REPORT: Final = ROOT / "docs" / "benchmarks" / "monitors.md"
CHART: Final = "monitors-delay.svg"
_CODE: Final = (
    "monitors/detectors/*.py",
    "monitors/stream.py",
    "monitors/sightings.py",
    "monitors/records.py",
    "evaluation/monitoring/*.py",
)
RESERVED: Final = 100_000
SOON: Final = 10
THRESHOLDS: Final = (3.0, 5.0, 7.0, 10.0)
SETTINGS: Final[Mapping[str, Sequence[float]]] = {
    MARGIN: (6.0, 9.0, 12.0, 15.0),
    SUSTAINED: (0.15, 0.25, 0.35, 0.45),
}
"""Of the detectors whose thresholds are others: of `sustained-disagreement` the rise of the disputed
share over the settled one."""
CURVES: Final[Mapping[str, Kind]] = {
    SPIKE: "spike",
    ARRIVALS: "spike",
    SOURCES: "dilution",
    COLLAPSE: "collapse",
    FLIP: "flip",
    CONCENTRATION: "concentration",
    ABSTENTION: "denial",
    MARGIN: "spike",
    SUSTAINED: "spike",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """`delay`: mean affected questions to the alert, of those that were told."""

    threshold: float
    told: int
    streams: int
    delay: float
    false: int
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What came of one stream; `number` is its seed from `RESERVED` on, `by` the code's digest."""

    by: str
    kind: Kind
    number: int
    score: Score

    @classmethod
    def from_json(cls, line: str) -> Measured:
        found = json.loads(line)
        told = {**found["score"], "false": tuple(found["score"]["false"])}
        return cls(by=found["by"], kind=found["kind"], number=found["number"], score=Score(**told))


def code() -> str:
    """Return a digest of all code that decides what comes of a stream."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(path for pattern in _CODE for path in ROOT.glob(pattern)):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def measure(counts: Mapping[Kind, int], kept: Path, *, until: float) -> dict[Kind, list[Score]]:
    """Measure what is not kept yet, until a time of the monotonic clock; return all there is.

    What was kept by other code is left out.
    """
    by = code()
    lines = kept.read_text(encoding="ascii").splitlines() if kept.exists() else []
    found = {
        (one.kind, one.number): one.score for one in map(Measured.from_json, lines) if one.by == by
    }
    order: list[tuple[Kind, int]] = [("spike", number) for number in range(counts["spike"])]
    order += [(kind, n) for n in range(max(counts.values())) for kind in counts if n < counts[kind]]
    with kept.open("a", encoding="ascii") as out:
        for kind, number in dict.fromkeys(order):
            if (kind, number) in found or time.monotonic() >= until:
                continue
            scored = score(record(kind, RESERVED + number))
            found[kind, number] = scored
            one = Measured(by=by, kind=kind, number=number, score=scored)
            out.write(json.dumps(asdict(one)) + "\n")
            out.flush()
    return {
        kind: [one for (of, n), one in sorted(found.items()) if of == kind and n < count]
        for kind, count in counts.items()
    }


def curve(name: str, kind: Kind, count: int) -> list[Point]:
    """Return what one detector alone does at several thresholds."""
    points = []
    known = TOPIC_DETECTORS.get(name) or TENANT_DETECTORS[name]
    recordings = [with_margins(record(kind, RESERVED + number)) for number in range(count)]
    clean = [with_margins(record("clean", RESERVED + number)) for number in range(count)]
    for threshold in SETTINGS.get(name, THRESHOLDS):
        alone = {name: at_threshold(known, threshold)}
        topic: Mapping[str, Detector[Any]] = alone if name in TOPIC_DETECTORS else {}
        tenant: Mapping[str, Detector[Any]] = alone if name in TENANT_DETECTORS else {}
        struck = [score(one, topic=topic, tenant=tenant) for one in recordings]
        quiet = [score(one, topic=topic, tenant=tenant) for one in clean]
        delays = [one.delay for one in struck if one.delay is not None]
        points.append(
            Point(
                threshold=threshold,
                told=len(delays),
                streams=count,
                delay=sum(delays) / len(delays) if delays else 0.0,
                false=sum(len(one.false) for one in (*struck, *quiet)),
                questions=sum(one.questions for one in (*struck, *quiet)),
            )
        )
    return points


def with_margins(recording: Recording) -> Recording:
    """Return the recording with the margin that two answers of such agreement would have.

    Recordings have none, and no detector but `margin-collapse` reads it.
    """
    lines = [
        {**line, "margin": max(0.0, 2.0 * float(str(line["agreement"])) - 1.0)}
        for line in recording.lines
    ]
    return replace(recording, lines=tuple(lines))


def at_threshold(detector: Any, threshold: float) -> Detector[Any]:  # noqa: ANN401 - of seven kinds
    if isinstance(detector, SustainedDetector):
        return replace(detector, options=replace(detector.options, margin=threshold))
    changed: Detector[Any] = replace(detector, chart=replace(detector.chart, threshold=threshold))
    return changed


def share_bounds(hits: int, total: int) -> tuple[float, float]:
    """Return the two-sided 95% interval of Clopper & Pearson (1934)."""
    low = float(beta.ppf(0.025, hits, total - hits + 1)) if hits else 0.0
    high = float(beta.ppf(0.975, hits + 1, total - hits)) if hits < total else 1.0
    return low, high


def rate_bound(events: int, exposure: float) -> float:
    """Return the one-sided 95% upper bound of a Poisson rate (Garwood 1936)."""
    return float(chi2.ppf(0.95, 2 * (events + 1))) / 2 / exposure


def detection_table(found: Mapping[Kind, Sequence[Score]]) -> str:
    rows = []
    for kind, scores in found.items():
        delays = sorted(one.delay for one in scores if one.delay is not None)
        soon = sum(delay <= SOON for delay in delays)
        struck = sum(one.struck is not None and one.struck <= SOON for one in scores)
        first = Counter(one.first for one in scores if one.first is not None)
        rows.append(
            [
                kind,
                _share(len(delays), len(scores)),
                _share(soon, len(scores)),
                _share(struck, len(scores)),
                str(delays[len(delays) // 2]) if delays else "-",
                str(delays[len(delays) * 9 // 10]) if delays else "-",
                ", ".join(f"{name} {count}" for name, count in first.most_common(3)),
            ]
        )
    head = (
        "kind",
        "told",
        f"within {SOON} affected",
        f"within {SOON} struck",
        "median",
        "90th",
        "told first by",
    )
    return table(head, rows)


def _share(hits: int, total: int) -> str:
    low, high = share_bounds(hits, total)
    return f"{hits} of {total} ({100 * low:.1f}-{100 * high:.1f}%)"


def false_table(groups: Mapping[str, Sequence[Score]]) -> str:
    rows = []
    for name, scores in groups.items():
        questions = sum(one.questions for one in scores)
        false = Counter(detector for one in scores for detector in one.false)
        events = sum(false.values())
        rows.append(
            [
                name,
                f"{len(scores)}",
                f"{questions:,}",
                str(events),
                f"{1000 * events / questions:.2f}",
                f"{1000 * rate_bound(events, questions):.2f}",
                ", ".join(f"{one} {count}" for one, count in false.most_common()) or "-",
            ]
        )
    head = ("streams", "count", "questions", "false", "in 1,000", "upper bound", "of")
    return table(head, rows)


def curve_table(curves: Mapping[str, Sequence[Point]]) -> str:
    rows = [
        [
            name,
            CURVES[name],
            f"{point.threshold:g}",
            f"{point.told} of {point.streams}",
            f"{point.delay:.1f}",
            str(point.false),
            f"{1000 * point.false / point.questions:.2f}",
            f"{1000 * rate_bound(point.false, point.questions):.2f}",
        ]
        for name, points in curves.items()
        for point in points
    ]
    head = ("detector", "kind", "threshold", "told", "delay", "false", "in 1,000", "upper bound")
    return table(head, rows)


def drawn(curves: Mapping[str, Sequence[Point]]) -> str:
    return charts.lines(
        "Delay against false alarms, each detector alone",
        {
            name: [
                (1e6 * max(point.false, 0.5) / point.questions, point.delay)
                for point in points
                if point.delay
            ]
            for name, points in curves.items()
        },
        across="false alerts in a million clean questions (none shown as a half)",
        up="mean affected questions to the alert",
    )


def _told(arguments: argparse.Namespace) -> str:
    return (
        f"*{datetime.now(UTC):%-d %B %Y, %H:%M} UTC, `python -m benchmarks.monitors --streams "
        f"{arguments.streams} --clean {arguments.clean} --curve {arguments.curve}`"
        f"{f', stopped after {arguments.minutes} minutes' if arguments.minutes else ''}, on "
        f"{commit()}; Python {platform.python_version()}, {os.cpu_count()} cores.*"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=200, help="of each kind of poisoning")
    parser.add_argument("--clean", type=int, default=100)
    parser.add_argument("--curve", type=int, default=12, help="streams of each point")
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--kept", type=Path, default=Path(os.devnull))
    parser.add_argument("--minutes", type=float, default=0.0, help="0: until all is measured")
    arguments = parser.parse_args()
    until = time.monotonic() + 60 * arguments.minutes if arguments.minutes else math.inf
    counts: dict[Kind, int] = dict.fromkeys(POISONED, arguments.streams)
    found = measure(counts | {"clean": arguments.clean}, arguments.kept, until=until)
    clean = found.pop("clean")
    curves = {name: curve(name, kind, arguments.curve) for name, kind in CURVES.items()}
    poisoned = [one for scores in found.values() for one in scores]
    text = "\n\n".join(
        (
            "Streams that are poisoned from some question on, eight kinds, and what all detectors "
            "together make of them. Shares with exact 95% intervals (Clopper-Pearson); of the alert "
            "the affected questions up to it, median and 90th percentile.",
            detection_table(found),
            "False alerts of all detectors together; the bound is the exact one-sided 95% one "
            "(Poisson).",
            false_table({"clean": clean, "poisoned, before the attack": poisoned}),
            f"Each detector alone, at several thresholds, on {arguments.curve} streams of the kind "
            f"it is for and {arguments.curve} clean ones. `margin-collapse` was given the margin of two "
            "answers of the recorded agreement; of `sustained-disagreement` the threshold is the rise "
            "of the disputed share.",
            curve_table(curves),
            f"![Delay against false alarms]({CHART})",
        )
    )
    arguments.report.with_name(CHART).write_text(drawn(curves), encoding="utf-8")
    document = arguments.report.read_text(encoding="utf-8")
    told = placed(document, "monitors", f"{_told(arguments)}\n\n{text}")
    arguments.report.write_text(told, encoding="utf-8")


if __name__ == "__main__":
    main()
