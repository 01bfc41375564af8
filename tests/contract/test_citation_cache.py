"""What every `CitationCache` must do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from urllib.parse import quote

import pytest
from redis.asyncio import Redis

from backends.citations.cache_redis import RedisCitationCache
from backends.clock import SystemClock
from backends.memory.citations import InMemoryCitationCache
from backends.memory.clock import ManualClock
from domain.citations import CachedAnswer, CitationCache, CitationKind, Identifier, Work
from domain.documents import TenantId
from domain.errors import TransientError

pytestmark = pytest.mark.anyio

MAX = 4
HOUR = 3_600
_TENANTS = count()


@pytest.fixture
def tenant() -> TenantId:
    return TenantId(f"acme:{{{next(_TENANTS)}}}")


@pytest.fixture(params=["memory", "redis"])
async def cache(request: pytest.FixtureRequest) -> AsyncIterator[CitationCache]:
    if request.param == "memory":
        yield InMemoryCitationCache(clock=ManualClock(), max_answers=MAX)
        return
    client = Redis.from_url(request.getfixturevalue("valkey_url"))
    yield RedisCitationCache(client, clock=SystemClock(), max_answers=MAX)
    await client.aclose()


def doi(number: int) -> Identifier:
    return Identifier(kind=CitationKind.DOI, value=f"10.1234/{number}")


def answer(number: int) -> CachedAnswer:
    return CachedAnswer(
        work=Work(
            identifier=doi(number),
            title='Wear "of" \u6c34\u6cf5',
            authors=("Doe, Jane", "\u738b"),
            year=2019,
            retracted=True,
            source="crossref",
        )
    )


async def test_what_was_put_comes_back_whole(cache: CitationCache, tenant: TenantId) -> None:
    await cache.put(tenant, "crossref", doi(1), answer(1), lifetime_seconds=HOUR)

    assert await cache.get(tenant, "crossref", doi(1)) == answer(1)


async def test_that_it_is_not_known_is_an_answer_too(
    cache: CitationCache, tenant: TenantId
) -> None:
    await cache.put(tenant, "crossref", doi(1), CachedAnswer(work=None), lifetime_seconds=HOUR)

    assert await cache.get(tenant, "crossref", doi(1)) == CachedAnswer(work=None)
    assert await cache.get(tenant, "crossref", doi(2)) is None


async def test_tenants_and_sources_are_apart(cache: CitationCache, tenant: TenantId) -> None:
    await cache.put(tenant, "crossref", doi(1), answer(1), lifetime_seconds=HOUR)

    assert await cache.get(TenantId(tenant + "x"), "crossref", doi(1)) is None
    assert await cache.get(tenant, "datacite", doi(1)) is None


async def test_putting_again_replaces(cache: CitationCache, tenant: TenantId) -> None:
    await cache.put(tenant, "crossref", doi(1), CachedAnswer(work=None), lifetime_seconds=HOUR)
    await cache.put(tenant, "crossref", doi(1), answer(1), lifetime_seconds=HOUR)

    assert await cache.get(tenant, "crossref", doi(1)) == answer(1)


async def test_of_too_many_those_that_expire_first_go(
    cache: CitationCache, tenant: TenantId
) -> None:
    for number in range(MAX + 3):
        await cache.put(
            tenant, "crossref", doi(number), answer(number), lifetime_seconds=HOUR + number
        )

    kept = [number for number in range(MAX + 3) if await cache.get(tenant, "crossref", doi(number))]
    assert kept == [3, 4, 5, 6]


async def test_puts_side_by_side_stay_within_the_bound(
    cache: CitationCache, tenant: TenantId
) -> None:
    await asyncio.gather(
        *(
            cache.put(tenant, "crossref", doi(one), answer(one), lifetime_seconds=HOUR)
            for one in range(20)
        )
    )

    kept = [one for one in range(20) if await cache.get(tenant, "crossref", doi(one))]
    assert len(kept) == MAX


async def test_an_answer_expires(tenant: TenantId) -> None:
    clock = ManualClock()
    cache = InMemoryCitationCache(clock=clock)
    await cache.put(tenant, "crossref", doi(1), answer(1), lifetime_seconds=10)

    clock.advance(10.5)

    assert await cache.get(tenant, "crossref", doi(1)) is None


async def test_redis_is_told_when_answers_expire(valkey_url: str, tenant: TenantId) -> None:
    async with Redis.from_url(valkey_url) as client:
        cache = RedisCitationCache(client, clock=SystemClock())
        await cache.put(tenant, "crossref", doi(1), answer(1), lifetime_seconds=10)

        keys = [key async for key in client.scan_iter(f"cite:{{{quote(tenant)}}}:*")]
        lifetimes = [await client.ttl(key) for key in keys]

    assert len(keys) == 2
    assert all(lifetime > 0 for lifetime in lifetimes)
    assert min(lifetimes) <= 10


async def test_what_others_wrote_into_redis_is_no_answer(valkey_url: str, tenant: TenantId) -> None:
    async with Redis.from_url(valkey_url) as client:
        cache = RedisCitationCache(client, clock=SystemClock())
        await cache.put(tenant, "crossref", doi(1), answer(1), lifetime_seconds=HOUR)
        (key,) = [
            key
            async for key in client.scan_iter(f"cite:{{{quote(tenant)}}}:*")
            if not key.endswith(b":due")
        ]
        for forged in (b"", b"{}", b"[1]", b'{"work": 7}', b"\x80\x04."):
            await client.set(key, forged)

            assert await cache.get(tenant, "crossref", doi(1)) is None


async def test_a_store_that_is_down_is_a_transient_error(tenant: TenantId) -> None:
    async with Redis.from_url("redis://127.0.0.1:1/0") as client:
        cache = RedisCitationCache(client, clock=SystemClock())

        with pytest.raises(TransientError):
            await cache.get(tenant, "crossref", doi(1))
        with pytest.raises(TransientError):
            await cache.put(tenant, "crossref", doi(1), answer(1), lifetime_seconds=HOUR)
