"""From findings to a trust score and a verdict."""

from __future__ import annotations

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
    HOLD = "hold"
    """A detector could not look."""
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
    """

    rule: str
    risk: float
    weight: float
    points: float
    mode: str = "enforce"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustAssessment:
    """`score` in [0, 1]: 1 is fully trusted. `contributions` explain it, largest first."""

    document_id: DocumentId
    score: float
    risk: float
    verdict: Verdict
    reason: CoarseReason
    contributions: tuple[Contribution, ...]
    policy_version: str


class TrustPolicy(Protocol):
    """Weighs findings and provenance. Pure: no clock, no I/O, no randomness."""

    @property
    def version(self) -> str: ...

    def assess(
        self, report: ScanReport, provenance: Provenance, *, now: datetime
    ) -> TrustAssessment:
        """Return the assessment. A detector missing from `report.completed` never raises trust."""
        ...
