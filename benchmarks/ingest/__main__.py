"""`make bench-ingest`: measure, and write docs/benchmarks/ingest.md with its charts.

    .venv/bin/python -m benchmarks.ingest [--only PART ...] [--scale 0.2] [--report FILE]

Parts: stages, near-duplicates, injection, citations, parsing. The injection part needs the data for
development and the benign packages (`python -m evaluation.injection.benign_documents FOLDER` fetches
them); without them it is left out, which the report says. Ratios are within a part, in one run.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks import near_duplicates
from benchmarks.commit import commit
from benchmarks.ingest import citation_cases, citations, injection, parsing, report, stages
from benchmarks.ingest.asking import ROOT, Absent, AskedProcess, network_is_off, own, peer
from benchmarks.ingest.own import OWN
from benchmarks.ingest.peers import PEERS
from benchmarks.ingest.remembered import Remembered
from evaluation import charts
from evaluation.injection.held_out import held_out_documents
from evaluation.rates import Rate, rate

REPORT: Final = ROOT / "docs" / "benchmarks" / "ingest.md"
CONVERTER: Final = "markitdown"


class MissingDataError(Exception):
    """A part cannot be measured here, for the reason in its message."""


def stages_part(arguments: argparse.Namespace) -> str:
    count = max(2, round(12 * arguments.scale))
    rows = stages.measured(stages.LENGTHS, count=count)
    totals: dict[str, float] = {}
    for row in rows:
        totals[row.stage] = totals.get(row.stage, 0.0) + row.milliseconds
    dearest = sorted(totals, key=lambda stage: -totals[stage])[:8]
    drawn = charts.lines(
        "CPU-ms a document by stage",
        {
            stage: [(row.length, max(row.milliseconds, 0.01)) for row in rows if row.stage == stage]
            for stage in dearest
        },
        across="characters of the document",
        up="CPU-ms",
    )
    _beside(arguments.report, "stages", drawn)
    return f"{report.stages_part(rows, count=count)}\n\n![CPU-ms by stage](ingest-stages.svg)"


def near_duplicates_part(arguments: argparse.Namespace) -> str:
    texts = near_duplicates.documents(max(10, round(120 * arguments.scale)))
    spent, found = near_duplicates.costs(texts[:60]), near_duplicates.recalls(texts)
    return near_duplicates.report(spent, found, documents=len(texts))


def injection_part(arguments: argparse.Namespace) -> str:
    for path in (arguments.data, arguments.benign):
        if not path.exists():
            raise MissingDataError(f"{path} is not there")
    bipia = arguments.instructions if arguments.instructions.exists() else None
    texts = injection.texts(
        arguments.data, arguments.benign, bipia, injection.Sizes.scaled(arguments.scale)
    )
    texts = texts[: arguments.texts]
    remembered = Remembered(arguments.remembered, detectors=PEERS)
    with ExitStack() as stack:
        detectors: list[AskedProcess] = [stack.enter_context(own(name)) for name in OWN]
        absent: list[Absent] = []
        for name in PEERS:
            if name == CONVERTER:
                continue
            started = peer(name)
            if isinstance(started, Absent):
                absent.append(started)
            else:
                detectors.append(stack.enter_context(started))
        answers = injection.asked(detectors, texts, remembered)
    rows = injection.rows(detectors, texts, answers)
    documents, embedded = injection.Group.DOCUMENTS, injection.Group.EMBEDDED
    drawn = charts.points(
        "Embedded payloads found against documents flagged",
        {row.name: (row.groups[documents].share, row.groups[embedded].share) for row in rows},
        across="ordinary documents flagged",
        up="embedded payloads found",
    )
    _beside(arguments.report, "injection", drawn)
    told = report.injection_part(
        rows,
        absent,
        texts=len(texts),
        timed=len(texts[:: injection.TIMED]),
        offline=network_is_off(),
    )
    return f"{told}\n\n![Embedded against documents](ingest-injection.svg)"


def citations_part(arguments: argparse.Namespace) -> str:
    cases = list(citation_cases.cases(each=max(3, round(40 * arguments.scale))))
    ordinary: Mapping[str, Rate] = {}
    if arguments.benign.exists():
        each = max(1, round(10 * arguments.scale))
        found = held_out_documents(arguments.benign, each=each)
        checked = citations.checked([document.text for document in found])
        ordinary = {
            "suspected": rate(bool(one.rules) for one in checked),
            "held": rate(one.held for one in checked),
        }
    return report.citations_part(citations.measured(cases), ordinary=ordinary)


def parsing_part(arguments: argparse.Namespace) -> str:
    started = peer(CONVERTER)
    with ExitStack() as stack:
        if isinstance(started, AskedProcess):
            stack.enter_context(started)
            asked, said = started, f"{started.name} {started.version}, {report.LICENCES[CONVERTER]}"
        else:
            asked, said = None, f"none: {started.error}"
        parsed = parsing.parsed(max(3, round(20 * arguments.scale)), peer=asked)
        hidden = parsing.hidden(max(1, round(3 * arguments.scale)), peer=asked)
    return report.parsing_part(parsed, hidden, peer=said)


_MEASURED: Final[Mapping[str, Callable[[argparse.Namespace], str]]] = {
    "stages": stages_part,
    "near-duplicates": near_duplicates_part,
    "injection": injection_part,
    "citations": citations_part,
    "parsing": parsing_part,
}


def _beside(path: Path, name: str, drawn: str) -> None:
    path.with_name(f"{path.stem}-{name}.svg").write_text(drawn, encoding="utf-8")


def _told(part: str, arguments: argparse.Namespace) -> str:
    """Return when, where and on what the part was measured."""
    most = f" --texts {arguments.texts}" if part == "injection" and arguments.texts else ""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"*{datetime.now(UTC):%-d %B %Y, %H:%M} UTC, `python -m benchmarks.ingest --only {part} "
        f"--scale {arguments.scale:g}{most}`, on {commit()}; Python "
        f"{platform.python_version()}, {os.cpu_count()} cores, load {load}.*"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=report.PARTS, action="append", help="may be repeated")
    parser.add_argument("--scale", type=float, default=1.0, help="of the samples")
    parser.add_argument("--texts", type=int, help="most texts of the injection part, of all kinds")
    parser.add_argument("--report", type=Path, default=REPORT, help="has the marks of every part")
    parser.add_argument("--data", type=Path, default=ROOT / "../shared/data/injection/train.jsonl")
    parser.add_argument("--benign", type=Path, default=ROOT / "var/benign")
    parser.add_argument(
        "--instructions",
        type=Path,
        default=ROOT / "../shared/data/poisoning/bipia_instructions.jsonl",
        help="JSONL with `text`: BIPIA's; measured only",
    )
    parser.add_argument(
        "--remembered",
        type=Path,
        help="keep peers' answers here; an interrupted run goes on where it was",
    )
    arguments = parser.parse_args()
    for part in arguments.only or report.PARTS:
        sys.stderr.write(f"{part}\n")
        try:
            text = _MEASURED[part](arguments)
        except MissingDataError as exc:
            sys.stderr.write(f"{part}: left out, since {exc}\n")
            continue
        document = arguments.report.read_text(encoding="utf-8")
        text = f"{_told(part, arguments)}\n\n{text}"
        arguments.report.write_text(report.placed(document, part, text), encoding="utf-8")


if __name__ == "__main__":
    main()
