"""How much of the evidence a draft is scored against."""

from __future__ import annotations

from enum import StrEnum


class CrossExamination(StrEnum):
    """What the verifier reads beside a draft (Law 7); part of what keys a calibration."""

    ALL = "all"
    """Its own evidence, and that of every other established seat: m x m readings and m without."""
    OWN = "own"
    """Its own evidence alone: faithfulness, and no corroboration."""
    OFF = "off"
    """Nothing: the drafter's own probability, and the evidence check."""
    PUBLISHED = "published"
    """The question alone, as Speculative RAG was published. For comparison: without evidence a
    coherent lie scores like the truth (AUROC .48-.57, measured)."""


class LatencyClass(StrEnum):
    """How long an asker can wait; each may have a cross-examination of its own."""

    INTERACTIVE = "interactive"
    FAST = "fast"
    """Less than 200 ms."""
    THOROUGH = "thorough"
