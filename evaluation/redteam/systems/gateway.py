"""Our own question path, and the same with one part left out."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np

from defences.answering.guard import DisagreementGuard
from defences.answering.weighting import weigh_groups
from domain.answering import (
    AnswerGroup,
    AnswerResult,
    Calibrator,
    Draft,
    Drafter,
    GuardDecision,
    Outcome,
    PartitionMode,
    Question,
    QuestionId,
    ScoredDraft,
    Verifier,
)
from domain.decomposition import HopResult
from domain.documents import DEFAULT_TENANT
from domain.retrieval import Embedder
from domain.verification import CrossExamination
from evaluation.redteam.rows import Row
from evaluation.redteam.stores import ScratchVectors
from evaluation.redteam.systems.reply import Reply, noted
from evaluation.redteam.systems.views import (
    View,
    as_it_is,
    without_families,
    without_origins,
    without_quotas,
    without_trust,
)
from evaluation.redteam.world import World
from gateway.query.multi_hop import MultiHop, RuleDecomposer
from gateway.query.options import QueryOptions
from gateway.query.pipeline import QueryPipeline
from gateway.query.stages import Stages
from gateway.query.verification import checked

SECRET: Final = hashlib.sha256(b"red team").digest()
"""Fixed, so that a run can be repeated: who shares a subset must not change between runs."""


DECOMPOSED: Final = "mithridate-decomposed"

_ALWAYS: Final = 1e-9
_NEVER: Final = 1.0
"""No group scores 1: diversity is below it."""


class Part(StrEnum):
    """What can be left out to see what it is worth."""

    FAMILIES = "families"
    ORIGINS = "origins"
    QUOTAS = "quotas"
    EVIDENCE_CHECK = "evidence-check"
    CROSS_EXAMINATION = "cross-examination"
    CALIBRATION = "calibration"
    WEIGHTS = "weights"
    GUARD = "guard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What every system drafts, scores and embeds with."""

    embedder: Embedder
    drafter: Drafter
    verifier: Verifier
    calibrators: Mapping[str, Calibrator]
    options: QueryOptions


_VIEWS: Final[Mapping[Part | None, Callable[[ScratchVectors], View]]] = {
    Part.FAMILIES: without_families,
    Part.ORIGINS: without_origins,
    Part.QUOTAS: without_quotas,
    Part.WEIGHTS: without_trust,
}


