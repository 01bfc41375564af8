"""Parsers, detectors and policy from `Settings`, and what judges a document with them alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from backends.citations.cases_eyecite import EyeciteCases
from backends.clock import SystemClock
from backends.instruction_classifier_onnx import OnnxInstructionClassifier
from backends.memory.citations import InMemoryCitationCache
from backends.memory.locks import InMemoryRateLimiter
from backends.parser_process import ProcessParser
from backends.secrets_detect_secrets import SecretsDetector
from defences.detectors.citations import CheckedCitation, CitationsDetector, check_citations
from defences.detectors.hidden_text import HiddenTextDetector
from defences.detectors.injected_instructions import InjectedInstructionsDetector
from defences.detectors.injected_instructions.classified import WindowReader
from defences.detectors.injected_instructions.ranker import WindowRanker
from defences.detectors.near_duplicates import NearDuplicatesDetector
from defences.detectors.publisher_signature import PublisherSignatureDetector
from defences.detectors.version_changes import VersionChangesDetector
from defences.trust.policy import DEFAULT_POLICY, WeightedTrustPolicy, load_policy
from domain.clock import Clock
from domain.documents import (
    DEFAULT_TENANT,
    Document,
    DocumentId,
    DocumentParser,
    MetadataField,
    Origin,
    OriginKind,
    ParsedDocument,
    Provenance,
)
from domain.errors import ConfigurationError, DocumentUnreadableError, UnsupportedMediaTypeError
from domain.scanning import Detector, ScanReport
from domain.trust import TrustAssessment
from ingest.citations import CitationLookup
from ingest.masking import Masking
from ingest.normalise import build_document
from ingest.parsers.inline import InlineParser
from ingest.parsers.sniff import CSV, HTML, JSON, MARKDOWN, PLAIN, sniff
from ingest.scan import scan
from runtime.citations import build_citation_lookup
from runtime.dated_citations import DatedCitationsDetector
from runtime.ingest_sections import IngestSettings
from runtime.masking import build_masking, build_personal_data
from runtime.settings import Settings

NEW_ORIGIN: Final = Origin(kind=OriginKind.UPLOADER, id="scan", established=False)
"""Whose document it is, where nobody vouches for it."""

TEXT_TYPES: Final = frozenset({PLAIN, MARKDOWN, HTML, CSV, JSON})

_INLINE_BYTES: Final = 512_000
"""Longer texts are parsed in the child too: this process has no limit on time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the detectors and the policy say of one document.

    Attributes:
        document: As it was scanned.
        risks: Of each kind alone, in [0, 1].
    """

    document: Document
    report: ScanReport
    assessment: TrustAssessment
    risks: Mapping[str, float]

    @property
    def text(self) -> str:
        """The visible text, hardened."""
        return self.document.text.text

    @property
    def in_input_text(self) -> bool:
        """Whether spans count in the input's own text, not in one made of its parts."""
        return self.document.media_type in TEXT_TYPES


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanner:
    """Judges documents as those of a new, unestablished origin. Needs no service of ours.

    Attributes:
        inline: Parses short texts in this process, which is some hundred times faster.
        confined: Parses everything else within limits.
    """

    inline: DocumentParser
    confined: DocumentParser
    detectors: tuple[Detector, ...]
    policy: WeightedTrustPolicy
    clock: Clock
    citations: CitationLookup | None = None
    masking: Masking | None = None

    async def judge(
        self, content: bytes, *, file_name: str | None, metadata: Sequence[MetadataField] = ()
    ) -> Judged:
        """Parse, scan and assess.

        Raises:
            UnsupportedMediaTypeError: No parser takes what the content turned out to be.
            DocumentUnreadableError: Not well-formed, or a limit broke.
            TransientError: The parser process could not be started.
        """
        document = await self._document(content, file_name, metadata)
        report = scan(document, self.detectors)
        return self._judged(
            document, report if self.masking is None else self.masking.applied(report)
        )

    async def cited(self, content: bytes, *, file_name: str | None) -> Sequence[CheckedCitation]:
        """Return a verdict on every identifier the document cites. Raises as `judge`."""
        document = await self._document(content, file_name, ())
        return check_citations(document, today=self.clock.now().date())

    async def _document(
        self, content: bytes, file_name: str | None, metadata: Sequence[MetadataField]
    ) -> Document:
        document = build_document(
            await self._parse(content, file_name),
            id=DocumentId("scan"),
            tenant_id=DEFAULT_TENANT,
            sha256="0" * 64,
            provenance=self._provenance(),
            metadata=metadata,
        )
        return document if self.citations is None else await self.citations.look_up(document)

    def with_surroundings(self, judged: Judged, document: Document) -> Judged:
        """Judge again, now that the document knows what else says the same."""
        other = [
            finding
            for finding in judged.report.findings
            if not finding.rule.startswith(f"{NearDuplicatesDetector.name}.")
        ]
        found = NearDuplicatesDetector().scan(document)
        return self._judged(document, replace(judged.report, findings=(*other, *found)))

    async def _parse(self, content: bytes, file_name: str | None) -> ParsedDocument:
        if _is_short_text(content, file_name):
            try:
                return await self.inline.parse(
                    content, claimed_media_type=None, file_name=file_name
                )
            except (DocumentUnreadableError, UnsupportedMediaTypeError):
                raise
            except Exception:  # noqa: S110 - a hostile text; the child says what of it
                pass
        return await self.confined.parse(content, claimed_media_type=None, file_name=file_name)

    def _judged(self, document: Document, report: ScanReport) -> Judged:
        received = self._provenance()
        return Judged(
            document=document,
            report=report,
            assessment=self.policy.assess(report, received, now=received.received_at),
            risks=self.policy.group_risks(report),
        )

    def _provenance(self) -> Provenance:
        return Provenance(origin=NEW_ORIGIN, claimed_uri=None, received_at=self.clock.now())


