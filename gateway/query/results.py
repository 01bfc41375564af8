"""What one pass over the evidence came to, and the result that is told of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from defences.answering.disagreement import monitored_disagreement
from defences.retrieval.partition import Partition
from domain.answering import (
    AnswerGroup,
    AnswerResult,
    Draft,
    GuardDecision,
    Outcome,
    Question,
    Rung,
    ScoredDraft,
    Tolerance,
)
from domain.retrieval import ScoredChunk
from domain.routing import Way
from gateway.query.options import QueryOptions
from gateway.query.retrieval import reranked
from gateway.query.sources import sources_of
from gateway.query.stopwatch import Stopwatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One pass from evidence to the guard's decision."""

    evidence: tuple[ScoredChunk, ...]
    way: Way
    partition: Partition
    drafts: tuple[Draft, ...]
    scored: tuple[ScoredDraft, ...]
    groups: tuple[AnswerGroup, ...]
    decision: GuardDecision
    tolerance: Tolerance | None
    calibration_version: str | None
    configuration: str

    @property
    def failed(self) -> bool:
        return self.decision.outcome is Outcome.ABSTAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """One question under way; `vector` is that of its text."""

    question: Question
    options: QueryOptions
    watch: Stopwatch
    vector: NDArray[np.float32]


def result_of(
    inquiry: Inquiry,
    attempt: Attempt,
    ladder: tuple[Rung, ...],
    *,
    reranker: str | None,
    verifier: str,
) -> AnswerResult:
    """Return the trace of a question that ended with `attempt`, after the rungs of `ladder`."""
    decision = attempt.decision
    outcome = Outcome.ESCALATED if ladder and not attempt.failed else decision.outcome
    chosen = decision.chosen if not attempt.failed else None
    best = decision.contender
    return AnswerResult(
        question=inquiry.question,
        outcome=outcome,
        reason=decision.reason if attempt.failed else None,
        warnings=decision.warnings,
        answer=chosen.answer if chosen else None,
        confidence=best.confidence if best else 0.0,
        sources=sources_of(chosen, attempt.evidence) if chosen else (),
        agreement=decision.agreement,
        entropy=decision.entropy,
        margin=decision.margin,
        disagreement=monitored_disagreement(attempt.groups),
        mode=attempt.partition.mode,
        m=attempt.way.m,
        k=attempt.way.k,
        route=attempt.way.route,
        route_reason=attempt.way.reason,
        retrieved=attempt.evidence,
        subsets=attempt.partition.subsets,
        drafts=attempt.drafts,
        scored=attempt.scored,
        groups=attempt.groups,
        ladder=ladder,
        timings=inquiry.watch.timings(),
        calibration_version=attempt.calibration_version,
        configuration=attempt.configuration,
        tolerance=attempt.tolerance,
        reranker=reranker if reranked(attempt.evidence) else None,
        cross_examination=inquiry.options.cross_examination,
        verifier=verifier,
        embedding=inquiry.vector,
        best=best,
        latency_class=inquiry.options.latency_class,
    )
