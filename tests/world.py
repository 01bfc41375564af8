"""The whole product in this process: real detectors, policy, embedder and drafter, stores in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from backends.embedder_onnx import SHIPPED_MANIFEST_SHA256, OnnxEmbedder
from backends.memory.answer_cache import InMemoryEvidenceStamps
from backends.memory.blobs import InMemoryBlobStore
from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from backends.memory.near_duplicates import InMemoryNearDuplicateIndex
from backends.memory.vectors import InMemoryVectorStore
from backends.stamped_vectors import StampedVectorStore
from defences.retrieval.shingles import SCHEME
from domain.answering import AnswerResult, Question, QuestionId
from domain.clock import Clock, IdFactory
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentParser, OriginRef
from domain.ledger import DocumentRecord, Ledger, NewDocument, StoredAssessment
from domain.retrieval import Embedder, VectorStore
from domain.scanning import Detector
from domain.web import WebSearch
from gateway.query.pipeline import QueryPipeline
from ingest.citations import CitationLookup
from ingest.originals import original_key
from ingest.origins import OriginDesk
from ingest.pipeline import IngestPipeline
from ingest.review import ReviewDesk
from runtime.answering import build_query
from runtime.ingestion import TrustServices, build_ingestion
from runtime.settings import Settings
from runtime.web import build_web

ACTOR = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    clock: ManualClock
    ids: SequentialIds
    ledger: Ledger
    blobs: InMemoryBlobStore
    vectors: VectorStore
    stored: InMemoryVectorStore
    """What `vectors` writes to."""
    stamps: InMemoryEvidenceStamps
    near_duplicates: InMemoryNearDuplicateIndex
    embedder: Embedder
    ingest: IngestPipeline
    review: ReviewDesk
    origins: OriginDesk
    trust: TrustServices
    query: QueryPipeline

    async def establish(self, ref: OriginRef, *, reviewed: bool = False) -> None:
        await self.origins.add(DEFAULT_TENANT, ref, actor=ACTOR)
        await self.origins.establish(
            DEFAULT_TENANT, ref, reviewed=reviewed, reason="known to the test", actor=ACTOR
        )

    async def receive(
        self,
        content: bytes,
        *,
        origin: OriginRef,
        media_type: str | None = "text/markdown",
        file_name: str | None = None,
        title: str | None = None,
        source_uri: str | None = None,
        labels: Mapping[str, str] | None = None,
        logical_id: str | None = None,
    ) -> DocumentId:
        """Store an upload as the gateway does; no scan yet."""
        sha256 = hashlib.sha256(content).hexdigest()
        await self.blobs.put(DEFAULT_TENANT, original_key(sha256), content)
        receipt = await self.ledger.documents.receive(
            NewDocument(
                id=DocumentId(self.ids.new("doc")),
                tenant_id=DEFAULT_TENANT,
                origin=origin,
                sha256=sha256,
                size_bytes=len(content),
                media_type=media_type,
                file_name=file_name,
                title=title,
                source_uri=source_uri,
                labels=labels or {},
                received_at=self.clock.now(),
                actor=ACTOR,
                logical_id=logical_id,
            ),
            claim=None,
        )
        return receipt.record.id

    async def upload(
        self, content: bytes | str, *, origin: OriginRef, **options: str | None
    ) -> DocumentRecord:
        """Upload and scan; return the record with its verdict."""
        raw = content.encode() if isinstance(content, str) else content
        document_id = await self.receive(raw, origin=origin, **options)  # type: ignore[arg-type]
        self.clock.advance(1.0)
        record = await self.ingest.ingest(document_id)
        assert record is not None
        return record

    async def assessment(self, document_id: DocumentId) -> StoredAssessment:
        stored = await self.ledger.documents.stored_assessment(DEFAULT_TENANT, document_id)
        assert stored is not None
        return stored

    async def ask(self, text: str) -> AnswerResult:
        self.clock.advance(1.0)
        question = Question(id=QuestionId(self.ids.new("q")), tenant_id=DEFAULT_TENANT, text=text)
        return await self.query.answer(question)


async def build_world(
    folder: Path,
    *,
    detectors: Sequence[Detector] | None = None,
    settings: Settings | None = None,
    parser: DocumentParser | None = None,
    citations: CitationLookup | None = None,
    web_search: WebSearch | None = None,
    ledger: Callable[[Clock, IdFactory], Ledger] | None = None,
    vectors: VectorStore | None = None,
    embedder: Embedder | None = None,
    beside: World | None = None,
) -> World:
    """Build an empty world, or one more process of another; `folder` is for what must be a file.

    Args:
        folder: As said.
        detectors: Ready-made ones.
        settings: None for the defaults.
        parser: None for the real one.
        citations: None for none.
        web_search: None for none.
        ledger: Makes one; None for one in memory.
        vectors: None for an index in memory.
        embedder: None for the real one.
        beside: Whose clock and stores it shares. Locks are each process's own.
    """
    settings = settings or Settings(data_dir=folder)
    clock = ManualClock() if beside is None else beside.clock
    ids = SequentialIds() if beside is None else beside.ids
    made = InMemoryLedger(clock=clock, ids=ids) if ledger is None else ledger(clock, ids)
    blobs = InMemoryBlobStore() if beside is None else beside.blobs
    stamps = InMemoryEvidenceStamps() if beside is None else beside.stamps
    stored = InMemoryVectorStore() if beside is None else beside.stored
    vectors = StampedVectorStore(stored, stamps) if vectors is None else vectors
    near_duplicates = (
        InMemoryNearDuplicateIndex(scheme=SCHEME) if beside is None else beside.near_duplicates
    )
    embedder = embedder or OnnxEmbedder(manifest_sha256=SHIPPED_MANIFEST_SHA256)
    ingestion = build_ingestion(
        settings,
        ledger=made,
        blobs=blobs,
        vectors=vectors,
        embedder=embedder,
        near_duplicates=near_duplicates,
        clock=clock,
        detectors=detectors,
        citations=citations,
        parser=parser,
    )
    return World(
        clock=clock,
        ids=ids,
        ledger=made,
        blobs=blobs,
        vectors=vectors,
        stored=stored,
        stamps=stamps,
        near_duplicates=near_duplicates,
        embedder=embedder,
        ingest=ingestion.pipeline,
        review=ingestion.review,
        origins=ingestion.origins,
        trust=ingestion.trust,
        query=await build_query(
            settings,
            embedder=embedder,
            vectors=vectors,
            clock=clock,
            secret=b"0" * 32,
            # Never used by the embedded default; not entered, so nothing to close.
            http=httpx.AsyncClient(),
            web=build_web(settings.web_search, ingestion=ingestion, clock=clock, search=web_search),
        ),
    )
