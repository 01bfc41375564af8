"""Accepted uploads against the bare framework's POST of the same body."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from redis import Redis

from benchmarks.load.clients import Load, load, post
from benchmarks.load.processes import Installation, cpu_seconds, until
from evaluation.markdown import table

BODY_BYTES: Final = 10_000
CONNECTIONS: Final = 16
WINDOWS: Final = 4
_ACCEPTED: Final = 202


@dataclass(slots=True, kw_only=True)
class Side:
    """One server, and what it did over all its windows."""

    name: str
    url: str
    pid: int
    authorization: str
    loads: list[Load] = field(default_factory=list)
    cpu: float = 0.0

    async def window(self, seconds: float, numbers: Iterator[int]) -> None:
        before = cpu_seconds(self.pid)
        self.loads.append(
            await load(
                self.url,
                lambda number: post(
                    "/v1/documents",
                    authorization=self.authorization,
                    content_type="text/plain",
                    body=_body(number),
                ),
                connections=CONNECTIONS,
                seconds=seconds,
                expect=_ACCEPTED,
                numbers=numbers,
            )
        )
        self.cpu += cpu_seconds(self.pid) - before

    @property
    def total(self) -> Load:
        return Load(
            seconds=sum(each.seconds for each in self.loads),
            latencies=[each for load in self.loads for each in load.latencies],
            failed=sum(each.failed for each in self.loads),
        )


async def measure_uploads(folder: Path, *, seconds: float) -> str:
    """Return the report: no worker runs, so that accepting alone is measured."""
    installation = Installation(folder)
    numbers = itertools.count()
    with installation.running("serve") as gateway, _bare() as (bare, port):
        until(installation.ready, "the gateway to be ready")
        sides = [
            Side(
                name="bare POST",
                url=f"http://127.0.0.1:{port}",
                pid=bare.pid,
                authorization="Bearer none",
            ),
            Side(
                name="upload",
                url=installation.url,
                pid=gateway.pid,
                authorization=installation.authorization,
            ),
        ]
        for _ in range(WINDOWS):
            for side in sides:
                await side.window(seconds / WINDOWS, numbers)
        with Redis.from_url(installation.broker_url) as broker:
            queued = sum(int(broker.llen(f"mithridate:{name}")) for name in ("documents", "bulk"))
    return _report(*sides, queued=queued)


@contextmanager
def _bare() -> Iterator[tuple[subprocess.Popen[str], int]]:
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.load.bare"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process, int(next(iter(process.stdout or ())))
        finally:
            process.terminate()


def _body(number: int) -> bytes:
    return (f"Page {number}. " + "A lamp gives light to the quay. " * 400).encode()[:BODY_BYTES]


def _report(bare: Side, ours: Side, *, queued: int) -> str:
    rows = []
    for side in (bare, ours):
        total = side.total
        rows.append(
            (
                side.name,
                f"{total.rate:.0f}",
                f"{total.p50 * 1e3:.0f}",
                f"{total.percentile(0.99) * 1e3:.0f}",
                f"{total.percentile(0.99) / total.p50:.1f}",
                f"{side.cpu / max(1, len(total.latencies) + total.failed) * 1e3:.2f}",
                str(total.failed),
            )
        )
    share = ours.total.rate / bare.total.rate
    return (
        f"{BODY_BYTES:,} bytes, {CONNECTIONS} connections, {WINDOWS} windows a side in turns. "
        "An upload is authenticated, counted against its limits, stored and synced, written to "
        f"ledger and journal, and handed to the broker; {queued:,} jobs were in its queues at the "
        "end.\n\n"
        + table(
            ("server", "requests/s", "p50 ms", "p99 ms", "p99 / p50", "CPU ms each", "failed"),
            rows,
        )
        + f"\n\nUploads are accepted at **{share:.0%}** of the bare rate (goal 25%), with p99 at "
        f"**{ours.total.percentile(0.99) / ours.total.p50:.1f}** times p50 (goal 5)."
    )
