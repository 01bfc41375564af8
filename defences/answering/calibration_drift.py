"""Whether confidence still means what it was fitted to mean, by reviewers' labels of late.

Two numbers over answers that a reviewer labelled, all made under one calibration: the share right
among what was answered, against the precision that tau promises, and the expected calibration
error. A shortfall is told only where chance does not explain it: the one-sided upper bound of the
share right must lie below the promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.calibration import brier_score, calibration_error, lower_bound

LEAST_LABELS: Final = 40
"""Below it nothing is said: of 40 answers at 90% right, 31 or fewer are right in 1 of 50 draws."""

PRECISION: Final = 0.9
CONFIDENCE: Final = 0.95
ERROR_SHARE: Final = 0.99
"""Of draws in which a perfect calibration has a lesser calibration error than the one that alarms."""

_DRAWS: Final = 500
_BINS: Final = 10

CANARY_MARGIN: Final = 0.02
"""By so much Brier score or precision may be worse on the canaries before a refit is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAnswer:
    """What was answered, at which confidence, and whether a reviewer called it right."""

    confidence: float
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What labels of late say of a calibration.

    Attributes:
        share, upper: Right among answered, and the upper bound of that share.
        error: Expected calibration error.
        drifted: Chance does not explain it.
    """

    labels: int
    share: float
    upper: float
    error: float
    drifted: bool


def measure_drift(
    answers: Sequence[LabelledAnswer],
    *,
    precision: float = PRECISION,
    least: int = LEAST_LABELS,
) -> Drift | None:
    """Hold labels against the promise; None with fewer than `least`."""
    if len(answers) < least:
        return None
    confidences = np.array([one.confidence for one in answers])
    right = np.array([one.right for one in answers], dtype=np.bool_)
    hits = int(right.sum())
    # the upper bound of the right is what the lower bound of the wrong leaves
    upper = 1.0 - lower_bound(len(answers) - hits, len(answers), confidence=CONFIDENCE)
    error = calibration_error(confidences, right, bins=_BINS)
    return Drift(
        labels=len(answers),
        share=hits / len(answers),
        upper=upper,
        error=error,
        drifted=upper < precision or error > _error_by_chance(confidences),
    )


def _error_by_chance(confidences: NDArray[np.float64]) -> float:
    """Return the error that a perfect calibration of these confidences exceeds in 1 of 100 draws."""
    draws = np.random.default_rng(0).random((_DRAWS, len(confidences))) < confidences
    bins = np.minimum((confidences * _BINS).astype(int), _BINS - 1)
    errors = np.zeros(_DRAWS)
    for held in (bins == at for at in np.unique(bins)):
        errors += np.abs(draws[:, held].mean(axis=1) - confidences[held].mean()) * held.sum()
    return float(np.quantile(errors / len(confidences), ERROR_SHARE))


def canary_fault(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    right: NDArray[np.bool_],
    *,
    tau_before: float,
    tau_after: float,
    margin: float = CANARY_MARGIN,
) -> str | None:
    """Say how a refit is worse on a fixed labelled set; None if it may serve.

    Args:
        before: Confidences of the artefact in force, shape `(n,)`.
        after: Those of the refit, for the same answers.
        right: Whether each was right.
        tau_before: Threshold of the one in force; `tau_after` that of the refit.
        tau_after: See there.
        margin: By so much either number may be worse.
    """
    brier_before, brier_after = brier_score(before, right), brier_score(after, right)
    if brier_after > brier_before + margin:
        return f"Brier score on the canaries {brier_before:.3f} -> {brier_after:.3f}"
    kept, now = before >= tau_before, after >= tau_after
    if not now.any():
        return "nothing of the canaries would be answered" if kept.any() else None
    if kept.any():
        precision_before, precision_after = float(right[kept].mean()), float(right[now].mean())
        if precision_after < precision_before - margin:
            return f"share right on the canaries {precision_before:.3f} -> {precision_after:.3f}"
    return None
