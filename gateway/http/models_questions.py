"""Bodies of the question routes: an answer, and its whole trace."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field, FiniteFloat

from defences.neutralising import neutralise
from domain.answering import (
    AbstainReason,
    AnswerGroup,
    AnswerResult,
    AnswerWarning,
    Draft,
    EvidenceSubset,
    LadderStep,
    Outcome,
    PartitionMode,
    QuestionId,
    Refinement,
    ScoredDraft,
    Source,
    Tolerance,
    ToleranceNote,
)
from domain.decomposition import Hop, HopResult
from domain.documents import Tier
from domain.retrieval import EvidenceFilter
from domain.routing import Route, RouteReason
from domain.verification import CrossExamination, LatencyClass
from gateway.http.models_documents import PROSE, Model, OriginModel
from gateway.http.models_usage import UsageModel
from gateway.http.narrowing import DocumentIds, OriginNames, evidence_filter

MAX_QUESTION: Final = 2000
"""Characters."""


def whole(value: object) -> object:
    """JSON has one kind of number: 3.0 is the integer 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Count = Annotated[int, Field(strict=True, ge=1, le=32), BeforeValidator(whole)]


SeatCount = Annotated[int, Field(strict=True, ge=0, le=31), BeforeValidator(whole)]

ChosenPartition = Literal["isolated", "multi-perspective", "round-robin", "random"]


class QuestionRequest(Model):
    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION, pattern=PROSE)]
    m: Annotated[Count | None, Field(None, description="drafts")]
    k: Annotated[Count | None, Field(None, description="chunks a draft")]
    partition: Annotated[
        ChosenPartition | None,
        Field(None, description="all but isolated are for comparison and carry no tolerance"),
    ]
    latency_class: Annotated[
        LatencyClass | None,
        Field(None, description="how long the asker can wait; may narrow the cross-examination"),
    ]
    min_tolerance: Annotated[
        SeatCount,
        Field(0, description="established seats that must not be able to change the answer"),
    ]
    min_trust: Annotated[
        FiniteFloat,
        Field(0.0, strict=True, ge=0.0, le=1.0, description="the setting is the least"),
    ]
    origins: OriginNames
    documents: DocumentIds

    def only(self) -> EvidenceFilter:
        """Return what alone may be evidence."""
        return evidence_filter(self.origins, self.documents)


class SourceModel(Model):
    """Where an answer comes from. `quote`, `title` and `source_uri` are untrusted text.

    They are neutralised: no link, picture or markup is left in them, so that a quote may differ
    from what stands at `start` to `end`.
    """

    document: str
    start: int = Field(description="code points in the original text")
    end: int
    quote: str
    origin: OriginModel
    tier: Tier
    trust: float
    title: str
    source_uri: str | None

    @classmethod
    def of(cls, source: Source) -> SourceModel:
        return cls(
            document=source.document_id,
            start=source.span.start,
            end=source.span.end,
            quote=neutralise(source.quote),
            origin=OriginModel.of(source.origin.kind, source.origin.id),
            tier=source.tier,
            trust=source.trust,
            title=neutralise(source.title),
            source_uri=None if source.source_uri is None else neutralise(source.source_uri),
        )


class ToleranceModel(Model):
    """How many established seats may be malicious, and every pooled account with them.

    Relative to the evidence retrieved; 0 promises nothing.
    """

    answer: int = Field(description="seats that cannot bring about another answer")
    abstention: int = Field(description="seats that cannot take this answer away")
    seats: int = Field(description="established seats whose evidence was retrieved")
    note: ToleranceNote | None

    @classmethod
    def of(cls, tolerance: Tolerance) -> ToleranceModel:
        return cls(
            answer=tolerance.answer,
            abstention=tolerance.abstention,
            seats=tolerance.seats,
            note=tolerance.note,
        )


