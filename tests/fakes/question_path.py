"""A whole question path in memory over a few written documents, with a toy embedder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from backends.memory.clock import ManualClock
from backends.memory.vectors import InMemoryVectorStore
from defences.answering.keywords import keywords
from domain.answering import (
    AnswerResult,
    Calibrator,
    Drafter,
    Question,
    QuestionId,
    Refiner,
    Verifier,
)
from domain.documents import DEFAULT_TENANT, Chunk, ChunkId, DocumentId, Span, Tier
from domain.retrieval import FamilyId, VectorRecord, VectorStore
from domain.verification import LatencyClass
from gateway.query.evidence_verifier import EvidenceVerifier
from gateway.query.extractive import ExtractiveDrafter
from gateway.query.options import QueryOptions, Wishes
from gateway.query.pipeline import QueryPipeline
from gateway.query.routing import Routing
from gateway.query.sentence_vectors import SentenceVectors
from tests.answer_builders import make_origin
from tests.builders import EPOCH

DIMENSIONS = 256


class WordEmbedder:
    """Texts are near as far as they share words: bags of stems, hashed."""

    dimensions = DIMENSIONS
    version = "words"

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.full((len(texts), DIMENSIONS), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in set(keywords(text)):
                digest = hashlib.blake2b(word.encode(), digest_size=2).digest()
                vectors[row, int.from_bytes(digest) % DIMENSIONS] += 1.0
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / norms, dtype=np.float32)


@dataclass(slots=True, kw_only=True)
class QuestionPath:
    """Documents of named origins, and the pipeline that answers from them.

    The drafter and the verifier are the embedded ones unless others are given.
    """

    options: QueryOptions = field(default_factory=lambda: QueryOptions(tau=0.02))
    drafter: Drafter | None = None
    verifier: Verifier | None = None
    refiner: Refiner | None = None
    large_model: Drafter | None = None
    calibrators: Mapping[str, Calibrator] = field(default_factory=dict)
    clock: ManualClock = field(default_factory=ManualClock)
    watch_share: float | None = None
    """None: no short ways."""
    vectors: VectorStore = field(default_factory=lambda: InMemoryVectorStore(dimensions=DIMENSIONS))
    published: int = 0

    async def publish(self, origin: str, text: str, *, tier: Tier = Tier.ESTABLISHED) -> None:
        self.published += 1
        document = DocumentId(f"{origin}-{self.published}")
        (vector,) = await WordEmbedder().embed([text])
        await self.vectors.upsert(
            [
                VectorRecord(
                    chunk=Chunk(
                        id=ChunkId(f"{document}:0"),
                        document_id=document,
                        ordinal=0,
                        span=Span(0, len(text)),
                        text=text,
                    ),
                    tenant_id=DEFAULT_TENANT,
                    origin=make_origin(origin, tier),
                    family_id=FamilyId(document),
                    vector=vector,
                    trust=0.7 if tier is Tier.POOL else 0.95,
                    admitted_at=EPOCH,
                )
            ]
        )

    def pipeline(self) -> QueryPipeline:
        vectors = SentenceVectors(WordEmbedder())
        return QueryPipeline(
            embedder=vectors,
            vectors=self.vectors,
            drafter=self.drafter or ExtractiveDrafter(vectors),
            verifier=self.verifier or EvidenceVerifier(vectors),
            refiner=self.refiner,
            calibrators=self.calibrators,
            large_model=self.large_model,
            routing=None
            if self.watch_share is None
            else Routing(reader=ExtractiveDrafter(vectors), watch_share=self.watch_share),
            clock=self.clock,
            secret=b"secret",
            options=self.options,
        )

    async def ask(
        self,
        text: str,
        *,
        latency_class: LatencyClass | None = None,
        id: str = "q",
        m: int | None = None,
        min_tolerance: int = 0,
    ) -> AnswerResult:
        question = Question(id=QuestionId(id), tenant_id=DEFAULT_TENANT, text=text)
        return await self.pipeline().answer(
            question, Wishes(latency_class=latency_class, m=m, min_tolerance=min_tolerance)
        )
