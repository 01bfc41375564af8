"""`/v1/questions/{id}/feedback`: who asked proposes, a reviewer's word is a label (Law 13)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from domain.access import Principal, Scope
from domain.answering import QuestionId
from domain.errors import NotFoundError
from domain.feedback import Feedback
from gateway.http.auth import AskerOrReviewer, Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import IDENTIFIER
from gateway.http.models_feedback import FeedbackList, FeedbackModel, FeedbackRequest
from runtime.wiring import Services

router = APIRouter(prefix="/v1/questions", tags=["questions"])

QuestionIdPath = Annotated[str, Path(pattern=IDENTIFIER)]


@router.post("/{question_id}/feedback", summary="Say whether an answer is right")
async def give_feedback(
    services: ServicesDependency,
    principal: AskerOrReviewer,
    question_id: QuestionIdPath,
    body: FeedbackRequest,
) -> FeedbackModel:
    """Propose, or with the reviewer's scope label. Said again it replaces what the key said before.

    A proposal changes nothing by itself: no calibration, no reputation, no document.
    """
    question = QuestionId(question_id)
    await _require_visible(services, principal, question)
    given = Feedback(
        question_id=question,
        tenant_id=principal.tenant_id,
        author=principal.actor,
        verdict=body.verdict,
        answer=body.answer,
        comment=body.comment,
        label=principal.allows(Scope.QUARANTINE_REVIEW),
        given_at=services.clock.now(),
    )
    await services.ledger.feedback.give(given)
    return FeedbackModel.of(given)


@router.get("/{question_id}/feedback", summary="What people said of an answer")
async def list_feedback(
    services: ServicesDependency, principal: Reviewer, question_id: QuestionIdPath
) -> FeedbackList:
    """List labels first, each newest first."""
    question = QuestionId(question_id)
    await _require_visible(services, principal, question)
    return FeedbackList.of(
        await services.ledger.feedback.of_question(principal.tenant_id, question)
    )


async def _require_visible(
    services: Services, principal: Principal, question_id: QuestionId
) -> None:
    """Let through who asked, and reviewers; to anybody else there is no such question."""
    record = await services.ledger.questions.get(principal.tenant_id, question_id)
    if record.principal != principal.actor and not principal.allows(Scope.QUARANTINE_REVIEW):
        raise NotFoundError(f"no question {question_id!r}")
