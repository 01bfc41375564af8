"""How many malicious seats an answer withstands, and whether that is as many as was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from defences.answering.tolerance import Rules, tolerance
from defences.retrieval.partition import Partition
from domain.answering import (
    AbstainReason,
    AnswerGroup,
    Calibrator,
    GuardDecision,
    Outcome,
    PartitionMode,
    SeatId,
    Tolerance,
)
from domain.retrieval import ScoredChunk


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


def requiring(decision: GuardDecision, found: Tolerance | None, *, at_least: int) -> GuardDecision:
    """Return the decision, an abstention where the answer could be changed by fewer seats.

    What is required is a guarantee, so that a warning would not do. The ladder may find more seats.
    """
    if decision.chosen is None or (found.answer if found else 0) >= at_least:
        return decision
    return replace(decision, outcome=Outcome.ABSTAIN, reason=AbstainReason.TOLERANCE, chosen=None)
