"""What scores and confidences are worth: risk at a coverage, calibration, and operating points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.calibration import (
    DEFAULT_TAU,
    CalibrationError,
    brier_score,
    fit_platt,
    fit_tau,
    lower_bound,
)
from domain.answering import AbstainReason, Outcome
from domain.errors import InputError
from evaluation.redteam.asked import Asked

BINS: Final = 10
SIMULATIONS: Final = 1_000
LEAST_ANSWERED: Final = 10
"""A precision of fewer answers is not looked at when a threshold is chosen."""

_SEED: Final = 20_261_130
_DRAWN_AT_ONCE: Final = 1_000_000
"""Labels, so that a long run does not fill the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """`risk`: share wrong among the best-scored questions that make up `coverage` of all."""

    coverage: float
    risk: float


def risk_coverage(asked: Sequence[Asked]) -> tuple[CurvePoint, ...]:
    """Return the curve: one point for each question with a score, the best-scored first.

    Equal scores cannot be told apart: among them the expected number of wrong answers counts.
    Questions without a score are never covered. Geifman and El-Yaniv 2017, "Selective
    Classification for Deep Neural Networks".
    """
    scored = [(one.score, not one.right) for one in asked if one.score is not None]
    scored.sort(key=lambda pair: -pair[0])
    curve: list[CurvePoint] = []
    wrong = 0.0
    for _, group in itertools.groupby(scored, key=lambda pair: pair[0]):
        tied = [is_wrong for _, is_wrong in group]
        for _ in tied:
            wrong += sum(tied) / len(tied)
            covered = len(curve) + 1
            curve.append(CurvePoint(coverage=covered / len(asked), risk=min(1.0, wrong / covered)))
    return tuple(curve)


def area_under_risk(curve: Sequence[CurvePoint]) -> float | None:
    """Return the mean risk over the points of a curve, in [0, 1]; None of an empty one.

    Over the coverages that are reached: say the last one beside it.
    """
    return sum(point.risk for point in curve) / len(curve) if curve else None