class AnswerModel(Model):
    """An answer, or an honest refusal: `answer` is null where the outcome is `abstain`."""

    id: str
    question: str
    outcome: Outcome
    reason: AbstainReason | None
    warnings: list[AnswerWarning]
    answer: str | None
    confidence: float = Field(description="calibrated probability that the answer is right")
    sources: list[SourceModel]
    agreement: float = Field(description="mean pairwise, of established seats, in 0..1")
    entropy: float = Field(description="of normalised group scores, in nats")
    tolerance: ToleranceModel | None = Field(
        None, description="null where there is no answer, or seats were not isolated"
    )
    timings: dict[str, float] = Field(description="seconds by stage")
    usage: UsageModel = Field(default_factory=UsageModel)

    @classmethod
    def of(cls, result: AnswerResult) -> AnswerModel:
        return cls(
            id=result.question.id,
            question=result.question.text,
            outcome=result.outcome,
            reason=result.reason,
            warnings=list(result.warnings),
            answer=None if result.answer is None else neutralise(result.answer),
            confidence=result.confidence,
            sources=[SourceModel.of(source) for source in result.sources],
            agreement=result.agreement,
            entropy=result.entropy,
            tolerance=ToleranceModel.of(result.tolerance) if result.tolerance else None,
            timings={timing.stage: timing.seconds for timing in result.timings},
            usage=UsageModel.of(result.usage),
        )


class QuestionPage(Model):
    items: list[AnswerModel]
    next_cursor: str | None


class EvidenceModel(Model):
    document: str
    chunk: str
    start: int
    end: int
    family: str
    similarity: float
    trust: float


class SubsetModel(Model):
    index: int
    seats: list[str]
    tier: Tier
    evidence: list[EvidenceModel]

    @classmethod
    def of(cls, subset: EvidenceSubset) -> SubsetModel:
        return cls(
            index=subset.index,
            seats=list(subset.seats),
            tier=subset.tier,
            evidence=[
                EvidenceModel(
                    document=hit.chunk.document_id,
                    chunk=hit.chunk.id,
                    start=hit.chunk.span.start,
                    end=hit.chunk.span.end,
                    family=hit.family_id,
                    similarity=hit.similarity,
                    trust=hit.trust,
                )
                for hit in subset.chunks
            ],
        )


class DraftModel(Model):
    """One draft. The scores are null where it abstained or failed."""

    subset: int
    answer: str
    rationale: str
    abstained: bool
    failure: str | None
    probability: float
    struck: int = Field(
        0, description="quotes, figures and citations that its evidence does not have"
    )
    faithfulness: float | None = None
    unconditional: float | None = None
    corroboration: float | None = None
    raw: float | None = None
    trust: float | None = None
    seats: list[str] = Field(default_factory=list)

    @classmethod
    def of(cls, draft: Draft, scored: ScoredDraft | None) -> DraftModel:
        model = cls(
            subset=draft.subset.index,
            answer=neutralise(draft.answer),
            rationale=neutralise(draft.rationale),
            abstained=draft.abstained,
            failure=draft.failure,
            probability=draft.probability,
            struck=draft.struck,
        )
        if scored is None:
            return model
        return model.model_copy(
            update={
                "faithfulness": scored.faithfulness,
                "unconditional": scored.unconditional,
                "corroboration": scored.corroboration,
                "raw": scored.raw,
                "trust": scored.trust,
                "seats": list(scored.seats),
            }
        )


class VoteModel(Model):
    seat: str
    share: float


class GroupModel(Model):
    answer: str
    drafts: list[int] = Field(description="subsets of its drafts, best first")
    votes: list[VoteModel]
    support: float
    diversity: float
    score: float
    confidence: float

    @classmethod
    def of(cls, group: AnswerGroup) -> GroupModel:
        return cls(
            answer=neutralise(group.answer),
            drafts=[scored.draft.subset.index for scored in group.drafts],
            votes=[VoteModel(seat=vote.seat, share=vote.share) for vote in group.votes],
            support=group.support,
            diversity=group.diversity,
            score=group.score,
            confidence=group.confidence,
        )


