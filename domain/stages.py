"""What the question path tells of itself while it runs: numbers, never text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from domain.answering import Rung


@dataclass(frozen=True, slots=True, kw_only=True)
class StageReport:
    """A stage of a question that is over.

    Attributes:
        stage: As in the timings of the answer, e.g. `retrieve`; `rung` for a step of the ladder.
        seconds: What this pass through the stage took.
        counts: Of what it made, by name. Numbers alone: a draft is no answer before the guard
            has spoken, and a document is never shown.
        rung: The step of the ladder that ended; None for any other stage.
    """

    stage: str
    seconds: float
    counts: Mapping[str, int] = field(default_factory=dict)
    rung: Rung | None = None


class StageObserver(Protocol):
    """Is told of each stage, in order, on the event loop that answers the question."""

    def reached(self, report: StageReport) -> None:
        """Take note. Must neither block nor raise: the question is waiting."""
        ...


class Unobserved:
    """Nobody looks on."""

    def reached(self, report: StageReport) -> None:
        del report


UNOBSERVED: Final[StageObserver] = Unobserved()
