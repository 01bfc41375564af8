"""Bodies of the traceback: ids and numbers, no text of documents or questions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from domain.traceback import Suspect, Trace, TracedAs
from gateway.http.models_documents import IDENTIFIER, Model, OriginModel


class TraceRequest(Model):
    """Either a question, whose answer is reported as wrong, or an alert."""

    question_id: Annotated[str | None, Field(None, pattern=IDENTIFIER)]
    alert_id: Annotated[str | None, Field(None, pattern=IDENTIFIER)]


class SuspectModel(Model):
    document: str
    origin: OriginModel
    family: str
    established: bool
    age_days: float
    trust: float
    score: float = Field(description="0..1; a suspect from the threshold on")
    reasons: list[str]

    @classmethod
    def of(cls, suspect: Suspect) -> SuspectModel:
        clues = suspect.clues
        return cls(
            document=clues.document_id,
            origin=OriginModel.of(clues.origin.kind, clues.origin.id),
            family=clues.family_id,
            established=clues.established,
            age_days=clues.age_days,
            trust=clues.trust,
            score=suspect.score,
            reasons=list(suspect.reasons),
        )


class TracedQuestion(Model):
    question_id: str
    traced_as: TracedAs
    retrieved: int = Field(description="documents in its evidence")
    suspects: list[str] = Field(description="of those, the ids of the suspects, worst first")
    reruns: int = Field(description="how often it was asked again")
    skipped: int = Field(description="families and origins not tried: there were too many")

    @classmethod
    def of(cls, trace: Trace) -> TracedQuestion:
        return cls(
            question_id=trace.question_id,
            traced_as=trace.traced_as,
            retrieved=len(trace.retrieved),
            suspects=[one.document_id for one in trace.suspects],
            reruns=trace.reruns,
            skipped=trace.skipped,
        )


class TraceResult(Model):
    """Suspects of all questions together, worst first, each by where most speaks against it."""

    alert_id: str | None
    threshold: float
    questions: list[TracedQuestion]
    suspects: list[SuspectModel]
    gone: list[str] = Field(description="were evidence then, and are not admitted any more")
