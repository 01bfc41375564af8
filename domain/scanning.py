"""Detectors and what they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from domain.documents import Document, DocumentId, Span


class FindingLevel(StrEnum):
    """A text that quotes an attack mentions it; a text that addresses the model instructs it."""

    MENTION = "mention"
    SUSPICIOUS = "suspicious"
    HOSTILE = "hostile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reason to distrust a document.

    Attributes:
        rule: Stable dotted name, `<detector>.<rule>`, e.g. `hidden-text.zero-width`.
        risk: Calibrated probability in [0, 1] that the rule is right about this document.
        level: What it means if it is right.
        message: For a person. Names rule, channel, counts; never document text.
        span: Where in the original text; None if it concerns the whole document.
        locator: Page or part, where the original is binary; None otherwise.
        evidence: Small JSON-serialisable facts for the reviewer. Never document text.
        suppressed_by: Id of the reviewer's suppression that covers it; it is reported and counts
            nothing. None where there is none.
    """

    rule: str
    risk: float
    level: FindingLevel
    message: str
    span: Span | None = None
    locator: str | None = None
    evidence: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    suppressed_by: str | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.risk <= 1.0:
            raise ValueError(f"risk must be in [0, 1], got {self.risk!r} for {self.rule!r}")


class Detector(Protocol):
    """Looks for one family of poisoning signs in one document. Pure: no I/O, no clock.

    Implementations hold no per-document state: the same instance serves many
    threads, and the same document always gives the same findings. What needs a
    service (a near-duplicate index, a citation resolver) is looked up first, in the
    pipeline, behind a port of its own, and handed to a pure detector as facts of the
    document (`Document.neighbours`).
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def scan(self, document: Document) -> Sequence[Finding]:
        """Return what was found; an empty sequence means nothing was.

        Raises:
            DetectorUnavailableError: The detector could not look, e.g. its model is not loaded.
        """
        ...


class InstructionClassifier(Protocol):
    """Reads windows of text and says how likely each addresses a model instead of its reader.

    A CPU port: sync, shared by threads, deterministic; a window's risk does not depend on the
    others of a call.
    """

    @property
    def version(self) -> str: ...

    def risks(self, windows: Sequence[str]) -> Sequence[float]:
        """Return a risk in [0, 1] for each window, in order; from 0.5 on it is worth holding.

        Raises:
            DetectorUnavailableError: The model is missing, damaged or not the pinned one.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """What all detectors said of one document.

    Attributes:
        completed: Version of every detector that looked, by name.
        unavailable: Names of detectors that could not look.
    """

    document_id: DocumentId
    findings: tuple[Finding, ...]
    completed: Mapping[str, str]
    unavailable: frozenset[str]
