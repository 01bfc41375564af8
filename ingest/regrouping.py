"""Who speaks for a family after its members' origins have changed tier (Laws 2 and 3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from defences.retrieval.differences import differences
from defences.retrieval.families import FamilyDecision, Member, assign_family, elect_centre
from defences.retrieval.shingles import signature
from domain.documents import BlobStore, DocumentId, DocumentStatus, OriginRef, TenantId, Tier
from domain.errors import NotFoundError
from domain.ledger import DocumentFilter, DocumentLedger, DocumentRecord, OriginLedger
from domain.retrieval import FamilyId, VectorStore
from ingest.neighbours import text_key

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


class Regrouping:
    """Deals the votes of families anew, from the texts and the tiers in force.

    An origin is often vouched for after its documents came in, and a copy may have come before
    them: the copy must not keep their vote. A revoked origin must not keep that of those who
    repeat its text.
    """

    def __init__(
        self,
        *,
        documents: DocumentLedger,
        origins: OriginLedger,
        vectors: VectorStore,
        blobs: BlobStore,
    ) -> None:
        self._documents = documents
        self._origins = origins
        self._vectors = vectors
        self._blobs = blobs

    async def regroup(self, tenant_id: TenantId, ref: OriginRef) -> None:
        """Go through every family in which the origin has a document. Safe to repeat."""
        for family_id in sorted(await self._families(tenant_id, ref)):
            records = await self._documents.family(tenant_id, family_id)
            if not records[1:]:
                continue  # alone, or gone: nothing to deal
            members = [await member_of(record, self._origins) for record in records]
            decisions = await self._deal(tenant_id, members)
            changed = {
                record.id: decisions[record.id]
                for record in records
                if (record.family_id, record.voting)
                != (decisions[record.id].family_id, decisions[record.id].voting)
            }
            await move_members(tenant_id, changed, vectors=self._vectors, documents=self._documents)

    async def _families(self, tenant_id: TenantId, ref: OriginRef) -> set[FamilyId]:
        wanted = DocumentFilter(origin=ref, status=DocumentStatus.ADMITTED)
        found: set[FamilyId] = set()
        cursor: str | None = None
        while True:
            page = await self._documents.list(tenant_id, wanted, cursor=cursor, limit=_PAGE)
            found |= {record.family_id for record in page.items if record.family_id is not None}
            cursor = page.next_cursor
            if cursor is None:
                return found

    async def _deal(
        self, tenant_id: TenantId, members: Sequence[Member]
    ) -> Mapping[DocumentId, FamilyDecision]:
        """Elect; then let those that are no mere copies of the elected speak for themselves."""
        decisions = dict(elect_centre(members))
        centre_id = next(one for one, decision in decisions.items() if decision.voting)
        centres = [self._as_centre(one) for one in members if one.document_id == centre_id]
        vouched = [
            one for one in members if one.tier is not Tier.POOL and one.document_id != centre_id
        ]
        for member in sorted(
            vouched, key=lambda one: (one.tier is not Tier.REVIEWED, one.admitted_at)
        ):
            near = [await self._compared(tenant_id, member, centre) for centre in centres]
            decision = assign_family(member, near)
            decisions[member.document_id] = decision
            if decision.voting:
                centres.append(self._as_centre(member))
        return decisions

    async def _compared(self, tenant_id: TenantId, member: Member, centre: Member) -> Member:
        try:
            ours, theirs = [
                (await self._blobs.get(tenant_id, text_key(one.document_id))).decode()
                for one in (member, centre)
            ]
        except NotFoundError:
            return centre  # deleted meanwhile
        return await asyncio.to_thread(_alike, centre, theirs, ours)

    @staticmethod
    def _as_centre(member: Member) -> Member:
        return replace(member, family_id=FamilyId(member.document_id))


def _alike(centre: Member, theirs: str, ours: str) -> Member:
    first, second = signature(theirs), signature(ours)
    if first is None or second is None:
        return replace(centre, similarity=0.0)
    return replace(
        centre,
        similarity=float(np.mean(first == second)),
        contradicts=differences(theirs, ours).contradicts,
    )
