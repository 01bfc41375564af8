"""Answers and stamps of evidence in this process's memory."""

from __future__ import annotations

from itertools import count

from domain.clock import Clock
from domain.documents import TenantId


class InMemoryAnswerCache:
    def __init__(self, *, clock: Clock, max_answers: int = 1_000) -> None:
        self._clock = clock
        self._max_answers = max_answers
        self._kept: dict[TenantId, dict[str, tuple[float, bytes]]] = {}

    async def get(self, tenant_id: TenantId, key: str) -> bytes | None:
        found = self._kept.get(tenant_id, {}).get(key)
        if found is None or found[0] <= self._clock.now().timestamp():
            return None
        return found[1]

    async def put(
        self, tenant_id: TenantId, key: str, value: bytes, *, lifetime_seconds: int
    ) -> None:
        kept = self._kept.setdefault(tenant_id, {})
        kept[key] = (self._clock.now().timestamp() + lifetime_seconds, value)
        while len(kept) > self._max_answers:
            del kept[min(kept, key=lambda each: kept[each][0])]


class InMemoryEvidenceStamps:
    def __init__(self) -> None:
        self._numbers = count(1)
        self._stamps: dict[TenantId, str] = {}
        self._writers: dict[TenantId, set[str]] = {}

    async def present(self, tenant_id: TenantId) -> str | None:
        if self._writers.get(tenant_id):
            return None
        return self._stamps.get(tenant_id, "0")

    async def begin(self, tenant_id: TenantId) -> str:
        token = str(next(self._numbers))
        self._stamps[tenant_id] = token
        self._writers.setdefault(tenant_id, set()).add(token)
        return token

    async def end(self, tenant_id: TenantId, token: str) -> None:
        self._writers.get(tenant_id, set()).discard(token)
