"""Established documents that repeat what a suspect changed: no honest near-copies of it.

A planted text that says "50 mg" where the established page says "5 mg" is near-identical to that
page, and so is every page that took the "50 mg" over since. The page is honest; they hold the
offending difference, whoever vouches for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

from defences.retrieval.differences import differences
from defences.retrieval.families import JOIN
from domain.documents import BlobStore, DocumentId, DocumentStatus, OriginRef, TenantId
from domain.ledger import DocumentRecord, Ledger
from domain.retrieval import NearDuplicateIndex
from ingest.neighbours import text_of

MOST_LOOKED_AT: Final = 50
"""Suspects whose near-copies are read, those admitted first; more are of one flood as a rule."""


class OffendingCopies:
    def __init__(self, *, ledger: Ledger, blobs: BlobStore, index: NearDuplicateIndex) -> None:
        self._ledger = ledger
        self._blobs = blobs
        self._index = index

    async def holders(
        self, tenant_id: TenantId, suspects: Sequence[DocumentRecord]
    ) -> frozenset[DocumentId]:
        """Return the admitted established documents that hold what a suspect changed.

        One does that contradicts the earliest established near-copy which the suspect contradicts,
        and does not contradict the suspect. It was admitted after the suspect: what was there
        before cannot have taken anything over. Without such a near-copy there is nothing changed.

        Raises:
            TransientError: Ledger, blobs or index did not answer.
        """
        first = sorted(suspects, key=_admitted)[:MOST_LOOKED_AT]
        known = await self._ledger.documents.fingerprints(tenant_id, [one.id for one in first])
        named = {one.id for one in suspects}
        found: set[DocumentId] = set()
        for suspect in first:
            if suspect.id not in known:
                continue
            alike = await self._index.query(
                tenant_id, known[suspect.id].fingerprint, besides=suspect.id
            )
            near = [
                one.document_id
                for one in alike.candidates
                if one.similarity >= JOIN and one.document_id not in named
            ]
            found |= await self._of(tenant_id, suspect, near)
        return frozenset(found)

    async def _of(
        self, tenant_id: TenantId, suspect: DocumentRecord, near: Sequence[DocumentId]
    ) -> set[DocumentId]:
        vouched = await self._established(tenant_id, near)
        own = await text_of(self._blobs, tenant_id, suspect.id)
        if own is None or not vouched:
            return set()
        texts = {one.id: await text_of(self._blobs, tenant_id, one.id) for one in vouched}
        against = {
            id for id, text in texts.items() if text is not None and await _contradict(own, text)
        }
        honest = next(
            (one for one in vouched if one.id in against and _admitted(one) <= _admitted(suspect)),
            None,
        )
        told = None if honest is None else texts[honest.id]
        if told is None:
            return set()
        later = [one.id for one in vouched if _admitted(one) > _admitted(suspect)]
        return {
            id
            for id in later
            if id not in against
            and (text := texts[id]) is not None
            and await _contradict(told, text)
        }

    async def _established(
        self, tenant_id: TenantId, ids: Collection[DocumentId]
    ) -> Sequence[DocumentRecord]:
        """Return the admitted ones of established origins, earliest admitted first."""
        records = (await self._ledger.documents.records(tenant_id, sorted(ids))).values()
        standing: dict[OriginRef, bool] = {}
        for one in records:
            if one.origin not in standing:
                origin = await self._ledger.origins.get(tenant_id, one.origin)
                standing[one.origin] = origin.established
        return sorted(
            (
                one
                for one in records
                if one.status is DocumentStatus.ADMITTED and standing[one.origin]
            ),
            key=_admitted,
        )


async def _contradict(one: str, other: str) -> bool:
    return (await asyncio.to_thread(differences, one, other)).contradicts


def _admitted(record: DocumentRecord) -> tuple[float, DocumentId]:
    return (record.admitted_at or record.received_at).timestamp(), record.id