def wrong_at(curve: Sequence[CurvePoint], coverage: float) -> float | None:
    """Return the share wrong at the least coverage that is at least this; None if not reached."""
    return next((each.risk for each in curve if each.coverage >= coverage - 1e-9), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mass:
    """One bin of a reliability diagram: its mean confidence and the share right."""

    count: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """How far confidences are probabilities.

    Attributes:
        ece: Expected calibration error over bins of equal mass, in [0, 1].
        null: What `ece` of perfectly calibrated confidences, the same ones, stays under in 95% of
            simulated draws of their labels, one a question: no smaller error can be shown with so
            few.
    """

    n: int
    ece: float
    null: float
    brier: float
    bins: tuple[Mass, ...]


def calibrated(
    confidences: NDArray[np.float64],
    right: NDArray[np.bool_],
    *,
    questions: Sequence[str] | None = None,
    seed: int = _SEED,
) -> Calibrated | None:
    """Return the figures of confidences in [0, 1]; None of nothing.

    Args:
        questions: Whose answers they are, as in `null_band`.
    """
    if confidences.shape != right.shape:
        raise InputError(f"{confidences.shape} confidences, {right.shape} labels")
    if not len(confidences):
        return None
    bins = equal_masses(confidences, right)
    return Calibrated(
        n=len(right),
        ece=sum(each.count * abs(each.confidence - each.right) for each in bins) / len(right),
        null=null_band(confidences, questions=questions, seed=seed),
        brier=brier_score(confidences, right),
        bins=bins,
    )


def equal_masses(confidences: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[Mass, ...]:
    """Return at most `BINS` bins of equally many labels, or one more, by rising confidence.

    Equal confidences share their labels evenly, so that the order of the questions is no matter.
    """
    order = np.argsort(confidences, kind="stable")
    ranked = confidences[order]
    level = _levelled(ranked, right[order].astype(np.float64)[None, :])[0]
    starts = _starts(len(ranked))
    return tuple(
        Mass(
            count=len(held),
            confidence=float(held.mean()),
            right=float(np.clip(labels.mean(), 0.0, 1.0)),
        )
        for held, labels in zip(
            np.split(ranked, starts[1:]), np.split(level, starts[1:]), strict=True
        )
    )


def null_band(
    confidences: NDArray[np.float64],
    *,
    questions: Sequence[str] | None = None,
    seed: int = _SEED,
    simulations: int = SIMULATIONS,
) -> float:
    """Return the 95% quantile of the calibration error of confidences that are the truth.

    Args:
        confidences: Shape `(n,)`, in [0, 1].
        questions: Shape `(n,)`. Answers to one question share its luck, one draw for all of them:
            the same question in 22 cells is one label, not 22. None: each answer has its own.

    Raises:
        InputError: There are more or fewer questions than confidences.
    """
    if questions is not None and len(questions) != len(confidences):
        raise InputError(f"{len(confidences)} confidences, {len(questions)} questions")
    order = np.argsort(confidences, kind="stable")
    ranked = confidences[order]
    named = range(len(ranked)) if questions is None else questions
    owners = np.unique(np.asarray(named), return_inverse=True)[1][order]
    asked = int(owners.max()) + 1
    drawn, starts = np.random.default_rng(seed), _starts(len(ranked))
    errors: list[NDArray[np.float64]] = []
    at_once = max(1, _DRAWN_AT_ONCE // len(ranked))
    for done in range(0, simulations, at_once):
        luck = drawn.random((min(at_once, simulations - done), asked))[:, owners]
        level = _levelled(ranked, (luck < ranked).astype(np.float64))
        errors.append(np.abs(np.add.reduceat(level - ranked, starts, axis=1)).sum(axis=1))
    return float(np.quantile(np.concatenate(errors) / len(ranked), 0.95))


def as_returned(asked: Sequence[Asked]) -> Calibrated | None:
    """Return how far the confidences of the returned answers are right as they stand."""
    held = [one for one in asked if one.answered and one.confidence is not None]
    return calibrated(
        np.array([one.confidence for one in held], dtype=np.float64),
        np.array([one.right for one in held], dtype=np.bool_),
        questions=[str(one.row) for one in held],
    )


def cross_fitted(asked: Sequence[Asked]) -> Calibrated | None:
    """Return the same with each fold's confidences made of its scores by the other folds' labels.

    Platt scaling on the returned answers. A question is in one fold however often it was asked, so
    no label helps to judge itself. None where some fold's others are too few or of one class.
    """
    held = [one for one in asked if one.answered and one.score is not None]
    scores = np.array([one.score for one in held], dtype=np.float64)
    right = np.array([one.right for one in held], dtype=np.bool_)
    folds = np.array([one.fold for one in held], dtype=np.int64)
    confidences = np.zeros(len(held))
    for fold in np.unique(folds):
        own = folds == fold
        try:
            fitted = fit_platt(scores[~own], right[~own], tau=DEFAULT_TAU, version="")
        except CalibrationError:
            return None
        confidences[own] = fitted.predict(scores[own])
    return calibrated(confidences, right, questions=[str(one.row) for one in held])


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """A threshold of score, and what it does on the questions it was set on.

    Attributes:
        threshold: Least score of an answer; None: nothing is answered.
        asked, answered, right: Questions, and those of them with such a score, and right.
        bound: One-sided 95% Clopper-Pearson bound on the share right among the answered, as if the
            threshold had been fixed beforehand. `fit_tau` chooses one of several and so asks more
            of each (98.3%): of its choice the precision asked for is what holds at 95%, not this.
        reached: Whether what was asked for holds on these questions.
        bounded: Whether the threshold was chosen by a bound (`fit_tau`); if not, by the point
            estimate.
    """

    threshold: float | None
    asked: int
    answered: int
    right: int
    bound: float
    reached: bool
    bounded: bool

    @property
    def coverage(self) -> float:
        return self.answered / self.asked if self.asked else math.nan

    @property
    def precision(self) -> float:
        return self.right / self.answered if self.answered else math.nan


def coverage_point(clean: Sequence[Asked], *, abstain: float = 0.1) -> OperatingPoint:
    """Return the highest threshold at which at most this share of clean questions abstains.

    Args:
        clean: Asked with no attack, on the split that thresholds are set on; not empty.
        abstain: In [0, 1).
    """
    if not clean or not 0.0 <= abstain < 1.0:
        raise InputError(f"{len(clean)} clean questions, {abstain!r} to abstain")
    ranked = sorted((-math.inf if one.score is None else one.score) for one in clean)
    wanted = ranked[math.floor(abstain * len(ranked) + 1e-9)]
    if math.isfinite(wanted):
        return _point(clean, wanted, reached=True, bounded=False)
    least = min((score for score in ranked if math.isfinite(score)), default=None)
    return _point(clean, least, reached=False, bounded=False)


def precision_point(clean: Sequence[Asked], *, precision: float = 0.9) -> OperatingPoint:
    """Return the threshold at which at least this share of the answered questions is right.

    By `fit_tau` where its bound can be shown; otherwise the lowest threshold whose point estimate
    reaches it among at least `LEAST_ANSWERED`; otherwise nothing is answered.
    """
    scored = [one for one in clean if one.score is not None]
    scores = np.array([one.score for one in scored], dtype=np.float64)
    right = np.array([one.right for one in scored], dtype=np.bool_)
    if (shown := fit_tau(scores, right, precision=precision)).reached:
        return _point(clean, shown.tau, reached=True, bounded=True)
    for threshold in np.unique(scores):
        answered = scores >= threshold
        if answered.sum() >= LEAST_ANSWERED and right[answered].mean() >= precision:
            return _point(clean, float(threshold), reached=True, bounded=False)
    return _point(clean, None, reached=False, bounded=False)


def at_threshold(asked: Sequence[Asked], threshold: float | None) -> tuple[Asked, ...]:
    """Return what would have been returned under another threshold of score.

    Answers below it become abstentions for low confidence; such abstentions at or above it become
    answers. Abstentions for any other reason stay, and so does what has no score.
    """
    return tuple(_decided(one, threshold) for one in asked)


def _decided(one: Asked, threshold: float | None) -> Asked:
    if one.score is None:
        return one
    passes = threshold is not None and one.score >= threshold
    low = AbstainReason.LOW_CONFIDENCE.value
    if one.answered and not passes:
        return replace(one, outcome=Outcome.ABSTAIN, reason=low, picked=None)
    if not one.answered and passes and one.reason == low:
        return replace(one, outcome=Outcome.ANSWER, reason=None)
    return one


def _point(
    clean: Sequence[Asked], threshold: float | None, *, reached: bool, bounded: bool
) -> OperatingPoint:
    held = [
        one
        for one in clean
        if threshold is not None and one.score is not None and one.score >= threshold
    ]
    right = sum(one.right for one in held)
    return OperatingPoint(
        threshold=threshold,
        asked=len(clean),
        answered=len(held),
        right=right,
        bound=lower_bound(right, len(held), confidence=0.95),
        reached=reached,
        bounded=bounded,
    )


def _starts(count: int) -> NDArray[np.int64]:
    bins = min(BINS, count)
    return (np.arange(bins) * count) // bins


def _levelled(ranked: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace the labels of equal confidences by their mean; `labels` shape `(draws, n)`."""
    starts = np.flatnonzero(np.append(True, np.diff(ranked) > 0.0))
    sizes = np.diff(np.append(starts, len(ranked)))
    means = np.add.reduceat(labels, starts, axis=1) / sizes
    return np.asarray(np.repeat(means, sizes, axis=1), dtype=np.float64)
