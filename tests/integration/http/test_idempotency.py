"""`Idempotency-Key`: a request that is sent again is the same upload again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from backends.locks_redis import RedisLock
from backends.memory.locks import InMemoryLock
from domain.documents import DEFAULT_TENANT
from domain.jobs import Lock
from domain.scanning import Detector
from tests.http_services import Gateway, LockStoreDown, open_gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

TEXT = {"Content-Type": "text/plain"}


async def send(
    gateway: Gateway, headers: dict[str, str], content: bytes = b"A lamp.", **params: str
) -> Any:
    return await gateway.client.post(
        "/v1/documents",
        content=content,
        params=params,
        headers={**TEXT, "Idempotency-Key": "retry-1", **headers},
    )


async def test_a_retry_is_answered_with_the_same_document(gateway: Gateway) -> None:
    headers = await gateway.writer()

    first, again = await send(gateway, headers), await send(gateway, headers)

    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json() == {**first.json(), "created": False}
    assert again.headers["location"] == first.headers["location"]


@pytest.mark.parametrize(
    ("content", "params"),
    [(b"Another lamp.", {}), (b"A lamp.", {"title": "New"}), (b"A lamp.", {"file_name": "b"})],
)
async def test_the_same_key_with_another_request_is_refused(
    gateway: Gateway, content: bytes, params: dict[str, str]
) -> None:
    headers = await gateway.writer()
    await send(gateway, headers)

    reply = await send(gateway, headers, content, **params)

    problem(reply, 422, "idempotency-mismatch")


async def test_idempotency_keys_of_two_callers_do_not_meet(gateway: Gateway) -> None:
    first = await send(gateway, await gateway.writer())

    other = await send(gateway, await gateway.writer(), b"Another lamp.")

    assert other.status_code == 202
    assert other.json()["id"] != first.json()["id"]


async def test_a_request_still_in_flight_is_a_conflict(gateway: Gateway) -> None:
    headers = await gateway.writer()
    key_id = next(iter(await gateway.world.ledger.keys.list(DEFAULT_TENANT))).id
    name = f"idempotency:{key_id}:{hashlib.sha256(b'retry-1').hexdigest()}"
    other_process = InMemoryLock(gateway.locks, clock=gateway.world.clock)
    await other_process.acquire(name, lease_seconds=60)

    held = await send(gateway, headers)
    await other_process.release(name)
    free = await send(gateway, headers)

    problem(held, 409, "conflict")
    assert (free.status_code, free.json()["created"]) == (202, True)
    assert gateway.locks.held == {}


@pytest.mark.parametrize("store", ["memory", "redis"])
async def test_a_lock_store_that_is_down_still_gives_one_document(
    tmp_path: Path, detectors: Sequence[Detector], store: str
) -> None:
    # Port 9 is discard: nothing listens there, so every call fails at once.
    redis = Redis.from_url("redis://127.0.0.1:9/0", socket_connect_timeout=1)
    lock: Lock = LockStoreDown() if store == "memory" else RedisLock(redis)
    async with open_gateway(tmp_path, detectors=detectors, lock=lock) as gateway:
        headers = await gateway.writer()

        first, again = await send(gateway, headers), await send(gateway, headers)
        other = await send(gateway, headers, b"Another lamp.")

        assert first.status_code == 202
        assert again.json()["id"] == first.json()["id"]
        problem(other, 422, "idempotency-mismatch")
    await redis.aclose()


async def test_an_idempotency_key_that_is_empty_or_endless_is_refused(shared: Gateway) -> None:
    headers = await shared.writer()

    for value in ("", "k" * 256):
        reply = await shared.client.post(
            "/v1/documents",
            content=b"A lamp.",
            headers={**TEXT, "Idempotency-Key": value, **headers},
        )
        problem(reply, 422, "invalid-input")
