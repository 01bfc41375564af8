"""References that cannot be what they claim to be."""

from __future__ import annotations

from defences.detectors.citations.detector import CitationsDetector
from defences.detectors.citations.verdicts import (
    CheckedCitation,
    check_citations,
    cited_identifiers,
)

__all__ = ["CheckedCitation", "CitationsDetector", "check_citations", "cited_identifiers"]