class RungModel(Model):
    step: LadderStep
    result: str


class HopModel(Model):
    """One question of several that an answer needed, and what came of it."""

    question: str
    result: HopResult
    outcome: Outcome | None
    reason: AbstainReason | None
    answer: str | None
    used: str | None = Field(description="what of the answer the next question asked about")
    confidence: float
    tau: float = Field(description="what the confidence was held against")
    tolerance: ToleranceModel | None

    @classmethod
    def of(cls, hop: Hop) -> HopModel:
        return cls(
            question=neutralise(hop.question),
            result=hop.result,
            outcome=hop.outcome,
            reason=hop.reason,
            answer=None if hop.answer is None else neutralise(hop.answer),
            used=None if hop.used is None else neutralise(hop.used),
            confidence=hop.confidence,
            tau=hop.tau,
            tolerance=ToleranceModel.of(hop.tolerance) if hop.tolerance else None,
        )


class TraceModel(AnswerModel):
    """Everything that made an answer: seats, subsets, drafts, scores, weights, guard."""

    asked_at: datetime
    mode: PartitionMode
    m: int
    k: int
    route: Route = Field(Route.LONG, description="which way it took; a short one drafts once")
    route_reason: RouteReason = RouteReason.OFF
    margin: float
    disagreement: float
    subsets: list[SubsetModel]
    drafts: list[DraftModel]
    groups: list[GroupModel]
    ladder: list[RungModel]
    configuration: str
    calibration_version: str | None
    latency_class: LatencyClass = LatencyClass.INTERACTIVE
    cached: bool = Field(
        default=False, description="given again: the same asker had it of the same evidence"
    )
    cross_examination: CrossExamination = Field(
        CrossExamination.ALL, description="what drafts were scored against"
    )
    refinement: Refinement | None = Field(
        None, description="what came of saying the answer in one; null where that is off"
    )
    verifier: str = Field(
        "", description="ends in :generative where its numbers are votes and no likelihoods"
    )

    hops: list[HopModel] = Field(
        default_factory=list,
        description="of a question asked in several; seats, drafts and groups are the last one's",
    )

    def answer_alone(self) -> AnswerModel:
        """Return what was answered, without the trace."""
        return AnswerModel.model_validate(self.model_dump(include=set(AnswerModel.model_fields)))

    def again(self, *, id: QuestionId, asked_at: datetime, seconds: float) -> TraceModel:
        """Return the trace as the answer of another question; no model was asked for it."""
        return self.model_copy(
            update={
                "id": id,
                "asked_at": asked_at,
                "cached": True,
                "timings": {"cache": seconds, "total": seconds},
                "usage": UsageModel(),
            }
        )

    @classmethod
    def of_result(cls, result: AnswerResult, *, asked_at: datetime) -> TraceModel:
        scored = {one.draft.subset.index: one for one in result.scored}
        return cls(
            **AnswerModel.of(result).model_dump(),
            asked_at=asked_at,
            mode=result.mode,
            m=result.m,
            k=result.k,
            route=result.route,
            route_reason=result.route_reason,
            margin=result.margin,
            disagreement=result.disagreement,
            subsets=[SubsetModel.of(subset) for subset in result.subsets],
            drafts=[
                DraftModel.of(draft, scored.get(draft.subset.index)) for draft in result.drafts
            ],
            groups=[GroupModel.of(group) for group in result.groups],
            ladder=[RungModel(step=rung.step, result=rung.result) for rung in result.ladder],
            configuration=result.configuration,
            calibration_version=result.calibration_version,
            latency_class=result.latency_class,
            cross_examination=result.cross_examination,
            refinement=result.refinement,
            verifier=result.verifier,
            hops=[HopModel.of(hop) for hop in result.hops],
        )
