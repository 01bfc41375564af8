"""A flood of tiny documents: put off with 429 and lost never, and no process grows with them.

One pool process scans them all, so that what a scan leaves behind adds up. A few by default;
`MITHRIDATE_TEST_TINY_DOCUMENTS` says how many, and `make soak` sets 10,000.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import httpx
import pytest

from benchmarks.load.pages import varied_page
from benchmarks.load.processes import resident_bytes
from tests.e2e.stack import Stack, parent_of, running_stack, until
from tests.e2e.test_kill_rounds import indexed

DOCUMENTS: Final = int(os.environ.get("MITHRIDATE_TEST_TINY_DOCUMENTS", "40"))
ROOM: Final = max(8, DOCUMENTS // 50)
"""Documents that may wait; the senders are faster than the worker, and come up against it."""
SENDERS: Final = 16
LONGEST_PAUSE_SECONDS: Final = 1.0
"""Less than `Retry-After`: a caller with worse manners is put off too, and more often."""
WARM_SHARE: Final = 0.2
"""Of the documents: models and caches are loaded by then."""
CHILDREN: Final = 2
"""Of the worker: the process that scans and the scheduler. One more, and one was replaced."""
GROWTH_BYTES: Final = 48_000_000
"""From there to the end: the index in memory takes some 2 KB a document, and allocators breathe."""

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.timeout(600 + 3 * DOCUMENTS),
]


def tiny(number: int) -> str:
    return varied_page(number, sentences=3)


async def send_all(stack: Stack) -> tuple[list[str], Counter[int]]:
    """Send every document from several connections until it is taken; return ids and statuses."""
    ids: dict[int, str] = {}
    statuses: Counter[int] = Counter()
    numbers = iter(range(DOCUMENTS))

    async def sender(client: httpx.AsyncClient) -> None:
        for number in numbers:
            while number not in ids:
                reply = await client.post(
                    "/v1/documents",
                    content=tiny(number).encode(),
                    headers={"Content-Type": "text/markdown"},
                )
                statuses[reply.status_code] += 1
                if reply.status_code == httpx.codes.ACCEPTED:
                    ids[number] = reply.json()["id"]
                    continue
                assert reply.status_code == httpx.codes.TOO_MANY_REQUESTS, reply.text
                assert reply.json()["type"].endswith("backlog-full")
                wait = float(reply.headers["Retry-After"])
                assert wait >= 1
                await asyncio.sleep(min(wait, LONGEST_PAUSE_SECONDS))

    async with httpx.AsyncClient(
        base_url=stack.url, headers=stack.client.headers, timeout=120
    ) as client:
        await asyncio.gather(*(sender(client) for _ in range(SENDERS)))
    return [ids[number] for number in range(DOCUMENTS)], statuses


@contextmanager
def lasting_worker(stack: Stack) -> Iterator[subprocess.Popen[bytes]]:
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.soak.lasting_worker"],
        env=stack.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield worker
    finally:
        worker.terminate()
        worker.wait(timeout=120)


class Sizes:
    """How large each process was, by how many documents had their verdict."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._seen: list[tuple[int, int, int]] = []
        self.children: set[int] = set()
        self.most_waiting = 0

    def note(self, settled: int, waiting: int) -> None:
        workers = self._stack.pids("tests.soak.lasting_worker")
        children = [pid for pid in workers if parent_of(pid) in workers]
        self.children |= set(children)
        self.most_waiting = max(self.most_waiting, waiting)
        worker = max(map(resident_bytes, children), default=0)
        gateway = max(map(resident_bytes, self._stack.pids("gateway.cli serve")), default=0)
        self._seen.append((settled, worker, gateway))

    def growth(self) -> dict[str, tuple[float, float]]:
        """Return, by process, the median size after the warm-up and that at the end."""
        after = [each for each in self._seen if each[0] >= DOCUMENTS * WARM_SHARE]
        third = max(1, len(after) // 3)
        return {
            name: (
                median(each[at] for each in after[:third]),
                median(each[at] for each in after[-third:]),
            )
            for at, name in ((1, "worker"), (2, "gateway"))
        }

    def curve(self, parts: int = 10) -> dict[str, list[float]]:
        """Return, by process, the median size in each tenth of the documents, in MB."""
        tenths: dict[int, list[tuple[int, int, int]]] = {}
        for each in self._seen:
            tenths.setdefault(min(parts - 1, each[0] * parts // DOCUMENTS), []).append(each)
        return {
            name: [round(median(e[at] for e in tenths[part]) / 1e6) for part in sorted(tenths)]
            for at, name in ((1, "worker"), (2, "gateway"))
        }


def counted(folder: Path) -> tuple[int, int]:
    """Return how many documents have their verdict, and how many wait for it, by the ledger."""
    with sqlite3.connect(f"file:{folder}/ledger.db?mode=ro", uri=True, timeout=30) as ledger:
        rows = dict(ledger.execute("SELECT status, count(*) FROM documents GROUP BY status"))
    waiting = rows.get("received", 0) + rows.get("scanning", 0)
    return sum(rows.values()) - waiting, waiting


def verdicts_of(folder: Path, ids: Sequence[str]) -> list[int]:
    """Return how often the journal gives each document its verdict."""
    with sqlite3.connect(f"file:{folder}/ledger.db?mode=ro", uri=True) as ledger:
        told = Counter(
            row[0]
            for row in ledger.execute(
                "SELECT object_id FROM journal WHERE action IN "
                "('document.admitted', 'document.quarantined', 'document.rejected')"
            )
        )
    return [told[each] for each in ids]


def admitted_in(folder: Path) -> frozenset[str]:
    with sqlite3.connect(f"file:{folder}/ledger.db?mode=ro", uri=True) as ledger:
        rows = ledger.execute("SELECT id FROM documents WHERE status = 'admitted'").fetchall()
    return frozenset(row[0] for row in rows)


async def flood(stack: Stack, sizes: Sizes) -> tuple[list[str], Counter[int]]:
    sending = asyncio.create_task(send_all(stack))
    while not sending.done() or counted(stack.folder)[1]:
        sizes.note(*counted(stack.folder))
        await asyncio.sleep(0.5 if DOCUMENTS < 1_000 else 5.0)
    return await sending


def test_of_a_flood_of_tiny_documents_none_is_lost_and_no_process_grows(tmp_path: Path) -> None:
    settings = {
        "MITHRIDATE_QUEUE__MAX_WAITING_OF_TENANT": str(ROOM),
        "MITHRIDATE_QUEUE__REQUEUE_AFTER_SECONDS": "600",
        "MITHRIDATE_ACCESS__REQUESTS_PER_MINUTE": "10000000",
        "MITHRIDATE_LOGGING__LEVEL": "warning",
        "MITHRIDATE_WORKER__PROCESSES": "1",
    }
    with running_stack(tmp_path / "data", settings=settings, workers=0) as stack:
        with lasting_worker(stack):
            until(lambda: stack.pids("tests.soak.lasting_worker"), "the worker to start")
            sizes = Sizes(stack)
            began = time.monotonic()
            ids, statuses = asyncio.run(flood(stack, sizes))
            sizes.note(*counted(stack.folder))
        took = time.monotonic() - began
        told, admitted = verdicts_of(stack.folder, ids), admitted_in(stack.folder)

    growth = sizes.growth()
    print(report(took, statuses, sizes, growth))  # noqa: T201 - what `make soak` is run for
    assert len(set(ids)) == DOCUMENTS
    assert told == [1] * DOCUMENTS
    assert asyncio.run(indexed(stack.folder)) == admitted
    assert len(admitted) > DOCUMENTS / 2
    assert statuses[429] > 0
    # Uploads under way while the gateway looks at the ledger may come on top.
    assert sizes.most_waiting <= ROOM + SENDERS
    assert len(sizes.children) == CHILDREN
    assert {n: (a, b) for n, (a, b) in growth.items() if b - a > GROWTH_BYTES} == {}


def report(
    took: float, statuses: Counter[int], sizes: Sizes, growth: dict[str, tuple[float, float]]
) -> str:
    lines = [
        f"{name}: {first / 1e6:.0f} MB after warm-up, {last / 1e6:.0f} MB at the end; by tenths "
        f"{sizes.curve()[name]}"
        for name, (first, last) in growth.items()
    ]
    return "\n".join(
        (
            f"{DOCUMENTS} tiny documents in {took:.0f} s, {statuses[429]} times put off; at most "
            f"{sizes.most_waiting} of {ROOM} waited",
            *lines,
        )
    )
