"""Law 12: scores become probabilities, and tau keeps what it promises."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from scipy.special import expit, logit

from defences.answering.calibration import (
    DEFAULT_TAU,
    MIN_LABELS,
    CalibrationError,
    IsotonicCalibrator,
    TemperatureCalibrator,
    brier_score,
    calibration_error,
    fit_isotonic,
    fit_platt,
    fit_tau,
    fit_temperature,
    lower_bound,
    reliability,
)
from defences.answering.calibration_artefact import (
    ISOTONIC_LABELS,
    CalibrationArtefact,
    Labels,
    fit_artefact,
)
from domain.answering import Calibrator

Fit = Callable[..., Calibrator]
FITS = [fit_temperature, fit_platt, fit_isotonic]


def sample(count: int, *, temperature: float, bias: float = 0.0, seed: int = 0) -> Labels:
    """Labels drawn from P(right) = sigmoid((logit(score) + bias) / temperature)."""
    random = np.random.default_rng(seed)
    scores = random.uniform(0.02, 0.98, count)
    truth = expit((logit(scores) + bias) / temperature)
    return Labels(scores=scores, right=random.uniform(size=count) < truth)


labels = st.integers(MIN_LABELS, 120).flatmap(
    lambda count: st.tuples(
        arrays.arrays(np.float64, count, elements=st.floats(0.0, 1.0)),
        arrays.arrays(np.bool_, count),
    )
)


@pytest.mark.parametrize("temperature", [0.4, 1.0, 2.5])
def test_a_known_temperature_is_recovered(temperature: float) -> None:
    drawn = sample(6000, temperature=temperature)

    fitted = fit_temperature(drawn.scores, drawn.right, tau=0.7, version="")

    assert fitted.temperature == pytest.approx(temperature, rel=0.1)
    assert fitted.bias == 0.0


def test_a_known_bias_is_recovered() -> None:
    drawn = sample(6000, temperature=0.8, bias=1.5)

    fitted = fit_platt(drawn.scores, drawn.right, tau=0.7, version="")

    assert (fitted.temperature, fitted.bias) == pytest.approx((0.8, 1.5), rel=0.12)


@pytest.mark.parametrize("fit", [fit_platt, fit_isotonic])
def test_a_fit_is_calibrated_on_labels_it_has_not_seen(fit: Fit) -> None:
    seen = sample(3000, temperature=0.6, bias=1.0)
    unseen = sample(3000, temperature=0.6, bias=1.0, seed=1)

    confidences = fit(seen.scores, seen.right, tau=0.7, version="").predict(unseen.scores)

    assert calibration_error(confidences, unseen.right) < 0.04


@pytest.mark.parametrize("fit", FITS)
@settings(deadline=None)
@given(drawn=labels, more=arrays.arrays(np.float64, 20, elements=st.floats(-1.0, 2.0)))
def test_confidences_are_probabilities_that_never_fall_with_the_score(
    fit: Fit, drawn: tuple[NDArray[np.float64], NDArray[np.bool_]], more: NDArray[np.float64]
) -> None:
    scores, right = drawn
    right[0], right[-1] = True, False

    fitted = fit(scores, right, tau=0.7, version="")
    confidences = fitted.predict(np.sort(more))

    assert np.all((confidences > 0) & (confidences < 1))
    assert np.all(np.diff(confidences) >= 0)


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize(
    ("scores", "right"),
    [
        (np.full(MIN_LABELS - 1, 0.5), np.arange(MIN_LABELS - 1) % 2 == 0),
        (np.full(MIN_LABELS, 0.5), np.ones(MIN_LABELS, dtype=np.bool_)),
        (np.full(MIN_LABELS, 0.5), np.zeros(MIN_LABELS, dtype=np.bool_)),
        (np.full(MIN_LABELS, np.nan), np.arange(MIN_LABELS) % 2 == 0),
        (np.full(MIN_LABELS, 0.5), np.ones(MIN_LABELS + 1, dtype=np.bool_)),
    ],
)
def test_labels_that_show_nothing_are_refused(
    fit: Fit, scores: NDArray[np.float64], right: NDArray[np.bool_]
) -> None:
    with pytest.raises(CalibrationError):
        fit(scores, right, tau=0.7, version="")


def test_three_right_labels_are_no_certainty() -> None:
    scores = np.concatenate([np.linspace(0.1, 0.8, 50), [0.9, 0.95, 0.99]])
    right = np.concatenate([np.arange(50) % 2 == 0, [True, True, True]])

    fitted = fit_isotonic(scores, right, tau=0.7, version="")

    assert fitted.predict(np.array([1.0]))[0] <= 0.85


@pytest.mark.parametrize(
    ("right", "answered", "expected"),
    [(0, 10, 0.0), (10, 10, 0.7411), (29, 29, 0.9019), (45, 50, 0.8014), (90, 100, 0.8363)],
)
def test_the_bound_is_clopper_and_pearsons(right: int, answered: int, expected: float) -> None:
    assert lower_bound(right, answered, confidence=0.95) == pytest.approx(expected, abs=1e-3)


@settings(deadline=None)
@given(drawn=labels, precision=st.sampled_from([0.6, 0.8, 0.9]))
def test_tau_keeps_its_promise_or_is_the_default(
    drawn: tuple[NDArray[np.float64], NDArray[np.bool_]], precision: float
) -> None:
    confidences, right = drawn

    threshold = fit_tau(np.clip(confidences, 0.001, 0.999), right, precision=precision)

    held = np.clip(confidences, 0.001, 0.999) >= threshold.tau
    assert int(held.sum()) == threshold.answered
    assert int(right[held].sum()) == threshold.right
    if threshold.reached:
        assert threshold.lower_bound >= precision
    else:
        assert threshold.tau == DEFAULT_TAU


def test_tau_is_the_lowest_threshold_in_the_sequence_that_holds() -> None:
    confidences = np.linspace(0.99, 0.01, 200)
    right = np.arange(200) < 120

    threshold = fit_tau(confidences, right, precision=0.9)

    assert threshold.reached
    assert 120 < threshold.answered <= 130
    assert threshold.lower_bound >= 0.9


def test_what_is_surest_is_answered_though_the_better_half_falls_short() -> None:
    confidences = np.linspace(0.99, 0.01, 400)
    right = (np.arange(400) < 90) | (np.arange(400) % 2 == 0)

    threshold = fit_tau(confidences, right, precision=0.9)

    assert right[:200].mean() < 0.9
    assert threshold.reached
    assert 90 < threshold.answered < 120
    assert threshold.lower_bound >= 0.9


def test_too_few_labels_leave_the_default() -> None:
    threshold = fit_tau(np.full(20, 0.9), np.ones(20, dtype=np.bool_), precision=0.9)

    assert (threshold.tau, threshold.reached) == (DEFAULT_TAU, False)


@pytest.fixture(scope="module")
def artefact() -> CalibrationArtefact:
    return fit_artefact(
        fit=sample(300, temperature=0.6, bias=1.0),
        held_out=sample(200, temperature=0.6, bias=1.0, seed=1),
        tau_split=sample(200, temperature=0.6, bias=1.0, seed=2),
        configuration="drafter=a;verifier=b;m=5;k=5",
    )


def test_every_kind_is_fitted_and_one_as_good_as_the_best_on_held_out_labels_serves(
    artefact: CalibrationArtefact,
) -> None:
    briers = {report.kind: report.brier for report in artefact.candidates}

    assert set(briers) == {"temperature", "platt", "isotonic"}
    assert briers[artefact.kind] < min(briers.values()) + 0.01


def test_steps_serve_where_there_are_labels_for_them_alone() -> None:
    random = np.random.default_rng(3)
    scores = random.uniform(size=ISOTONIC_LABELS + 299)
    right = random.uniform(size=len(scores)) < np.where(scores < 0.3, 0.02, 0.7)
    few = ISOTONIC_LABELS - 1
    rest = Labels(scores=scores[few:], right=right[few:])

    fitted = fit_artefact(
        fit=Labels(scores=scores[:few], right=right[:few]),
        held_out=rest,
        tau_split=rest,
        configuration="x",
    )

    assert fitted.kind != "isotonic"
    assert min(fitted.candidates, key=lambda one: one.brier).kind == "isotonic"


def test_an_artefact_comes_back_from_json_as_it_was(artefact: CalibrationArtefact) -> None:
    again = CalibrationArtefact.from_json(artefact.to_json())

    grid = np.linspace(0, 1, 50)
    assert again == artefact
    assert again.version == artefact.version
    np.testing.assert_array_equal(
        again.calibrator().predict(grid), artefact.calibrator().predict(grid)
    )


def test_an_isotonic_artefact_comes_back_from_json_as_it_was() -> None:
    random = np.random.default_rng(3)
    scores = random.uniform(size=1400)
    plateaus = np.select([scores < 0.2, scores > 0.8], [0.01, 0.99], 0.5)
    right = random.uniform(size=1400) < plateaus

    fitted = fit_artefact(
        fit=Labels(scores=scores[:ISOTONIC_LABELS], right=right[:ISOTONIC_LABELS]),
        held_out=Labels(scores=scores[ISOTONIC_LABELS:], right=right[ISOTONIC_LABELS:]),
        tau_split=Labels(scores=scores[ISOTONIC_LABELS:], right=right[ISOTONIC_LABELS:]),
        configuration="x",
    )

    assert fitted.kind == "isotonic"
    assert CalibrationArtefact.from_json(fitted.to_json()) == fitted


def test_an_artefact_serves_its_configuration_alone(artefact: CalibrationArtefact) -> None:
    assert artefact.serves("drafter=a;verifier=b;m=5;k=5")
    assert not artefact.serves("drafter=a;verifier=b;m=3;k=5")


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"kind": "magic"},
        {"temperature": 0},
        {"temperature": -1.0},
        {"temperature": "1"},
        {"tau": 0.0},
        {"tau": 1.5},
        {"tau": True},
        {"tau_reached": 1},
        {"configuration": ""},
        {"labels": [1, 2]},
        {"labels": [1, 2, -3]},
        {"candidates": {}},
        {"candidates": [{"kind": "platt"}]},
        {"unknown": 1},
        {"kind": "isotonic", "knots_x": [], "knots_y": []},
        {"kind": "isotonic", "knots_x": [0.1, 0.1], "knots_y": [0.2, 0.3]},
        {"kind": "isotonic", "knots_x": [0.1, 0.2], "knots_y": [0.3, 0.2]},
        {"kind": "isotonic", "knots_x": [0.1], "knots_y": [1.0]},
    ],
)
def test_an_artefact_that_is_not_as_written_is_refused(
    artefact: CalibrationArtefact, change: dict[str, object]
) -> None:
    row = {**json.loads(artefact.to_json()), **change}

    with pytest.raises(CalibrationError):
        CalibrationArtefact.from_json(json.dumps(row))


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"tau": NaN}'])
def test_what_is_no_artefact_is_refused(text: str) -> None:
    with pytest.raises(CalibrationError):
        CalibrationArtefact.from_json(text)


@pytest.mark.parametrize("split", ["held_out", "tau_split"])
def test_an_empty_split_is_refused(split: str) -> None:
    full = sample(100, temperature=1.0)
    empty = Labels(scores=np.empty(0), right=np.empty(0, dtype=np.bool_))
    splits = {"fit": full, "held_out": full, "tau_split": full, split: empty}

    with pytest.raises(CalibrationError, match="empty"):
        fit_artefact(
            fit=splits["fit"],
            held_out=splits["held_out"],
            tau_split=splits["tau_split"],
            configuration="x",
        )


def test_reliability_counts_every_label_once() -> None:
    drawn = sample(500, temperature=1.0)

    rows = reliability(drawn.scores, drawn.right)

    assert sum(row.count for row in rows) == 500
    assert all(row.lower <= row.confidence <= row.upper for row in rows)


def test_a_perfect_forecast_has_no_error() -> None:
    right = np.array([True, False, True])

    assert brier_score(right.astype(np.float64), right) == 0.0
    assert calibration_error(right.astype(np.float64), right) == 0.0


@pytest.mark.parametrize("tau", [0.0, 1.1])
def test_an_impossible_tau_is_refused(tau: float) -> None:
    with pytest.raises(CalibrationError):
        TemperatureCalibrator(temperature=1.0, bias=0.0, tau=tau, version="")
    with pytest.raises(CalibrationError):
        IsotonicCalibrator(knots_x=(0.5,), knots_y=(0.5,), tau=tau, version="")
