"""Runs the detectors over one document and adds up what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from defences.decodings import DecodedOnce
from domain.documents import Document
from domain.errors import DetectorUnavailableError
from domain.scanning import Detector, Finding, ScanReport
from ingest.citations import lookup_outcome


def scan(document: Document, detectors: Sequence[Detector]) -> ScanReport:
    """Run every detector; one that cannot run is recorded, not fatal. Each text is decoded once.

    One that fails in any way did not look: the policy holds what it should have looked at. Its
    error is not told of here, since a foreign message may quote the document.
    """
    findings: list[Finding] = []
    completed, unavailable = lookup_outcome(document)
    document = replace(document, decodings=DecodedOnce())
    for detector in detectors:
        try:
            findings.extend(detector.scan(document))
        except DetectorUnavailableError:
            unavailable.add(detector.name)
        except Exception:  # the edge of the detectors: whatever one raises, the document is held
            unavailable.add(detector.name)
        else:
            completed[detector.name] = detector.version
    return ScanReport(
        document_id=document.id,
        findings=tuple(findings),
        completed=completed,
        unavailable=frozenset(unavailable),
    )
