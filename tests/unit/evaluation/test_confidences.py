"""Risk at a coverage, calibration over equal masses, and operating points."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.answering import Outcome
from domain.errors import InputError
from evaluation.redteam.asked import Asked
from evaluation.redteam.confidences import (
    area_under_risk,
    as_returned,
    at_threshold,
    calibrated,
    coverage_point,
    cross_fitted,
    equal_masses,
    null_band,
    precision_point,
    risk_coverage,
    wrong_at,
)
from evaluation.redteam.figures import figures
from tests.redteam_answers import CLEAN, abstained, asked

SCORES = st.one_of(st.none(), st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.floats(0.01, 0.99))
LABELS = st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=40)


def run(
    labels: Sequence[tuple[float | None, bool]], *, outcome: Outcome = Outcome.ANSWER
) -> list[Asked]:
    return [
        asked(f"q{at}", cell=CLEAN, score=score, right=right, outcome=outcome, fold=at % 2)
        for at, (score, right) in enumerate(labels)
    ]


def test_a_risk_coverage_curve_by_hand() -> None:
    curve = risk_coverage(run([(0.9, True), (0.8, False), (0.7, True), (None, True), (0.6, False)]))

    assert [point.coverage for point in curve] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert [point.risk for point in curve] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert area_under_risk(curve) == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert wrong_at(curve, 0.5) == pytest.approx(1 / 3)
    assert wrong_at(curve, 0.8) == pytest.approx(1 / 2)
    assert wrong_at(curve, 0.9) is None


def test_equal_scores_count_what_is_expected_of_them() -> None:
    curve = risk_coverage(run([(0.5, True), (0.5, False), (0.5, True), (0.5, False)]))

    assert [point.risk for point in curve] == pytest.approx([0.5] * 4)


def test_nothing_scored_has_no_curve() -> None:
    curve = risk_coverage(run([(None, True)]))

    assert curve == ()
    assert area_under_risk(curve) is None
    assert wrong_at(curve, 0.1) is None
    assert risk_coverage([]) == ()


@given(LABELS, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_a_curve_depends_on_no_order_and_stays_in_the_unit_range(
    labels: list[tuple[float | None, bool]], shuffled: random.Random
) -> None:
    mixed = labels.copy()
    shuffled.shuffle(mixed)

    curve, other = risk_coverage(run(labels)), risk_coverage(run(mixed))

    assert [point.risk for point in curve] == pytest.approx([point.risk for point in other])
    assert all(0 <= point.risk <= 1 and 0 < point.coverage <= 1 for point in curve)
    assert sorted(point.coverage for point in curve) == [point.coverage for point in curve]


def test_a_better_order_has_the_smaller_area() -> None:
    good = run([(0.9, True), (0.8, True), (0.2, False), (0.1, False)])
    bad = run([(0.9, False), (0.8, False), (0.2, True), (0.1, True)])

    assert (area_under_risk(risk_coverage(good)) or 0) < (area_under_risk(risk_coverage(bad)) or 0)


def test_calibration_error_and_brier_score_by_hand() -> None:
    # Two labels a bin: |0.15 - 0|, then |0.95 - 0.5| for 1/10 of the mass each, and eight of |0.5 - 0.5|.
    confidences = np.array([0.1, 0.2, *[0.5] * 16, 0.9, 1.0])
    right = np.array([False, False, *[True, False] * 8, True, False])

    made = calibrated(confidences, right)

    assert made is not None
    assert made.n == 20
    assert [each.count for each in made.bins] == [2] * 10
    assert made.ece == pytest.approx((2 * 0.15 + 2 * 0.45) / 20)
    assert made.brier == pytest.approx((0.01 + 0.04 + 16 * 0.25 + 0.01 + 1.0) / 20)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.3, 0.6, 1.0]), st.booleans()), min_size=1, max_size=50
    ),
    st.randoms(use_true_random=False),
)
@settings(deadline=None, max_examples=50)
def test_calibration_depends_on_no_order_and_stays_in_the_unit_range(
    labels: list[tuple[float, bool]], shuffled: random.Random
) -> None:
    mixed = labels.copy()
    shuffled.shuffle(mixed)

    made, other = (
        calibrated(np.array([c for c, _ in each]), np.array([r for _, r in each]))
        for each in (labels, mixed)
    )

    assert made is not None
    assert other is not None
    assert made.ece == pytest.approx(other.ece)
    assert all(0 <= each <= 1 for each in (made.ece, made.brier, made.null))
    assert sum(each.count for each in made.bins) == len(labels)
    counts = {each.count for each in made.bins}
    assert max(counts) - min(counts) <= 1


def test_the_null_band_is_what_chance_alone_makes() -> None:
    drawn = np.random.default_rng(3)
    confidences = drawn.uniform(0.3, 0.9, size=200)
    band = null_band(confidences)

    errors = []
    for _ in range(200):
        made = equal_masses(confidences, drawn.random(200) < confidences)
        errors.append(sum(m.count * abs(m.confidence - m.right) for m in made) / 200)

    assert 0.90 <= float(np.mean(np.array(errors) <= band)) <= 0.99


def test_the_null_band_is_seeded_and_narrows_with_the_number_of_labels() -> None:
    few, many = np.full(50, 0.7), np.tile(np.linspace(0.2, 0.9, 50), 40)

    assert null_band(few) == null_band(few)
    assert null_band(many) < 0.05 < null_band(np.linspace(0.2, 0.9, 50))


def test_a_question_asked_in_many_cells_is_one_label_of_the_null_band() -> None:
    confidences = np.linspace(0.2, 0.9, 50)
    repeated, names = np.tile(confidences, 20), [f"q{at}" for at in range(50)] * 20

    alone, together = null_band(repeated), null_band(repeated, questions=names)

    assert alone < 0.06
    assert together == pytest.approx(null_band(confidences), abs=0.02)


def test_the_null_band_of_other_many_questions_is_refused() -> None:
    with pytest.raises(InputError, match="2 confidences, 1 questions"):
        null_band(np.array([0.2, 0.4]), questions=["q"])


def test_confidences_that_are_certain_and_right_have_no_error() -> None:
    made = calibrated(np.array([1.0, 1.0, 0.0]), np.array([True, True, False]))

    assert made is not None
    assert (made.ece, made.null, made.brier) == (0.0, 0.0, 0.0)


def test_confidences_of_nothing_are_not_measured() -> None:
    assert as_returned([]) is None
    assert cross_fitted([]) is None
    assert as_returned([abstained("q1"), asked("q2", confidence=None)]) is None


def test_confidences_and_labels_must_match() -> None:
    with pytest.raises(InputError):
        calibrated(np.array([0.5]), np.array([True, False]))


def labelled(count: int, *, seed: int = 1) -> list[Asked]:
    """Scores whose share right is their square: no probabilities, yet a Platt away from them."""
    drawn = random.Random(seed)  # noqa: S311
    labels: list[tuple[float | None, bool]] = []
    for _ in range(count):
        score = drawn.uniform(0.05, 0.95)
        labels.append((score, drawn.random() < score**2))
    return run(labels)


def test_cross_fitting_makes_probabilities_of_scores() -> None:
    made = cross_fitted(labelled(1200))

    assert made is not None
    assert made.n == 1200
    assert made.ece < 0.05
    raw = calibrated(
        np.array([one.score for one in labelled(1200)]),
        np.array([one.right for one in labelled(1200)]),
    )
    assert raw is not None
    assert raw.ece > 2 * made.ece


def test_no_label_of_a_fold_helps_to_judge_it() -> None:
    """Labels turned round in one fold turn the other's confidences, and not its own."""
    honest = labelled(400)
    turned = [
        asked(
            one.row, cell=CLEAN, score=one.score, right=one.right ^ (one.fold == 0), fold=one.fold
        )
        for one in honest
    ]

    made, other = cross_fitted(honest), cross_fitted(turned)

    assert made is not None
    assert other is not None
    assert other.brier > made.brier + 0.1


