"""Two people release one document at once, at two gateways: one of them did, and all agree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from backends.ledger.sql import SqlLedger
from domain.clock import Clock, IdFactory
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus
from domain.ledger import Ledger
from domain.scanning import Detector
from tests.http_services import HOSTILE, Gateway, open_gateway
from tests.world import build_world

pytestmark = pytest.mark.anyio

_LAST = {
    DocumentStatus.ADMITTED: "document.released",
    DocumentStatus.REJECTED: "document.rejected-by-review",
}


@pytest.fixture
async def two(
    tmp_path: Path, ledger_url: str, detectors: Sequence[Detector], anyio_backend: str
) -> AsyncIterator[tuple[Gateway, Gateway]]:
    """Two processes over one ledger and one index; neither sees the other's turns."""

    def ledger(clock: Clock, ids: IdFactory) -> Ledger:
        return SqlLedger(ledger_url, clock=clock, ids=ids)

    async with AsyncExitStack() as stack:
        first = await build_world(tmp_path, detectors=detectors, ledger=ledger)
        second = await build_world(tmp_path, detectors=detectors, ledger=ledger, beside=first)
        for world in (first, second):
            stack.push_async_callback(world.ledger.close)
        yield (
            await stack.enter_async_context(open_gateway(tmp_path, world=first)),
            await stack.enter_async_context(open_gateway(tmp_path, world=second)),
        )


async def at_once(gateway: Gateway, *decisions: Awaitable[int]) -> list[int]:
    """Take decisions side by side while time goes on, so that no two are of one moment."""

    async def tick() -> None:
        while True:
            gateway.world.clock.advance(0.001)
            await asyncio.sleep(0.002)

    ticking = asyncio.create_task(tick())
    try:
        return await asyncio.gather(*decisions)
    finally:
        ticking.cancel()


async def held(gateway: Gateway) -> str:
    return await gateway.settled(await gateway.writer(), HOSTILE)


async def decide(gateway: Gateway, document_id: str, action: str) -> int:
    reply = await gateway.client.post(
        f"/v1/documents/{document_id}/decisions",
        json={"action": action, "reason": "read by two people"},
        headers=await gateway.reviewer(),
    )
    if reply.status_code == 409:
        assert reply.json()["type"] == "urn:mithridate:problem:conflict"
    return reply.status_code


async def journalled(gateway: Gateway, document_id: str) -> list[str]:
    return [entry.action for entry in await gateway.journal(document_id)]


async def assert_in_line(gateway: Gateway, document_id: str) -> DocumentStatus:
    """Index and ledger say the same of the document, to the field."""
    record = await gateway.world.ledger.documents.find(DocumentId(document_id))
    found = [
        each
        async for page in gateway.world.vectors.records(tenant_id=DEFAULT_TENANT)
        for each in page
        if each.chunk.document_id == document_id
    ]
    assert bool(found) == (record.status is DocumentStatus.ADMITTED)
    assert {(each.family_id, each.voting, each.admitted_at, each.trust) for each in found} <= {
        (record.family_id, record.voting, record.admitted_at, record.trust)
    }
    return record.status


async def test_of_two_releases_at_once_one_wins_and_the_other_is_told_so(
    two: tuple[Gateway, Gateway],
) -> None:
    document_id = await held(two[0])

    codes = await at_once(two[0], *(decide(each, document_id, "release") for each in two))

    assert sorted(codes) == [200, 409]
    assert (await journalled(two[0], document_id)).count("document.released") == 1
    assert await assert_in_line(two[0], document_id) is DocumentStatus.ADMITTED


async def test_of_two_releases_at_once_at_one_gateway_one_wins(
    two: tuple[Gateway, Gateway],
) -> None:
    document_id = await held(two[0])

    codes = await at_once(two[0], *(decide(two[0], document_id, "release") for _ in range(2)))

    assert sorted(codes) == [200, 409]
    assert (await journalled(two[0], document_id)).count("document.released") == 1
    assert await assert_in_line(two[0], document_id) is DocumentStatus.ADMITTED


async def test_a_release_and_a_rejection_at_once_leave_one_state(
    two: tuple[Gateway, Gateway],
) -> None:
    document_id = await held(two[0])

    codes = await at_once(
        two[0], decide(two[0], document_id, "release"), decide(two[1], document_id, "reject")
    )

    told = await journalled(two[0], document_id)
    status = await assert_in_line(two[0], document_id)
    assert 200 in codes
    assert set(codes) <= {200, 409}
    assert told[0] == _LAST[status]
    assert len(told) == 2 + codes.count(200)