class Mithridate:
    """The question path as it is wired, over a scratch index.

    Args:
        threshold: Least score of an answer to the row's question; it is fitted on other questions.
            None: nothing is answered.
        without: The part that is left out; None: the whole.
        no_provenance: It is asked in worlds without provenance, whatever the mode.
        decomposed: A question that the rules split is asked in hops.
    """

    def __init__(
        self,
        models: Models,
        *,
        threshold: Callable[[Row, World], float | None],
        without: Part | None = None,
        no_provenance: bool = False,
        decomposed: bool = False,
    ) -> None:
        self._models = models
        self._threshold = threshold
        self._without = without
        self._blind = no_provenance
        self._decomposed = decomposed

    @property
    def name(self) -> str:
        if self._blind:
            return "mithridate-no-provenance"
        if self._decomposed:
            return DECOMPOSED
        return f"mithridate-without-{self._without}" if self._without else "mithridate"

    @property
    def sees_provenance(self) -> bool:
        return not self._blind and self._without is not Part.ORIGINS

    async def ask(self, row: Row, world: World) -> Reply:
        result = await self.result(row, world)
        best = result.best
        return Reply(
            answer=result.answer,
            said=best.answer if best is not None else None,
            outcome=result.outcome,
            reason=result.reason.value if result.reason is not None else "",
            score=group_score(result),
            confidence=self._confidence(result),
            drafts=noted(result.drafts, frozenset(world.planted)),
            picked=best.drafts[0].draft.subset.index if best is not None else None,
        )

    async def result(self, row: Row, world: World) -> AnswerResult:
        """Return the whole trace of an answer."""
        pipeline = QueryPipeline(
            embedder=self._models.embedder,
            vectors=self._view(world),
            drafter=self._models.drafter,
            verifier=self._models.verifier,
            calibrators=self._models.calibrators,
            clock=world.calendar,
            secret=SECRET,
            options=self._options(row, world),
            stages=self._stages(),
        )
        hops = MultiHop(
            pipeline,
            decomposer=RuleDecomposer() if self._decomposed else None,
            embedder=self._models.embedder,
        )
        return await hops.answer(
            Question(id=QuestionId(row.id), tenant_id=DEFAULT_TENANT, text=row.question)
        )

    def _options(self, row: Row, world: World) -> QueryOptions:
        threshold = self._threshold(row, world)
        tau = _NEVER if threshold is None else min(_NEVER, max(_ALWAYS, threshold))
        options = replace(self._models.options, tau=tau)
        if self._without is Part.CROSS_EXAMINATION:
            return replace(options, cross_examination=CrossExamination.OFF)
        return options

    def _view(self, world: World) -> View:
        return _VIEWS.get(self._without, as_it_is)(world.vectors)

    def _stages(self) -> Stages:
        return Stages(
            check=_unchecked if self._without is Part.EVIDENCE_CHECK else checked,
            weigh=_weighed_alike if self._without is Part.WEIGHTS else _by_score,
            guard=_BestScore if self._without is Part.GUARD else DisagreementGuard,
        )

    def _confidence(self, result: AnswerResult) -> float | None:
        calibrator = self._models.calibrators.get(result.configuration)
        if result.best is None or calibrator is None or self._without is Part.CALIBRATION:
            return None
        return float(calibrator.predict(np.array([result.best.score]))[0])


def group_score(result: AnswerResult) -> float | None:
    """Return what was held against the threshold: of hops, each of which must pass, the least."""
    if result.best is None:
        return None
    asked = [hop.confidence for hop in result.hops if hop.result is not HopResult.NOT_ASKED]
    return min(asked, default=result.best.score)


def _by_score(
    groups: Sequence[Sequence[ScoredDraft]], *, mode: PartitionMode, calibrator: Calibrator | None
) -> tuple[AnswerGroup, ...]:
    """Weigh as the product does, and let the guard compare scores: thresholds are of scores here.

    A calibrator is non-decreasing, so it would decide the same, but for what it takes to be equal.
    """
    del calibrator
    return weigh_groups(groups, mode=mode, calibrator=None)


def _weighed_alike(
    groups: Sequence[Sequence[ScoredDraft]], *, mode: PartitionMode, calibrator: Calibrator | None
) -> tuple[AnswerGroup, ...]:
    """Weigh where neither trust nor the independence of sources counts."""
    scores = [
        replace(one, score=_summed(one), confidence=_summed(one))
        for one in _by_score(groups, mode=mode, calibrator=calibrator)
    ]
    return tuple(sorted(scores, key=lambda one: (-one.score, one.answer)))


def _summed(group: AnswerGroup) -> float:
    """Return what a group scores where neither trust nor independence of sources counts."""
    return 1.0 - math.exp(-sum(scored.raw for scored in group.drafts))


def _unchecked(question: Question, drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    del question
    return tuple(drafts)


class _BestScore:
    """No guard: whatever scores best is the answer, as in Speculative RAG."""

    def __init__(self, *, tau: float, agreement_floor: float) -> None:
        self._guard = DisagreementGuard(tau=tau, agreement_floor=agreement_floor)

    def decide(
        self, groups: Sequence[AnswerGroup], *, mode: PartitionMode, calibrated: bool
    ) -> GuardDecision:
        decision = self._guard.decide(groups, mode=mode, calibrated=calibrated)
        best = max(groups, key=lambda one: one.score, default=None)
        if best is None or best.score <= 0.0:
            return decision
        return replace(
            decision, outcome=Outcome.ANSWER, reason=None, chosen=best, contender=best, warnings=()
        )
