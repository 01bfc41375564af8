"""How many malicious seats an answer withstands, and whether settings let it pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from defences.answering.tolerance import Rules, tolerance
from defences.retrieval.partition import Partition
from domain.answering import (
    AbstainReason,
    AnswerGroup,
    AnswerWarning,
    Calibrator,
    GuardDecision,
    Outcome,
    PartitionMode,
    SeatId,
    Tolerance,
)
from domain.documents import Tier
from domain.retrieval import ScoredChunk
from gateway.query.options import QueryOptions


def tolerance_of(
    decision: GuardDecision,
    groups: Sequence[AnswerGroup],
    parts: Partition,
    evidence: Sequence[ScoredChunk],
    rules: Rules,
) -> Tolerance | None:
    """Return both numbers; None where the guard chose nothing or seats are not isolated."""
    if decision.chosen is None or parts.mode is not PartitionMode.ISOLATED:
        return None
    return tolerance(
        groups,
        decision.chosen,
        subsets=parts.subsets,
        retrieved=[SeatId(str(hit.origin.ref)) for hit in evidence if hit.origin.established],
        rules=rules,
    )


def rules_of(
    calibrator: Calibrator | None, *, tau: float, agreement_floor: float, lift_bound: float
) -> Rules:
    """Return what decides; without a calibrator the score is the confidence."""

    def confidence(score: float) -> float:
        if calibrator is None:
            return score
        return float(calibrator.predict(np.array([score], dtype=np.float64))[0])

    return Rules(
        tau=tau, agreement_floor=agreement_floor, lift_bound=lift_bound, confidence=confidence
    )


def permitted(
    decision: GuardDecision, found: Tolerance | None, parts: Partition, options: QueryOptions
) -> GuardDecision:
    """Return the decision, an abstention where it is an answer that settings do not let pass.

    The ladder may find more seats. What is required of tolerance is a guarantee, so that a warning
    would not do. And where established seats had evidence and found no answer in it, whoever may
    upload would answer in their place: the pool alone does not, unless it is allowed to.
    """
    if decision.chosen is None:
        return decision
    asked_in_vain = any(subset.tier is not Tier.POOL for subset in parts.subsets)
    if (found.answer if found else 0) < options.min_tolerance:
        reason = AbstainReason.TOLERANCE
    elif AnswerWarning.POOL_ONLY in decision.warnings and asked_in_vain and not options.pool_alone:
        reason = AbstainReason.LOW_CONFIDENCE
    else:
        return decision
    return replace(decision, outcome=Outcome.ABSTAIN, reason=reason, chosen=None)
