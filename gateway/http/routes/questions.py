"""`/v1/questions`: a guarded answer, and why."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from domain.access import Scope
from domain.answering import Outcome, Question, QuestionId
from domain.errors import NotFoundError
from domain.ledger import QuestionRecord
from gateway.http.auth import Asker, AskerOrReviewer, Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import IDENTIFIER
from gateway.http.models_questions import (
    AnswerModel,
    QuestionPage,
    QuestionRequest,
    TraceModel,
)
from gateway.http.parameters import Cursor, Limit

router = APIRouter(prefix="/v1/questions", tags=["questions"])

QuestionIdPath = Annotated[str, Path(pattern=IDENTIFIER)]


@router.post("", summary="Ask a question")
async def ask(services: ServicesDependency, principal: Asker, body: QuestionRequest) -> AnswerModel:
    """Answer from admitted documents, say how far it can be trusted, or abstain with a reason."""
    question = Question(
        id=QuestionId(services.ids.new("q")), tenant_id=principal.tenant_id, text=body.question
    )
    asked_at = services.clock.now()
    result = await services.query.answer(question, m=body.m, k=body.k)
    trace = TraceModel.of_result(result, asked_at=asked_at)
    observation = await services.observer.observe(
        result, principal=principal.actor, observed_at=asked_at
    )
    await services.ledger.questions.add(
        QuestionRecord(
            id=question.id,
            tenant_id=principal.tenant_id,
            principal=principal.actor,
            asked_at=asked_at,
            outcome=result.outcome,
            trace=trace.model_dump_json(),
        ),
        observation,
    )
    services.metrics.question(result)
    return AnswerModel.of(result)


@router.get("", summary="List questions; outcome=abstain is the queue for people")
async def list_questions(
    services: ServicesDependency,
    principal: Reviewer,
    outcome: Outcome | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> QuestionPage:
    """List newest first."""
    page = await services.ledger.questions.list(
        principal.tenant_id, outcome=outcome, cursor=cursor, limit=limit
    )
    traces = (TraceModel.model_validate_json(record.trace) for record in page.items)
    return QuestionPage(
        items=[trace.answer_alone() for trace in traces], next_cursor=page.next_cursor
    )


@router.get("/{question_id}", summary="The whole trace of an answer")
async def get_question(
    services: ServicesDependency, principal: AskerOrReviewer, question_id: QuestionIdPath
) -> TraceModel:
    """Give the trace to who asked, and to reviewers."""
    record = await services.ledger.questions.get(principal.tenant_id, QuestionId(question_id))
    if record.principal != principal.actor and not principal.allows(Scope.QUARANTINE_REVIEW):
        raise NotFoundError(f"no question {question_id!r}")
    return TraceModel.model_validate_json(record.trace)
