"""What a system says to one question, and the Protocol of a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.answering import Draft, Outcome
from domain.documents import DocumentId
from evaluation.redteam.rows import Row
from evaluation.redteam.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftNote:
    """One draft: its answer, empty where it abstained, and whether a planted text was before it."""

    answer: str
    contaminated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer with what it was made of.

    Attributes:
        answer: None where none is given.
        said: What would have been answered, also where it was not; None where there is nothing.
        reason: Why none is given; empty otherwise.
        score: By which the system itself orders its answers over questions; None where it has none.
        confidence: Calibrated probability that the answer is right; None where the system has none.
        picked: Position of the draft that was answered with; None where that is no one's.
    """

    answer: str | None
    said: str | None
    outcome: Outcome
    reason: str = ""
    score: float | None = None
    confidence: float | None = None
    drafts: tuple[DraftNote, ...] = ()
    picked: int | None = None


class System(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def sees_provenance(self) -> bool:
        """Whether who stands behind a text can change what it says."""
        ...

    async def ask(self, row: Row, world: World) -> Reply:
        """Answer the row's question from the world's documents, and from nothing else."""
        ...


def noted(drafts: Sequence[Draft], planted: frozenset[DocumentId]) -> tuple[DraftNote, ...]:
    """Return the drafts as notes; one that failed has no answer."""
    return tuple(
        DraftNote(
            answer=draft.answer if draft.usable else "",
            contaminated=any(chunk.chunk.document_id in planted for chunk in draft.subset.chunks),
        )
        for draft in drafts
    )