@pytest.mark.parametrize(
    "few",
    [
        labelled(60),
        run([(0.5, True)] * 200),
        [asked(f"q{at}", score=0.5, right=at % 2 == 0, fold=0) for at in range(200)],
    ],
    ids=["too few", "of one class", "of one fold"],
)
def test_labels_that_allow_no_fit_are_not_measured(few: list[Asked]) -> None:
    assert cross_fitted(few) is None


def test_coverage_90_lets_a_tenth_of_the_clean_questions_abstain() -> None:
    clean = run([(at / 100, at > 40) for at in range(100)])

    made = coverage_point(clean)

    assert (made.threshold, made.answered, made.asked) == (0.1, 90, 100)
    assert made.reached
    assert made.coverage == pytest.approx(0.9)
    assert made.precision == pytest.approx(59 / 90)


def test_coverage_90_is_not_reached_where_more_have_no_score() -> None:
    clean = run([(None, False)] * 3 + [(0.2, True)] * 7)

    made = coverage_point(clean)

    assert (made.threshold, made.answered, made.reached) == (0.2, 7, False)


@given(LABELS, st.sampled_from([0.0, 0.1, 0.3]))
@settings(deadline=None)
def test_no_more_abstain_than_wanted_where_that_is_reached(
    labels: list[tuple[float | None, bool]], abstain: float
) -> None:
    clean = run(labels)

    made = coverage_point(clean, abstain=abstain)
    after = figures(at_threshold(clean, made.threshold))

    if made.reached:
        assert made.asked - made.answered <= abstain * made.asked + 1e-9
        assert after.abstained.hits <= abstain * made.asked + 1e-9


