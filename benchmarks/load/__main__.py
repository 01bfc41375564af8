"""`python -m benchmarks.load`: measure, and write docs/benchmarks/load.md.

    .venv/bin/python -m benchmarks.load [--part uploads|scans|questions] [--seconds 20] [--documents 120]

Every figure that counts is a ratio of one run: windows of the two sides take turns, so that what
else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.commit import commit
from benchmarks.ingest.asking import ROOT
from benchmarks.ingest.report import placed
from benchmarks.load.asking import measure_questions
from benchmarks.load.sending import measure_uploads
from benchmarks.load.working import measure_scans

REPORT: Final = ROOT / "docs" / "benchmarks" / "load.md"


def main() -> None:
    parts: dict[str, Callable[[Path, float, int], str]] = {
        "uploads": lambda folder, seconds, _: asyncio.run(measure_uploads(folder, seconds=seconds)),
        "scans": lambda folder, _, documents: measure_scans(folder, documents=documents),
        "questions": lambda folder, seconds, documents: asyncio.run(
            measure_questions(folder, seconds=seconds, documents=documents)
        ),
    }
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--part", choices=sorted(parts), help="all of them if none")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each side, altogether")
    parser.add_argument("--documents", type=int, default=120, help="scanned, or asked about")
    arguments = parser.parse_args()
    for part in [arguments.part] if arguments.part else parts:
        with tempfile.TemporaryDirectory(prefix="mithridate-load-") as folder:
            text = parts[part](Path(folder), arguments.seconds, arguments.documents)
        said = f"{_measured(part, arguments)}\n\n{text}"
        REPORT.write_text(placed(REPORT.read_text(encoding="utf-8"), part, said), encoding="utf-8")


def _measured(part: str, arguments: argparse.Namespace) -> str:
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"*{datetime.now(UTC):%-d %B %Y, %H:%M} UTC, `python -m benchmarks.load --part {part} "
        f"--seconds {arguments.seconds:g} --documents {arguments.documents}`, on {commit()}; "
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {load} at the end.*"
    )


if __name__ == "__main__":
    main()
