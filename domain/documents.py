"""What a document is, from upload to index."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NewType, Protocol

from domain.citations import ResolvedCitation
from domain.decodings import Decodings
from domain.masking import PLACEHOLDER_OPENING
from domain.origins import Origin, OriginKind, OriginRef, Provenance, Tier
from domain.text import MappedText, Span

DocumentId = NewType("DocumentId", str)
ChunkId = NewType("ChunkId", str)
TenantId = NewType("TenantId", str)

DEFAULT_TENANT = TenantId("default")

__all__ = [
    "DEFAULT_TENANT",
    "BlobStore",
    "ChangeKind",
    "Chunk",
    "ChunkId",
    "Document",
    "DocumentId",
    "DocumentParser",
    "DocumentStatus",
    "Echo",
    "HiddenPassage",
    "LabelMapping",
    "MetadataField",
    "Neighbour",
    "NeighbourRelation",
    "Origin",
    "OriginKind",
    "OriginRef",
    "Overlap",
    "OverlapKind",
    "ParsedDocument",
    "Part",
    "Provenance",
    "Span",
    "TenantId",
    "Tier",
    "VersionChange",
]


class DocumentStatus(StrEnum):
    RECEIVED = "received"
    SCANNING = "scanning"
    ADMITTED = "admitted"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    """Admitted once, and replaced by a newer version of the same logical id."""
    DELETED = "deleted"


UNDECIDED: Final = (DocumentStatus.RECEIVED, DocumentStatus.SCANNING)
"""Of documents that wait for a verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A page, section file or attachment: `locator` says which, e.g. `page 3`, `body`."""

    locator: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenPassage:
    """Text that a reader of the document would not see but a model would.

    Attributes:
        channel: Kebab-case name of how it is hidden, e.g. `html-display-none`, `pdf-white`,
            `docx-vanish`, `markdown-comment`, `unicode-tags`.
        text: What is hidden, mapped to `raw_text`.
        locator: Page or part, where `raw_text` is not the input itself.
        benign: Legitimate by its kind (screen-reader label, alt text, an OCR layer that repeats
            the page): still scanned, but the channel alone is no finding.
    """

    channel: str
    text: MappedText
    locator: str | None = None
    benign: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataField:
    """Text beside the text (title, author, subject, file name ...): scanned and fenced (Law 14).

    `raw` is the value as it came, where hardening it changed it; empty otherwise.
    """

    name: str
    value: str
    raw: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """What a parser found.

    Attributes:
        media_type: What the content turned out to be.
        raw_text: For text formats the decoded input itself; for binary ones all text found, the
            hidden included. Every span of the product points into it.
        visible: What a reader would see, in reading order, mapped to `raw_text`. Not normalised.
        hidden: What a reader would not see. Not normalised.
        parts: Where pages or parts stand in `raw_text`, in order. Empty for text formats.
        warnings: Stable kebab-case codes of what could not be looked at, e.g. `pdf-encrypted`.
    """

    media_type: str
    raw_text: str
    visible: MappedText
    hidden: tuple[HiddenPassage, ...] = ()
    metadata: tuple[MetadataField, ...] = ()
    parts: tuple[Part, ...] = ()
    warnings: tuple[str, ...] = ()


class NeighbourRelation(StrEnum):
    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    """Near-identical but for a figure, date, name or negation (Law 3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A known document that this one is a near-copy of. Looked up before the scan.

    Attributes:
        similarity: Estimated Jaccard similarity of word 5-shingles, in [0, 1].
        differences: How many figures, dates, names or negations differ. Never which: that is text.
        admitted: Whether it is in the index; a quarantined or rejected one is a neighbour too.
        contained: Quarantined or rejected, rather than not scanned yet; also if deleted since.
        rejected: Of what is contained, what a person or the policy rejected.
        exact: The texts are the same but for case, spacing, punctuation and disguise.
        cleared: Of what is contained, what it was turned away for is not in this document.
    """

    document_id: DocumentId
    origin: Origin
    similarity: float
    relation: NeighbourRelation
    differences: int
    admitted: bool
    contained: bool = False
    rejected: bool = False
    exact: bool = False
    cleared: bool = False


class ChangeKind(StrEnum):
    FIGURE = "figure"
    DATE = "date"
    NEGATION = "negation"
    NAME = "name"
    TEXT = "text"
    """Most of what was said is said no more: it is another document under the same id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionChange:
    """A figure, date, negation or name in which a document departs from an earlier version of it.

    Attributes:
        span: Where, in the new document's `raw_text`.
        earlier: The version it departs from.
        confirmed: An admitted document of an independent established origin says the same.
    """

    kind: ChangeKind
    span: Span
    earlier: DocumentId
    confirmed: bool = False


class OverlapKind(StrEnum):
    WITHIN = "within"
    """Most of the document stands in the other one."""
    HOLDS = "holds"
    """Most of the other one stands in the document."""
    PASSAGE = "passage"
    """A passage stands in both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """A known document with which this one shares passages, without being a near-copy.

    Directed, and never a reason to join a family (Law 3).

    Attributes:
        share: Of the one that is held within the other, or of the shorter, in (0, 1]; boilerplate
            (what documents of several established origins have) is left out.
        words: Estimated length of what is shared, without boilerplate.
        differences: How many figures, dates, names or negations differ; 0 where not looked at.
        admitted: Whether it is in the index.
        contained: Quarantined or rejected, also if it was deleted since.
        rejected: Rejected, also if it was deleted since.
        cleared: Of what is contained, what it was turned away for is not in this document.
        reworded: Of what is rejected, most of it stands here with other words in between.
    """

    document_id: DocumentId
    origin: Origin
    kind: OverlapKind
    share: float
    words: int
    differences: int = 0
    admitted: bool = True
    contained: bool = False
    rejected: bool = False
    cleared: bool = False
    reworded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    """An admitted document of which a passage means nearly the same, in other words.

    A sign for a reviewer, never a duplicate: embeddings do not tell 5 mg from 50 mg.

    Attributes:
        similarity: Cosine of the two passages.
        differences: How many figures, dates, names or negations differ.
    """

    document_id: DocumentId
    origin: Origin
    similarity: float
    differences: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed and normalised document, ready to be scanned.

    Attributes:
        raw_text: As parsed; what spans point into.
        text: Visible text, hardened: NFKC, no default-ignorables, mapped to `raw_text`. Case kept.
        hidden: Hidden passages with their text hardened in the same way.
        metadata: Titles, file names, labels, URIs and embedded properties, values hardened.
        neighbours: Near-copies among known documents, most similar first.
        overlaps: Known documents that share passages with it, the most telling first.
        echoes: Admitted documents that say nearly the same in other words, the nearest first.
        crowd: Documents in an over-full bucket of the near-duplicate index into which this one
            falls, unless several established origins explain it; 0 if there is none.
        changes: In what it departs from the reviewed and the serving version of itself.
        citations: Identifiers that were looked up; empty where no resolver is configured.
        decodings: What its texts say once decoded, shared by the detectors of one scan; None
            outside a scan.
    """

    id: DocumentId
    tenant_id: TenantId
    media_type: str
    sha256: str
    raw_text: str
    text: MappedText
    provenance: Provenance
    hidden: tuple[HiddenPassage, ...] = ()
    metadata: tuple[MetadataField, ...] = ()
    parts: tuple[Part, ...] = ()
    warnings: tuple[str, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    echoes: tuple[Echo, ...] = ()
    crowd: int = 0
    changes: tuple[VersionChange, ...] = ()
    citations: tuple[ResolvedCitation, ...] = ()
    decodings: Decodings | None = field(default=None, compare=False, repr=False)

    def locate(self, span: Span) -> str | None:
        """Return the locator of the part where `span` begins; None where there are no parts."""
        found: str | None = None
        for part in self.parts:
            if part.span.start <= span.start:
                found = part.locator
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of one document that can be retrieved on its own.

    Attributes:
        span: Where it stands in the document's `raw_text`.
        text: Visible, hardened text.
        heading: Titles of the sections it stands in, outermost first, joined by ` > `. Untrusted.
        mentions: Ranges of `text` that quote an attack; masked in what a drafter sees (Law 14).
    """

    id: ChunkId
    document_id: DocumentId
    ordinal: int
    span: Span
    text: str
    heading: str = ""
    mentions: tuple[Span, ...] = field(default=())

    def source(self, start: int, end: int) -> Span:
        """Return where `text[start:end]` stands in the document's `raw_text`, conservatively.

        A chunk keeps its own place and no map of each character. Where its text is as long as its
        source nothing was dropped, and the range is exact. Where the source is longer, by markup or
        by invisible characters that hardening removed, any of the dropped characters may stand
        before or inside the range: it is widened by all of them, never beyond the chunk. Where the
        text is the longer one (a ligature became letters), or a placeholder stands for a value, it
        is the whole chunk.
        """
        if PLACEHOLDER_OPENING in self.text:
            return self.span
        dropped = (self.span.end - self.span.start) - len(self.text)
        if dropped < 0:
            return self.span
        return Span(self.span.start + start, min(self.span.end, self.span.start + end + dropped))


class DocumentParser(Protocol):
    """Decides the type by content and parses within limits, away from this process."""

    async def parse(
        self, content: bytes, *, claimed_media_type: str | None, file_name: str | None
    ) -> ParsedDocument:
        """Parse.

        Raises:
            UnsupportedMediaTypeError: No parser takes what the content turned out to be.
            DocumentUnreadableError: Not well-formed, or a limit (memory, CPU time, output) broke.
        """
        ...


class BlobStore(Protocol):
    """Bytes by key, apart by tenant.

    Keys are `original/<sha256>`, `text/<document id>` and `objections/<document id>`.
    """

    async def put(self, tenant_id: TenantId, key: str, content: bytes) -> None:
        """Write durably, whole or not at all. Writing a key again replaces it."""
        ...

    async def get(self, tenant_id: TenantId, key: str) -> bytes:
        """Return the bytes.

        Raises:
            NotFoundError: No such key for this tenant.
        """
        ...

    async def delete(self, tenant_id: TenantId, key: str) -> None:
        """Remove; a missing key is no error."""
        ...

    def keys(self, tenant_id: TenantId) -> AsyncIterator[str]:
        """Yield each key of the tenant once, in no order. For repair, copies and invariants."""
        ...

    async def ping(self) -> None:
        """Return if the store answers.

        Raises:
            TransientError: It does not, or refuses us.
        """
        ...


LabelMapping = Mapping[str, str]
"""Labels of a document, as its uploader gave them. Untrusted; never select a monitor."""
