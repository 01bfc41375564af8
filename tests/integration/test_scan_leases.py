"""A second job of a document waits for the first, and for no dead one longer than a lease."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from domain.documents import DocumentId, DocumentStatus, ParsedDocument
from domain.errors import ScanUnderWayError, TransientError
from domain.text import MappedText
from ingest.leases import ScanLeases
from runtime.settings import Settings
from tests.integration.test_origin_changes import MALLORY, TEXT
from tests.world import World, build_world

pytestmark = pytest.mark.anyio


class _Gated:
    """A parser that waits until it is let on."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.go = asyncio.Event()
        self.fails = False

    async def parse(
        self, content: bytes, *, claimed_media_type: str | None, file_name: str | None
    ) -> ParsedDocument:
        del claimed_media_type, file_name
        self.reached.set()
        await self.go.wait()
        if self.fails:
            raise TransientError("a service did not answer")
        text = content.decode()
        return ParsedDocument(
            media_type="text/plain", raw_text=text, visible=MappedText.identity(text)
        )


async def _world(folder: Path, parser: _Gated) -> tuple[World, DocumentId]:
    world = await build_world(folder, parser=parser)
    return world, await world.receive(TEXT.encode(), origin=MALLORY)


async def test_a_duplicate_job_is_refused_and_not_counted_while_the_first_scans(
    tmp_path: Path,
) -> None:
    parser = _Gated()
    world, document_id = await _world(tmp_path, parser)
    first = asyncio.create_task(world.ingest.ingest(document_id))
    await parser.reached.wait()

    for _ in range(5):
        with pytest.raises(ScanUnderWayError):
            await world.ingest.ingest(document_id)

    parser.go.set()
    record = await first
    assert record is not None
    assert (record.status, record.attempts) == (DocumentStatus.ADMITTED, 1)


async def test_a_dead_worker_keeps_a_document_no_longer_than_its_lease(tmp_path: Path) -> None:
    parser = _Gated()
    parser.go.set()
    world, document_id = await _world(tmp_path, parser)
    await world.ledger.documents.begin_attempt(document_id)
    world.clock.advance(Settings(data_dir=tmp_path).worker.lease_seconds)

    record = await world.ingest.ingest(document_id)

    assert record is not None
    assert (record.status, record.attempts) == (DocumentStatus.ADMITTED, 2)


async def test_an_attempt_that_a_service_failed_is_given_back(tmp_path: Path) -> None:
    parser = _Gated()
    parser.go.set()
    parser.fails = True
    world, document_id = await _world(tmp_path, parser)

    with pytest.raises(TransientError):
        await world.ingest.ingest(document_id)

    record = await world.ledger.documents.find(document_id)
    assert (record.status, record.attempts) == (DocumentStatus.RECEIVED, 0)


async def test_a_long_scan_gives_signs_of_life(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    document_id = await world.receive(TEXT.encode(), origin=MALLORY)
    steps: asyncio.Queue[float] = asyncio.Queue()
    waited = asyncio.Event()

    async def pause(seconds: float) -> None:
        waited.set()
        world.clock.advance(await steps.get() * seconds)

    leases = ScanLeases(documents=world.ledger.documents, seconds=20, pause=pause)
    record = await leases.begin(document_id)
    assert record is not None

    async with leases.kept(record):
        for _ in range(40):  # ten leases long
            waited.clear()
            steps.put_nowait(1.0)
            await waited.wait()
            with pytest.raises(ScanUnderWayError):
                await leases.begin(document_id)

    assert (await world.ledger.documents.find(document_id)).attempts == 1
