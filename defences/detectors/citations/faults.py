"""One reason against one citation, before it is weighed with the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.text import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`at` counts in the hardened visible text; `mention` where the text itself says so."""

    rule: str
    risk: float
    reason: str
    at: Span
    mention: bool = False
    evidence: Mapping[str, str] = field(default_factory=dict)
