"""The path of one document: parse, normalise, scan, assess, then admit, quarantine or reject.

Read this first. A worker calls `ingest` with an id; everything else is loaded here. The order of
writes makes every step safe to repeat: vectors before the verdict that promises them, and the
verdict last, by compare-and-set, so that of two workers on one document one settles it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.clock import Clock
from domain.documents import (
    BlobStore,
    Document,
    DocumentId,
    DocumentParser,
    DocumentStatus,
    LabelMapping,
    MetadataField,
    Origin,
    ParsedDocument,
    Provenance,
    TenantId,
)
from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from domain.ledger import DocumentRecord, Ledger, Settlement
from domain.retrieval import Signature
from domain.scanning import Detector, Finding, FindingLevel, ScanReport
from domain.trust import CoarseReason, Contribution, TrustAssessment, TrustPolicy, Verdict
from ingest.admission import Admission
from ingest.neighbours import NeighbourLookup, text_key
from ingest.normalise import build_document
from ingest.scan import scan

WORKER_KILLED_RULE: Final = "parsing.worker-killed"
UNREADABLE_RULE: Final = "parsing.unreadable"
OVER_TIME_RULE: Final = "parsing.over-time"
UNSUPPORTED_RULE: Final = "parsing.unsupported-type"


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """A document as scanned and judged."""

    document: Document
    signature: Signature | None
    report: ScanReport
    assessment: TrustAssessment


def original_key(sha256: str) -> str:
    """Name the blob that keeps uploaded bytes."""
    return f"original/{sha256}"


class IngestPipeline:
    """Takes a received document to its verdict."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        blobs: BlobStore,
        parser: DocumentParser,
        neighbours: NeighbourLookup,
        detectors: Sequence[Detector],
        policy: TrustPolicy,
        admission: Admission,
        clock: Clock,
        max_attempts: int,
    ) -> None:
        self._ledger = ledger
        self._blobs = blobs
        self._parser = parser
        self._neighbours = neighbours
        self._detectors = tuple(detectors)
        self._policy = policy
        self._admission = admission
        self._clock = clock
        self._max_attempts = max_attempts

    async def ingest(self, document_id: DocumentId) -> DocumentRecord | None:
        """Scan and settle one document; None where there was nothing to do.

        Raises:
            NotFoundError: Unknown to the ledger.
            TransientError: A service did not answer; the document stays to be tried again.
        """
        record = await self._ledger.documents.begin_attempt(document_id)
        if record is None:
            return None
        if record.attempts > self._max_attempts:
            # Written before parsing, so a file that kills its worker is counted, not retried for ever.
            await self._settle_unread(
                record,
                WORKER_KILLED_RULE,
                f"scanning stopped its worker {record.attempts - 1} times",
            )
        else:
            content = await self._blobs.get(record.tenant_id, original_key(record.sha256))
            try:
                parsed = await self._parse(record, content)
            except UnsupportedMediaTypeError as exc:
                await self._settle_unread(record, UNSUPPORTED_RULE, str(exc))
            except DocumentUnreadableError as exc:
                await self._settle_unread(record, UNREADABLE_RULE, str(exc))
            else:
                await self._settle(record, await self._examine(record, parsed))
        return await self._ledger.documents.find(document_id)

    async def give_up(self, document_id: DocumentId) -> None:
        """Quarantine a document whose scan took too long; nothing if it has a verdict."""
        record = await self._ledger.documents.find(document_id)
        if record.status is DocumentStatus.SCANNING:
            await self._settle_unread(record, OVER_TIME_RULE, "scanning took too long")

    async def examine_again(self, record: DocumentRecord) -> Examination:
        """Parse and scan a document that has a verdict, for a release. Writes no verdict.

        Raises:
            InputError: It cannot be parsed.
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
            provenance=Provenance(origin=origin, claimed_uri=None, received_at=self._clock.now()),
            metadata=metadata,
        )
        signature = None
        if against_index:
            signature, found = await self._neighbours.look_up(tenant_id, None, document.text.text)
            document = replace(document, neighbours=found)
        return await self._judge(document, signature)

    async def _parse(self, record: DocumentRecord, content: bytes) -> ParsedDocument:
        return await self._parser.parse(
            content, claimed_media_type=record.media_type, file_name=record.file_name
        )

    async def _examine(self, record: DocumentRecord, parsed: ParsedDocument) -> Examination:
        origin = await self._ledger.origins.get(record.tenant_id, record.origin)
        document = await asyncio.to_thread(
            build_document,
            parsed,
            id=record.id,
            tenant_id=record.tenant_id,
            sha256=record.sha256,
            provenance=Provenance(
                origin=origin, claimed_uri=record.source_uri, received_at=record.received_at
            ),
            metadata=metadata_fields(
                title=record.title,
                file_name=record.file_name,
                source_uri=record.source_uri,
                labels=record.labels,
            ),
        )
        # The text first: a near-copy that is scanned at the same moment finds it by our signature.
        await self._blobs.put(
            record.tenant_id, text_key(record.id), document.text.text.encode("utf-8", "replace")
        )
        signature, found = await self._neighbours.look_up(
            record.tenant_id, record.id, document.text.text
        )
        return await self._judge(replace(document, neighbours=found), signature)

    async def _judge(self, document: Document, signature: Signature | None) -> Examination:
        report = await asyncio.to_thread(scan, document, self._detectors)
        assessment = self._policy.assess(report, document.provenance, now=self._clock.now())
        return Examination(
            document=document, signature=signature, report=report, assessment=assessment
        )

    async def _settle(self, record: DocumentRecord, seen: Examination) -> None:
        now = self._clock.now()
        settlement = Settlement(
            assessment=seen.assessment,
            report=seen.report,
            media_type=seen.document.media_type,
            signature=seen.signature,
            settled_at=now,
        )
        if seen.assessment.verdict is Verdict.ADMIT:
            family = await self._admission.index(
                seen.document,
                record=record,
                findings=seen.report.findings,
                trust=seen.assessment.score,
                at=now,
            )
            settlement = replace(settlement, family_id=family.family_id, voting=family.voting)
        else:
            await self._admission.withdraw(record)
        await self._write(record, settlement)

    async def _settle_unread(self, record: DocumentRecord, rule: str, message: str) -> None:
        """Quarantine what could not be looked at: a person decides, nothing is dropped."""
        finding = Finding(rule=rule, risk=1.0, level=FindingLevel.SUSPICIOUS, message=message)
        contribution = Contribution(rule=rule, risk=1.0, weight=1.0, points=1.0)
        await self._admission.withdraw(record)
        await self._write(
            record,
            Settlement(
                assessment=TrustAssessment(
                    document_id=record.id,
                    score=0.0,
                    risk=1.0,
                    verdict=Verdict.QUARANTINE,
                    reason=CoarseReason.UNREADABLE,
                    contributions=(contribution,),
                    policy_version=self._policy.version,
                ),
                report=ScanReport(
                    document_id=record.id,
                    findings=(finding,),
                    completed={},
                    unavailable=frozenset(detector.name for detector in self._detectors),
                ),
                media_type=None,
                signature=None,
                settled_at=self._clock.now(),
            ),
        )

    async def _write(self, record: DocumentRecord, settlement: Settlement) -> None:
        if await self._ledger.documents.settle(record.id, settlement):
            return
        # Somebody deleted it or settled it meanwhile: what we indexed must not outlive that.
        present = await self._ledger.documents.find(record.id)
        if present.status is not DocumentStatus.ADMITTED:
            await self._admission.withdraw(present)
        if present.status is DocumentStatus.DELETED:
            await self._neighbours.forget(record.tenant_id, record.id)
            await self._blobs.delete(record.tenant_id, text_key(record.id))


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
