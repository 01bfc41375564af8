"""What people say of answers (Law 13): askers propose, reviewers label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from domain.answering import Outcome, QuestionId
from domain.documents import TenantId


class FeedbackVerdict(StrEnum):
    RIGHT = "right"
    """The answer is right; of an abstention, that it was right to abstain."""
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One person's word on one question.

    Attributes:
        author: The principal, as the journal writes it.
        answer: What would have been right; None where they do not say. Untrusted text.
        comment: Untrusted text for a person.
        label: A reviewer gave it: it counts. A proposal never changes a calibration.
    """

    question_id: QuestionId
    tenant_id: TenantId
    author: str
    verdict: FeedbackVerdict
    answer: str | None
    comment: str | None
    label: bool
    given_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledOutcome:
    """What came of a question, and whether the latest reviewer's label calls it right."""

    question_id: QuestionId
    right: bool
    outcome: Outcome
    confidence: float
    calibration_version: str | None


class FeedbackLedger(Protocol):
    async def give(self, given: Feedback) -> None:
        """Write it, or replace what the same author said of the question before; journalled.

        Raises:
            NotFoundError: The tenant has no such question.
        """
        ...

    async def of_question(self, tenant_id: TenantId, question_id: QuestionId) -> Sequence[Feedback]:
        """Return labels before proposals, each newest first; none for an unknown question."""
        ...

    async def labelled(
        self, tenant_id: TenantId, *, since: datetime, limit: int
    ) -> Sequence[LabelledOutcome]:
        """Return observed questions whose latest label is not before `since`, that label first.

        At most `limit` labels are looked at. Proposals are not among them.
        """
        ...
