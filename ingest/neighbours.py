"""Looks up what else says the same before a document is scanned (Laws 3, 13 and 15)."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from defences.retrieval.differences import Differences, differences
from defences.retrieval.objections import (
    CARRIED,
    carried_share,
    carries,
    objections,
    word_pairs,
)
from defences.retrieval.passages import PASSAGE_WORDS, Known, Standing, overlaps
from defences.retrieval.shingles import SCHEME, fingerprint
from domain.documents import (
    BlobStore,
    Document,
    DocumentId,
    DocumentStatus,
    Neighbour,
    NeighbourRelation,
    Origin,
    OriginRef,
    Overlap,
    OverlapKind,
    TenantId,
)
from domain.errors import NotFoundError
from domain.ledger import DocumentLedger, DocumentRecord, OriginLedger
from domain.retrieval import Candidate, Crowd, Fingerprint, NearDuplicateIndex, Resemblances
from domain.scanning import Finding
from domain.trust import CoarseReason, Verdict
from ingest.echoes import EchoLookup

MAX_NEIGHBOURS: Final = 20
"""Near-copies compared word by word, of established origins and of the pool each: the most similar
come first, so a flood costs no more, and it hides no established text."""
MAX_OVERLAPS: Final = 5
"""Documents with shared passages that are read, to see whether they say otherwise."""
CROWD_ORIGINS: Final = 3
"""Distinct established origins that explain an over-full bucket: boilerplate, not a flood."""

POLICY: Final = "policy"
"""Who decided where no person did."""

_OF_SENTENCES: Final = frozenset(
    {CoarseReason.CONTENT, CoarseReason.PERSONAL_DATA, CoarseReason.HOLD}
)
"""Reasons for which the policy turns away what some sentences say, not a text as a whole."""
_CONTAINED: Final = frozenset({DocumentStatus.QUARANTINED, DocumentStatus.REJECTED})


_Other = TypeVar("_Other", Neighbour, Overlap)


async def text_of(blobs: BlobStore, tenant_id: TenantId, document_id: DocumentId) -> str | None:
    """Return the text of a document that was scanned; None where it is gone."""
    try:
        return (await blobs.get(tenant_id, text_key(document_id))).decode()
    except NotFoundError:
        return None


def text_key(document_id: DocumentId) -> str:
    """Name the blob that keeps a document's hardened visible text."""
    return f"text/{document_id}"


