"""Near-duplicates for `scan`: in the live index, and within the batch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from backends.memory.near_duplicates import InMemoryNearDuplicateIndex
from defences.detectors.near_duplicates import NearDuplicatesDetector
from defences.retrieval.differences import differences
from defences.retrieval.shingles import SCHEME, fingerprint
from domain.documents import (
    DEFAULT_TENANT,
    Document,
    DocumentId,
    Neighbour,
    NeighbourRelation,
    Origin,
)
from domain.retrieval import Fingerprint
from domain.scanning import Finding
from domain.trust import Verdict
from gateway.cli.scan_pool import Scanned
from ingest.neighbours import MAX_NEIGHBOURS, NeighbourLookup
from runtime.scanning import NEW_ORIGIN, Scanner

if TYPE_CHECKING:
    from runtime.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    id: DocumentId
    document: Document
    fingerprint: Fingerprint
    admitted: bool


class LiveIndex:
    """Judges again what has near-copies among the documents of this installation."""

    def __init__(self, lookup: NeighbourLookup, runner: asyncio.Runner, scanner: Scanner) -> None:
        self._lookup = lookup
        self._runner = runner
        self._scanner = scanner

    def against(self, scanned: Scanned) -> Scanned:
        """Return it with what the index adds.

        Raises:
            TransientError: Broker or database do not answer.
        """
        if scanned.judged is None:
            return scanned
        document = self._runner.run(self._surrounded(scanned.judged.document))
        if not (document.neighbours or document.overlaps or document.crowd):
            return scanned
        return replace(scanned, judged=self._scanner.with_surroundings(scanned.judged, document))

    async def _surrounded(self, document: Document) -> Document:
        seen = await self._lookup.look_up(document.tenant_id, None, document.text.text)
        return await self._lookup.clear(seen.around(document))


@contextmanager
def open_live_index(settings: Settings, scanner: Scanner) -> Iterator[LiveIndex]:
    """Connect to ledger, blobs and near-duplicate index; nothing is written to them."""
    from backends.clock import SystemClock
    from backends.ids import RandomIds
    from backends.ledger.sql import SqlLedger
    from backends.near_duplicates_redis import RedisNearDuplicateIndex
    from backends.redis_clients import opened_redis
    from runtime.home import database_url, state_url
    from runtime.storage import build_blobs

    clock = SystemClock()
    with asyncio.Runner() as runner:
        closing = AsyncExitStack()
        opening = opened_redis(state_url(settings), ca_path=settings.queue.ca_path)
        redis = runner.run(closing.enter_async_context(opening))
        ledger = SqlLedger(database_url(settings), clock=clock, ids=RandomIds(clock))
        lookup = NeighbourLookup(
            index=RedisNearDuplicateIndex(redis, SCHEME),
            documents=ledger.documents,
            origins=ledger.origins,
            blobs=build_blobs(settings),
        )
        try:
            yield LiveIndex(lookup, runner, scanner)
        finally:
            runner.run(closing.aclose())
            runner.run(ledger.close())


def near_duplicates_within(batch: Sequence[Scanned]) -> Sequence[Sequence[Finding]]:
    """Return, for each document of the batch, what its near-copies in the batch say of it."""
    members = [_member(number, scanned) for number, scanned in enumerate(batch)]
    with asyncio.Runner() as runner:
        return runner.run(_within(members))


def _member(number: int, scanned: Scanned) -> _Member | None:
    judged = scanned.judged
    own = fingerprint(judged.text) if judged is not None else None
    if judged is None or own is None:
        return None
    return _Member(
        id=DocumentId(f"{number:09d}"),
        document=judged.document,
        fingerprint=own,
        admitted=judged.assessment.verdict is Verdict.ADMIT,
    )


async def _within(members: Sequence[_Member | None]) -> Sequence[Sequence[Finding]]:
    detector = NearDuplicatesDetector()
    index = InMemoryNearDuplicateIndex(scheme=SCHEME)
    known = {member.id: member for member in members if member is not None}
    for document_id, each in known.items():
        await index.query_and_insert(DEFAULT_TENANT, document_id, each.fingerprint)
    found: list[Sequence[Finding]] = []
    for member in members:
        if member is None:
            found.append(())
            continue
        near = await index.query(DEFAULT_TENANT, member.fingerprint, besides=member.id)
        neighbours = [
            _neighbour(member, known[candidate.document_id], candidate.similarity)
            for candidate in near.candidates[:MAX_NEIGHBOURS]
        ]
        found.append(detector.scan(replace(member.document, neighbours=tuple(neighbours))))
    return found


def _neighbour(member: _Member, other: _Member, similarity: float) -> Neighbour:
    difference = differences(other.document.text.text, member.document.text.text)
    return Neighbour(
        document_id=other.id,
        # Each is a document of a new origin of its own.
        origin=Origin(kind=NEW_ORIGIN.kind, id=other.id, established=False),
        similarity=similarity,
        relation=NeighbourRelation.CONTRADICTION
        if difference.contradicts
        else NeighbourRelation.DUPLICATE,
        differences=difference.total,
        admitted=other.admitted,
    )
