"""What every `AnswerCache` and all `EvidenceStamps` must do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count

import pytest
from redis.asyncio import Redis

from backends.answer_cache_redis import RedisAnswerCache, RedisEvidenceStamps
from backends.clock import SystemClock
from backends.memory.answer_cache import InMemoryAnswerCache, InMemoryEvidenceStamps
from backends.memory.clock import ManualClock
from domain.answer_cache import AnswerCache, EvidenceStamps
from domain.documents import TenantId
from domain.errors import TransientError

pytestmark = pytest.mark.anyio

MOST = 3
_TENANTS = count()


@pytest.fixture
def tenant() -> TenantId:
    return TenantId(f"cached:{{{next(_TENANTS)}}}")


@pytest.fixture(params=["memory", "redis"])
async def cache(request: pytest.FixtureRequest) -> AsyncIterator[AnswerCache]:
    if request.param == "memory":
        yield InMemoryAnswerCache(clock=ManualClock(), max_answers=MOST)
        return
    client = Redis.from_url(request.getfixturevalue("valkey_url"))
    yield RedisAnswerCache(client, clock=SystemClock(), max_answers=MOST)
    await client.aclose()


@pytest.fixture(params=["memory", "redis"])
async def stamps(request: pytest.FixtureRequest) -> AsyncIterator[EvidenceStamps]:
    if request.param == "memory":
        yield InMemoryEvidenceStamps()
        return
    client = Redis.from_url(request.getfixturevalue("valkey_url"))
    yield RedisEvidenceStamps(client)
    await client.aclose()


async def test_what_was_kept_comes_back_whole(cache: AnswerCache, tenant: TenantId) -> None:
    value = '{"answer": "36 months \u6c34"}'.encode() * 50

    await cache.put(tenant, "key", value, lifetime_seconds=60)

    assert await cache.get(tenant, "key") == value
    assert await cache.get(tenant, "other") is None
    assert await cache.get(TenantId(f"{tenant}-2"), "key") is None


async def test_with_too_many_those_soonest_to_expire_go(
    cache: AnswerCache, tenant: TenantId
) -> None:
    for number in range(MOST + 2):
        await cache.put(tenant, str(number), b"{}", lifetime_seconds=100 + 10 * number)

    held = [await cache.get(tenant, str(number)) is not None for number in range(MOST + 2)]

    assert held == [False, False, True, True, True]


async def test_an_answer_expires() -> None:
    clock = ManualClock()
    cache = InMemoryAnswerCache(clock=clock)
    await cache.put(TenantId("t"), "key", b"{}", lifetime_seconds=10)

    clock.advance(10)

    assert await cache.get(TenantId("t"), "key") is None


async def test_a_stamp_stays_until_somebody_writes(
    stamps: EvidenceStamps, tenant: TenantId
) -> None:
    first = await stamps.present(tenant)
    again = await stamps.present(tenant)
    token = await stamps.begin(tenant)
    during = await stamps.present(tenant)
    await stamps.end(tenant, token)
    after = await stamps.present(tenant)

    assert first is not None
    assert again == first
    assert during is None
    assert after not in {None, first}


async def test_of_two_writers_both_must_have_ended(
    stamps: EvidenceStamps, tenant: TenantId
) -> None:
    one, other = await stamps.begin(tenant), await stamps.begin(tenant)

    await stamps.end(tenant, one)
    during = await stamps.present(tenant)
    await stamps.end(tenant, other)

    assert during is None
    assert await stamps.present(tenant) is not None


async def test_writers_at_once_never_give_a_stamp_back(
    stamps: EvidenceStamps, tenant: TenantId
) -> None:
    seen = {await stamps.present(tenant)}

    async def write() -> None:
        await stamps.end(tenant, await stamps.begin(tenant))

    for _ in range(5):
        await asyncio.gather(*(write() for _ in range(4)))
        stamp = await stamps.present(tenant)
        assert stamp not in seen
        seen.add(stamp)


async def test_tenants_have_stamps_of_their_own(stamps: EvidenceStamps, tenant: TenantId) -> None:
    other = TenantId(f"{tenant}-2")
    before = await stamps.present(other)

    await stamps.begin(tenant)

    assert await stamps.present(other) == before


async def test_a_stamp_that_was_evicted_never_comes_again(
    valkey_url: str, tenant: TenantId
) -> None:
    client = Redis.from_url(valkey_url)
    stamps = RedisEvidenceStamps(client)
    before = await stamps.present(tenant)

    for key in await client.keys("stamp:*"):
        await client.delete(key)

    assert await stamps.present(tenant) not in {None, before}
    await client.aclose()


async def test_a_stamp_names_the_run_of_the_server(valkey_url: str, tenant: TenantId) -> None:
    client = Redis.from_url(valkey_url)
    stamp = await RedisEvidenceStamps(client).present(tenant)
    server = await client.info("server")

    assert stamp is not None
    assert stamp.startswith(server["run_id"])
    await client.aclose()


async def test_a_store_that_is_down_is_a_transient_error(tenant: TenantId) -> None:
    client = Redis.from_url("redis://127.0.0.1:1", socket_connect_timeout=1)
    stamps, cache = RedisEvidenceStamps(client), RedisAnswerCache(client, clock=SystemClock())

    for asked in (
        stamps.present(tenant),
        stamps.begin(tenant),
        stamps.end(tenant, "token"),
        cache.get(tenant, "key"),
        cache.put(tenant, "key", b"{}", lifetime_seconds=1),
    ):
        with pytest.raises(TransientError):
            await asked
    await client.aclose()
