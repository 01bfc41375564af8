"""Who speaks for families after documents or tiers have come or gone (Laws 2 and 3).

The stars of a set of near-copies depend on the set alone (`families.deal`). So whatever changed,
the families it touches are dealt anew, and with them those that their new centres are near to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from defences.retrieval.differences import differences
from defences.retrieval.families import ESTABLISHED_JOIN, FamilyDecision, Member, deal
from defences.retrieval.shingles import SCHEME, fingerprint
from domain.documents import BlobStore, DocumentId, DocumentStatus, OriginRef, TenantId, Tier
from domain.ledger import DocumentFilter, DocumentLedger, DocumentRecord, OriginLedger, every
from domain.retrieval import FamilyId, Fingerprint, NearDuplicateIndex, VectorStore
from ingest.neighbours import text_of

MAX_DEALT: Final = 1_000
"""Documents dealt at once; beyond it the circle of families is not widened further."""

_ROUNDS: Final = 16
_PAGE: Final = 200


async def move_members(
    tenant_id: TenantId,
    decisions: Mapping[DocumentId, FamilyDecision],
    *,
    vectors: VectorStore,
    documents: DocumentLedger,
) -> None:
    """Write where documents belong: the index first, which is what answers questions."""
    for document_id, decision in decisions.items():
        await vectors.set_family(
            document_id,
            tenant_id=tenant_id,
            family_id=decision.family_id,
            voting=decision.voting,
        )
        await documents.set_family(
            tenant_id, document_id, family_id=decision.family_id, voting=decision.voting
        )


async def member_of(record: DocumentRecord, origins: OriginLedger) -> Member:
    """Return the document as a member, with the tier its origin has now."""
    origin = await origins.get(record.tenant_id, record.origin)
    return Member(
        document_id=record.id,
        tier=origin.tier,
        origin=record.origin,
        admitted_at=record.admitted_at or record.received_at,
        family_id=record.family_id,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Likeness:
    """How near the documents of a group are to each other, and which contradict."""

    fingerprints: Mapping[DocumentId, Fingerprint]
    contrary: frozenset[frozenset[DocumentId]]

    def similarity(self, one: DocumentId, other: DocumentId) -> float:
        return _similarity(self.fingerprints.get(one), self.fingerprints.get(other))

    def seen(self, centre: Member, member: Member) -> Member:
        pair = frozenset({centre.document_id, member.document_id})
        return replace(
            centre,
            similarity=self.similarity(centre.document_id, member.document_id),
            contradicts=pair in self.contrary,
        )


class Regrouping:
    """Deals the votes of families anew, from the texts and the tiers in force.

    An origin is often vouched for after its documents came in, and a copy may have come before
    them: the copy must not keep their vote. A revoked origin must not keep that of those who
    repeat its text. And who was near a document that is gone may be near another.
    """

    def __init__(
        self,
        *,
        documents: DocumentLedger,
        origins: OriginLedger,
        vectors: VectorStore,
        blobs: BlobStore,
        index: NearDuplicateIndex | None = None,
    ) -> None:
        """Take the stores.

        Args:
            documents: What families there are.
            origins: The tiers in force.
            vectors: Told of every change, before the ledger.
            blobs: The texts, for what contradicts what.
            index: Finds families nearby; without one the families touched are dealt among
                themselves.
        """
        self._documents = documents
        self._origins = origins
        self._vectors = vectors
        self._blobs = blobs
        self._index = index

    async def regroup(self, tenant_id: TenantId, ref: OriginRef) -> None:
        """Go through every family in which the origin has a document. Safe to repeat."""
        for family_id in sorted(await self._families(tenant_id, ref)):
            await self.redeal(tenant_id, {family_id}, of=ref)

    async def redeal(
        self,
        tenant_id: TenantId,
        family_ids: Iterable[FamilyId],
        *,
        without: DocumentId | None = None,
        newcomer: Member | None = None,
        of: OriginRef | None = None,
    ) -> None:
        """Deal these families anew, and those that new centres are near to. Safe to repeat.

        Args:
            tenant_id: Whose they are.
            family_ids: Where something changed.
            without: A document that is about to leave.
            newcomer: A document about to be admitted; where it belongs is its caller's to write.
            of: An origin whose tier changed.
        """
        families = set(family_ids)
        records: Mapping[DocumentId, DocumentRecord] = {}
        decisions: Mapping[DocumentId, FamilyDecision] = {}
        for _ in range(_ROUNDS):  # as a rule one; a circle that does not close is cut here
            records = await self._records(tenant_id, families, without=without)
            members = [await member_of(record, self._origins) for record in records.values()]
            if newcomer is not None:
                members = [
                    newcomer,
                    *(one for one in members if one.document_id != newcomer.document_id),
                ]
            likeness = await self._likeness(tenant_id, members)
            decisions = deal(members, likeness.seen)
            fresh = _to_look_around(members, decisions, of)
            nearby = await self._nearby(tenant_id, fresh, likeness, besides=without)
            if nearby <= families or len(records) >= MAX_DEALT:
                break
            families |= nearby
        known = None if newcomer is None else newcomer.document_id
        changed = _moved([one for one in records.values() if one.id != known], decisions)
        await move_members(tenant_id, changed, vectors=self._vectors, documents=self._documents)

    async def _records(
        self, tenant_id: TenantId, families: Iterable[FamilyId], *, without: DocumentId | None
    ) -> Mapping[DocumentId, DocumentRecord]:
        return {
            record.id: record
            for family_id in sorted(families)
            for record in await self._documents.family(tenant_id, family_id)
            if record.id != without and record.status is DocumentStatus.ADMITTED
        }

    async def _families(self, tenant_id: TenantId, ref: OriginRef) -> set[FamilyId]:
        wanted = DocumentFilter(origin=ref, status=DocumentStatus.ADMITTED)
        return {
            record.family_id
            async for record in every(
                lambda cursor: self._documents.list(tenant_id, wanted, cursor=cursor, limit=_PAGE)
            )
            if record.family_id is not None
        }

    async def _nearby(
        self,
        tenant_id: TenantId,
        centres: Sequence[DocumentId],
        likeness: _Likeness,
        *,
        besides: DocumentId | None,
    ) -> set[FamilyId]:
        """Return the families of admitted near-copies of these documents."""
        if self._index is None:
            return set()
        near: set[DocumentId] = set()
        for document_id in centres:
            own = likeness.fingerprints.get(document_id)
            if own is not None:
                found = await self._index.query(tenant_id, own, besides=document_id)
                near |= {one.document_id for one in found.candidates if not one.denied}
        records = await self._documents.records(tenant_id, sorted(near - {besides}))
        return {
            record.family_id
            for record in records.values()
            if record.status is DocumentStatus.ADMITTED and record.family_id is not None
        }

    async def _likeness(self, tenant_id: TenantId, members: Sequence[Member]) -> _Likeness:
        ids = [member.document_id for member in members]
        known = await self._documents.fingerprints(tenant_id, ids)
        made = {
            one: each.fingerprint
            for one, each in known.items()
            if each.fingerprint.scheme == SCHEME
        }
        texts: dict[DocumentId, str] = {}
        for document_id in ids:
            if document_id not in made:
                text = await self._text(tenant_id, document_id, texts)
                fresh = None if text is None else await asyncio.to_thread(fingerprint, text)
                if fresh is not None:
                    made[document_id] = fresh
        contrary: set[frozenset[DocumentId]] = set()
        vouched = [member.document_id for member in members if member.tier is not Tier.POOL]
        for one, other in combinations(vouched, 2):
            if _similarity(made.get(one), made.get(other)) < ESTABLISHED_JOIN:
                continue
            ours = await self._text(tenant_id, one, texts)
            theirs = await self._text(tenant_id, other, texts)
            if ours is None or theirs is None:
                continue  # deleted meanwhile
            if (await asyncio.to_thread(differences, ours, theirs)).contradicts:
                contrary.add(frozenset({one, other}))
        return _Likeness(fingerprints=made, contrary=frozenset(contrary))

    async def _text(
        self, tenant_id: TenantId, document_id: DocumentId, texts: dict[DocumentId, str]
    ) -> str | None:
        if document_id not in texts:
            text = await text_of(self._blobs, tenant_id, document_id)
            if text is None:
                return None
            texts[document_id] = text
        return texts[document_id]


def _moved(
    records: Sequence[DocumentRecord], decisions: Mapping[DocumentId, FamilyDecision]
) -> Mapping[DocumentId, FamilyDecision]:
    return {
        record.id: decisions[record.id]
        for record in records
        if (record.family_id, record.voting)
        != (decisions[record.id].family_id, decisions[record.id].voting)
    }


def _to_look_around(
    members: Sequence[Member],
    decisions: Mapping[DocumentId, FamilyDecision],
    of: OriginRef | None,
) -> Sequence[DocumentId]:
    """Return whose neighbours elsewhere matter now.

    New centres; and where an origin changed sides its documents and those that follow them, who
    may have a more senior centre nearby.
    """
    turned = {FamilyId(one.document_id) for one in members if of is not None and one.origin == of}
    return [
        one.document_id
        for one in members
        if (decisions[one.document_id].voting and not one.is_centre)
        or one.family_id in turned
        or FamilyId(one.document_id) in turned
    ]


def _similarity(one: Fingerprint | None, other: Fingerprint | None) -> float:
    if one is None or other is None:
        return 0.0
    if one.exact == other.exact:
        return 1.0
    if one.signature is None or other.signature is None:
        return 0.0
    return float(np.mean(one.signature == other.signature))
