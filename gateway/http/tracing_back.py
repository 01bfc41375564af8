"""From a question or an alert of the ledger to its suspects."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from domain.access import Principal
from domain.answering import Question, QuestionId
from domain.documents import DocumentId, DocumentStatus
from domain.errors import NotFoundError
from domain.ledger import QuestionRecord
from domain.monitoring import AlertId
from domain.traceback import Trace
from gateway.http.models_questions import TraceModel
from gateway.http.models_traces import SuspectModel, TracedQuestion, TraceResult
from monitors.reviewing import sampled
from monitors.sightings import is_disputed
from monitors.suspicion import THRESHOLD, worst
from runtime.wiring import Services


async def trace_question(
    services: Services, principal: Principal, question_id: QuestionId
) -> TraceResult:
    """Trace the answer that was given, or what kept one from being given.

    Raises:
        NotFoundError: Unknown to this tenant.
        TransientError: Index, model or ledger did not answer.
    """
    record = await services.ledger.questions.get(principal.tenant_id, question_id)
    asked = TraceModel.model_validate_json(record.trace)
    traces = [await _traced(services, record, asked, said=asked.answer, named=())]
    return await _result(services, principal, traces, [asked], alert_id=None)


async def trace_alert(services: Services, principal: Principal, alert_id: AlertId) -> TraceResult:
    """Trace a sample of an alert's questions; suspects are those of any.

    Raises:
        NotFoundError: Unknown to this tenant, or none of its questions is kept any more.
        TransientError: Index, model or ledger did not answer.
    """
    alert = await services.ledger.alerts.get(principal.tenant_id, alert_id)
    named = frozenset(filter(None, alert.annotations.get("sources", "").split(",")))
    traces: list[Trace] = []
    asked: list[TraceModel] = []
    for question_id in sampled(alert, services.settings.monitors.traceback_questions):
        try:
            record = await services.ledger.questions.get(principal.tenant_id, question_id)
        except NotFoundError:
            continue  # it was kept for long enough
        seen = TraceModel.model_validate_json(record.trace)
        disputed = is_disputed(agreement=seen.agreement, entropy=seen.entropy)
        said = None if disputed else seen.answer
        traces.append(await _traced(services, record, seen, said=said, named=named))
        asked.append(seen)
    if not traces:
        raise NotFoundError(f"alert {alert_id!r} has no question that can be traced")
    return await _result(services, principal, traces, asked, alert_id=alert_id)


async def _traced(
    services: Services,
    record: QuestionRecord,
    asked: TraceModel,
    *,
    said: str | None,
    named: Collection[str],
) -> Trace:
    question = Question(id=record.id, tenant_id=record.tenant_id, text=asked.question)
    return await services.traceback.trace(
        question, said=said, now=services.clock.now(), named=named
    )


async def _result(
    services: Services,
    principal: Principal,
    traces: Sequence[Trace],
    asked: Sequence[TraceModel],
    *,
    alert_id: AlertId | None,
) -> TraceResult:
    for trace in traces:
        await services.ledger.journal.append(
            tenant_id=principal.tenant_id,
            at=services.clock.now(),
            actor=principal.actor,
            action="question.traced",
            object_kind="question",
            object_id=trace.question_id,
            facts={"suspects": str(len(trace.suspects)), "reruns": str(trace.reruns)},
        )
    return TraceResult(
        alert_id=alert_id,
        threshold=THRESHOLD,
        questions=[TracedQuestion.of(trace) for trace in traces],
        suspects=[SuspectModel.of(one) for one in worst(trace.suspects for trace in traces)],
        gone=await _gone(services, principal, asked),
    )


async def _gone(services: Services, principal: Principal, asked: Sequence[TraceModel]) -> list[str]:
    """Return what was evidence when it was asked and has left the index since."""
    then = {
        DocumentId(evidence.document)
        for trace in asked
        for subset in trace.subsets
        for evidence in subset.evidence
    }
    records = await services.ledger.documents.records(principal.tenant_id, sorted(then))
    return sorted(
        name
        for name in then
        if name not in records or records[name].status is not DocumentStatus.ADMITTED
    )
