"""Small valid evidence, drafts and answer groups for tests; what does not matter has a default."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import numpy as np

from domain.answering import (
    AnswerGroup,
    Draft,
    EvidenceSubset,
    Quote,
    ScoredDraft,
    SeatId,
    SeatVote,
)
from domain.documents import Chunk, ChunkId, DocumentId, Origin, OriginKind, Tier
from domain.retrieval import FamilyId, ScoredChunk
from domain.text import Span
from tests.builders import EPOCH


def make_origin(name: str, tier: Tier = Tier.ESTABLISHED) -> Origin:
    return Origin(
        kind=OriginKind.UPLOADER if tier is Tier.POOL else OriginKind.PUBLISHER,
        id=name,
        established=tier is not Tier.POOL,
        reviewed=tier is Tier.REVIEWED,
    )


def make_chunk(
    text: str = "A passage.",
    *,
    document: str = "doc",
    ordinal: int = 0,
    origin: Origin | None = None,
    family: str | None = None,
    similarity: float = 0.5,
    trust: float = 1.0,
    age_days: int = 0,
    heading: str = "",
    title: str = "",
    mentions: Sequence[Span] = (),
    span: Span | None = None,
) -> ScoredChunk:
    return ScoredChunk(
        chunk=Chunk(
            id=ChunkId(f"{document}:{ordinal}"),
            document_id=DocumentId(document),
            ordinal=ordinal,
            span=span if span is not None else Span(0, len(text)),
            text=text,
            heading=heading,
            mentions=tuple(mentions),
        ),
        origin=origin if origin is not None else make_origin("press"),
        family_id=FamilyId(family if family is not None else document),
        vector=np.zeros(1, dtype=np.float32),
        similarity=similarity,
        trust=trust,
        admitted_at=EPOCH - timedelta(days=age_days),
        title=title,
    )


def make_subset(
    chunks: Sequence[ScoredChunk], *, index: int = 0, seats: Sequence[str] | None = None
) -> EvidenceSubset:
    tier = chunks[0].origin.tier
    named = (
        seats if seats is not None else ["pool" if tier is Tier.POOL else str(chunks[0].origin.ref)]
    )
    return EvidenceSubset(
        index=index,
        seats=tuple(SeatId(seat) for seat in named),
        tier=tier,
        chunks=tuple(chunks),
    )


def make_draft(
    answer: str,
    *,
    origin: Origin | None = None,
    index: int = 0,
    probability: float = 0.9,
    trust: float = 1.0,
    family: str | None = None,
    abstained: bool = False,
) -> Draft:
    """Return a draft that quotes the only chunk of its subset."""
    owner = origin if origin is not None else make_origin("press")
    chunk = make_chunk(
        answer or "Nothing.",
        document=f"doc-{owner.id}-{index}",
        origin=owner,
        family=family,
        trust=trust,
    )
    quote = Quote(
        document_id=chunk.chunk.document_id,
        origin=owner.ref,
        text=answer,
        span=Span(0, len(answer)),
        trust=trust,
    )
    return Draft(
        subset=make_subset([chunk], index=index),
        answer="" if abstained else answer,
        rationale="" if abstained else "Quoted.",
        quotes=() if abstained else (quote,),
        probability=probability,
        abstained=abstained,
    )


def make_scored(
    answer: str,
    *,
    origin: Origin | None = None,
    index: int = 0,
    raw: float = 0.8,
    trust: float = 1.0,
    family: str | None = None,
    seats: Sequence[str] | None = None,
) -> ScoredDraft:
    draft = make_draft(answer, origin=origin, index=index, trust=trust, family=family)
    return ScoredDraft(
        draft=draft,
        faithfulness=0.9,
        unconditional=0.1,
        corroboration=0.0,
        raw=raw,
        trust=trust,
        seats=draft.subset.seats if seats is None else tuple(SeatId(seat) for seat in seats),
    )


def make_vote(seat: str, *, tier: Tier = Tier.ESTABLISHED, share: float = 1.0) -> SeatVote:
    return SeatVote(
        seat=SeatId(seat),
        established=tier is not Tier.POOL,
        reviewed=tier is Tier.REVIEWED,
        share=share,
    )


def make_group(
    answer: str, votes: Sequence[SeatVote], *, score: float = 0.5, confidence: float = 0.9
) -> AnswerGroup:
    established = sum(vote.share for vote in votes if vote.established)
    support = established if established else (0.5 if votes else 0.0)
    return AnswerGroup(
        answer=answer,
        drafts=(),
        votes=tuple(votes),
        support=support,
        diversity=1.0 - 2.0**-support,
        score=score,
        confidence=confidence,
    )
