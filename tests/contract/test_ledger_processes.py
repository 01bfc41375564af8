"""One ledger, several processes at once: nothing is lost, nothing is done twice."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import TypeVar

import pytest

from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.migrating import current_revision, head_revision, migrate
from backends.ledger.sql import SqlLedger
from domain.audit import AuditKeys, ChainCheck
from domain.documents import DEFAULT_TENANT, DocumentId
from domain.errors import ScanUnderWayError
from domain.ledger import DocumentFilter
from domain.monitoring import WebhookId
from tests.ledger_rows import NOW, REVIEWER, alert, claim, finding, settlement, upload, webhook
from tests.ledgers import AUDIT_KEY, SQL_LEDGERS
from tests.telling import tell

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

R = TypeVar("R")

PROCESSES = 4
EACH = 50
SHARED = 10
"""Uploads of each process whose bytes the others upload too."""


_together: Barrier | None = None


def set_barrier(barrier: Barrier) -> None:
    global _together  # noqa: PLW0603  # a barrier reaches a process only while it is being made
    _together = barrier


def start_together(work: Callable[[str, int], R], url: str, process: int) -> R:
    assert _together is not None
    _together.wait(timeout=120)
    return work(url, process)


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        PROCESSES,
        mp_context=context,
        initializer=set_barrier,
        initargs=(context.Barrier(PROCESSES),),
    ) as pool:
        yield pool


@pytest.fixture(params=SQL_LEDGERS)
def new_ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a ledger that was never migrated."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'home' / 'ledger.db'}"
    url: str = request.getfixturevalue("empty_postgres_url")
    return url


async def run_in(
    processes: ProcessPoolExecutor, work: Callable[[str, int], R], url: str
) -> list[R]:
    """Run `work` in every process, each beginning when all are there."""
    loop = asyncio.get_running_loop()
    return await asyncio.gather(
        *(
            loop.run_in_executor(processes, start_together, work, url, number)
            for number in range(PROCESSES)
        )
    )


def open_ledger(url: str) -> SqlLedger:
    clock = SystemClock()
    return SqlLedger(url, clock=clock, ids=RandomIds(clock), audit_key=AUDIT_KEY)


def migrate_anew(url: str, process: int) -> None:
    del process
    migrate(url)


def receive_many(url: str, process: int) -> list[bool]:
    async def work() -> list[bool]:
        ledger = open_ledger(url)
        uploads = [
            upload(
                f"{process}-{number}",
                content=f"shared {number}" if number < SHARED else f"own {process} {number}",
            )
            for number in range(EACH)
        ]
        receipts = await asyncio.gather(
            *(ledger.documents.receive(new, claim=claim(f"k-{new.id}")) for new in uploads)
        )
        await ledger.close()
        return [receipt.created for receipt in receipts]

    return asyncio.run(work())


def scan_and_settle(url: str, process: int) -> int:
    async def work() -> int:
        ledger = open_ledger(url)
        won = 0
        for number in range(20):
            document_id = DocumentId(f"doc_{number}")
            try:
                begun = await ledger.documents.begin_attempt(document_id)
            except ScanUnderWayError:
                continue
            if begun is None:
                continue
            found = [finding(f"worker.n{process}")]
            won += await ledger.documents.settle(
                document_id, settlement(document_id, findings=found)
            )
        await ledger.close()
        return won

    return asyncio.run(work())


def publish_all(url: str, process: int) -> set[str]:
    async def work() -> set[str]:
        ledger = open_ledger(url)
        published: set[str] = set()
        while entries := await ledger.outbox.pending(limit=7):
            published.update(entry.subject_id for entry in entries)
            await ledger.outbox.mark_published([entry.id for entry in entries], at=NOW)
        await ledger.close()
        return published

    del process
    return asyncio.run(work())


def fire_all(url: str, process: int) -> int:
    async def work() -> int:
        ledger = open_ledger(url)
        fired = [
            await ledger.alerts.fire(
                alert(f"a-{process}-{number}", fingerprint=f"f{number}"),
                event_type="alert.fired",
                payload=json.dumps({"data": {"id": f"a-{process}-{number}"}}),
            )
            for number in range(10)
        ]
        clock = SystemClock()
        for _ in range(5):
            await tell(ledger, clock=clock)
        await ledger.close()
        return sum(fired)

    return asyncio.run(work())


async def test_uploads_of_four_processes_are_all_received_and_none_twice(
    ledger_url: str, processes: ProcessPoolExecutor
) -> None:
    created = await run_in(processes, receive_many, ledger_url)

    ledger = open_ledger(ledger_url)
    page = await ledger.documents.list(DEFAULT_TENANT, DocumentFilter(), cursor=None, limit=999)
    queued = await ledger.outbox.pending(limit=999)
    entries = await ledger.journal.entries(DEFAULT_TENANT, limit=999)
    chain = ChainCheck(AuditKeys(current=AUDIT_KEY))
    whole = chain.take(await ledger.journal.sealed(after=0, limit=999))
    await ledger.close()
    expected = PROCESSES * (EACH - SHARED) + SHARED
    assert sum(map(sum, created)) == expected
    assert len({record.sha256 for record in page.items}) == len(page.items) == expected
    assert sorted(entry.subject_id for entry in queued) == sorted(
        record.id for record in page.items
    )
    assert whole, chain.fault
    assert len(entries) == expected == chain.count == chain.head.seq


async def test_a_document_that_four_workers_scan_is_settled_once(
    ledger_url: str, processes: ProcessPoolExecutor
) -> None:
    ledger = open_ledger(ledger_url)
    for number in range(20):
        await ledger.documents.receive(upload(f"{number}"), claim=None)

    won = await run_in(processes, scan_and_settle, ledger_url)

    entries = await ledger.journal.entries(DEFAULT_TENANT, limit=999)
    reports = [
        await ledger.documents.stored_assessment(DEFAULT_TENANT, DocumentId(f"doc_{number}"))
        for number in range(20)
    ]
    await ledger.close()
    assert sum(won) == 20
    assert [entry.action for entry in entries].count("document.admitted") == 20
    assert {len(stored.report.findings) for stored in reports if stored is not None} == {1}
    assert None not in reports


async def test_an_outbox_that_four_processes_empty_loses_no_new_entry(
    ledger_url: str, processes: ProcessPoolExecutor
) -> None:
    ledger = open_ledger(ledger_url)
    before = {f"before{number}" for number in range(60)}
    for subject in before:
        await ledger.outbox.add("monitors.evaluate", subject, at=NOW)

    emptied = asyncio.create_task(run_in(processes, publish_all, ledger_url))
    late = 0
    while not emptied.done():
        await ledger.outbox.add("monitors.evaluate", f"late{late}", at=NOW)
        late += 1
        await asyncio.wait([emptied], timeout=0.02)
    left = {entry.subject_id for entry in await ledger.outbox.pending(limit=9999)}
    for entry in await ledger.outbox.pending(limit=9999):
        await ledger.outbox.mark_published([entry.id], at=NOW)
    nothing = await ledger.outbox.pending(limit=9999)
    await ledger.close()

    published = set[str]().union(*await emptied)
    assert before <= published
    assert published | left == before | {f"late{number}" for number in range(late)}
    assert not nothing


async def test_a_cause_that_four_processes_see_fires_once(
    ledger_url: str, processes: ProcessPoolExecutor
) -> None:
    ledger = open_ledger(ledger_url)
    await ledger.webhooks.add(webhook(), actor=REVIEWER)

    fired = await run_in(processes, fire_all, ledger_url)

    deliveries = await ledger.webhooks.deliveries(DEFAULT_TENANT, WebhookId("w1"))
    await ledger.close()
    told = [json.loads(delivery.payload) for delivery in deliveries]
    ids = [one["id"] for event in told for one in event["data"].get("alerts", [event["data"]])]
    assert sum(fired) == 10
    assert sorted(ids) == sorted(set(ids))
    assert len(ids) == 10


async def test_processes_that_start_together_migrate_once(
    new_ledger_url: str, processes: ProcessPoolExecutor
) -> None:
    await run_in(processes, migrate_anew, new_ledger_url)

    assert current_revision(new_ledger_url) == head_revision()
