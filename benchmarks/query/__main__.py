"""`python -m benchmarks.query`: measure, and write docs/benchmarks/query.md with its chart.

    .venv/bin/python -m benchmarks.query [--questions 24] [--small URL --large URL --model NAME]

Without URLs two servers are started whose time a token is a stated function (`model_server`); with
them, real servers are asked, and what only those can tell (tokens cached, cost) is left out. All
ratios are of one run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.ingest.asking import ROOT
from benchmarks.ingest.report import placed
from benchmarks.query.against_standard import (
    LARGE,
    PRICE_RATIO,
    SMALL,
    Row,
    Servers,
    measured,
    simulated,
)
from evaluation import charts
from evaluation.markdown import table

REPORT: Final = ROOT / "docs" / "benchmarks" / "query.md"
AT_ONCE: Final = (1, 4, 16)


def models(arguments: argparse.Namespace) -> list[Row]:
    if arguments.small and arguments.large:
        servers = Servers(arguments.small, arguments.large, arguments.model, counts=False)
        return asyncio.run(measured(servers, count=arguments.questions, at_once=AT_ONCE))
    with simulated() as servers:
        return asyncio.run(measured(servers, count=arguments.questions, at_once=AT_ONCE))


def report(rows: Sequence[Row], *, questions: int, simulated_servers: bool) -> str:
    """Return the tables; ratios are to standard RAG at the same concurrency."""
    standard = {row.at_once: row for row in rows if row.system == rows[0].system}
    shown = [
        [
            row.system,
            str(row.at_once),
            *(f"{value:,.0f}" for value in (row.p50, row.p95, row.p99)),
            f"{row.p50 / standard[row.at_once].p50:.2f}",
            f"{row.a_second:.2f}",
            f"{row.large_read:,.0f} ({row.large_cached:,.0f})",
            f"{row.large_written:,.0f}",
            f"{row.large_passes:.1f}",
            f"{row.cost / max(1e-9, standard[row.at_once].cost):.2f}" if row.cost else "-",
        ]
        for row in rows
    ]
    head = (
        "system", "at once", "p50 ms", "p95", "p99", "p50 to standard", "questions/s",
        "large model reads (cached)", "writes", "passes", "cost to standard",
    )  # fmt: skip
    stages = [
        [row.system, str(row.at_once)]
        + [f"{value:,.0f}" for value in (row.longest, row.summed, row.draft, row.verify)]
        for row in rows
        if row.draft
    ]
    said = (
        f"Small model: {SMALL}. Large model: {LARGE}. A second of the large one costs "
        f"{PRICE_RATIO:g} of the small one's."
        if simulated_servers
        else "Real servers, by their URLs."
    )
    return "\n\n".join(
        (
            f"{questions} questions of the labelled set that two or three origins answer. {said}",
            table(head, shown),
            "Medians in ms: a question's longest draft, the sum of its drafts, and the stages.",
            table(
                ("system", "at once", "longest draft", "sum of drafts", "draft", "verify"), stages
            ),
        )
    )


def _told(arguments: argparse.Namespace) -> str:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"*{datetime.now(UTC):%-d %B %Y, %H:%M} UTC, `python -m benchmarks.query --questions "
        f"{arguments.questions}`, on {commit or 'no commit'}; Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, load {load}.*"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument("--small", help="URL with /v1 of the drafter's server; needs --large too")
    parser.add_argument("--large", help="URL with /v1 of the verifier's server")
    parser.add_argument("--model", default="toy", help="as the real servers name it")
    parser.add_argument("--report", type=Path, default=REPORT)
    arguments = parser.parse_args()
    rows = models(arguments)
    text = report(rows, questions=arguments.questions, simulated_servers=not arguments.small)
    drawn = charts.lines(
        "p50 against questions a second",
        {
            name: [(row.a_second, row.p50) for row in rows if row.system == name]
            for name in dict.fromkeys(row.system for row in rows)
        },
        across="questions a second",
        up="p50 ms",
    )
    arguments.report.with_name("query-models.svg").write_text(drawn, encoding="utf-8")
    document = arguments.report.read_text(encoding="utf-8")
    written = placed(document, "models", f"{_told(arguments)}\n\n{text}")
    arguments.report.write_text(written, encoding="utf-8")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
