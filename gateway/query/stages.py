"""What judges drafts, as one value: `evaluation` measures what each part is worth by leaving it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from defences.answering.guard import DisagreementGuard
from defences.answering.weighting import weigh_groups
from domain.answering import (
    AnswerGroup,
    Calibrator,
    Draft,
    Guard,
    PartitionMode,
    Question,
    ScoredDraft,
)
from gateway.query.verification import checked


class Weigh(Protocol):
    def __call__(
        self,
        groups: Sequence[Sequence[ScoredDraft]],
        *,
        mode: PartitionMode,
        calibrator: Calibrator | None,
    ) -> tuple[AnswerGroup, ...]:
        """See `defences.answering.weighting.weigh_groups`."""
        ...


class MakeGuard(Protocol):
    def __call__(self, *, tau: float, agreement_floor: float) -> Guard:
        """See `defences.answering.guard.DisagreementGuard`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """The product always has all of them: no setting reaches here."""

    check: Callable[[Question, Sequence[Draft]], tuple[Draft, ...]] = checked
    weigh: Weigh = weigh_groups
    guard: MakeGuard = DisagreementGuard
