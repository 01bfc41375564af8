"""Answers and stamps of evidence over the Redis protocol, shared by all processes.

answer:{tenant}:<key>     an answer, compressed
stamp:{tenant}:now        the stamp, a random word
stamp:{tenant}:writers    sorted set: token of who writes -> when it counts as dead
"""

from __future__ import annotations

import secrets
import zlib
from typing import Final

from backends.expiring_redis import put_expiring, tenant_prefix
from backends.redis_clients import UNANSWERED, RedisClient, run_id
from domain.clock import Clock
from domain.documents import TenantId
from domain.errors import TransientError

MAX_ANSWERS: Final = 1_000
"""Of a tenant; a trace takes about ten kilobytes compressed."""

MAX_BYTES: Final = 1_000_000
"""Of an answer, uncompressed; a longer one is not kept."""

WRITING_SECONDS: Final = 300
"""After which who began to write and never ended counts as dead; longer than any write takes."""

_PRESENT: Final = """
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', redis.call('TIME')[1])
if redis.call('ZCARD', KEYS[2]) > 0 then return false end
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
"""

_BEGIN: Final = """
redis.call('SET', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[2], redis.call('TIME')[1] + ARGV[2], ARGV[1])
return 1
"""


class RedisAnswerCache:
    """An `AnswerCache`."""

    def __init__(
        self, client: RedisClient, *, clock: Clock, max_answers: int = MAX_ANSWERS
    ) -> None:
        self._client = client
        self._clock = clock
        self._max_answers = max_answers

    async def get(self, tenant_id: TenantId, key: str) -> bytes | None:
        try:
            kept = await self._client.get(f"{tenant_prefix('answer', tenant_id)}:{key}")
        except UNANSWERED as exc:
            raise TransientError("the answer cache did not answer") from exc
        return _unpacked(kept) if isinstance(kept, bytes) else None

    async def put(
        self, tenant_id: TenantId, key: str, value: bytes, *, lifetime_seconds: int
    ) -> None:
        if len(value) > MAX_BYTES:
            return
        prefix = tenant_prefix("answer", tenant_id)
        try:
            await put_expiring(
                self._client,
                prefix,
                f"{prefix}:{key}",
                zlib.compress(value, 1),
                lifetime_seconds=lifetime_seconds,
                now=int(self._clock.now().timestamp()),
                most=self._max_answers,
            )
        except UNANSWERED as exc:
            raise TransientError("the answer cache did not answer") from exc


class RedisEvidenceStamps:
    """`EvidenceStamps`.

    A stamp bears the server's run id: a server that was restarted may have lost its last second of
    changes, and a replica that took over may never have had them. Stamps are random, so that one
    that was evicted does not come again.
    """

    def __init__(self, client: RedisClient) -> None:
        self._client = client

    async def present(self, tenant_id: TenantId) -> str | None:
        try:
            server = await run_id(self._client, _keys(tenant_id)[0])
            stamp = await self._client.eval(_PRESENT, 2, *_keys(tenant_id), secrets.token_hex(16))
        except UNANSWERED as exc:
            raise TransientError("the stamps of evidence did not answer") from exc
        return None if stamp is None else f"{server}:{stamp.decode()}"

    async def begin(self, tenant_id: TenantId) -> str:
        token = secrets.token_hex(16)
        try:
            await self._client.eval(_BEGIN, 2, *_keys(tenant_id), token, str(WRITING_SECONDS))
        except UNANSWERED as exc:
            raise TransientError("the stamps of evidence did not answer") from exc
        return token

    async def end(self, tenant_id: TenantId, token: str) -> None:
        try:
            await self._client.zrem(_keys(tenant_id)[1], token)
        except UNANSWERED as exc:
            raise TransientError("the stamps of evidence did not answer") from exc


def _keys(tenant_id: TenantId) -> tuple[str, str]:
    prefix = tenant_prefix("stamp", tenant_id)
    return f"{prefix}:now", f"{prefix}:writers"


def _unpacked(kept: bytes) -> bytes | None:
    """Return an answer as it was; None for what is not one of ours."""
    try:
        inflating = zlib.decompressobj()
        value = inflating.decompress(kept, MAX_BYTES)
    except zlib.error:
        return None
    return value if inflating.eof else None
