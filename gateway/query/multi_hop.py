"""Questions that need several answers: each hop takes the whole path, and only what passed goes on.

    decompose (question alone) -> hop -> its answer, above tau -> next hop -> ... -> combine

- A hop is a question like any other: its own retrieval, seats, guard, tolerance.
- Its answer enters the next query only if it is above tau, and then as one name or figure
  (`decomposition.bridge`). A hop that did not pass ends the plan: the answer is an abstention that
  says which one.
- Of the whole: tolerance is the least of the hops, confidence the product (all must be right), and
  the sources are those of all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from defences.answering.calibration import DEFAULT_TAU
from defences.answering.decomposition import bridge, combined, decompose, may_be_several
from domain.answering import (
    AbstainReason,
    AnswerResult,
    AnswerWarning,
    Calibrator,
    Outcome,
    Question,
    QuestionId,
    StageTiming,
    Tolerance,
)
from domain.decomposition import Combine, Decomposer, Hop, HopResult, Plan, filled, needs
from domain.errors import DependencyError, TransientError
from domain.retrieval import Embedder
from domain.stages import UNOBSERVED, StageObserver, StageReport
from domain.usage import ModelUsage, metered, together
from domain.verification import LatencyClass
from gateway.query.options import AS_CONFIGURED, Wishes

_SEVERITY: Final = (Outcome.ANSWER, Outcome.ANSWER_WITH_WARNING, Outcome.ESCALATED)


class Answering(Protocol):
    """The path of one question: `QueryPipeline`."""

    def calibrator(self, configuration: str) -> Calibrator | None: ...

    def tau(self, calibrator: Calibrator | None) -> float: ...

    def required_tolerance(self, text: str) -> int: ...

    async def answer(
        self,
        question: Question,
        wishes: Wishes = AS_CONFIGURED,
        *,
        observer: StageObserver = UNOBSERVED,
    ) -> AnswerResult: ...


class RuleDecomposer:
    """Splits by the rules of `defences.answering.decomposition`, and else asks a model.

    The model is asked only about questions that show signs of several (`may_be_several`): a call
    before every plain question would cost more than it finds.
    """

    def __init__(self, model: Decomposer | None = None) -> None:
        self._model = model

    @property
    def version(self) -> str:
        return "rules-1" if self._model is None else f"rules-1;{self._model.version}"

    async def decompose(self, question: str) -> Plan | None:
        plan = decompose(question)
        if plan is not None or self._model is None or not may_be_several(question):
            return plan
        return await self._model.decompose(question)


class MultiHop:
    """Answers a question, in hops where it needs them; otherwise exactly as the path alone does."""

    def __init__(
        self,
        query: Answering,
        *,
        decomposer: Decomposer | None,
        embedder: Embedder,
        timeout_seconds: float = 60.0,
    ) -> None:
        """Set up.

        Args:
            query: The path of one question.
            decomposer: None: every question is one.
            embedder: Of questions, for the topic of the whole.
            timeout_seconds: For all hops together.
        """
        self._query = query
        self._decomposer = decomposer
        self._embedder = embedder
        self._timeout_seconds = timeout_seconds

    async def answer(
        self,
        question: Question,
        wishes: Wishes = AS_CONFIGURED,
        *,
        observer: StageObserver = UNOBSERVED,
    ) -> AnswerResult:
        """Answer one question; every hop is asked with what this one is asked with.

        The tolerance that the topic of the whole requires is required of each hop.

        Raises:
            TransientError: Index or model did not answer, or the time ran out.
            PermanentError: A model endpoint is not what was configured.
        """
        with metered() as planning:
            plan = await self._plan(question, wishes)
        if plan is None:
            result = await self._query.answer(question, wishes, observer=observer)
            return replace(result, usage=together([planning.usage(), result.usage]))
        required = max(wishes.min_tolerance, self._query.required_tolerance(question.text))
        wishes = replace(wishes, min_tolerance=required)
        try:
            async with asyncio.timeout(self._timeout_seconds):
                hops, results = await self._run(question, plan, wishes, observer)
                (vector,) = await self._embedder.embed([question.text])
        except TimeoutError as exc:
            raise TransientError(f"no answer within {self._timeout_seconds:g} seconds") from exc
        return self._joined(question, plan, hops, results, vector, planning.usage())

    async def _plan(self, question: Question, wishes: Wishes) -> Plan | None:
        """Ask for a plan; where a model cannot be asked the question stays whole."""
        if self._decomposer is None or wishes.latency_class is LatencyClass.FAST:
            return None
        try:
            return await self._decomposer.decompose(question.text)
        except DependencyError:
            return None

    async def _run(
        self, question: Question, plan: Plan, wishes: Wishes, observer: StageObserver
    ) -> tuple[list[Hop], list[AnswerResult]]:
        """Ask the hops in order; after one that did not pass none that waits for it is asked."""
        hops: list[Hop] = []
        results: list[AnswerResult] = []
        used: dict[int, str] = {}
        for number, text in enumerate(plan.hops, start=1):
            if not needs(text) <= used.keys() or _failed(hops):
                hops.append(Hop(question=text, result=HopResult.NOT_ASKED))
                continue
            asked = filled(text, used)
            part = replace(question, id=QuestionId(f"{question.id}.{number}"), text=asked)
            result = await self._query.answer(part, wishes, observer=observer)
            results.append(result)
            hop = self._hop(plan, asked, result, last=number == len(plan.hops))
            if hop.used is not None:
                used[number] = hop.used
            hops.append(hop)
            observer.reached(
                StageReport(stage="hop", seconds=result.seconds, counts={"number": number})
            )
        return hops, results

    def _hop(self, plan: Plan, asked: str, result: AnswerResult, *, last: bool) -> Hop:
        """Judge what came of one hop: what may go on from it, if anything."""
        tau = self._query.tau(self._query.calibrator(result.configuration))
        used: str | None = None
        if result.answer is None:
            verdict = HopResult.ABSTAINED
        elif result.confidence < tau:
            verdict = HopResult.UNSURE
        elif last or plan.combine is not Combine.LAST:
            verdict = HopResult.PASSED
        else:
            used = bridge(asked, result.answer)
            verdict = HopResult.PASSED if used is not None else HopResult.UNREADABLE
        return Hop(
            question=asked,
            result=verdict,
            outcome=result.outcome,
            reason=result.reason,
            answer=result.answer,
            used=used,
            confidence=result.confidence,
            tau=tau,
            tolerance=result.tolerance,
        )

    def _joined(
        self,
        question: Question,
        plan: Plan,
        hops: Sequence[Hop],
        results: Sequence[AnswerResult],
        vector: NDArray[np.float32],
        planning: ModelUsage,
    ) -> AnswerResult:
        """Make one result of the hops'; seats, drafts and groups are those of the last one asked."""
        last = results[-1]
        answer = None
        if not _failed(hops):
            answer = last.answer
            if plan.combine is not Combine.LAST:
                answer = combined(
                    plan, [hop.question for hop in hops], [hop.answer or "" for hop in hops]
                )
        confidence = float(np.prod([result.confidence for result in results]))
        tau = max((hop.tau for hop in hops if hop.outcome is not None), default=DEFAULT_TAU)
        reason = None if answer is not None else _reason(results)
        if answer is not None and confidence < tau:
            answer, reason = None, AbstainReason.LOW_CONFIDENCE
        sources = tuple(dict.fromkeys(one for result in results for one in result.sources))
        return replace(
            last,
            question=question,
            outcome=_worst(results) if answer is not None else Outcome.ABSTAIN,
            reason=reason,
            warnings=_warnings(results),
            answer=answer,
            confidence=confidence,
            sources=sources if answer is not None else (),
            agreement=min(result.agreement for result in results),
            entropy=max(result.entropy for result in results),
            margin=min(result.margin for result in results),
            disagreement=max(result.disagreement for result in results),
            ladder=tuple(rung for result in results for rung in result.ladder),
            timings=_timings(results),
            tolerance=_least([result.tolerance for result in results]),
            usage=together([planning, *(result.usage for result in results)]),
            embedding=vector,
            hops=tuple(hops),
        )