def objections_key(document_id: DocumentId) -> str:
    """Name the blob that keeps the sentences for which the policy turned a document away."""
    return f"objections/{document_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known of a text, by fingerprint and by meaning; see `Document`."""

    fingerprint: Fingerprint | None
    neighbours: tuple[Neighbour, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    crowd: int = 0

    def around(self, document: Document) -> Document:
        """Return the document with all of it."""
        return replace(
            document, neighbours=self.neighbours, overlaps=self.overlaps, crowd=self.crowd
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Others:
    """Documents that were found, as the ledger knows them; deleted ones only if denied."""

    records: Mapping[DocumentId, DocumentRecord]
    origins: Mapping[OriginRef, Origin]

    def origin(self, document_id: DocumentId) -> Origin:
        return self.origins[self.records[document_id].origin]


class NeighbourLookup:
    """Finds near-copies and shared passages, then says whether each repeats or contradicts."""

    def __init__(
        self,
        *,
        index: NearDuplicateIndex,
        documents: DocumentLedger,
        origins: OriginLedger,
        blobs: BlobStore,
        echoes: EchoLookup | None = None,
    ) -> None:
        self._index = index
        self._documents = documents
        self._origins = origins
        self._blobs = blobs
        self._echoes = echoes

    async def look_up(
        self,
        tenant_id: TenantId,
        document_id: DocumentId | None,
        text: str,
        *,
        origin: OriginRef | None = None,
    ) -> Surroundings:
        """Return the fingerprint and what resembles it, most similar first.

        With a `document_id` it is inserted in the same atomic step; without one nothing is (a dry
        run). Texts too short for a fingerprint resemble nothing.
        """
        own = await asyncio.to_thread(fingerprint, text)
        if own is None:
            return Surroundings(fingerprint=None)
        if document_id is None:
            found = await self._index.query(tenant_id, own)
        else:
            await self._rebuild_if_wiped(tenant_id)
            found = await self._index.query_and_insert(tenant_id, document_id, own, origin=origin)
        return await self._seen(tenant_id, text, own, found)

    async def hear(self, document: Document) -> Document:
        """Return the document with the passages that mean nearly the same in other words."""
        if self._echoes is None:
            return document
        return await self._echoes.around(document)

    async def object_to(
        self, document: Document, findings: Sequence[Finding], reason: CoarseReason
    ) -> None:
        """Keep what the policy turns a document away for; nothing where it is the whole text.

        What is merely held, since a detector could not look or a change waits, has no objection.
        """
        key = objections_key(document.id)
        found = () if reason is CoarseReason.HOLD else objections(document, findings)
        if reason in _OF_SENTENCES and (found or reason is CoarseReason.HOLD):
            await self._blobs.put(
                document.tenant_id, key, json.dumps(found).encode("utf-8", "replace")
            )
        else:
            await self._blobs.delete(document.tenant_id, key)

    async def clear(self, document: Document) -> Document:
        """Return the document, marked where it lacks what others were turned away for."""
        return replace(
            document,
            neighbours=tuple([await self._cleared(document, each) for each in document.neighbours]),
            overlaps=tuple([await self._cleared(document, each) for each in document.overlaps]),
        )

    async def _cleared(self, document: Document, other: _Other) -> _Other:
        if not other.contained:
            return other
        try:
            kept = await self._blobs.get(document.tenant_id, objections_key(other.document_id))
        except NotFoundError:
            return other
        carried = await asyncio.to_thread(carries, document, json.loads(kept))
        return other if carried else replace(other, cleared=True)

    async def look_again(self, document: Document) -> Document:
        """Return the document with the near-copies that came in since it was looked up."""
        own = await asyncio.to_thread(fingerprint, document.text.text)
        if own is None:
            return document
        known = {one.document_id for one in document.neighbours}
        found = await self._index.query(document.tenant_id, own, besides=document.id)
        candidates = [one for one in found.candidates if one.document_id not in known]
        if not candidates:
            return document
        others = await self._others(document.tenant_id, candidates, ())
        fresh = await self._compare(document.tenant_id, document.text.text, candidates, others)
        return replace(
            document,
            neighbours=tuple(
                sorted((*document.neighbours, *fresh), key=lambda one: -one.similarity)
            ),
        )

    async def follow(self, record: DocumentRecord) -> None:
        """Bring the index to what the ledger says of a document. Safe to repeat.

        What was turned away goes to the deny namespace, and stays there when it is deleted. Once a
        person has decided, it is for all of its text.
        """
        await self._keep_objections(record)
        if record.status is DocumentStatus.ADMITTED:
            await self._index.allow(record.tenant_id, record.id)
        elif record.status in _CONTAINED:
            await self._index.deny(record.tenant_id, record.id)
        elif record.status is DocumentStatus.DELETED:
            known = await self._documents.fingerprints(record.tenant_id, [record.id])
            if record.id in known:
                await self._index.deny(record.tenant_id, record.id)
            else:
                await self._index.remove(record.tenant_id, record.id)

    async def _keep_objections(self, record: DocumentRecord) -> None:
        key = objections_key(record.id)
        if record.status is DocumentStatus.DELETED:
            # Of a deleted document no sentence is kept: nothing that lacks them can be told apart.
            try:
                await self._blobs.get(record.tenant_id, key)
            except NotFoundError:
                return
            await self._blobs.put(record.tenant_id, key, b"[]")
        elif record.status not in _CONTAINED or record.decided_by not in (None, POLICY):
            await self._blobs.delete(record.tenant_id, key)

    async def _rebuild_if_wiped(self, tenant_id: TenantId) -> None:
        # The index lives in the broker's store, which may be wiped; the ledger has what it needs.
        if await self._index.count(tenant_id) > 0:
            return
        for document_id, known in (await self._documents.fingerprints(tenant_id)).items():
            made: Fingerprint | None = known.fingerprint
            if known.fingerprint.scheme != SCHEME:
                made = await self._made_again(tenant_id, document_id)
            if made is None:
                continue
            await self._index.query_and_insert(tenant_id, document_id, made, origin=known.origin)
            if known.denied:
                await self._index.deny(tenant_id, document_id)

    async def _made_again(self, tenant_id: TenantId, document_id: DocumentId) -> Fingerprint | None:
        """Make the fingerprint of a text that was scanned under another scheme."""
        text = await text_of(self._blobs, tenant_id, document_id)
        return None if text is None else await asyncio.to_thread(fingerprint, text)

    async def _seen(
        self, tenant_id: TenantId, text: str, own: Fingerprint, found: Resemblances
    ) -> Surroundings:
        crowd = () if found.crowd is None else found.crowd.members
        others = await self._others(
            tenant_id, found.candidates, (*(each.document_id for each in found.shared), *crowd)
        )
        near = {one.document_id for one in found.candidates}
        shared = overlaps(
            own.passages,
            [
                Known(shared=each, standing=_standing(others, each.document_id))
                for each in found.shared
                if each.document_id in others.records
            ],
            besides=frozenset(near),
        )
        return Surroundings(
            fingerprint=own,
            neighbours=await self._compare(tenant_id, text, found.candidates, others),
            overlaps=await self._read(tenant_id, text, shared),
            crowd=_unexplained(found.crowd, others),
        )

    async def _others(
        self,
        tenant_id: TenantId,
        candidates: Sequence[Candidate],
        more: Iterable[DocumentId],
    ) -> _Others:
        wanted = {*(one.document_id for one in candidates), *more}
        records = dict(await self._documents.records(tenant_id, list(wanted)))
        gone = sorted(wanted - records.keys())
        for document_id in await self._documents.fingerprints(tenant_id, gone) if gone else ():
            # Deleted, and still known: it was turned away.
            records[document_id] = await self._documents.get(tenant_id, document_id)
        refs = {record.origin for record in records.values()}
        return _Others(
            records=records,
            origins={ref: await self._origins.get(tenant_id, ref) for ref in refs},
        )

    async def _compare(
        self, tenant_id: TenantId, text: str, candidates: Sequence[Candidate], others: _Others
    ) -> tuple[Neighbour, ...]:
        compared: Counter[tuple[bool, bool]] = Counter()
        neighbours: list[Neighbour] = []
        for candidate in candidates:
            record = others.records.get(candidate.document_id)
            if record is None:
                continue
            origin = others.origin(candidate.document_id)
            contained = record.status in (*_CONTAINED, DocumentStatus.DELETED)
            if compared[origin.established, contained] == MAX_NEIGHBOURS:
                continue
            compared[origin.established, contained] += 1
            difference = await self._differences(tenant_id, candidate.document_id, text)
            if difference is None and record.status is not DocumentStatus.DELETED:
                continue  # still being scanned by another worker, or just deleted
            contradicts = difference is not None and difference.contradicts
            neighbours.append(
                Neighbour(
                    document_id=candidate.document_id,
                    origin=origin,
                    similarity=candidate.similarity,
                    relation=NeighbourRelation.CONTRADICTION
                    if contradicts
                    else NeighbourRelation.DUPLICATE,
                    differences=0 if difference is None else difference.total,
                    admitted=record.status is DocumentStatus.ADMITTED,
                    contained=contained,
                    rejected=record.verdict is Verdict.REJECT,
                    exact=candidate.exact,
                )
            )
        return tuple(neighbours)

    async def _read(
        self, tenant_id: TenantId, text: str, shared: Sequence[Overlap]
    ) -> tuple[Overlap, ...]:
        """Say of the most telling overlaps with established texts how many facts they change."""
        read: list[Overlap] = []
        for number, overlap in enumerate(shared):
            told = overlap
            if number < MAX_OVERLAPS and _worth_reading(overlap):
                difference = await self._differences(tenant_id, overlap.document_id, text)
                if difference is not None:
                    told = replace(overlap, differences=difference.total)
            elif number < MAX_OVERLAPS and _is_shreds(overlap):
                reworded = await self._reworded(tenant_id, overlap.document_id, text)
                told = replace(overlap, reworded=reworded)
            if told.reworded or not _is_shreds(told):
                read.append(told)
        return tuple(read)

    async def _reworded(self, tenant_id: TenantId, document_id: DocumentId, text: str) -> bool:
        other = await text_of(self._blobs, tenant_id, document_id)
        if other is None:
            return False
        known, own = await asyncio.to_thread(lambda: (word_pairs(other), word_pairs(text)))
        return carried_share(known, own) >= CARRIED

    async def _differences(
        self, tenant_id: TenantId, document_id: DocumentId, text: str
    ) -> Differences | None:
        other = await text_of(self._blobs, tenant_id, document_id)
        return None if other is None else await asyncio.to_thread(differences, other, text)


def _worth_reading(overlap: Overlap) -> bool:
    return (
        overlap.origin.established and overlap.admitted and overlap.kind is not OverlapKind.PASSAGE
    )


def _is_shreds(overlap: Overlap) -> bool:
    """Whether it shares with a rejected text less than a passage, here and there."""
    return (
        overlap.rejected and overlap.kind is OverlapKind.PASSAGE and overlap.words < PASSAGE_WORDS
    )


def _standing(others: _Others, document_id: DocumentId) -> Standing:
    record = others.records[document_id]
    return Standing(
        origin=others.origin(document_id),
        admitted=record.status is DocumentStatus.ADMITTED,
        contained=record.status in (*_CONTAINED, DocumentStatus.DELETED),
        rejected=record.verdict is Verdict.REJECT,
    )


def _unexplained(crowd: Crowd | None, others: _Others) -> int:
    """Return the size of a crowd; 0 where enough established origins write such texts."""
    if crowd is None:
        return 0
    vouched = {
        others.records[member].origin
        for member in crowd.members
        if member in others.records and others.origin(member).established
    }
    return 0 if len(vouched) >= CROWD_ORIGINS else crowd.size