def _is_short_text(content: bytes, file_name: str | None) -> bool:
    # Containers are not even opened here: their directories are hostile too.
    if len(content) > _INLINE_BYTES or content[:2] == b"PK" or b"%PDF-" in content[:1024]:
        return False
    try:
        return sniff(content, claimed=None, file_name=file_name).text is not None
    except (DocumentUnreadableError, UnsupportedMediaTypeError):
        return False


def build_parser(settings: Settings) -> DocumentParser:
    limits = settings.ingest.parser
    return ProcessParser(
        memory_bytes=limits.memory_bytes,
        cpu_seconds=limits.cpu_seconds,
        wall_seconds=limits.wall_seconds,
        max_text_chars=limits.max_text_chars,
    )


def build_detectors(
    *, as_of: date | Callable[[], date], ingest: IngestSettings | None = None
) -> tuple[Detector, ...]:
    """Build every detector that the shipped policy expects.

    Args:
        as_of: Today: a citation of next year is one that cannot exist. A function is asked at each
            scan.
        ingest: None for the defaults.
    """
    chosen = ingest or IngestSettings()
    cases = EyeciteCases() if chosen.citations.case_law else None
    return (
        InjectedInstructionsDetector(reader=build_window_reader()),
        HiddenTextDetector(),
        DatedCitationsDetector(today=as_of, cases=cases)
        if callable(as_of)
        else CitationsDetector(as_of=as_of, cases=cases),
        NearDuplicatesDetector(),
        VersionChangesDetector(),
        PublisherSignatureDetector(),
        build_personal_data(chosen.personal_data),
        SecretsDetector(),
    )


def build_window_reader() -> WindowReader:
    """Build the learned tiers of the detector of injected instructions.

    Raises:
        PermanentError: The shipped model's manifest or linear tier is missing or not the pinned one.
    """
    classifier = OnnxInstructionClassifier()
    return WindowReader(ranker=build_window_ranker(classifier), classifier=classifier)


def build_window_ranker(classifier: OnnxInstructionClassifier) -> WindowRanker:
    """Build the linear tier that comes with a classifier.

    Raises:
        PermanentError: It is missing or not the pinned one.
    """
    linear = classifier.linear_weights()
    return WindowRanker(weights=linear.weights, bias=linear.bias)


def build_policy(settings: Settings) -> WeightedTrustPolicy:
    """Read the trust policy in force.

    Raises:
        ConfigurationError: The file cannot be read or is not a policy.
    """
    path = settings.ingest.policy_path or DEFAULT_POLICY
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigurationError(f"trust policy {str(path)!r} cannot be read as text") from exc
    return load_policy(text)


def build_scanner(settings: Settings) -> Scanner:
    """Build what `mithridate scan` judges with. Raises as `build_policy`."""
    clock = SystemClock()
    return Scanner(
        inline=InlineParser(max_text_chars=settings.ingest.parser.max_text_chars),
        confined=build_parser(settings),
        detectors=build_detectors(as_of=lambda: clock.now().date(), ingest=settings.ingest),
        policy=build_policy(settings),
        masking=build_masking(settings.ingest.personal_data),
        clock=clock,
        citations=build_citation_lookup(
            settings.ingest.citations,
            cache=InMemoryCitationCache(clock=clock),
            rate_limiter=InMemoryRateLimiter(clock=clock),
            clock=clock,
        ),
    )
