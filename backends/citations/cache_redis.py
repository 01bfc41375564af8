"""What catalogues answered, over the Redis protocol: apart by tenant, bounded, with expiry.

cite:{tenant}:due       sorted set: key of an answer -> when it expires
cite:{tenant}:<digest>  an answer, under a digest of source, kind and value
"""

from __future__ import annotations

import hashlib
from typing import Final

from backends.citations.cached_answers import packed, unpacked
from backends.expiring_redis import put_expiring, tenant_prefix
from backends.redis_clients import UNANSWERED, RedisClient
from domain.citations import CachedAnswer, Identifier
from domain.clock import Clock
from domain.documents import TenantId
from domain.errors import TransientError

MAX_ANSWERS: Final = 50_000
"""Of a tenant; at about half a kilobyte each."""


class RedisCitationCache:
    """A `CitationCache` that all workers share."""

    def __init__(
        self, client: RedisClient, *, clock: Clock, max_answers: int = MAX_ANSWERS
    ) -> None:
        self._client = client
        self._clock = clock
        self._max_answers = max_answers

    async def get(
        self, tenant_id: TenantId, source: str, identifier: Identifier
    ) -> CachedAnswer | None:
        try:
            kept = await self._client.get(_key(tenant_id, source, identifier))
        except UNANSWERED as exc:
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
            await put_expiring(
                self._client,
                _prefix(tenant_id),
                _key(tenant_id, source, identifier),
                packed(source, identifier, answer),
                lifetime_seconds=lifetime_seconds,
                now=now,
                most=self._max_answers,
            )
        except UNANSWERED as exc:
            raise TransientError("the citation cache did not answer") from exc


def _key(tenant_id: TenantId, source: str, identifier: Identifier) -> str:
    named = f"{source}\n{identifier.kind.value}\n{identifier.value}"
    return f"{_prefix(tenant_id)}:{hashlib.sha256(named.encode()).hexdigest()}"


def _prefix(tenant_id: TenantId) -> str:
    return tenant_prefix("cite", tenant_id)
