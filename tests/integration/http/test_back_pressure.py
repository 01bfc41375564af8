"""Uploads are put off before what waits grows without bound; schedulers beat as one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from backends.memory.locks import InMemoryLock
from domain.access import Scope
from domain.documents import OriginKind, OriginRef, TenantId
from domain.errors import TransientError
from domain.scanning import Detector
from runtime.settings import Settings
from runtime.storage_sections import QueueSettings
from runtime.wiring import Services
from tests.http_services import UPLOADER, Gateway, open_gateway
from tests.integration.http.problems import problem
from workers.tasks.periodic import run_alone

pytestmark = pytest.mark.anyio

OTHER = OriginRef(kind=OriginKind.UPLOADER, id="somebody-else")
TEXT = {"Content-Type": "text/plain"}


async def put_off(gateway: Gateway, headers: dict[str, str]) -> None:
    """Upload in vain; nothing may be left of it."""
    before = await gateway.world.ledger.documents.backlog()
    reply = await gateway.client.post(
        "/v1/documents", content=b"One too many.", headers={**TEXT, **headers}
    )

    problem(reply, 429, "backlog-full")
    assert int(reply.headers["retry-after"]) >= 1
    assert await gateway.world.ledger.documents.backlog() == before


def settings(folder: Path, **queue: float) -> Settings:
    return Settings(data_dir=folder, queue=QueueSettings(**queue))


async def test_a_tenant_at_its_limit_is_put_off_until_a_verdict_makes_room(
    tmp_path: Path, detectors: Sequence[Detector]
) -> None:
    limited = settings(tmp_path, max_waiting_of_tenant=2)
    async with open_gateway(tmp_path, detectors=detectors, settings=limited) as gateway:
        writer = await gateway.writer()
        elsewhere = await gateway.key(
            Scope.DOCUMENTS_WRITE, origin=UPLOADER, tenant_id=TenantId("elsewhere")
        )
        first = await gateway.upload(writer, "# One\n\nThe first lamp.")
        await gateway.upload(writer, "# Two\n\nThe second lamp.")
        gateway.world.clock.advance(1)

        await put_off(gateway, writer)
        await gateway.upload(elsewhere, "# Elsewhere\n\nAnother tenant's lamp.")
        await gateway.settle(first["id"])
        gateway.world.clock.advance(1)

        await gateway.upload(writer, "# Three\n\nThe third lamp.")


async def test_what_comes_within_one_second_keeps_to_the_limit_too(
    tmp_path: Path, detectors: Sequence[Detector]
) -> None:
    limited = settings(tmp_path, max_waiting_of_tenant=3)
    async with open_gateway(tmp_path, detectors=detectors, settings=limited) as gateway:
        writer = await gateway.writer()

        replies = await asyncio.gather(
            *(
                gateway.client.post(
                    "/v1/documents", content=f"Page {n}.".encode(), headers={**TEXT, **writer}
                )
                for n in range(20)
            )
        )
        backlog = await gateway.world.ledger.documents.backlog()

    statuses = Counter(reply.status_code for reply in replies)
    assert statuses == {202: 3, 429: 17}
    assert [each.waiting for each in backlog.values()] == [3]


async def test_all_tenants_together_have_a_limit(
    tmp_path: Path, detectors: Sequence[Detector]
) -> None:
    limited = settings(tmp_path, max_waiting=1)
    async with open_gateway(tmp_path, detectors=detectors, settings=limited) as gateway:
        elsewhere = await gateway.key(
            Scope.DOCUMENTS_WRITE, origin=UPLOADER, tenant_id=TenantId("elsewhere")
        )
        await gateway.upload(elsewhere)
        gateway.world.clock.advance(1)

        await put_off(gateway, await gateway.writer())


async def test_uploads_are_put_off_while_the_oldest_waits_for_too_long(
    tmp_path: Path, detectors: Sequence[Detector]
) -> None:
    limited = settings(tmp_path, max_wait_seconds=60)
    async with open_gateway(tmp_path, detectors=detectors, settings=limited) as gateway:
        writer = await gateway.writer()
        old = await gateway.upload(writer)
        gateway.world.clock.advance(61)

        await put_off(gateway, writer)
        await gateway.settle(old["id"])
        gateway.world.clock.advance(1)

        await gateway.upload(writer, "# Two\n\nThe second lamp.")


async def test_an_origin_that_sends_many_takes_the_lane_of_imports_for_a_minute(
    tmp_path: Path, detectors: Sequence[Detector]
) -> None:
    limited = settings(tmp_path, bulk_after=3)
    async with open_gateway(tmp_path, detectors=detectors, settings=limited) as gateway:
        importer, single = await gateway.writer(), await gateway.writer(OTHER)
        for number in range(5):
            await gateway.upload(importer, f"# Page {number}\n\nLamp number {number}.")
        await gateway.upload(single, "# Single\n\nA page by somebody else.")
        gateway.world.clock.advance(61)
        await gateway.upload(importer, "# Later\n\nA page of the importer.")

        lanes = [name for name, _ in gateway.queue.jobs]

    usual, bulk = "documents.ingest", "documents.ingest-bulk"
    assert lanes == [usual] * 3 + [bulk] * 2 + [usual] * 2


def two_workers(gateway: Gateway) -> list[Services]:
    return [
        replace(gateway.services, lock=InMemoryLock(gateway.locks, clock=gateway.world.clock))
        for _ in range(2)
    ]


async def test_two_schedulers_run_a_job_once_in_each_period(gateway: Gateway) -> None:
    ran: list[float] = []

    async def job(services: Services) -> int:
        ran.append(services.clock.monotonic())
        return 1

    for _ in range(5):
        for worker in two_workers(gateway):
            await run_alone("test.job", job, worker, period=10)
        gateway.world.clock.advance(10)

    assert len(ran) == 5


async def test_a_job_that_is_asked_for_runs_whatever_the_schedule_did(gateway: Gateway) -> None:
    ran: list[int] = []

    async def job(_: Services) -> int:
        ran.append(1)
        return 1

    first, second = two_workers(gateway)
    await run_alone("test.job", job, first, period=10)
    await run_alone("test.job", job, second, period=None)

    assert len(ran) == 2


async def test_a_scheduled_job_that_failed_runs_in_the_next_period(gateway: Gateway) -> None:
    ran: list[int] = []

    async def failing(_: Services) -> int:
        ran.append(1)
        raise TransientError("away")

    first, second = two_workers(gateway)
    await run_alone("test.job", failing, first, period=10)
    gateway.world.clock.advance(10)
    await run_alone("test.job", failing, second, period=10)

    assert len(ran) == 2
