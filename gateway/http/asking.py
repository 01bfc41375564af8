"""A question from any door: answered, recorded, observed and counted in one way."""

from __future__ import annotations

from dataclasses import dataclass

from domain.access import Principal
from domain.answering import AnswerResult, PartitionMode, Question, QuestionId
from domain.errors import DeadlineError
from domain.ledger import QuestionRecord
from domain.retrieval import ANYTHING, EvidenceFilter
from domain.stages import UNOBSERVED, StageObserver
from domain.verification import LatencyClass
from gateway.http.models_questions import TraceModel
from runtime.wiring import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as a door hands it on; None for what is configured."""

    text: str
    m: int | None = None
    k: int | None = None
    partition: PartitionMode | None = None
    latency_class: LatencyClass | None = None
    min_tolerance: int = 0
    min_trust: float = 0.0
    only: EvidenceFilter = ANYTHING


async def answer_and_record(
    services: Services,
    principal: Principal,
    asked: Asked,
    *,
    observer: StageObserver = UNOBSERVED,
) -> AnswerResult:
    """Answer, and write the trace and its observation before anybody hears of it.

    Raises:
        TransientError: Index, model or ledger did not answer, or the time ran out.
        PermanentError: A model endpoint is not what was configured.
    """
    question = Question(
        id=QuestionId(services.ids.new("q")), tenant_id=principal.tenant_id, text=asked.text
    )
    asked_at = services.clock.now()
    try:
        result = await services.hops.answer(
            question,
            m=asked.m,
            k=asked.k,
            partition=asked.partition,
            latency_class=asked.latency_class,
            min_tolerance=asked.min_tolerance,
            min_trust=asked.min_trust,
            only=asked.only,
            observer=observer,
        )
    except DeadlineError:
        services.metrics.deadline_missed(asked.latency_class or LatencyClass.INTERACTIVE)
        raise
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
    return result
