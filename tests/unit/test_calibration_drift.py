from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from defences.answering.calibration import CalibrationError
from defences.answering.calibration_artefact import CalibrationArtefact, Labels, fit_artefact
from defences.answering.calibration_drift import (
    LEAST_LABELS,
    LabelledAnswer,
    canary_fault,
    measure_drift,
)
from evaluation.calibrate import refuse_worse


def labels(right: int, wrong: int, confidence: float = 0.95) -> list[LabelledAnswer]:
    return [
        *[LabelledAnswer(confidence=confidence, right=True)] * right,
        *[LabelledAnswer(confidence=confidence, right=False)] * wrong,
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "drifted"),
    [
        (95, 5, False),
        (90, 10, False),
        (88, 12, True),
        (36, 4, False),
        (38, 2, False),
        (28, 12, True),
        (100, 0, False),
        (0, 60, True),
        (500, 90, True),
    ],
)
def test_what_chance_does_not_explain_is_drift(right: int, wrong: int, drifted: bool) -> None:
    found = measure_drift(labels(right, wrong))

    assert found is not None
    assert found.drifted is drifted
    assert found.labels == right + wrong


@pytest.mark.parametrize("count", [0, 1, LEAST_LABELS - 1])
def test_few_labels_say_nothing(count: int) -> None:
    assert measure_drift(labels(0, count)) is None


def test_confidence_that_is_too_low_is_drift_too() -> None:
    found = measure_drift(labels(200, 0, confidence=0.75))

    assert found is not None
    assert found.share == 1.0
    assert found.drifted


def test_a_true_calibration_is_seldom_alarmed_at() -> None:
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(60):
        confidences = rng.uniform(0.85, 1.0, size=80)
        right = rng.random(80) < confidences
        found = measure_drift(
            [
                LabelledAnswer(confidence=float(one), right=bool(hit))
                for one, hit in zip(confidences, right, strict=True)
            ],
            precision=0.9,
        )
        alarms += found is not None and found.drifted

    assert alarms <= 4


RIGHT = np.array([True] * 8 + [False] * 4)
GOOD = np.where(RIGHT, 0.9, 0.2)


@pytest.mark.parametrize(
    ("after", "tau", "fault"),
    [
        (GOOD, 0.7, None),
        (np.where(RIGHT, 0.95, 0.1), 0.7, None),
        (np.where(RIGHT, 0.2, 0.9), 0.7, "Brier"),
        (np.full(12, 0.99), 0.7, "Brier"),
        (GOOD, 0.1, "share right"),
        (GOOD, 0.95, "nothing"),
    ],
)
def test_a_refit_that_is_worse_on_the_canaries_is_named(
    after: np.ndarray, tau: float, fault: str | None
) -> None:
    found = canary_fault(GOOD, after, RIGHT, tau_before=0.7, tau_after=tau)

    assert (found is None) if fault is None else (found is not None and fault in found)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.booleans()), min_size=1, max_size=40))
def test_what_is_in_force_is_never_worse_than_itself(rows: list[tuple[float, bool]]) -> None:
    confidences = np.array([row[0] for row in rows])
    right = np.array([row[1] for row in rows])

    assert canary_fault(confidences, confidences, right, tau_before=0.7, tau_after=0.7) is None


def labelled(scores: np.ndarray, right: np.ndarray) -> Labels:
    return Labels(scores=scores, right=right)


def fitted(right: np.ndarray) -> CalibrationArtefact:
    scores = np.linspace(0.05, 0.95, len(right))
    labels_ = labelled(scores, right)
    return fit_artefact(fit=labels_, held_out=labels_, tau_split=labels_, configuration="c")


def test_a_refit_on_turned_labels_is_refused_and_one_on_good_labels_is_not() -> None:
    right = np.linspace(0.05, 0.95, 120) > 0.4
    canaries = labelled(np.linspace(0.05, 0.95, 120), right)
    in_force = {"c": fitted(right).calibrator()}

    refuse_worse(fitted(right), in_force, canaries)
    refuse_worse(fitted(~right), {}, canaries)
    with pytest.raises(CalibrationError, match="worse"):
        refuse_worse(fitted(~right), in_force, canaries)
