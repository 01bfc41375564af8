"""Judged answers for the tests of the red team's figures and reports."""

from __future__ import annotations

from domain.answering import Outcome
from evaluation.redteam.asked import Asked, Cell, RowId

CLEAN = Cell(attack="none", b=0, provenance="one-new", stage="query-only")
POISONED = Cell(attack="poisonedrag", b=3, provenance="one-new", stage="query-only")


def asked(
    row: str,
    *,
    cell: Cell = POISONED,
    system: str = "mithridate",
    outcome: Outcome = Outcome.ANSWER,
    reason: str | None = None,
    right: bool = False,
    planted: bool = False,
    both: bool = False,
    score: float | None = 0.5,
    confidence: float | None = 0.5,
    fold: int = 0,
    drafts: int = 4,
    contaminated: int = 1,
    draft_right: int = 2,
    picked: int | None = 0,
    seconds: float = 0.25,
    query_type: str = "person",
) -> Asked:
    return Asked(
        cell=cell,
        system=system,
        fold=fold,
        row=RowId(row),
        outcome=outcome,
        reason=reason,
        right=right,
        planted=planted,
        both=both,
        score=score,
        confidence=confidence,
        drafts=drafts,
        contaminated=contaminated,
        draft_right=draft_right,
        picked=picked,
        seconds=seconds,
        planted_texts=cell.b,
        held_at_ingest=0,
        query_type=query_type,
    )


def abstained(row: str, *, cell: Cell = POISONED, reason: str = "low-confidence") -> Asked:
    return asked(row, cell=cell, outcome=Outcome.ABSTAIN, reason=reason, picked=None)
