"""Server-sent events of a question: `stage`, then `answer` or `error`."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import Field

from domain.answering import LadderStep
from domain.errors import MithridateError
from domain.stages import StageReport
from gateway.http.following import HEARTBEAT, HEARTBEAT_SECONDS, Answering, follow
from gateway.http.models_documents import Model
from gateway.http.models_questions import AnswerModel, RungModel
from gateway.http.problems import Problem, problem_of, unexpected_problem


class StageModel(Model):
    """A stage that is over: numbers alone, no text of a document or draft."""

    stage: str
    seconds: float
    counts: dict[str, int]
    rung: RungModel | None = Field(None, description="step of the ladder that ended")

    @classmethod
    def of(cls, report: StageReport) -> StageModel:
        return cls(
            stage=report.stage,
            seconds=report.seconds,
            counts=dict(report.counts),
            rung=RungModel(step=LadderStep(report.rung.step), result=report.rung.result)
            if report.rung
            else None,
        )


async def question_events(
    answering: Answering, *, route: str, heartbeat_seconds: float = HEARTBEAT_SECONDS
) -> AsyncGenerator[str, None]:
    """Yield the events of one question. Closing it cancels the work.

    A stream has begun with 200, so what goes wrong is an event: the problem that would have been
    the answer.
    """
    try:
        async with aclosing(follow(answering, heartbeat_seconds=heartbeat_seconds)) as steps:
            async for step in steps:
                if step is None:
                    yield HEARTBEAT
                elif isinstance(step, StageReport):
                    yield _event("stage", StageModel.of(step))
                else:
                    yield _event("answer", step.answer_alone())
    except MithridateError as exc:
        yield _event("error", problem_of(exc, route=route))
    except Exception as exc:  # the edge: nothing above can answer once the stream has begun
        yield _event("error", unexpected_problem(exc, route=route))


def _event(name: str, data: AnswerModel | StageModel | Problem) -> str:
    skipped = isinstance(data, Problem)
    return f"event: {name}\ndata: {data.model_dump_json(exclude_none=skipped)}\n\n"
