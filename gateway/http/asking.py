"""A question from any door: answered, recorded, observed and counted in one way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from domain.access import Principal
from domain.answering import AnswerResult, Question, QuestionId
from domain.errors import DeadlineError
from domain.ledger import QuestionRecord
from domain.stages import UNOBSERVED, StageObserver, StageReport
from domain.verification import LatencyClass
from gateway.http.models_questions import TraceModel
from gateway.query.options import AS_CONFIGURED, Wishes
from runtime.wiring import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as a door hands it on."""

    text: str
    wishes: Wishes = AS_CONFIGURED

    def keyed(self, principal: Principal) -> Mapping[str, object]:
        """Return what of it makes an answer, and who asks.

        An answer is given again to the same asker alone: how quickly it comes would tell others
        what was asked.
        """
        wishes = {each.name: str(getattr(self.wishes, each.name)) for each in fields(Wishes)}
        only = [*map(str, self.wishes.only.origins), *self.wishes.only.documents]
        return {**wishes, "text": self.text, "only": sorted(only), "principal": principal.actor}


async def answer_and_record(
    services: Services,
    principal: Principal,
    asked: Asked,
    *,
    observer: StageObserver = UNOBSERVED,
) -> TraceModel:
    """Answer, or give a kept answer again, and write the trace before anybody hears of it.

    A kept answer is no observation (Law 11): it would count one question twice.

    Raises:
        TransientError: Index, model or ledger did not answer, or the time ran out.
        PermanentError: A model endpoint is not what was configured.
    """
    question = Question(
        id=QuestionId(services.ids.new("q")), tenant_id=principal.tenant_id, text=asked.text
    )
    asked_at = services.clock.now()
    began = services.clock.monotonic()
    # The key holds the stamp of the evidence, and so is made before any of it is retrieved.
    key = await services.answers.key(question.tenant_id, asked.keyed(principal))
    kept = await services.answers.find(question.tenant_id, key)
    if kept is not None:
        seconds = services.clock.monotonic() - began
        observer.reached(StageReport(stage="cache", seconds=seconds))
        first = TraceModel.model_validate_json(kept)
        trace = first.again(id=question.id, asked_at=asked_at, seconds=seconds)
        record = _record(principal, trace, again_of=QuestionId(first.id))
        await services.ledger.questions.add(record, None)
        services.metrics.answered_again()
        return trace
    result = await _answer(services, question, asked, observer)
    trace = TraceModel.of_result(result, asked_at=asked_at)
    observation = await services.observer.observe(
        result, principal=principal.actor, observed_at=asked_at
    )
    await services.ledger.questions.add(_record(principal, trace), observation)
    services.metrics.question(result)
    if result.cacheable:
        await services.answers.keep(question.tenant_id, key, trace.model_dump_json().encode())
    return trace


async def _answer(
    services: Services, question: Question, asked: Asked, observer: StageObserver
) -> AnswerResult:
    services.tracing.question(question.text)
    try:
        return await services.hops.answer(
            question, asked.wishes, observer=services.tracing.stages(observer)
        )
    except DeadlineError:
        services.metrics.deadline_missed(asked.wishes.latency_class or LatencyClass.INTERACTIVE)
        raise


def _record(
    principal: Principal, trace: TraceModel, *, again_of: QuestionId | None = None
) -> QuestionRecord:
    return QuestionRecord(
        id=QuestionId(trace.id),
        tenant_id=principal.tenant_id,
        principal=principal.actor,
        asked_at=trace.asked_at,
        outcome=trace.outcome,
        trace=trace.model_dump_json(),
        again_of=again_of,
    )
