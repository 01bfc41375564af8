"""Text that gives orders to the model instead of informing its reader."""

from __future__ import annotations

from defences.detectors.injected_instructions.detector import InjectedInstructionsDetector

__all__ = ["InjectedInstructionsDetector"]
