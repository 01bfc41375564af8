"""A broker that is gone, hangs or talks garbage: uploads are taken in time, and none is lost."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from backends.jobs_celery import CeleryJobQueue
from backends.locks_redis import RedisLock, RedisRateLimiter
from backends.redis_clients import opened_redis
from domain.scanning import Detector
from runtime.access import build_doorkeeper
from runtime.backpressure import BackPressure
from runtime.outbox import OutboxRelay
from runtime.settings import Settings
from tests.http_services import Gateway, open_gateway
from tests.services import valkey_url
from tests.wires import Wire, Wiretap, at_url, wiretap
from tests.world import build_world

__all__ = ["valkey_url"]

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

FAULTS: Final = (Wire.CUT, Wire.STOPPED, Wire.GARBLED)
SOCKET_SECONDS: Final = 2.0
IN_TIME: Final = 90.0
"""For two uploads and what follows them; the machine does other things too."""


@pytest.fixture
def tap(valkey_url: str) -> Iterator[Wiretap]:
    with wiretap(at_url(valkey_url)) as made:
        yield made


@pytest.fixture
async def served(
    tmp_path: Path, tap: Wiretap, detectors: Sequence[Detector], anyio_backend: str
) -> AsyncIterator[Gateway]:
    """Locks, limits and queue at the broker, all else in memory."""
    url = f"redis://127.0.0.1:{tap.port}/0"
    settings = Settings(data_dir=tmp_path)
    world = await build_world(tmp_path, detectors=detectors, settings=settings)
    queue = CeleryJobQueue(broker_url=url, visibility_timeout_seconds=60)
    async with opened_redis(url, socket_seconds=SOCKET_SECONDS) as redis:
        limiter = RedisRateLimiter(redis)
        async with open_gateway(
            tmp_path,
            settings=settings,
            world=world,
            lock=RedisLock(redis),
            rate_limiter=limiter,
            doorkeeper=build_doorkeeper(
                settings.access, keys=world.ledger.keys, limiter=limiter, clock=world.clock
            ),
            pressure=BackPressure(
                documents=world.ledger.documents,
                limiter=limiter,
                clock=world.clock,
                settings=settings.queue,
            ),
            relay=OutboxRelay(
                outbox=world.ledger.outbox,
                documents=world.ledger.documents,
                queue=queue,
                clock=world.clock,
            ),
        ) as gateway:
            yield gateway


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.name.lower())
async def test_uploads_are_taken_and_queued_once_the_broker_is_back(
    served: Gateway, tap: Wiretap, fault: Wire
) -> None:
    writer = await served.writer()
    await served.upload(writer, "# Before\n\nThe broker is there.")
    left = await served.world.ledger.outbox.pending(limit=9)

    tap.set(fault)
    began = time.monotonic()
    plain = await served.upload(writer, "# Plain\n\nTaken all the same.")
    keyed = await served.upload(
        {**writer, "Idempotency-Key": "one"}, "# Keyed\n\nTaken once, whatever the lock says."
    )
    took = time.monotonic() - began
    waiting = await served.world.ledger.outbox.pending(limit=9)
    tap.set(Wire.WHOLE)
    again = await served.upload(
        {**writer, "Idempotency-Key": "one"}, "# Keyed\n\nTaken once, whatever the lock says."
    )
    await served.services.relay.publish_pending()

    assert not left
    assert took < IN_TIME
    assert {entry.subject_id for entry in waiting} == {plain["id"], keyed["id"]}
    assert again["id"] == keyed["id"]
    assert not await served.world.ledger.outbox.pending(limit=9)
