"""From group scores to probabilities, and the threshold read off them: Law 12 of the design."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, logit
from scipy.stats import beta
from sklearn.isotonic import IsotonicRegression

from domain.errors import InputError

MIN_LABELS: Final = 40
"""Fewer say nothing: a share of 0.9 among 40 is known to within 0.1 either way."""

DEFAULT_TAU: Final = 0.7
"""Law 12: until a fit says otherwise."""

_STARTS: Final = (2, 4, 8)
"""Tau is looked for from the most confident half of the labels down, quarter and eighth."""

_SCORE_FLOOR: Final = 1e-6
_LEAST: Final = 1e-3
"""Probabilities stay this far from 0 and 1: no set of this size shows more."""

_MAX_LOG_TEMPERATURE: Final = 4.0


class CalibrationError(InputError):
    """The labels do not allow a fit."""

    code = "calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class TemperatureCalibrator:
    """P(right) = sigmoid((logit(score) + bias) / temperature).

    With `bias` 0 it is temperature scaling, Guo et al. 2017, "On Calibration of Modern Neural
    Networks", section 4.2. With a bias it is Platt scaling with a positive slope: a group score is
    no logit of a network, and d alone keeps that of a single seat below one half.
    """

    temperature: float
    bias: float
    tau: float
    version: str

    def __post_init__(self) -> None:
        if not (self.temperature > 0.0 and np.isfinite(self.temperature + self.bias)):
            raise CalibrationError(f"temperature {self.temperature!r}, bias {self.bias!r}")
        _check_tau(self.tau)

    def predict(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return P(right) of group scores, in (0, 1), non-decreasing in them."""
        raw = expit((_logits(scores) + self.bias) / self.temperature)
        return np.asarray(np.clip(raw, _LEAST, 1.0 - _LEAST), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class IsotonicCalibrator:
    """A non-decreasing piecewise linear map, flat outside its knots."""

    knots_x: tuple[float, ...]
    knots_y: tuple[float, ...]
    tau: float
    version: str

    def __post_init__(self) -> None:
        x, y = np.array(self.knots_x), np.array(self.knots_y)
        if len(x) != len(y) or len(x) < 1 or not np.all(np.isfinite(np.concatenate([x, y]))):
            raise CalibrationError(f"{len(x)} and {len(y)} knots")
        if np.any(np.diff(x) <= 0) or np.any(np.diff(y) < 0) or y[0] <= 0.0 or y[-1] >= 1.0:
            raise CalibrationError("knots must rise in x, not fall in y, and lie inside (0, 1)")
        _check_tau(self.tau)

    def predict(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return P(right) of group scores, in (0, 1), non-decreasing in them."""
        return np.asarray(np.interp(scores, self.knots_x, self.knots_y), dtype=np.float64)


def fit_temperature(
    scores: NDArray[np.float64], right: NDArray[np.bool_], *, tau: float, version: str
) -> TemperatureCalibrator:
    """Fit one temperature by maximum likelihood.

    Raises:
        CalibrationError: Fewer than `MIN_LABELS` labels, or only one class.
    """
    _check_labels(scores, right)
    logits = _logits(scores)
    found = minimize_scalar(
        lambda log_t: _log_loss(logits / np.exp(log_t), right),
        bounds=(-_MAX_LOG_TEMPERATURE, _MAX_LOG_TEMPERATURE),
        method="bounded",
    )
    temperature = float(np.exp(found.x))
    return TemperatureCalibrator(temperature=temperature, bias=0.0, tau=tau, version=version)


def fit_platt(
    scores: NDArray[np.float64], right: NDArray[np.bool_], *, tau: float, version: str
) -> TemperatureCalibrator:
    """Fit a positive temperature and a bias by maximum likelihood, against smoothed targets.

    The targets are (n+ + 1) / (n+ + 2) and 1 / (n- + 2), Platt 1999, "Probabilistic Outputs for
    Support Vector Machines", section 2.2.

    Raises:
        CalibrationError: Fewer than `MIN_LABELS` labels, or only one class.
    """
    _check_labels(scores, right)
    logits = _logits(scores)
    hits = int(right.sum())
    high, low = (hits + 1) / (hits + 2), 1 / (len(right) - hits + 2)
    targets = np.where(right, high, low)

    def loss(parameters: NDArray[np.float64]) -> float:
        return _cross_entropy((logits + parameters[1]) / np.exp(parameters[0]), targets)

    bounds = [(-_MAX_LOG_TEMPERATURE, _MAX_LOG_TEMPERATURE), (-30.0, 30.0)]
    found = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=bounds)
    temperature, bias = float(np.exp(found.x[0])), float(found.x[1])
    return TemperatureCalibrator(temperature=temperature, bias=bias, tau=tau, version=version)


def fit_isotonic(
    scores: NDArray[np.float64], right: NDArray[np.bool_], *, tau: float, version: str
) -> IsotonicCalibrator:
    """Fit an isotonic regression, its steps shrunk towards one half and never exactly 0 or 1.

    Each step of n labels becomes (n x share + 1) / (n + 2), Laplace's rule, and the result is made
    monotone again: a step of three right labels is no certainty.

    Raises:
        CalibrationError: Fewer than `MIN_LABELS` labels, or only one class.
    """
    _check_labels(scores, right)
    order = np.argsort(scores, kind="stable")
    x, y = scores[order], right[order].astype(np.float64)
    fitted = IsotonicRegression(out_of_bounds="clip").fit(x, y).predict(x)
    steps = np.flatnonzero(np.diff(fitted, prepend=-1.0) > 0.0)
    sizes = np.diff(np.append(steps, len(x)))
    centres = np.array([x[at : at + n].mean() for at, n in zip(steps, sizes, strict=True)])
    shrunk = (fitted[steps] * sizes + 1.0) / (sizes + 2.0)
    level = IsotonicRegression().fit_transform(np.arange(len(steps)), shrunk, sample_weight=sizes)
    keep = np.append(True, np.diff(centres) > 0.0)
    knots_y = np.clip(level[keep], _LEAST, 1.0 - _LEAST)
    return IsotonicCalibrator(
        knots_x=tuple(float(value) for value in centres[keep]),
        knots_y=tuple(float(value) for value in knots_y),
        tau=tau,
        version=version,
    )


def brier_score(confidences: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Return the mean squared distance of confidence and truth, in [0, 1]; lower is better."""
    return float(np.mean((confidences - right) ** 2))


def calibration_error(
    confidences: NDArray[np.float64], right: NDArray[np.bool_], *, bins: int = 10
) -> float:
    """Return the expected calibration error over bins of equal width, in [0, 1]."""
    total = 0.0
    for lower, upper in _edges(bins):
        held = _in_bin(confidences, lower, upper)
        if held.any():
            gap = abs(float(confidences[held].mean()) - float(right[held].mean()))
            total += gap * float(held.sum())
    return total / max(1, len(confidences))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Confidences in `[lower, upper)`, the last bin closed: their mean and the share right."""

    lower: float
    upper: float
    count: int
    confidence: float
    right: float


def reliability(
    confidences: NDArray[np.float64], right: NDArray[np.bool_], *, bins: int = 10
) -> tuple[ReliabilityBin, ...]:
    """Return the bins of a reliability diagram that hold anything, in order."""
    rows = []
    for lower, upper in _edges(bins):
        held = _in_bin(confidences, lower, upper)
        if held.any():
            rows.append(
                ReliabilityBin(
                    lower=lower,
                    upper=upper,
                    count=int(held.sum()),
                    confidence=float(confidences[held].mean()),
                    right=float(right[held].mean()),
                )
            )
    return tuple(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A threshold with what it promises.

    Attributes:
        tau: Least confidence of an answer.
        answered, right: Labels at or above `tau`, and how many of them are right.
        lower_bound: One-sided Clopper-Pearson bound on the share right; where reached, at the
            confidence that is left to one of several sequences.
        reached: Whether `lower_bound` is the precision asked for; if not, `tau` is the default.
    """

    tau: float
    answered: int
    right: int
    lower_bound: float
    reached: bool


def lower_bound(right: int, answered: int, *, confidence: float) -> float:
    """Return the one-sided Clopper-Pearson lower bound of a share; 0 where none is right."""
    if right == 0:
        return 0.0
    return float(beta.ppf(1.0 - confidence, right, answered - right + 1))


def fit_tau(
    confidences: NDArray[np.float64],
    right: NDArray[np.bool_],
    *,
    precision: float = 0.9,
    confidence: float = 0.95,
) -> Threshold:
    """Return the lowest threshold at which the share right is at least `precision`.

    Thresholds are tried from the most confident half, quarter and eighth down, in sequences fixed by
    the confidences alone, each of which stops at the first that fails and has its share of the
    error: so tested, the bound holds for the one chosen (Angelopoulos et al. 2021, "Learn then
    Test", fixed sequences of several starts). A drafter whose better half falls short can still
    answer what it is surest of. Too few labels or too many wrong leave the default.

    Args:
        confidences: Shape `(n,)`, one a question, as the guard compares them, of a split that no
            calibrator has seen.
        precision: Share that must be right among what is answered.
        confidence: Of the one-sided bound.
    """
    order = np.argsort(-confidences, kind="stable")
    ranked, hits = confidences[order], np.cumsum(right[order])
    each = 1.0 - (1.0 - confidence) / len(_STARTS)
    least = int(np.ceil(np.log(1.0 - each) / np.log(precision)))
    chosen: Threshold | None = None
    for part in _STARTS:
        for count in range(max(least, len(ranked) // part), len(ranked) + 1):
            if count < len(ranked) and ranked[count] == ranked[count - 1]:
                continue  # a threshold cannot part equal confidences
            bound = lower_bound(int(hits[count - 1]), count, confidence=each)
            if bound < precision:
                break
            if chosen is None or count > chosen.answered:
                chosen = Threshold(
                    tau=float(ranked[count - 1]),
                    answered=count,
                    right=int(hits[count - 1]),
                    lower_bound=bound,
                    reached=True,
                )
    return chosen if chosen is not None else _default_threshold(ranked, right[order], confidence)


def _default_threshold(
    ranked: NDArray[np.float64], right: NDArray[np.bool_], confidence: float
) -> Threshold:
    held = ranked >= DEFAULT_TAU
    answered, hits = int(held.sum()), int(right[held].sum())
    bound = lower_bound(hits, answered, confidence=confidence)
    return Threshold(
        tau=DEFAULT_TAU, answered=answered, right=hits, lower_bound=bound, reached=False
    )


def _edges(bins: int) -> Sequence[tuple[float, float]]:
    edges = np.linspace(0.0, 1.0, bins + 1)
    return [(float(lower), float(upper)) for lower, upper in itertools.pairwise(edges)]


def _in_bin(values: NDArray[np.float64], lower: float, upper: float) -> NDArray[np.bool_]:
    return (values >= lower) & ((values < upper) | (upper == 1.0))


def _logits(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(logit(np.clip(scores, _SCORE_FLOOR, 1.0 - _SCORE_FLOOR)), dtype=np.float64)


def _log_loss(logits: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    return _cross_entropy(logits, right.astype(np.float64))


def _cross_entropy(logits: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
    return float(np.mean(np.logaddexp(0.0, logits) - targets * logits))


def _check_labels(scores: NDArray[np.float64], right: NDArray[np.bool_]) -> None:
    if scores.shape != right.shape or scores.ndim != 1:
        raise CalibrationError(f"scores {scores.shape} and labels {right.shape} do not match")
    if not np.all(np.isfinite(scores)):
        raise CalibrationError("a score is not finite")
    if len(right) < MIN_LABELS:
        raise CalibrationError(f"{len(right)} labels, at least {MIN_LABELS} are needed")
    if right.all() or not right.any():
        raise CalibrationError("labels are all of one class")


def _check_tau(tau: float) -> None:
    if not 0.0 < tau <= 1.0:
        raise CalibrationError(f"tau is {tau!r}, expected (0, 1]")
