"""Looks up the near-copies of a document before it is scanned (Laws 3 and 15)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from defences.retrieval.differences import differences
from defences.retrieval.shingles import signature
from domain.documents import (
    BlobStore,
    Document,
    DocumentId,
    DocumentStatus,
    Neighbour,
    NeighbourRelation,
    TenantId,
)
from domain.errors import NotFoundError
from domain.ledger import DocumentLedger, OriginLedger
from domain.retrieval import Candidate, NearDuplicateIndex, Signature

MAX_NEIGHBOURS: Final = 20
"""Near-copies compared word by word, of established origins and of the pool each: the most similar
come first, so a flood costs no more, and it hides no established text."""


_CONTAINED: Final = frozenset({DocumentStatus.QUARANTINED, DocumentStatus.REJECTED})


def text_key(document_id: DocumentId) -> str:
    """Name the blob that keeps a document's hardened visible text."""
    return f"text/{document_id}"


class NeighbourLookup:
    """Finds near-copies by signature, then says whether each repeats or contradicts."""

    def __init__(
        self,
        *,
        index: NearDuplicateIndex,
        documents: DocumentLedger,
        origins: OriginLedger,
        blobs: BlobStore,
    ) -> None:
        self._index = index
        self._documents = documents
        self._origins = origins
        self._blobs = blobs

    async def look_up(
        self, tenant_id: TenantId, document_id: DocumentId | None, text: str
    ) -> tuple[Signature | None, tuple[Neighbour, ...]]:
        """Return the signature and the near-copies, most similar first.

        With a `document_id` the signature is inserted in the same atomic step; without one
        nothing is (a dry run). Texts too short for a signature have neither.
        """
        own = await asyncio.to_thread(signature, text)
        if own is None:
            return None, ()
        if document_id is None:
            found = await self._index.query(tenant_id, own)
        else:
            await self._rebuild_if_wiped(tenant_id)
            found = await self._index.query_and_insert(tenant_id, document_id, own)
        return own, await self._compare(tenant_id, text, found)

    async def look_again(self, document: Document) -> Document:
        """Return the document with the near-copies that came in since it was looked up."""
        own = await asyncio.to_thread(signature, document.text.text)
        if own is None:
            return document
        known = {document.id, *(one.document_id for one in document.neighbours)}
        found = await self._index.query(document.tenant_id, own)
        fresh = await self._compare(
            document.tenant_id,
            document.text.text,
            [one for one in found if one.document_id not in known],
        )
        if not fresh:
            return document
        return replace(
            document,
            neighbours=tuple(
                sorted((*document.neighbours, *fresh), key=lambda one: -one.similarity)
            ),
        )

    async def forget(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        await self._index.remove(tenant_id, document_id)

    async def _rebuild_if_wiped(self, tenant_id: TenantId) -> None:
        # The index lives in the broker's store, which may be wiped; the ledger has every signature.
        if await self._index.count(tenant_id) > 0:
            return
        for document_id, known in (await self._documents.signatures(tenant_id)).items():
            await self._index.query_and_insert(tenant_id, document_id, known)

    async def _compare(
        self, tenant_id: TenantId, text: str, candidates: Sequence[Candidate]
    ) -> tuple[Neighbour, ...]:
        records = await self._documents.records(
            tenant_id, [candidate.document_id for candidate in candidates]
        )
        origins = {
            ref: await self._origins.get(tenant_id, ref)
            for ref in {record.origin for record in records.values()}
        }
        compared: Counter[bool] = Counter()
        neighbours: list[Neighbour] = []
        for candidate in candidates:
            record = records.get(candidate.document_id)
            if record is None:
                continue
            origin = origins[record.origin]
            if compared[origin.established] == MAX_NEIGHBOURS:
                continue
            compared[origin.established] += 1
            try:
                other = await self._blobs.get(tenant_id, text_key(candidate.document_id))
            except NotFoundError:
                continue  # still being scanned by another worker, or just deleted
            difference = await asyncio.to_thread(differences, other.decode(), text)
            neighbours.append(
                Neighbour(
                    document_id=candidate.document_id,
                    origin=origin,
                    similarity=candidate.similarity,
                    relation=NeighbourRelation.CONTRADICTION
                    if difference.contradicts
                    else NeighbourRelation.DUPLICATE,
                    differences=difference.total,
                    admitted=record.status is DocumentStatus.ADMITTED,
                    contained=record.status in _CONTAINED,
                )
            )
        return tuple(neighbours)
