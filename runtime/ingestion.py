"""The path of a document, built over whichever stores it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backends.ids import RandomIds
from defences.trust.policy import WeightedTrustPolicy
from domain.clock import Clock
from domain.documents import BlobStore, DocumentParser
from domain.jobs import Lock
from domain.ledger import Ledger
from domain.retrieval import Embedder, NearDuplicateIndex, VectorStore
from domain.scanning import Detector
from ingest.admission import Admission, ChunkOptions
from ingest.background import Background
from ingest.citations import CitationLookup
from ingest.echoes import EchoLookup
from ingest.examination import Examiner
from ingest.holding import HeldDocuments
from ingest.leases import ScanLeases
from ingest.neighbours import NeighbourLookup
from ingest.origins import OriginDesk
from ingest.pipeline import IngestPipeline
from ingest.publishers import PublisherDesk
from ingest.regrouping import Regrouping
from ingest.replaying import PolicyReplay
from ingest.review import ReviewDesk
from ingest.reweighing import Reweighing
from ingest.suppressing import SuppressionDesk
from ingest.turns import Turns
from ingest.versions import VersionLookup
from runtime.masking import build_masking
from runtime.scanning import build_detectors, build_parser, build_policy
from runtime.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustServices:
    """The policy in force and what people do with it."""

    policy: WeightedTrustPolicy
    suppressions: SuppressionDesk
    publishers: PublisherDesk
    replay: PolicyReplay
    held: HeldDocuments
    versions: VersionLookup


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingestion:
    """What takes documents in, decides about them, and vouches for where they come from."""

    pipeline: IngestPipeline
    review: ReviewDesk
    origins: OriginDesk
    trust: TrustServices
    admission: Admission


def build_ingestion(
    settings: Settings,
    *,
    ledger: Ledger,
    blobs: BlobStore,
    vectors: VectorStore,
    embedder: Embedder,
    near_duplicates: NearDuplicateIndex,
    clock: Clock,
    lock: Lock | None = None,
    detectors: Sequence[Detector] | None = None,
    parser: DocumentParser | None = None,
    citations: CitationLookup | None = None,
) -> Ingestion:
    """Build the document path; `detectors` None takes those that the shipped policy expects.

    `lock` keeps apart the processes that admit documents; None where this is the only one.
    `parser` None takes the one that works in a process of its own. `citations` None looks none up.

    Raises:
        ConfigurationError: The trust policy is not usable, or an action names no rule.
    """
    policy = build_policy(settings)
    neighbours = NeighbourLookup(
        index=near_duplicates,
        documents=ledger.documents,
        origins=ledger.origins,
        blobs=blobs,
        echoes=EchoLookup(embedder=embedder, vectors=vectors),
    )
    masking = build_masking(settings.ingest.personal_data)
    regrouping = Regrouping(
        documents=ledger.documents,
        origins=ledger.origins,
        vectors=vectors,
        blobs=blobs,
        index=near_duplicates,
    )
    admission = Admission(
        vectors=vectors,
        embedder=embedder,
        documents=ledger.documents,
        origins=ledger.origins,
        regrouping=regrouping,
        options=ChunkOptions(
            words=settings.ingest.chunk_words,
            overlap_words=settings.ingest.chunk_overlap_words,
            most=settings.ingest.max_chunks,
        ),
        masking=masking,
    )
    turns = Turns(lock=lock, clock=clock)
    versions = VersionLookup(
        lifecycle=ledger.lifecycle, blobs=blobs, clock=clock, embedder=embedder
    )
    background = Background(ledger=ledger, policy=policy, versions=versions, clock=clock)
    examiner = Examiner(
        blobs=blobs,
        parser=parser or build_parser(settings),
        neighbours=neighbours,
        detectors=build_detectors(as_of=lambda: clock.now().date(), ingest=settings.ingest)
        if detectors is None
        else detectors,
        policy=policy,
        background=background,
        clock=clock,
        citations=citations,
        masking=masking,
    )
    pipeline = IngestPipeline(
        ledger=ledger,
        blobs=blobs,
        examiner=examiner,
        neighbours=neighbours,
        admission=admission,
        background=background,
        regrouping=regrouping,
        turns=turns,
        leases=ScanLeases(documents=ledger.documents, seconds=settings.worker.lease_seconds),
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
        versions=versions,
        turns=turns,
        clock=clock,
    )
    origins = build_origin_desk(
        ledger=ledger,
        blobs=blobs,
        vectors=vectors,
        policy=policy,
        clock=clock,
        turns=turns,
        near_duplicates=near_duplicates,
    )
    trust = TrustServices(
        policy=policy,
        suppressions=SuppressionDesk(
            ledger=ledger, pipeline=pipeline, policy=policy, ids=RandomIds(clock), clock=clock
        ),
        publishers=PublisherDesk(ledger=ledger, origins=origins, clock=clock),
        replay=PolicyReplay(ledger=ledger, background=background),
        held=HeldDocuments(lifecycle=ledger.lifecycle, policy=policy, clock=clock),
        versions=versions,
    )
    return Ingestion(
        pipeline=pipeline, review=review, origins=origins, trust=trust, admission=admission
    )


def build_origin_desk(
    *,
    ledger: Ledger,
    blobs: BlobStore,
    vectors: VectorStore,
    policy: WeightedTrustPolicy,
    clock: Clock,
    turns: Turns | None = None,
    near_duplicates: NearDuplicateIndex | None = None,
) -> OriginDesk:
    """Build what vouches for origins; it needs neither broker nor models.

    Without `turns` it takes none: a scan of the same moment looks again after it. Without
    `near_duplicates` the families of the origin's documents are dealt anew among themselves.
    """
    return OriginDesk(
        origins=ledger.origins,
        vectors=vectors,
        regrouping=Regrouping(
            documents=ledger.documents,
            origins=ledger.origins,
            vectors=vectors,
            blobs=blobs,
            index=near_duplicates,
        ),
        reweighing=Reweighing(
            ledger=ledger,
            background=Background(
                ledger=ledger,
                policy=policy,
                versions=VersionLookup(lifecycle=ledger.lifecycle, blobs=blobs, clock=clock),
                clock=clock,
            ),
            policy=policy,
            vectors=vectors,
        ),
        turns=turns or Turns(lock=None, clock=clock),
        clock=clock,
    )
