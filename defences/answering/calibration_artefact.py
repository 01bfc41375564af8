"""What a calibration is kept as: numbers in JSON, keyed by what they were fitted for (Law 12)."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from defences.answering.calibration import (
    DEFAULT_TAU,
    CalibrationError,
    IsotonicCalibrator,
    TemperatureCalibrator,
    brier_score,
    calibration_error,
    fit_isotonic,
    fit_platt,
    fit_tau,
    fit_temperature,
)

FORMAT: Final = 1
ISOTONIC_LABELS: Final = 1000
"""Labels of a fit from which isotonic regression may serve: with fewer its steps are mostly the
sample's, and a curve with two parameters does better (Niculescu-Mizil and Caruana, ICML 2005)."""

Kind = Literal["temperature", "platt", "isotonic"]

_FITS: Final[Mapping[Kind, Callable[..., TemperatureCalibrator | IsotonicCalibrator]]] = {
    "temperature": fit_temperature,
    "platt": fit_platt,
    "isotonic": fit_isotonic,
}
"""The fewest parameters first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Group scores with whether the answer was right, one a question; shapes `(n,)`."""

    scores: NDArray[np.float64]
    right: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateReport:
    """How one kind of calibrator did on held-out labels."""

    kind: Kind
    brier: float
    ece: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationArtefact:
    """A fitted calibrator with what it was fitted for and how it did.

    Attributes:
        configuration: Drafter, verifier, mode, m, k, route ... as one string; an artefact serves
            no other.
        kind: Which of the candidates serves: the simplest that is as good as the best by held-out
            Brier score.
        temperature, bias: Of `temperature` and `platt`; 1 and 0 otherwise.
        knots_x, knots_y: Of `isotonic`; empty otherwise.
        tau_reached: Whether the precision asked for was shown at `tau`; if not it is the default.
        precision, bound: What was asked for, and the one-sided lower bound at `tau`.
        labels: Labels of fit, held-out and tau split.
        candidates: Held-out figures of every kind.
    """

    configuration: str
    kind: Kind
    temperature: float
    bias: float
    knots_x: tuple[float, ...]
    knots_y: tuple[float, ...]
    tau: float
    tau_reached: bool
    precision: float
    bound: float
    labels: tuple[int, int, int]
    candidates: tuple[CandidateReport, ...]
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise CalibrationError(f"artefact has format {self.format!r}, expected {FORMAT}")
        if self.kind not in get_args(Kind):
            raise CalibrationError(f"artefact is of kind {self.kind!r}")
        self.calibrator()

    @property
    def version(self) -> str:
        """A hash of everything in it, so that a trace names exactly what calibrated it."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def calibrator(self) -> TemperatureCalibrator | IsotonicCalibrator:
        """Return the calibrator that serves.

        Raises:
            CalibrationError: The numbers do not make one.
        """
        version = self.version
        if self.kind == "isotonic":
            return IsotonicCalibrator(
                knots_x=self.knots_x, knots_y=self.knots_y, tau=self.tau, version=version
            )
        return TemperatureCalibrator(
            temperature=self.temperature, bias=self.bias, tau=self.tau, version=version
        )

    def serves(self, configuration: str) -> bool:
        return self.configuration == configuration

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, sort_keys=True, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> CalibrationArtefact:
        """Read an artefact. Keys, types and ranges must be exactly as written.

        Raises:
            CalibrationError: They are not.
        """
        try:
            row = json.loads(text, parse_constant=_no_constant)
        except ValueError as error:
            raise CalibrationError("artefact is not JSON") from error
        names = {field.name for field in fields(cls)}
        if not isinstance(row, dict) or set(row) != names:
            raise CalibrationError(f"artefact must have exactly the keys {sorted(names)}")
        return cls(
            configuration=_text(row, "configuration"),
            kind=_kind(row["kind"]),
            temperature=_number(row["temperature"]),
            bias=_number(row["bias"]),
            knots_x=_numbers(row["knots_x"]),
            knots_y=_numbers(row["knots_y"]),
            tau=_number(row["tau"]),
            tau_reached=_flag(row["tau_reached"]),
            precision=_number(row["precision"]),
            bound=_number(row["bound"]),
            labels=_counts(row["labels"]),
            candidates=_candidates(row["candidates"]),
            format=_count(row["format"]),
        )


def fit_artefact(
    *,
    fit: Labels,
    held_out: Labels,
    tau_split: Labels,
    configuration: str,
    precision: float = 0.9,
    confidence: float = 0.95,
) -> CalibrationArtefact:
    """Fit every kind of calibrator, keep the better on held-out labels, then fit tau.

    Temperature scaling, Platt scaling and isotonic regression are fitted on `fit` and compared on
    `held_out` by Brier score. Of those whose score is within a standard error of the best one's the
    first serves, it having the fewest parameters (Breiman et al. 1984, the one-standard-error rule).
    Isotonic regression serves from `ISOTONIC_LABELS` on alone. The kind that serves is fitted again
    on both: the figures of `candidates` are those of the fit that had not seen `held_out`.
    `tau_split` is used for tau alone.

    Raises:
        CalibrationError: A split is empty, or `fit` has too few labels or only one class.
    """
    if not len(held_out.right) or not len(tau_split.right):
        raise CalibrationError("held-out and tau split must not be empty")
    fitted = {kind: _fit(kind, fit) for kind in _FITS}
    reports = tuple(_report(kind, made, held_out) for kind, made in fitted.items())
    able = dict(fitted)
    if len(fit.right) < ISOTONIC_LABELS:
        del able["isotonic"]
    kind = _simplest(able, held_out)
    best = _fit(kind, _joined(fit, held_out))
    threshold = fit_tau(
        best.predict(tau_split.scores), tau_split.right, precision=precision, confidence=confidence
    )
    return CalibrationArtefact(
        configuration=configuration,
        kind=kind,
        temperature=best.temperature if isinstance(best, TemperatureCalibrator) else 1.0,
        bias=best.bias if isinstance(best, TemperatureCalibrator) else 0.0,
        knots_x=best.knots_x if isinstance(best, IsotonicCalibrator) else (),
        knots_y=best.knots_y if isinstance(best, IsotonicCalibrator) else (),
        tau=threshold.tau,
        tau_reached=threshold.reached,
        precision=precision,
        bound=threshold.lower_bound,
        labels=(len(fit.right), len(held_out.right), len(tau_split.right)),
        candidates=reports,
    )


def _fit(kind: Kind, labels: Labels) -> TemperatureCalibrator | IsotonicCalibrator:
    return _FITS[kind](labels.scores, labels.right, tau=DEFAULT_TAU, version="")


def _joined(first: Labels, second: Labels) -> Labels:
    return Labels(
        scores=np.concatenate([first.scores, second.scores]),
        right=np.concatenate([first.right, second.right]),
    )


def _simplest(
    fitted: Mapping[Kind, TemperatureCalibrator | IsotonicCalibrator], labels: Labels
) -> Kind:
    """Return the first kind that is no worse than the best one, as far as the labels can tell."""
    losses = {
        kind: (made.predict(labels.scores) - labels.right) ** 2 for kind, made in fitted.items()
    }
    best = min(losses.values(), key=lambda each: float(each.mean()))
    for kind, loss in losses.items():
        worse = loss - best
        if float(worse.mean()) <= float(worse.std()) / math.sqrt(len(worse)):
            return kind
    raise AssertionError("the best is as good as itself")


def _report(
    kind: Kind, calibrator: TemperatureCalibrator | IsotonicCalibrator, labels: Labels
) -> CandidateReport:
    confidences = calibrator.predict(labels.scores)
    return CandidateReport(
        kind=kind,
        brier=brier_score(confidences, labels.right),
        ece=calibration_error(confidences, labels.right),
    )


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _text(row: dict[str, object], key: str) -> str:
    value = row[key]
    if not isinstance(value, str) or not value:
        raise CalibrationError(f"{key} must be a string that is not empty")
    return value


def _kind(value: object) -> Kind:
    for kind in get_args(Kind):
        if value == kind:
            found: Kind = kind
            return found
    raise CalibrationError(f"kind must be one of {get_args(Kind)}")


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CalibrationError(f"expected a number, got {type(value).__name__}")
    return float(value)


def _numbers(value: object) -> tuple[float, ...]:
    if not isinstance(value, list):
        raise CalibrationError(f"expected a list of numbers, got {type(value).__name__}")
    return tuple(_number(item) for item in value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise CalibrationError(f"expected true or false, got {type(value).__name__}")
    return value


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise CalibrationError("expected a count")
    return value


def _counts(value: object) -> tuple[int, int, int]:
    if not isinstance(value, list) or len(value) != len(("fit", "held-out", "tau")):
        raise CalibrationError("labels must be three counts")
    first, second, third = (_count(item) for item in value)
    return first, second, third


def _candidates(value: object) -> tuple[CandidateReport, ...]:
    if not isinstance(value, list):
        raise CalibrationError("candidates must be a list")
    return tuple(_candidate(item) for item in value)


def _candidate(value: object) -> CandidateReport:
    if not isinstance(value, dict) or set(value) != {"kind", "brier", "ece"}:
        raise CalibrationError("a candidate has kind, brier and ece")
    return CandidateReport(
        kind=_kind(value["kind"]), brier=_number(value["brier"]), ece=_number(value["ece"])
    )
