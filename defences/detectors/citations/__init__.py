"""References that cannot be what they claim to be."""

from __future__ import annotations

from defences.detectors.citations.detector import CitationsDetector

__all__ = ["CitationsDetector"]
