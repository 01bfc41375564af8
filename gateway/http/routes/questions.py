"""`/v1/questions`: a guarded answer, and why."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path
from starlette.responses import Response

from domain.access import Scope
from domain.answering import Outcome, PartitionMode, QuestionId
from domain.errors import NotFoundError
from domain.stages import StageObserver
from gateway.http.asking import Asked, answer_and_record
from gateway.http.auth import Asker, AskerOrReviewer, Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.events import question_events
from gateway.http.following import EVENTS, EventStream, wants_events
from gateway.http.models_documents import IDENTIFIER
from gateway.http.models_questions import (
    AnswerModel,
    QuestionPage,
    QuestionRequest,
    TraceModel,
)
from gateway.http.parameters import Cursor, LatencyHeader, Limit
from gateway.query.options import Wishes

router = APIRouter(prefix="/v1/questions", tags=["questions"])

QuestionIdPath = Annotated[str, Path(pattern=IDENTIFIER)]


@router.post(
    "",
    summary="Ask a question",
    response_model=AnswerModel,
    responses={
        200: {
            "description": "The answer; as events where `Accept` names text/event-stream",
            "content": {EVENTS: {"schema": {"type": "string"}}},
        }
    },
)
async def ask(
    services: ServicesDependency,
    principal: Asker,
    body: QuestionRequest,
    latency: LatencyHeader = None,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> AnswerModel | Response:
    """Answer from admitted documents, say how far it can be trusted, or abstain with a reason.

    With `Accept: text/event-stream` each stage is an event `stage` (counts and seconds, no text),
    and the last event is `answer`, with the body described here, or `error`, with a problem.
    """
    wishes = Wishes(
        m=body.m,
        k=body.k,
        partition=PartitionMode(body.partition) if body.partition else None,
        min_tolerance=body.min_tolerance,
        min_trust=body.min_trust,
        only=body.only(),
        latency_class=body.latency_class or latency,
    )
    asked = Asked(text=body.question, wishes=wishes)
    if not wants_events(accept):
        return (await answer_and_record(services, principal, asked)).answer_alone()

    def answering(observer: StageObserver) -> Coroutine[Any, Any, TraceModel]:
        return answer_and_record(services, principal, asked, observer=observer)

    return EventStream(question_events(answering, route=router.prefix))


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
