"""The path of a document, built over whichever stores it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domain.clock import Clock
from domain.documents import BlobStore
from domain.ledger import Ledger
from domain.retrieval import Embedder, NearDuplicateIndex, VectorStore
from domain.scanning import Detector
from ingest.admission import Admission, ChunkOptions
from ingest.neighbours import NeighbourLookup
from ingest.origins import OriginDesk
from ingest.pipeline import IngestPipeline
from ingest.regrouping import Regrouping
from ingest.review import ReviewDesk
from runtime.scanning import build_detectors, build_parser, build_policy
from runtime.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingestion:
    """What takes documents in, decides about them, and vouches for where they come from."""

    pipeline: IngestPipeline
    review: ReviewDesk
    origins: OriginDesk


def build_ingestion(
    settings: Settings,
    *,
    ledger: Ledger,
    blobs: BlobStore,
    vectors: VectorStore,
    embedder: Embedder,
    near_duplicates: NearDuplicateIndex,
    clock: Clock,
    detectors: Sequence[Detector] | None = None,
) -> Ingestion:
    """Build the document path; `detectors` None takes those that the shipped policy expects.

    Raises:
        ConfigurationError: The trust policy is not usable.
    """
    policy = build_policy(settings)
    neighbours = NeighbourLookup(
        index=near_duplicates, documents=ledger.documents, origins=ledger.origins, blobs=blobs
    )
    admission = Admission(
        vectors=vectors,
        embedder=embedder,
        documents=ledger.documents,
        origins=ledger.origins,
        options=ChunkOptions(
            words=settings.ingest.chunk_words, overlap_words=settings.ingest.chunk_overlap_words
        ),
    )
    pipeline = IngestPipeline(
        ledger=ledger,
        blobs=blobs,
        parser=build_parser(settings),
        neighbours=neighbours,
        detectors=build_detectors(as_of=clock.now().date()) if detectors is None else detectors,
        policy=policy,
        admission=admission,
        clock=clock,
        max_attempts=settings.worker.max_attempts,
    )
    review = ReviewDesk(
        ledger=ledger,
        blobs=blobs,
        pipeline=pipeline,
        neighbours=neighbours,
        admission=admission,
        policy=policy,
        clock=clock,
    )
    origins = build_origin_desk(ledger=ledger, blobs=blobs, vectors=vectors, clock=clock)
    return Ingestion(pipeline=pipeline, review=review, origins=origins)


def build_origin_desk(
    *, ledger: Ledger, blobs: BlobStore, vectors: VectorStore, clock: Clock
) -> OriginDesk:
    """Build what vouches for origins; it needs neither broker nor models."""
    return OriginDesk(
        origins=ledger.origins,
        vectors=vectors,
        regrouping=Regrouping(
            documents=ledger.documents, origins=ledger.origins, vectors=vectors, blobs=blobs
        ),
        clock=clock,
    )
