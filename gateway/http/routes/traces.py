"""`/v1/traces`: which documents most likely caused an answer or an alert."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from domain.answering import QuestionId
from domain.errors import InputError, RateLimitedError
from domain.monitoring import AlertId
from gateway.http.auth import Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_traces import TraceRequest, TraceResult
from gateway.http.tracing_back import trace_alert, trace_question

router = APIRouter(prefix="/v1/traces", tags=["alerts"])

TRACES_PER_MINUTE: Final = 10
"""A trace asks a question several times over."""


@router.post("", summary="Trace an answer or an alert to the documents behind it")
async def trace(
    services: ServicesDependency, principal: Reviewer, body: TraceRequest
) -> TraceResult:
    """Journalled, and nothing is changed.

    The question is asked again as it would be now, and without each suspect family and origin.
    """
    if (body.question_id is None) == (body.alert_id is None):
        raise InputError("a trace is of either a question_id or an alert_id")
    wait = await services.rate_limiter.take(
        f"traces:{principal.key_id}", limit=TRACES_PER_MINUTE, window_seconds=60
    )
    if wait > 0:
        raise RateLimitedError(
            f"more than {TRACES_PER_MINUTE} traces a minute", retry_after_seconds=wait
        )
    if body.question_id is not None:
        return await trace_question(services, principal, QuestionId(body.question_id))
    return await trace_alert(services, principal, AlertId(body.alert_id or ""))