def test_precision_90_has_a_bound_where_there_are_labels_enough() -> None:
    clean = run([(at / 1000, at % 50 != 0 if at > 300 else False) for at in range(1, 1001)])

    made = precision_point(clean)

    assert made.reached
    assert made.bounded
    assert made.bound >= 0.9
    assert made.precision >= 0.9


def test_precision_90_is_told_as_a_point_estimate_where_there_are_too_few() -> None:
    clean = run([(0.5 + at / 100, True) for at in range(20)] + [(0.1, False)] * 20)

    made = precision_point(clean)

    assert (made.threshold, made.answered, made.right) == (0.5, 20, 20)
    assert made.reached
    assert not made.bounded
    assert made.bound == pytest.approx(0.05 ** (1 / 20))


@pytest.mark.parametrize("labels", [[(0.5, False)] * 30, [(None, True)] * 30, []])
def test_precision_that_is_never_reached_answers_nothing(
    labels: list[tuple[float | None, bool]],
) -> None:
    made = precision_point(run(labels))

    assert (made.threshold, made.answered, made.reached) == (None, 0, False)
    assert made.bound == 0.0
    assert all(not one.answered or one.score is None for one in at_threshold(run(labels), None))


@pytest.mark.parametrize(("clean", "abstain"), [([], 0.1), ([asked("q1")], 1.0)])
def test_a_coverage_that_means_nothing_is_refused(clean: list[Asked], abstain: float) -> None:
    with pytest.raises(InputError):
        coverage_point(clean, abstain=abstain)


@pytest.mark.parametrize(
    ("one", "outcome"),
    [
        (asked("q", score=0.6, outcome=Outcome.ESCALATED), Outcome.ESCALATED),
        (asked("q", score=0.4), Outcome.ABSTAIN),
        (asked("q", score=0.5), Outcome.ANSWER),
        (asked("q", score=None), Outcome.ANSWER),
        (asked("q", score=0.9, outcome=Outcome.ABSTAIN, reason="low-confidence"), Outcome.ANSWER),
        (asked("q", score=0.4, outcome=Outcome.ABSTAIN, reason="low-confidence"), Outcome.ABSTAIN),
        (asked("q", score=0.9, outcome=Outcome.ABSTAIN, reason="disagreement"), Outcome.ABSTAIN),
        (asked("q", score=0.9, outcome=Outcome.ABSTAIN, reason="denied"), Outcome.ABSTAIN),
    ],
)
def test_another_threshold_changes_only_what_a_threshold_decides(
    one: Asked, outcome: Outcome
) -> None:
    (made,) = at_threshold([one], 0.5)

    assert made.outcome is outcome
    assert (made.reason is None) is (outcome is not Outcome.ABSTAIN)
