"""Questions and evidence subsets in one line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from domain.answering import Draft, EvidenceSubset, Question, QuestionId, Quote, SeatId
from domain.documents import DEFAULT_TENANT, Chunk, ChunkId, DocumentId, Origin, OriginKind
from domain.retrieval import FamilyId, ScoredChunk
from domain.text import Span
from tests.builders import EPOCH


def make_question(text: str) -> Question:
    return Question(id=QuestionId("q_test"), tenant_id=DEFAULT_TENANT, text=text)


def make_chunk(
    text: str,
    *,
    seat: str = "handbook",
    number: int = 0,
    offset: int = 0,
    heading: str = "",
    title: str = "",
    source_uri: str | None = None,
    mentions: Sequence[Span] = (),
    trust: float = 0.9,
) -> ScoredChunk:
    document_id = DocumentId(f"doc_{seat}_{number}")
    vector = np.zeros(4, dtype=np.float32)
    vector[0] = 1.0
    return ScoredChunk(
        chunk=Chunk(
            id=ChunkId(f"{document_id}:0"),
            document_id=document_id,
            ordinal=0,
            span=Span(offset, offset + len(text)),
            text=text,
            heading=heading,
            mentions=tuple(mentions),
        ),
        origin=Origin(kind=OriginKind.CONNECTOR, id=seat, established=True),
        family_id=FamilyId(document_id),
        vector=vector,
        similarity=0.5,
        trust=trust,
        admitted_at=EPOCH,
        title=title,
        source_uri=source_uri,
    )


def make_subset(
    *chunks: ScoredChunk | str, index: int = 0, seat: str = "handbook"
) -> EvidenceSubset:
    made = [
        make_chunk(chunk, seat=seat, number=at) if isinstance(chunk, str) else chunk
        for at, chunk in enumerate(chunks)
    ]
    seats = dict.fromkeys(SeatId(str(chunk.origin.ref)) for chunk in made)
    return EvidenceSubset(
        index=index, seats=tuple(seats), tier=made[0].origin.tier, chunks=tuple(made)
    )


def make_draft(answer: str, subset: EvidenceSubset, *, rationale: str | None = None) -> Draft:
    """Return a draft that quotes the first chunk of its subset whole."""
    first = subset.chunks[0]
    quote = Quote(
        document_id=first.chunk.document_id,
        origin=first.origin.ref,
        text=first.chunk.text,
        span=first.chunk.span,
        trust=first.trust,
    )
    return Draft(
        subset=subset,
        answer=answer,
        rationale=f"The document says {answer}." if rationale is None else rationale,
        quotes=(quote,),
        probability=0.8,
    )
