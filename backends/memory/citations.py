"""What catalogues answered, in this process's memory."""

from __future__ import annotations

from typing import Final, TypeAlias

from domain.citations import CachedAnswer, Identifier
from domain.clock import Clock
from domain.documents import TenantId

MAX_ANSWERS: Final = 10_000

_Key: TypeAlias = tuple[str, Identifier]


class InMemoryCitationCache:
    def __init__(self, *, clock: Clock, max_answers: int = MAX_ANSWERS) -> None:
        self._clock = clock
        self._max_answers = max_answers
        self._kept: dict[TenantId, dict[_Key, tuple[float, CachedAnswer]]] = {}

    async def get(
        self, tenant_id: TenantId, source: str, identifier: Identifier
    ) -> CachedAnswer | None:
        due, answer = self._kept.get(tenant_id, {}).get((source, identifier), (0.0, None))
        return answer if due > self._clock.monotonic() else None

    async def put(
        self,
        tenant_id: TenantId,
        source: str,
        identifier: Identifier,
        answer: CachedAnswer,
        *,
        lifetime_seconds: int,
    ) -> None:
        kept = self._kept.setdefault(tenant_id, {})
        kept[(source, identifier)] = (self._clock.monotonic() + lifetime_seconds, answer)
        while len(kept) > self._max_answers:
            del kept[min(kept, key=lambda key: kept[key][0])]
