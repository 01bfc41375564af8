"""Labelled questions with the evidence subsets that the question path would draft from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backends.memory.vectors import InMemoryVectorStore
from defences.retrieval.families import collapse
from defences.retrieval.partition import partition
from domain.answering import EvidenceSubset
from domain.documents import DEFAULT_TENANT, Chunk, ChunkId, DocumentId, Origin, OriginKind
from domain.retrieval import Embedder, FamilyId, ScoredChunk, VectorStore
from domain.text import Span
from evaluation.calibrate import index
from evaluation.calibration.labelled_set import LabelledQuestion, LabelledSet
from runtime.settings import Settings

EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""When what has no date of its own was admitted."""

PUBLIC: Final = Origin(kind=OriginKind.PUBLISHER, id="passages", established=True)
"""Who stands behind passages that come without an origin."""

_KEY: Final = hashlib.sha256(b"evaluation").digest()
"""Fixed, so that a measurement can be repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionEvidence:
    """A question, its vector, and what each draft of it would see."""

    labelled: LabelledQuestion
    text: str
    vector: NDArray[np.float32]
    subsets: tuple[EvidenceSubset, ...]


async def gather_evidence(
    labelled: LabelledSet,
    questions: Sequence[LabelledQuestion],
    *,
    embedder: Embedder,
    settings: Settings,
) -> tuple[QuestionEvidence, ...]:
    """Index the set's documents in memory and partition the evidence of each question."""
    vectors = InMemoryVectorStore()
    await index(labelled.documents, embedder=embedder, vectors=vectors, settings=settings)
    embedded = await embedder.embed([question.question for question in questions])
    found = []
    for question, vector in zip(questions, embedded, strict=True):
        evidence = await _search(vectors, question.question, vector, settings)
        parts = partition(
            collapse(evidence), m=settings.answering.m, k=settings.answering.k, key=_KEY
        )
        found.append(
            QuestionEvidence(
                labelled=question, text=question.question, vector=vector, subsets=parts.subsets
            )
        )
    return tuple(found)


async def _search(
    vectors: VectorStore, text: str, vector: NDArray[np.float32], settings: Settings
) -> tuple[ScoredChunk, ...]:
    retrieval = settings.retrieval
    hits: list[ScoredChunk] = []
    for established, limit in ((True, retrieval.established_limit), (False, retrieval.pool_limit)):
        hits.extend(
            await vectors.search(
                vector,
                text,
                tenant_id=DEFAULT_TENANT,
                established=established,
                limit=limit,
                per_origin=retrieval.per_origin,
                min_trust=retrieval.min_trust,
            )
        )
    return tuple(hits)


def without_headings(evidence: QuestionEvidence) -> QuestionEvidence:
    """Return the same as plain text without titles would give, asked in lower case."""
    subsets = tuple(
        replace(subset, chunks=tuple(_bare(chunk) for chunk in subset.chunks))
        for subset in evidence.subsets
    )
    return replace(evidence, text=evidence.text.lower().rstrip("?"), subsets=subsets)


def _bare(hit: ScoredChunk) -> ScoredChunk:
    return replace(hit, chunk=replace(hit.chunk, heading=""), title="")


def passage_hit(text: str, number: int, similarity: float) -> ScoredChunk:
    """Return a passage as if an established publisher's document had been found."""
    name = DocumentId(f"passage-{number}")
    return ScoredChunk(
        chunk=Chunk(
            id=ChunkId(f"{name}:0"), document_id=name, ordinal=0, span=Span(0, len(text)), text=text
        ),
        origin=PUBLIC,
        family_id=FamilyId(name),
        vector=np.zeros(1, dtype=np.float32),
        similarity=similarity,
        trust=1.0,
        admitted_at=EPOCH,
    )
