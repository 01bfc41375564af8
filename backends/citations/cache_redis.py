"""What catalogues answered, over the Redis protocol: apart by tenant, bounded, with expiry.

cite:{tenant}:due       sorted set: key of an answer -> when it expires
cite:{tenant}:<digest>  an answer, under a digest of source, kind and value
"""

from __future__ import annotations

import hashlib
from typing import Final
from urllib.parse import quote

from redis.asyncio import Redis
from redis.exceptions import RedisError

from backends.citations.cached_answers import packed, unpacked
from domain.citations import CachedAnswer, Identifier
from domain.clock import Clock
from domain.documents import TenantId
from domain.errors import TransientError

MAX_ANSWERS: Final = 50_000
"""Of a tenant; at about half a kilobyte each."""

_PUT: Final = """
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[3], KEYS[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[4])
local over = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[5])
if over > 0 then
  local gone = redis.call('ZPOPMIN', KEYS[1], over)
  for i = 1, #gone, 2 do redis.call('DEL', gone[i]) end
end
redis.call('EXPIRE', KEYS[1], 31536000)
return over
"""


class RedisCitationCache:
    """A `CitationCache` that all workers share."""

    def __init__(self, client: Redis, *, clock: Clock, max_answers: int = MAX_ANSWERS) -> None:
        self._client = client
        self._clock = clock
        self._max_answers = max_answers

    async def get(
        self, tenant_id: TenantId, source: str, identifier: Identifier
    ) -> CachedAnswer | None:
        try:
            kept = await self._client.get(_key(tenant_id, source, identifier))
        except (RedisError, OSError) as exc:
            raise TransientError("the citation cache did not answer") from exc
        return None if kept is None else unpacked(kept, source, identifier)

    async def put(
        self,
        tenant_id: TenantId,
        source: str,
        identifier: Identifier,
        answer: CachedAnswer,
        *,
        lifetime_seconds: int,
    ) -> None:
        now = int(self._clock.now().timestamp())
        try:
            await self._client.eval(
                _PUT,
                2,
                f"{_prefix(tenant_id)}:due",
                _key(tenant_id, source, identifier),
                packed(source, identifier, answer),
                str(lifetime_seconds),
                str(now + lifetime_seconds),
                str(now),
                str(self._max_answers),
            )
        except (RedisError, OSError) as exc:
            raise TransientError("the citation cache did not answer") from exc


def _key(tenant_id: TenantId, source: str, identifier: Identifier) -> str:
    named = f"{source}\n{identifier.kind.value}\n{identifier.value}"
    return f"{_prefix(tenant_id)}:{hashlib.sha256(named.encode()).hexdigest()}"


def _prefix(tenant_id: TenantId) -> str:
    # Quoted: a brace in a tenant's id would end the hash tag, and a colon would forge another key.
    return f"cite:{{{quote(tenant_id, safe='')}}}"
