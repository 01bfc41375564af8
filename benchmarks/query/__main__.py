"""`python -m benchmarks.query`: measure, and write docs/benchmarks/query.md with its chart.

    .venv/bin/python -m benchmarks.query [--part models|own] [--small URL --large URL --model NAME]

`models`: without URLs two servers whose time a token is a stated function (`model_server`), in
virtual time; with them, real servers are asked, and what only ours can tell (tokens cached, cost) is
left out. `own`: our own processor time over 100,000 chunks. All ratios are of one run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.commit import commit
from benchmarks.ingest.asking import ROOT
from benchmarks.ingest.report import placed
from benchmarks.query.against_standard import (
    LARGE,
    PRICE_RATIO,
    SMALL,
    Row,
    Servers,
    measured,
    real,
    simulated,
)
from benchmarks.query.own_time import OwnTime, Spent, own_time
from benchmarks.query.virtual_time import run_in_virtual_time
from evaluation import charts
from evaluation.markdown import table

REPORT: Final = ROOT / "docs" / "benchmarks" / "query.md"
AT_ONCE: Final = (1, 4, 16)


def models(arguments: argparse.Namespace) -> list[Row]:
    async def run(opened: AbstractAsyncContextManager[Servers]) -> list[Row]:
        async with opened as servers:
            return await measured(servers, count=arguments.questions, at_once=AT_ONCE)

    if arguments.small and arguments.large:
        return asyncio.run(run(real(arguments.small, arguments.large, arguments.model)))
    return run_in_virtual_time(run(simulated()))


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


def _stages(spent: Sequence[Spent]) -> str:
    shown = [
        [
            f"**{one.stage}**" if one is spent[-1] else one.stage,
            *(f"{value:.1f}" for value in (*one.cold, *one.warm)),
        ]
        for one in spent
    ]
    return table(("stage", "asked first p50", "p95", "asked again p50", "p95"), shown)


def own_report(found: OwnTime) -> str:
    """Return CPU by stage, and the index's recall."""
    recall = [
        [
            one.side,
            f"{one.rows:,}",
            f"{one.mean:.3f}",
            f"{one.least:.1f}",
            f"{one.searched_ms:.0f}",
            f"{one.exact_ms:.0f}",
        ]
        for one in found.recall
    ]
    return "\n\n".join(
        (
            f"{found.questions} questions, {found.chunks:,} made-up chunks beside the labelled set's. CPU-ms of "
            "all threads, the embedder's taken off; *asked first*: no sentence of its evidence read "
            f"for an earlier question but by chance. Copies in memory: {found.held_bytes / 2**20:,.0f} MiB, made in "
            f"{found.copied_seconds:.0f} s of CPU.",
            *(
                f"Drafter and verifier on model servers, cross-examination `{one.value}`: what is left is retrieval, "
                "prompts, requests, replies read, evidence check, grouping, guard.\n\n"
                + _stages(spent)
                for one, spent in found.served.items()
            ),
            f"The embedded default, drafting and verifying by rule in it.\n\n{_stages(found.spent)}",
            table(
                (
                    "side",
                    "rows",
                    "recall@10 of the index, mean",
                    "least of a question",
                    "CPU-ms a search",
                    "CPU-ms by all vectors",
                ),
                recall,
            ),
        )
    )


def _told(part: str, arguments: argparse.Namespace, begun: datetime) -> str:
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"*{begun:%-d %B %Y, %H:%M} UTC, `python -m benchmarks.query --part {part} --questions "
        f"{arguments.questions}`, on {commit()}; Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, load {load}.*"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument("--small", help="URL with /v1 of the drafter's server; needs --large too")
    parser.add_argument("--large", help="URL with /v1 of the verifier's server")
    parser.add_argument("--model", default="toy", help="as the real servers name it")
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--part", choices=("models", "own"), help="default: both")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--index", type=Path, help="folder kept for the next run; default: none")
    arguments = parser.parse_args()
    for part, measure in (("models", _models_part), ("own", _own_part)):
        if arguments.part in {None, part}:
            begun = datetime.now(UTC)
            text = measure(arguments)
            document = arguments.report.read_text(encoding="utf-8")
            written = placed(document, part, f"{_told(part, arguments, begun)}\n\n{text}")
            arguments.report.write_text(written, encoding="utf-8")
            sys.stdout.write(text + "\n")


def _models_part(arguments: argparse.Namespace) -> str:
    rows = models(arguments)
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
    return report(rows, questions=arguments.questions, simulated_servers=not arguments.small)


def _own_part(arguments: argparse.Namespace) -> str:
    with tempfile.TemporaryDirectory() as folder:
        index = arguments.index or Path(folder)
        found = own_time(index, chunks=arguments.chunks, count=arguments.questions)
        return own_report(asyncio.run(found))


if __name__ == "__main__":
    main()
