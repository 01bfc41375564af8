"""From findings to a trust score and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from domain.documents import DocumentId, Provenance
from domain.scanning import ScanReport


class Verdict(StrEnum):
    """Hold-and-rescan is a quarantine with the reason `hold`."""

    ADMIT = "admit"
    QUARANTINE = "quarantine"
    REJECT = "reject"


class CoarseReason(StrEnum):
    """All that a submit-only key learns of why (Law 15)."""

    CLEAN = "clean"
    CONTENT = "content"
    """Something in the document: injected instructions, hidden text, citations."""
    PERSONAL_DATA = "personal-data"
    DUPLICATE = "duplicate"
    UNREADABLE = "unreadable"
    """It could not be parsed, or it stopped the worker that tried."""
    SIGNATURE = "signature"
    """It came with a publisher's signature that is not the publisher's."""
    HOLD = "hold"
    """It waits: a detector could not look, or what it changes is to be confirmed. It is scanned
    again by itself a few times; after that a person decides."""
    REVIEW = "review"
    """A person decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """How much one rule moved the score, so that a verdict can be explained.

    Attributes:
        risk: Greatest risk among the rule's findings that counted, in [0, 1].
        weight: The policy's weight of the rule.
        points: What it added to the document's risk after caps, in [0, 1].
        mode: `enforce`, or `observe` where it was recorded and counted nothing.
        version: Of the detector whose rule it is; empty for composites, which are the policy's.
        hard: The verdict that the rule alone causes, whatever the sum says; None where it is none.
        explained_by: Composite that took the rule's points; None where none did.
        suppressed: How many of its findings a reviewer had suppressed; they count nothing.
    """

    rule: str
    risk: float
    weight: float
    points: float
    mode: str = "enforce"
    version: str = ""
    hard: Verdict | None = None
    explained_by: str | None = None
    suppressed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustAssessment:
    """`score` in [0, 1]: 1 is fully trusted. `contributions` explain it, largest first.

    Attributes:
        decisive: What decided the verdict: `hard:<rule>`, `sum`, `group:<name>`,
            `unavailable:<detectors>`, `hold`; empty where the document is admitted, or unread.
    """

    document_id: DocumentId
    score: float
    risk: float
    verdict: Verdict
    reason: CoarseReason
    contributions: tuple[Contribution, ...]
    policy_version: str
    decisive: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalOutcome:
    """What became of one document in the end.

    Attributes:
        sha256: Of its bytes: the same content counts once, however often it comes.
        at: When it was decided.
        rejected: Rejected, rather than admitted and left standing.
        reviewed: A person decided. A release by a person is neutral (Law 13).
    """

    sha256: str
    at: datetime
    rejected: bool
    reviewed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldTerms:
    """When a held document is scanned again, and how often before it waits for a person."""

    rescan_after_seconds: float
    times: int


class TrustPolicy(Protocol):
    """Weighs findings and provenance. Pure: no clock, no I/O, no randomness."""

    @property
    def version(self) -> str: ...

    @property
    def hold_terms(self) -> HoldTerms: ...

    def suppressible(self, rule: str) -> bool:
        """Return whether a reviewer may suppress findings of the rule; hard ones never (Law 13)."""
        ...

    def reputation(self, outcomes: Sequence[FinalOutcome], *, now: datetime) -> float:
        """Return an origin's standing in [0, 1]; the prior where too little is known of it."""
        ...

    def assess(
        self, report: ScanReport, provenance: Provenance, *, now: datetime
    ) -> TrustAssessment:
        """Return the assessment. A detector missing from `report.completed` never raises trust."""
        ...