def _failed(hops: Sequence[Hop]) -> bool:
    return any(hop.result is not HopResult.PASSED for hop in hops)


def _reason(results: Sequence[AnswerResult]) -> AbstainReason:
    return next(
        (one.reason for one in results if one.reason is not None), AbstainReason.LOW_CONFIDENCE
    )


def _worst(results: Sequence[AnswerResult]) -> Outcome:
    return max((result.outcome for result in results), key=_SEVERITY.index)


def _warnings(results: Sequence[AnswerResult]) -> tuple[AnswerWarning, ...]:
    return tuple(dict.fromkeys(one for result in results for one in result.warnings))


def _least(tolerances: Sequence[Tolerance | None]) -> Tolerance | None:
    """Return the least of each number; None if any hop promises nothing."""
    known = [one for one in tolerances if one is not None]
    if len(known) < len(tolerances) or not known:
        return None
    return Tolerance(
        answer=min(one.answer for one in known),
        abstention=min(one.abstention for one in known),
        seats=min(one.seats for one in known),
        note=next((one.note for one in known if one.note is not None), None),
    )


def _timings(results: Sequence[AnswerResult]) -> tuple[StageTiming, ...]:
    seconds: dict[str, float] = {}
    for timing in (one for result in results for one in result.timings):
        seconds[timing.stage] = seconds.get(timing.stage, 0.0) + timing.seconds
    total = seconds.pop("total", 0.0)
    return (
        *(StageTiming(stage=stage, seconds=spent) for stage, spent in seconds.items()),
        StageTiming(stage="total", seconds=total),
    )
