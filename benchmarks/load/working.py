"""How fast documents get their verdicts by one worker process and by two."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from backends.clock import SystemClock
from backends.ids import RandomIds
from benchmarks.ingest.stages import texts
from benchmarks.load.pages import varied_page
from benchmarks.load.processes import Installation, cpu_seconds, until
from evaluation.markdown import table
from gateway.cli.scan_pool import scan_all
from gateway.cli.scan_sources import Source
from runtime.home import open_ledger
from runtime.settings import Settings

ROUNDS: Final = 2
PROCESSES: Final = (1, 2)
_WARM_SHARE: Final = 0.2
_SCAN_CHARS: Final = 4_000
_SENTENCES: Final = 60
_UPLOAD_SECONDS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """`rate`: verdicts a second, after the first fifth; CPU in seconds over the whole run."""

    rate: float
    worker_cpu: float
    broker_cpu: float


def measure_scans(folder: Path, *, documents: int) -> str:
    """Return the report."""
    installation = Installation(folder)
    numbers = itertools.count()
    runs: dict[int, list[Run]] = {count: [] for count in PROCESSES}
    for _ in range(ROUNDS):
        for count in PROCESSES:
            _fill(installation, numbers, documents)
            runs[count].append(_drain(installation, documents, processes=count))
    alone = {count: _stage_alone(documents, processes=count) for count in PROCESSES}
    return _report(runs, alone, documents)


def _fill(installation: Installation, numbers: Iterator[int], documents: int) -> None:
    """Upload through a gateway that is then stopped, so that only workers are left to run."""
    with installation.running("serve"):
        until(installation.ready, "the gateway to be ready")
        with httpx.Client(
            base_url=installation.url,
            headers={
                "Authorization": installation.authorization,
                "Content-Type": "text/markdown",
            },
            timeout=_UPLOAD_SECONDS,
        ) as client:
            for number in itertools.islice(numbers, documents):
                page = varied_page(number, sentences=_SENTENCES)
                client.post("/v1/documents", content=page.encode()).raise_for_status()


def _drain(installation: Installation, documents: int, *, processes: int) -> Run:
    worker = installation.running("worker", MITHRIDATE_WORKER__PROCESSES=str(processes))
    with worker as process:
        warm = documents - int(documents * _WARM_SHARE)
        _wait(installation, warm)
        began, before = time.perf_counter(), waiting(installation)
        _wait(installation, max(1, processes))
        rate = (before - waiting(installation)) / (time.perf_counter() - began)
        _wait(installation, 0)
        whole, broker = cpu_seconds(process.pid), _broker_cpu(installation)
    return Run(rate=rate, worker_cpu=whole - broker, broker_cpu=broker)


def _broker_cpu(installation: Installation) -> float:
    """Return the CPU time of the broker, which the worker started and is a child of it."""
    found = [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and _stands_in(entry, installation.folder / "broker")
    ]
    return sum(map(cpu_seconds, found))


def _stands_in(entry: Path, folder: Path) -> bool:
    try:
        return (entry / "cwd").readlink() == folder
    except OSError:
        return False


def waiting(installation: Installation) -> int:
    """Return how many documents have no verdict, by the ledger."""

    async def counted() -> int:
        clock = SystemClock()
        settings = Settings(data_dir=installation.folder)
        ledger = open_ledger(settings, clock=clock, ids=RandomIds(clock))
        try:
            return sum(each.waiting for each in (await ledger.documents.backlog()).values())
        finally:
            await ledger.close()

    return asyncio.run(counted())


def _wait(installation: Installation, left: int) -> None:
    until(lambda: waiting(installation) <= left, f"{left} documents to be left")


def _stage_alone(documents: int, *, processes: int) -> float:
    """Return documents a second of the scan without queue, ledger and index."""
    sources = (
        Source(id=number, content=text.encode())
        for number, text in enumerate(texts(_SCAN_CHARS, count=documents))
    )
    results = scan_all(sources, Settings(), jobs=processes)
    next(results)  # processes have started, models are loaded
    began = time.perf_counter()
    done = sum(1 for _ in results)
    return done / (time.perf_counter() - began)


def _report(runs: Mapping[int, Sequence[Run]], alone: Mapping[int, float], documents: int) -> str:
    rows = [
        (
            str(count),
            ", ".join(f"{run.rate:.2f}" for run in runs[count]),
            f"{sum(run.worker_cpu for run in runs[count]) / ROUNDS / documents * 1e3:.0f}",
            f"{sum(run.broker_cpu for run in runs[count]) / ROUNDS:.2f}",
            f"{alone[count]:.2f}",
        )
        for count in PROCESSES
    ]
    one, two = (sum(run.rate for run in runs[count]) / ROUNDS for count in PROCESSES)
    return (
        f"{documents} pages of {_SENTENCES} sentences a round, {ROUNDS} rounds in turns; the "
        "gateway is stopped while workers run. The scan alone is `mithridate scan --jobs`, on "
        f"texts of {_SCAN_CHARS:,} characters.\n\n"
        + table(
            (
                "processes",
                "verdicts/s by round",
                "worker CPU ms a document",
                "broker CPU s a round",
                "scan alone, documents/s",
            ),
            rows,
        )
        + f"\n\nFrom one process to two: **{two / one:.2f}** times the verdicts (goal 1.6), "
        f"**{alone[2] / alone[1]:.2f}** times the scans alone (goal 1.8)."
    )
