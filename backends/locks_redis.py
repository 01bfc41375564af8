"""Locks and rate limits over the Redis protocol."""

from __future__ import annotations

import secrets
from typing import Final

from backends.redis_clients import UNANSWERED, RedisClient
from domain.errors import TransientError

_RELEASE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""

_TAKE: Final = """
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used >= tonumber(ARGV[1]) then return redis.call('PTTL', KEYS[1]) end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
"""

_WAIT: Final = """
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used >= tonumber(ARGV[1]) then return redis.call('PTTL', KEYS[1]) end
return 0
"""


class RedisLock:
    """One key a lock, with the holder's token as its value: only the holder lets go."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._token = secrets.token_hex(16)

    async def acquire(self, name: str, *, lease_seconds: float) -> bool:
        try:
            taken = await self._client.set(
                f"lock:{name}", self._token, nx=True, px=max(1, round(lease_seconds * 1000))
            )
        except UNANSWERED as exc:
            raise TransientError("the lock store did not answer") from exc
        return bool(taken)

    async def release(self, name: str) -> None:
        try:
            await self._client.eval(_RELEASE, 1, f"lock:{name}", self._token)
        except UNANSWERED as exc:
            raise TransientError("the lock store did not answer") from exc


class RedisRateLimiter:
    """Fixed windows that begin with their first use."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client

    async def take(self, name: str, *, limit: int, window_seconds: int) -> float:
        return await self._asked(_TAKE, name, str(limit), str(window_seconds * 1000))

    async def wait(self, name: str, *, limit: int) -> float:
        return await self._asked(_WAIT, name, str(limit))

    async def _asked(self, script: str, name: str, *arguments: str) -> float:
        try:
            wait = int(await self._client.eval(script, 1, f"rate:{name}", *arguments))
        except UNANSWERED as exc:
            raise TransientError("the rate limit store did not answer") from exc
        return max(0.001, wait / 1000) if wait != 0 else 0.0
