"""Looks up what a document cites before it is scanned, within a budget."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from defences.detectors.citations import cited_identifiers
from domain.citations import (
    CachedAnswer,
    CitationCache,
    CitationResolver,
    Identifier,
    LookupStatus,
    ResolvedCitation,
    Work,
)
from domain.clock import Clock
from domain.documents import Document, TenantId
from domain.errors import TransientError

RESOLVERS: Final = "citation-resolvers"
"""Stands among the detectors of a report where resolvers are asked."""

_VERSION: Final = "1"
FOUND_SECONDS: Final = 7 * 86_400
"""A retraction is seen a week late at most."""
NOT_FOUND_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupBudget:
    """What one document may cost.

    Attributes:
        identifiers: Most that are asked for; those of the reference list come first.
        seconds: For all of them; what is not answered by then is unavailable.
        at_once: Questions under way.
    """

    identifiers: int = 40
    seconds: float = 20.0
    at_once: int = 4


class CitationLookup:
    """Asks the resolvers that take an identifier, in their order, until one knows it."""

    def __init__(
        self,
        *,
        resolvers: Sequence[CitationResolver],
        cache: CitationCache,
        budget: LookupBudget,
        clock: Clock,
    ) -> None:
        self._resolvers = tuple(resolvers)
        self._cache = cache
        self._budget = budget
        self._clock = clock

    async def look_up(self, document: Document) -> Document:
        """Return the document with what is known of its citations. Never raises for a resolver."""
        if not self._resolvers:
            return document
        cited = await asyncio.to_thread(
            cited_identifiers, document.text.text, today=self._clock.now().date()
        )
        turns = asyncio.Semaphore(self._budget.at_once)
        asked = [one for one in cited if self._taking(one)][: self._budget.identifiers]
        tasks = [
            asyncio.create_task(self._resolve(document.tenant_id, one, turns)) for one in asked
        ]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=self._budget.seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        known = {
            one: task.result()
            if not task.cancelled()
            else ResolvedCitation(identifier=one, status=LookupStatus.UNAVAILABLE)
            for one, task in zip(asked, tasks, strict=True)
        }
        return replace(
            document,
            citations=tuple(
                known.get(one, ResolvedCitation(identifier=one, status=LookupStatus.NOT_ASKED))
                for one in cited
            ),
        )

    def _taking(self, identifier: Identifier) -> list[CitationResolver]:
        return [one for one in self._resolvers if identifier.kind in one.kinds]

    async def _resolve(
        self, tenant_id: TenantId, identifier: Identifier, turns: asyncio.Semaphore
    ) -> ResolvedCitation:
        """Return what the first that knows it says; unavailable where one that may could not."""
        unavailable = False
        async with turns:
            for resolver in self._taking(identifier):
                try:
                    work = await self._ask(tenant_id, resolver, identifier)
                except Exception:  # the edge of the resolvers: whatever one raises, it did not look
                    unavailable = True
                    continue
                if work is not None:
                    return ResolvedCitation(
                        identifier=identifier, status=LookupStatus.FOUND, work=work
                    )
        status = LookupStatus.UNAVAILABLE if unavailable else LookupStatus.NOT_FOUND
        return ResolvedCitation(identifier=identifier, status=status)

    async def _ask(
        self, tenant_id: TenantId, resolver: CitationResolver, identifier: Identifier
    ) -> Work | None:
        try:
            kept = await self._cache.get(tenant_id, resolver.name, identifier)
        except TransientError:
            kept = None  # a cache that is down costs time, no answer
        if kept is not None:
            return kept.work
        work = await resolver.resolve(identifier)
        try:
            await self._cache.put(
                tenant_id,
                resolver.name,
                identifier,
                CachedAnswer(work=work),
                lifetime_seconds=NOT_FOUND_SECONDS if work is None else FOUND_SECONDS,
            )
        except TransientError:
            return work
        return work


def lookup_outcome(document: Document) -> tuple[dict[str, str], set[str]]:
    """Return what a report says of the resolvers: completed by version, and unavailable.

    Both empty where none is configured. One that was down is unavailable, and never clean.
    """
    statuses = {one.status for one in document.citations}
    if LookupStatus.UNAVAILABLE in statuses:
        return {}, {RESOLVERS}
    asked = statuses & {LookupStatus.FOUND, LookupStatus.NOT_FOUND}
    return ({RESOLVERS: _VERSION} if asked else {}), set()
