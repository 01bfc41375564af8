"""Answers given again: found and kept under everything that made them (Law 15)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

from domain.answer_cache import AnswerCache, EvidenceStamps
from domain.documents import TenantId
from domain.errors import TransientError
from gateway.query.answer_cache import answer_key
from gateway.query.pipeline import QueryPipeline
from runtime.settings import Settings

MODEL_SECONDS: Final = 300
"""For how long answers are kept where a language model makes them, unless the settings say."""

_SECTIONS: Final = frozenset(
    {
        "embedder",
        "drafter",
        "verifier",
        "reranker",
        "retrieval",
        "web_search",
        "answering",
        "guard",
        "ingest",
    }
)


class KeptAnswers:
    """Finds and keeps answers; without a lifetime it does neither.

    What does not answer is a cache that has nothing: no question fails for it.
    """

    def __init__(
        self,
        cache: AnswerCache,
        stamps: EvidenceStamps,
        *,
        query: QueryPipeline,
        settings: Settings,
    ) -> None:
        self._cache = cache
        self._stamps = stamps
        self._query = query
        self._lifetime_seconds = lifetime_seconds(settings)
        self._settings = _digest(settings)

    async def key(self, tenant_id: TenantId, asked: Mapping[str, object]) -> str | None:
        """Return the key of an answer from the evidence as it is; None: keep nothing, find nothing."""
        if not self._lifetime_seconds:
            return None
        try:
            stamp = await self._stamps.present(tenant_id)
        except TransientError:
            return None
        if stamp is None:
            return None
        made_by = f"{version('mithridate')};{self._settings};{self._query.made_by()}"
        return answer_key(stamp=stamp, made_by=made_by, asked=asked)

    async def find(self, tenant_id: TenantId, key: str | None) -> bytes | None:
        """Return what was kept."""
        if key is None:
            return None
        try:
            return await self._cache.get(tenant_id, key)
        except TransientError:
            return None

    async def keep(self, tenant_id: TenantId, key: str | None, value: bytes) -> None:
        """Keep an answer under the key that was made before its evidence was retrieved."""
        if key is None:
            return
        try:
            await self._cache.put(tenant_id, key, value, lifetime_seconds=self._lifetime_seconds)
        except TransientError:
            return


def lifetime_seconds(settings: Settings) -> int:
    """Return for how long answers are kept; 0: not at all."""
    chosen = settings.answering.cache_seconds
    if chosen is not None:
        return chosen
    modelled = settings.drafter.backend != "extractive" or settings.verifier.backend != "evidence"
    return MODEL_SECONDS if modelled else 0


def _digest(settings: Settings) -> str:
    """Return a digest of all that shapes an answer. Secrets are masked: none shapes one."""
    return hashlib.sha256(settings.model_dump_json(include=set(_SECTIONS)).encode()).hexdigest()
