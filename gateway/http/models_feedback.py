"""Bodies of feedback on answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from defences.neutralising import neutralise
from domain.feedback import Feedback, FeedbackVerdict
from gateway.http.models_documents import PROSE, Model

Said = Annotated[str, Field(min_length=1, max_length=1000, pattern=PROSE)]


class FeedbackRequest(Model):
    verdict: FeedbackVerdict = Field(
        description="right or wrong; of an abstention: whether it was right to abstain"
    )
    answer: Annotated[Said | None, Field(None, description="what would have been right")]
    comment: Said | None = None


class FeedbackModel(Model):
    """`answer` and `comment` are untrusted text, and neutralised."""

    question: str
    verdict: FeedbackVerdict
    answer: str | None
    comment: str | None
    label: bool = Field(description="a reviewer gave it: it counts; anybody else's is a proposal")
    author: str
    given_at: datetime

    @classmethod
    def of(cls, given: Feedback) -> FeedbackModel:
        return cls(
            question=given.question_id,
            verdict=given.verdict,
            answer=None if given.answer is None else neutralise(given.answer),
            comment=None if given.comment is None else neutralise(given.comment),
            label=given.label,
            author=given.author,
            given_at=given.given_at,
        )


class FeedbackList(Model):
    """Labels first, each newest first: the first label is the one that counts."""

    items: list[FeedbackModel]

    @classmethod
    def of(cls, given: Sequence[Feedback]) -> FeedbackList:
        return cls(items=[FeedbackModel.of(one) for one in given])
