"""Puts documents into the index and takes them out: only admitted ones have vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from defences.retrieval.families import (
    FamilyDecision,
    Member,
    assign_family,
    seniority,
)
from domain.documents import Chunk, Document, DocumentStatus, NeighbourRelation, TenantId
from domain.ledger import DocumentLedger, DocumentRecord, OriginLedger
from domain.retrieval import Embedder, FamilyId, Vector, VectorRecord, VectorStore
from domain.scanning import Finding, FindingLevel
from ingest.chunking import chunk
from ingest.masking import Masking
from ingest.normalise import harden_line
from ingest.regrouping import Regrouping, member_of, move_members

_EMBED_BATCH: Final = 256
_WRITE_BATCH: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkOptions:
    words: int = 120
    overlap_words: int = 20
    most: int = 3000
    """Of one document. Embedding 3000 takes about a minute of one core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The chunks of a document and their vectors, in order: what needs no turn to be made."""

    chunks: tuple[Chunk, ...]
    vectors: tuple[Vector, ...]


class Admission:
    """Indexes a document under its family, and withdraws it again."""

    def __init__(
        self,
        *,
        vectors: VectorStore,
        embedder: Embedder,
        documents: DocumentLedger,
        origins: OriginLedger,
        regrouping: Regrouping,
        options: ChunkOptions,
        masking: Masking | None = None,
    ) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._documents = documents
        self._origins = origins
        self._regrouping = regrouping
        self._options = options
        self._masking = masking or Masking(finders=(), actions={})

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
        prepared = await self.prepare(document, findings=findings)
        return await self.place(document, prepared, record=record, trust=trust, at=at)

    async def prepare(self, document: Document, *, findings: Sequence[Finding]) -> Prepared:
        """Chunk and embed. Writes nothing, and is most of the work of an admission.

        Raises:
            DocumentUnreadableError: It gives more chunks than one document may.
            TransientError: Not all of it could be searched for values to mask.
        """
        document = await asyncio.to_thread(self._masking.masked, document)
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
            most=self._options.most,
        )
        vectors: list[Vector] = []
        for start in range(0, len(chunks), _EMBED_BATCH):
            batch = chunks[start : start + _EMBED_BATCH]
            vectors += list(
                await self._embedder.embed([embedded_text(c.heading, c.text) for c in batch])
            )
        return Prepared(chunks=tuple(chunks), vectors=tuple(vectors))

    async def place(
        self,
        document: Document,
        prepared: Prepared,
        *,
        record: DocumentRecord,
        trust: float,
        at: datetime,
    ) -> FamilyDecision:
        """Assign a family among those admitted now, and write the vectors: in a turn."""
        candidate, near = self._candidate(document, at), await self._known(document)
        family = assign_family(candidate, near)
        await self.write(document, prepared, record=record, family=family, trust=trust, at=at)
        await self._absorb(document.tenant_id, family, of=candidate, near=near)
        return family

    async def write(
        self,
        document: Document,
        prepared: Prepared,
        *,
        record: DocumentRecord,
        family: FamilyDecision,
        trust: float,
        at: datetime,
    ) -> None:
        """Write the vectors under a family that is known, and the tier the origin has now."""
        # Whatever an earlier attempt left behind under this id goes first: a shorter text must not
        # keep the tail of a longer one.
        await self._vectors.delete_document(document.id, tenant_id=document.tenant_id)
        origin = await self._origins.get(document.tenant_id, record.origin)
        title, source_uri = await asyncio.to_thread(self._shown, record)
        for start in range(0, len(prepared.chunks), _WRITE_BATCH):
            await self._vectors.upsert(
                [
                    VectorRecord(
                        chunk=piece,
                        tenant_id=document.tenant_id,
                        origin=origin,
                        family_id=family.family_id,
                        vector=vector,
                        trust=trust,
                        admitted_at=at,
                        voting=family.voting,
                        title=title,
                        source_uri=source_uri,
                    )
                    for piece, vector in zip(
                        prepared.chunks[start : start + _WRITE_BATCH],
                        prepared.vectors[start : start + _WRITE_BATCH],
                        strict=True,
                    )
                ]
            )
        present = await self._origins.get(document.tenant_id, record.origin)
        if present != origin:
            await self._vectors.set_origin(present, tenant_id=document.tenant_id)

    def _shown(self, record: DocumentRecord) -> tuple[str, str | None]:
        """Return title and address as they may be read: of the title what a reader sees of it."""
        address = record.source_uri
        return (
            self._masking.masked_text(harden_line(record.title or record.file_name or "")),
            None if address is None else self._masking.masked_text(address),
        )

    async def place_again(self, document: Document, *, record: DocumentRecord) -> None:
        """Correct the family of an admitted document whose neighbours or tier changed meanwhile.

        Of two near-copies that were admitted without seeing each other the junior gives way,
        whichever of them looks again.
        """
        at = record.admitted_at or record.received_at
        own = FamilyId(record.id)
        candidate = self._candidate(document, at)
        known = await self._known(document)
        senior = [one for one in known if seniority(one) < seniority(candidate)]
        decision = assign_family(candidate, senior)
        if not decision.voting and record.family_id == own:
            await self._leave_behind(record)
        if (record.family_id, record.voting) != (decision.family_id, decision.voting):
            await move_members(
                record.tenant_id,
                {record.id: decision},
                vectors=self._vectors,
                documents=self._documents,
            )
        await self._absorb(record.tenant_id, decision, of=candidate, near=known)

    async def holds(self, record: DocumentRecord) -> bool:
        """Return whether the document has vectors."""
        return await self._vectors.holds(record.id, tenant_id=record.tenant_id)

    async def withdraw(self, record: DocumentRecord) -> None:
        """Remove the vectors; those that the document was the centre of elect another.

        They are found by the family's id, not by the record: an attempt that took their votes may
        have died before its own verdict was written.
        """
        await self._vectors.delete_document(record.id, tenant_id=record.tenant_id)
        await self._leave_behind(record)

    async def _leave_behind(self, record: DocumentRecord) -> None:
        """Deal anew those whose centre the document was."""
        await self._regrouping.redeal(record.tenant_id, {FamilyId(record.id)}, without=record.id)

    async def _absorb(
        self, tenant_id: TenantId, family: FamilyDecision, *, of: Member, near: Sequence[Member]
    ) -> None:
        """Let a new centre take the votes of those that it is senior to."""
        touched = {one.family_id for one in near if one.family_id is not None}
        if family.voting and touched:
            newcomer = replace(of, family_id=family.family_id)
            await self._regrouping.redeal(
                tenant_id, {*touched, family.family_id}, newcomer=newcomer
            )

    @staticmethod
    def _candidate(document: Document, at: datetime) -> Member:
        return Member(
            document_id=document.id,
            tier=document.provenance.origin.tier,
            origin=document.provenance.origin.ref,
            admitted_at=at,
            family_id=None,
        )

    async def _known(self, document: Document) -> Sequence[Member]:
        """Return the near-copies as members: those that are admitted by now."""
        near = {one.document_id: one for one in document.neighbours}
        records = await self._documents.records(document.tenant_id, list(near))
        return [
            replace(
                await member_of(record, self._origins),
                similarity=near[record.id].similarity,
                contradicts=near[record.id].relation is NeighbourRelation.CONTRADICTION,
            )
            for record in records.values()
            if record.status is DocumentStatus.ADMITTED and record.id != document.id
        ]


def embedded_text(heading: str, text: str) -> str:
    """Give the embedder a chunk with the headings it stands under, which carry its subject."""
    return f"{heading}\n{text}" if heading else text
