"""Puts documents into the index and takes them out: only admitted ones have vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from defences.retrieval.families import FamilyDecision, Member, assign_family, elect_centre
from domain.documents import Document, DocumentStatus, NeighbourRelation, TenantId
from domain.ledger import DocumentLedger, DocumentRecord, OriginLedger
from domain.retrieval import Embedder, FamilyId, VectorRecord, VectorStore
from domain.scanning import Finding, FindingLevel
from ingest.chunking import chunk
from ingest.regrouping import member_of, move_members

_EMBED_BATCH: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkOptions:
    words: int = 120
    overlap_words: int = 20


class Admission:
    """Indexes a document under its family, and withdraws it again."""

    def __init__(
        self,
        *,
        vectors: VectorStore,
        embedder: Embedder,
        documents: DocumentLedger,
        origins: OriginLedger,
        options: ChunkOptions,
    ) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._documents = documents
        self._origins = origins
        self._options = options

    async def index(
        self,
        document: Document,
        *,
        record: DocumentRecord,
        findings: Sequence[Finding],
        trust: float,
        at: datetime,
    ) -> FamilyDecision:
        """Chunk, embed and write the vectors. Repeating it replaces what it wrote before."""
        family = await self._family(document, at)
        mentions = [
            finding.span
            for finding in findings
            if finding.level is FindingLevel.MENTION and finding.span is not None
        ]
        chunks = await asyncio.to_thread(
            chunk,
            document,
            words=self._options.words,
            overlap_words=self._options.overlap_words,
            mentions=mentions,
        )
        # Whatever an earlier attempt left behind under this id goes first: a shorter text must not
        # keep the tail of a longer one.
        await self._vectors.delete_document(document.id, tenant_id=document.tenant_id)
        for start in range(0, len(chunks), _EMBED_BATCH):
            batch = chunks[start : start + _EMBED_BATCH]
            vectors = await self._embedder.embed([embedded_text(c.heading, c.text) for c in batch])
            await self._vectors.upsert(
                [
                    VectorRecord(
                        chunk=piece,
                        tenant_id=document.tenant_id,
                        origin=document.provenance.origin,
                        family_id=family.family_id,
                        vector=vector,
                        trust=trust,
                        admitted_at=at,
                        voting=family.voting,
                        title=record.title or record.file_name or "",
                        source_uri=record.source_uri,
                    )
                    for piece, vector in zip(batch, vectors, strict=True)
                ]
            )
        await self._absorb(document.tenant_id, family)
        await self._follow_origin(document)
        return family

    async def withdraw(self, record: DocumentRecord) -> None:
        """Remove the vectors; those that the document was the centre of elect another.

        They are found by the family's id, not by the record: an attempt that took their votes may
        have died before its own verdict was written.
        """
        await self._vectors.delete_document(record.id, tenant_id=record.tenant_id)
        family = await self._documents.family(record.tenant_id, FamilyId(record.id))
        members = [
            await member_of(member, self._origins)
            for member in family
            if member.id != record.id and member.status is DocumentStatus.ADMITTED
        ]
        await move_members(
            record.tenant_id,
            elect_centre(members),
            vectors=self._vectors,
            documents=self._documents,
        )

    async def _follow_origin(self, document: Document) -> None:
        """Correct the tier where somebody established or revoked the origin during the scan."""
        scanned_as = document.provenance.origin
        present = await self._origins.get(document.tenant_id, scanned_as.ref)
        if present != scanned_as:
            await self._vectors.set_origin(present, tenant_id=document.tenant_id)

    async def _absorb(self, tenant_id: TenantId, family: FamilyDecision) -> None:
        """Take the vote of less established centres; their own members elect another."""
        for centre in family.absorbs:
            members = await self._documents.family(tenant_id, FamilyId(centre))
            left = [await member_of(one, self._origins) for one in members if one.id != centre]
            joined = FamilyDecision(family_id=family.family_id, voting=False)
            await move_members(
                tenant_id,
                {centre: joined, **elect_centre(left)},
                vectors=self._vectors,
                documents=self._documents,
            )

    async def _family(self, document: Document, at: datetime) -> FamilyDecision:
        near = {one.document_id: one for one in document.neighbours if one.admitted}
        records = await self._documents.records(document.tenant_id, list(near))
        known = [
            replace(
                await member_of(record, self._origins),
                similarity=near[record.id].similarity,
                contradicts=near[record.id].relation is NeighbourRelation.CONTRADICTION,
            )
            for record in records.values()
            if record.status is DocumentStatus.ADMITTED
        ]
        candidate = Member(
            document_id=document.id,
            tier=document.provenance.origin.tier,
            origin=document.provenance.origin.ref,
            admitted_at=at,
            family_id=None,
        )
        return assign_family(candidate, known)


def embedded_text(heading: str, text: str) -> str:
    """Give the embedder a chunk with the headings it stands under, which carry its subject."""
    return f"{heading}\n{text}" if heading else text
