"""A PostgreSQL that is gone, hangs or talks garbage: a clear 503 in time, and nothing is lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import make_url, text

from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.engine import Database
from backends.ledger.sql import SqlLedger
from domain.documents import DocumentId, DocumentStatus
from domain.errors import ScanUnderWayError, TransientError
from domain.ledger import DocumentRecord, Ledger
from domain.scanning import Detector
from tests.http_services import Gateway, open_gateway
from tests.integration.http.problems import problem
from tests.ledger_rows import upload
from tests.wires import Wire, Wiretap, at_url, wiretap
from tests.world import build_world

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

FAULTS: Final = (Wire.CUT, Wire.STOPPED, Wire.GARBLED)
TIMEOUT: Final = 1.0
IN_TIME: Final = 8.0
"""Seconds; the machine does other things too, and a hang would be for ever."""
PAGE: Final = "# Quay\n\nThe quay is swept on Friday.\n"


@pytest.fixture
def tap(postgres_url: str) -> Iterator[Wiretap]:
    with wiretap(at_url(postgres_url)) as made:
        yield made


@pytest.fixture
def url(postgres_url: str, tap: Wiretap) -> str:
    given = make_url(postgres_url)
    query = {name: value for name, value in given.query.items() if name != "host"}
    tapped = given.set(host="127.0.0.1", port=tap.port, query={**query, "sslmode": "disable"})
    return tapped.render_as_string(hide_password=False)


def ledger_at(url: str) -> SqlLedger:
    clock = SystemClock()
    return SqlLedger(url, clock=clock, ids=RandomIds(clock), timeout_seconds=TIMEOUT)


@pytest.fixture
async def served(
    tmp_path: Path, url: str, detectors: Sequence[Detector], anyio_backend: str
) -> AsyncIterator[Gateway]:
    def ledger(*_: object) -> Ledger:
        return ledger_at(url)

    world = await build_world(tmp_path, detectors=detectors, ledger=ledger)
    async with open_gateway(tmp_path, world=world) as gateway:
        yield gateway
    await world.ledger.close()


async def as_a_worker(gateway: Gateway, document_id: str) -> DocumentRecord:
    """Settle a document; what was begun before the fault may have been written down after it."""
    try:
        return await gateway.settle(document_id)
    except ScanUnderWayError as exc:
        await asyncio.sleep(exc.retry_after_seconds)
        return await gateway.settle(document_id)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.name.lower())
async def test_an_upload_meanwhile_is_told_503_and_its_retry_is_taken_once(
    served: Gateway, tap: Wiretap, fault: Wire
) -> None:
    writer = await served.writer()
    before = (await served.upload(writer, "# Before\n\nThe first page."))["id"]
    await served.upload(writer, "# Again\n\nNothing that waits is looked at.")

    tap.set(fault)
    began = time.monotonic()
    refused = await served.client.post(
        "/v1/documents", content=PAGE, headers={"Content-Type": "text/markdown", **writer}
    )
    took = time.monotonic() - began
    with pytest.raises(TransientError):
        await served.services.ingest.ingest(DocumentId(before))
    tap.set(Wire.WHOLE)
    taken = await served.upload(writer, PAGE)
    settled = await as_a_worker(served, before)
    listed = (await served.client.get("/v1/documents", headers=writer)).json()["items"]

    problem(refused, 503, "dependency-unavailable")
    assert refused.headers["Retry-After"] == "5"
    assert took < IN_TIME
    assert settled.status is DocumentStatus.ADMITTED
    assert [each["id"] for each in listed].count(taken["id"]) == 1
    assert len(listed) == 3


async def test_a_server_that_hangs_keeps_neither_callers_nor_threads(
    url: str, tap: Wiretap
) -> None:
    ledger = ledger_at(url)
    await ledger.documents.receive(upload("one"), claim=None)
    tap.set(Wire.STOPPED)

    began = time.monotonic()
    for _ in range(6):  # more than there are threads
        with pytest.raises(TransientError):
            await ledger.documents.backlog()
    asked = time.monotonic() - began
    await ledger.close()
    closed = time.monotonic() - began - asked

    assert asked < 6 * TIMEOUT + IN_TIME
    assert closed < IN_TIME


async def test_a_statement_that_takes_too_long_is_ended_at_the_server(postgres_url: str) -> None:
    database = Database(postgres_url, timeout_seconds=TIMEOUT)
    asleep = text("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'")

    with pytest.raises(TransientError):
        await database.read(lambda connection: connection.execute(text("SELECT pg_sleep(60)")))
    await database.close()  # waits for the thread, and so for the server's word
    after = Database(postgres_url, timeout_seconds=30)
    left = await after.read(lambda connection: connection.execute(asleep).scalar_one())
    await after.close()

    assert left == 0
