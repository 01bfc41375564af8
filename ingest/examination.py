"""Reads one document and judges it: parse, normalise, look around, scan, assess. No verdict is written."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain.clock import Clock
from domain.documents import (
    BlobStore,
    Document,
    DocumentId,
    DocumentParser,
    LabelMapping,
    MetadataField,
    Origin,
    ParsedDocument,
    Provenance,
    TenantId,
)
from domain.ledger import DocumentRecord
from domain.lifecycle import EditionMark
from domain.publishing import SignatureState
from domain.retrieval import Fingerprint
from domain.scanning import Detector, ScanReport
from domain.trust import TrustAssessment, TrustPolicy
from ingest.background import Background
from ingest.citations import CitationLookup
from ingest.masking import Masking
from ingest.neighbours import NeighbourLookup, text_key
from ingest.normalise import build_document
from ingest.originals import original_key
from ingest.scan import scan


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """A document as scanned and judged."""

    document: Document
    fingerprint: Fingerprint | None
    report: ScanReport
    assessment: TrustAssessment
    mark: EditionMark | None = None


class Examiner:
    """Takes the bytes of a document to an assessment, by what is known of its surroundings."""

    def __init__(
        self,
        *,
        blobs: BlobStore,
        parser: DocumentParser,
        neighbours: NeighbourLookup,
        detectors: Sequence[Detector],
        policy: TrustPolicy,
        background: Background,
        clock: Clock,
        citations: CitationLookup | None = None,
        masking: Masking | None = None,
    ) -> None:
        self._blobs = blobs
        self._parser = parser
        self._neighbours = neighbours
        self._detectors = tuple(detectors)
        self._policy = policy
        self._background = background
        self._clock = clock
        self._citations = citations
        self._masking = masking or Masking(finders=(), actions={})

    @property
    def policy_version(self) -> str:
        return self._policy.version

    @property
    def detectors(self) -> frozenset[str]:
        """Names of what looks at a document."""
        return frozenset(detector.name for detector in self._detectors)

    async def examine(self, record: DocumentRecord) -> Examination:
        """Parse and scan a received document, and keep its text and fingerprint for others to find.

        Raises:
            InputError: It cannot be parsed.
            TransientError: A service did not answer.
        """
        content = await self._blobs.get(record.tenant_id, original_key(record.sha256))
        return await self._examine(record, await self._parse(record, content))

    async def dry_run(
        self,
        content: bytes,
        *,
        tenant_id: TenantId,
        origin: Origin,
        claimed_media_type: str | None,
        file_name: str | None,
        metadata: Sequence[MetadataField] = (),
        signature: SignatureState | None = None,
        against_index: bool = True,
    ) -> Examination:
        """Judge bytes as if they had been uploaded, and store nothing.

        Raises:
            InputError: They cannot be parsed.
        """
        parsed = await self._parser.parse(
            content, claimed_media_type=claimed_media_type, file_name=file_name
        )
        document = await asyncio.to_thread(
            build_document,
            parsed,
            id=DocumentId("dry-run"),
            tenant_id=tenant_id,
            sha256="0" * 64,
            provenance=Provenance(
                origin=origin,
                claimed_uri=None,
                received_at=self._clock.now(),
                signature_verified=signature is SignatureState.VERIFIED,
                signature_forged=signature is SignatureState.FORGED,
            ),
            metadata=metadata,
        )
        made = None
        if against_index:
            seen = await self._neighbours.look_up(tenant_id, None, document.text.text)
            made = seen.fingerprint
            document = await self._neighbours.clear(seen.around(document))
            document = await self._neighbours.hear(document)
        return await self._judge(document, made)

    async def _parse(self, record: DocumentRecord, content: bytes) -> ParsedDocument:
        return await self._parser.parse(
            content, claimed_media_type=record.media_type, file_name=record.file_name
        )

    async def _examine(self, record: DocumentRecord, parsed: ParsedDocument) -> Examination:
        document = await asyncio.to_thread(
            build_document,
            parsed,
            id=record.id,
            tenant_id=record.tenant_id,
            sha256=record.sha256,
            provenance=await self._background.provenance(record),
            metadata=metadata_fields(
                title=record.title,
                file_name=record.file_name,
                source_uri=record.source_uri,
                labels=record.labels,
            ),
        )
        # The text first: a near-copy that is scanned at the same moment finds it by our fingerprint.
        await self._blobs.put(
            record.tenant_id, text_key(record.id), document.text.text.encode("utf-8", "replace")
        )
        seen = await self._neighbours.look_up(
            record.tenant_id, record.id, document.text.text, origin=record.origin
        )
        document = await self._neighbours.clear(seen.around(document))
        document = await self._neighbours.hear(document)
        mark = await self._background.versions.mark(document)
        changes = await self._background.versions.changes(
            document, mark, logical_id=record.logical_id
        )
        judged = await self._judge(replace(document, changes=changes), seen.fingerprint)
        return replace(judged, mark=mark)

    async def _judge(self, document: Document, fingerprint: Fingerprint | None) -> Examination:
        if self._citations is not None:
            document = await self._citations.look_up(document)
        report = self._masking.applied(await asyncio.to_thread(scan, document, self._detectors))
        report = await self._background.suppressed(document, report)
        assessment = self._policy.assess(report, document.provenance, now=self._clock.now())
        return Examination(
            document=document, fingerprint=fingerprint, report=report, assessment=assessment
        )


def metadata_fields(
    *,
    title: str | None,
    file_name: str | None,
    source_uri: str | None,
    labels: LabelMapping,
) -> tuple[MetadataField, ...]:
    """Return everything that is text beside the text, so that it is scanned too (Law 14)."""
    named = {"title": title, "file_name": file_name, "source_uri": source_uri}
    return (
        *(MetadataField(name=name, value=value) for name, value in named.items() if value),
        *(
            MetadataField(name=f"label:{key}", value=f"{key}: {value}")
            for key, value in labels.items()
        ),
    )
