"""What every `RateLimiter` must do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from redis.asyncio import Redis

from backends.locks_redis import RedisRateLimiter
from backends.memory.clock import ManualClock
from backends.memory.locks import InMemoryRateLimiter
from domain.errors import TransientError
from domain.limits import RateLimiter

pytestmark = pytest.mark.anyio

WINDOW = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """A limiter, and how to let a window of its run out."""

    limiter: RateLimiter
    clock: ManualClock
    redis: Redis | None

    async def lapse(self, name: str) -> None:
        self.clock.advance(WINDOW + 1)
        if self.redis is not None:
            await self.redis.pexpire(f"rate:{name}", 0)


@pytest.fixture(params=["memory", "redis"])
async def limited(request: pytest.FixtureRequest, clock: ManualClock) -> AsyncIterator[Limited]:
    if request.param == "memory":
        yield Limited(limiter=InMemoryRateLimiter(clock=clock), clock=clock, redis=None)
        return
    async with Redis.from_url(request.getfixturevalue("valkey_url")) as redis:
        await redis.flushdb()
        yield Limited(limiter=RedisRateLimiter(redis), clock=clock, redis=redis)


async def test_uses_up_to_the_limit_pass_and_the_next_says_when_again(limited: Limited) -> None:
    waits = [await limited.limiter.take("a", limit=2, window_seconds=WINDOW) for _ in range(4)]

    assert waits[:2] == [0.0, 0.0]
    assert all(0 < wait <= WINDOW for wait in waits[2:])


async def test_a_window_that_ran_out_begins_anew(limited: Limited) -> None:
    await limited.limiter.take("a", limit=1, window_seconds=WINDOW)
    assert await limited.limiter.take("a", limit=1, window_seconds=WINDOW) > 0

    await limited.lapse("a")

    assert await limited.limiter.wait("a", limit=1) == 0.0
    assert await limited.limiter.take("a", limit=1, window_seconds=WINDOW) == 0.0


async def test_names_are_counted_apart(limited: Limited) -> None:
    await limited.limiter.take("a", limit=1, window_seconds=WINDOW)

    assert await limited.limiter.take("b", limit=1, window_seconds=WINDOW) == 0.0


async def test_asking_counts_nothing_and_says_what_a_use_would(limited: Limited) -> None:
    asked = [await limited.limiter.wait("a", limit=1) for _ in range(3)]
    taken = await limited.limiter.take("a", limit=1, window_seconds=WINDOW)

    assert (asked, taken) == ([0.0] * 3, 0.0)
    assert 0 < await limited.limiter.wait("a", limit=1) <= WINDOW
    assert await limited.limiter.wait("a", limit=2) == 0.0


async def test_a_store_that_is_away_is_a_transient_error() -> None:
    async with Redis.from_url("redis://127.0.0.1:9/0", socket_connect_timeout=1) as redis:
        limiter = RedisRateLimiter(redis)

        with pytest.raises(TransientError):
            await limiter.take("a", limit=1, window_seconds=WINDOW)
        with pytest.raises(TransientError):
            await limiter.wait("a", limit=1)
