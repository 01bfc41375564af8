"""The red team's figures: known values, and laws that hold for any run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.answering import Outcome
from domain.errors import InputError
from evaluation.rates import Rate
from evaluation.redteam.asked import Asked, Cell
from evaluation.redteam.figures import (
    clean_cell,
    denied,
    detection,
    figures,
    grouped,
    latency,
    paired,
)
from tests.redteam_answers import CLEAN, POISONED, abstained, asked

OUTCOMES = st.sampled_from(Outcome)
VERDICTS = st.sampled_from(
    [(True, False, False), (False, True, False), (False, True, True), (False,) * 3]
)


@st.composite
def runs(draw: st.DrawFn) -> list[Asked]:
    verdicts = draw(
        st.lists(st.tuples(VERDICTS, OUTCOMES, st.integers(0, 4)), min_size=1, max_size=40)
    )
    return [
        asked(
            f"q{number}",
            right=right,
            planted=planted,
            both=both,
            outcome=outcome,
            contaminated=drafts,
            draft_right=drafts,
        )
        for number, ((right, planted, both), outcome, drafts) in enumerate(verdicts)
    ]


@given(runs())
@settings(deadline=None)
def test_every_rate_lies_in_the_unit_range_and_outcomes_exclude_each_other(
    run: list[Asked],
) -> None:
    made = figures(run, clean=run)

    assert made.strict is not None
    assert made.denied is not None
    every = [made.abstained, made.contaminated, made.draft_right, made.selected_right, made.held]
    for shares in (made.accuracy, made.strict, made.both, made.escalated, made.denied):
        every += [shares.all, shares.answered]
    assert all(0 <= one.low <= one.share <= one.high <= 1 for one in every if one.total)
    said = made.accuracy.all.hits + made.strict.all.hits + made.both.all.hits
    assert said + made.abstained.hits <= made.n
    assert made.denied.all.hits == 0
    assert made.escalated.all.hits + made.abstained.hits <= made.n


def test_nothing_asked_gives_nothing_and_fails_nothing() -> None:
    made = figures([])

    assert made.n == 0
    assert made.accuracy.all == Rate(hits=0, total=0)
    assert made.latency is None
    assert made.base is None
    assert made.denied is None
    assert made.picks == {}


@pytest.mark.parametrize(
    ("hits", "low", "high"),
    # (p + z2/2n -+ z sqrt(p(1-p)/n + z2/4n2)) / (1 + z2/n), z2 = 3.8415, n = 50
    [(0, 0.0, 0.0713), (25, 0.3664, 0.6336), (50, 0.9287, 1.0)],
)
def test_rates_of_fifty_have_wilson_s_interval(hits: int, low: float, high: float) -> None:
    run = [asked(f"q{at}", planted=at < hits) for at in range(50)]

    made = figures(run)

    assert made.strict is not None
    assert made.strict.all.low == pytest.approx(low, abs=5e-5)
    assert made.strict.all.high == pytest.approx(high, abs=5e-5)


def test_a_run_is_counted_over_all_and_over_the_answered() -> None:
    run = [
        asked("q1", right=True, picked=2),
        asked("q2", planted=True, outcome=Outcome.ESCALATED, draft_right=0),
        asked("q3", planted=True, both=True, picked=2),
        abstained("q4"),
        replace(abstained("q5"), planted=True),
    ]

    made = figures(run)

    assert made.accuracy.all == Rate(hits=1, total=5)
    assert made.accuracy.answered == Rate(hits=1, total=3)
    assert made.strict is not None
    assert made.strict.all == Rate(hits=1, total=5)
    assert made.strict.answered == Rate(hits=1, total=3)
    assert made.both.answered == Rate(hits=1, total=3)
    assert made.abstained == Rate(hits=2, total=5)
    assert made.escalated.all == Rate(hits=1, total=5)
    assert made.contaminated == Rate(hits=5, total=20)
    assert made.draft_right == Rate(hits=8, total=20)
    assert made.selected_right == Rate(hits=1, total=4)
    assert made.picks == {0: 1, 2: 2}


def test_the_base_is_what_the_planted_answer_has_by_chance() -> None:
    clean = [asked("q1", cell=CLEAN, planted=True), asked("q2", cell=CLEAN, right=True)]

    made = figures([asked("q1"), asked("q2")], clean=clean)

    assert made.base is not None
    assert made.base.all == Rate(hits=1, total=2)


def test_an_attack_that_wants_no_answer_has_no_strict_success() -> None:
    cell = replace(POISONED, attack="denial")
    clean = [asked("q1", cell=CLEAN, right=True)]

    made = figures([abstained("q1", cell=cell)], clean=clean)

    assert made.strict is None
    assert made.base is None
    assert made.denied is not None
    assert made.denied.all == Rate(hits=1, total=1)


def test_denied_are_only_questions_that_were_answered_before() -> None:
    clean = [
        asked("q1", cell=CLEAN),
        abstained("q2", cell=CLEAN),
        asked("q3", cell=CLEAN),
        asked("q4", cell=CLEAN),
    ]
    attacked = [abstained("q1"), abstained("q2"), asked("q3"), abstained("q5")]

    made = denied(attacked, clean)

    assert made.all == Rate(hits=1, total=3)
    assert made.answered == Rate(hits=1, total=2)


@pytest.mark.parametrize(
    "mixed",
    [
        [asked("q1"), asked("q1")],
        [asked("q1"), asked("q2", cell=CLEAN)],
        [asked("q1"), asked("q2", system="standard-rag")],
    ],
)
def test_mixed_runs_are_refused(mixed: list[Asked]) -> None:
    with pytest.raises(InputError):
        figures(mixed)
    with pytest.raises(InputError):
        paired(mixed, mixed, lambda one: one.correct)


SYBIL = Cell(attack="dnd", b=3, provenance="sybil", stage="query-only")


@pytest.mark.parametrize(
    ("cell", "cells", "expected"),
    [
        (SYBIL, [], None),
        (CLEAN, [CLEAN], None),
        (SYBIL, [CLEAN], CLEAN),
        (SYBIL, [CLEAN, replace(CLEAN, provenance="sybil")], replace(CLEAN, provenance="sybil")),
        (SYBIL, [replace(CLEAN, provenance="none")], None),
        (replace(SYBIL, provenance="none"), [CLEAN], None),
        (replace(SYBIL, share=0.5), [CLEAN], None),
        (replace(SYBIL, share=0.5), [CLEAN, replace(CLEAN, share=0.5)], replace(CLEAN, share=0.5)),
        (
            replace(SYBIL, stage="ingest+query"),
            [CLEAN, replace(CLEAN, provenance="sybil"), replace(CLEAN, stage="ingest+query")],
            replace(CLEAN, stage="ingest+query"),
        ),
    ],
)
def test_a_cell_is_compared_with_the_one_that_differs_by_the_attack_alone(
    cell: Cell, cells: Sequence[Cell], expected: Cell | None
) -> None:
    assert clean_cell(cell, cells) == expected


def test_quantiles_of_the_seconds() -> None:
    made = latency([1.0, 2.0, 3.0])

    assert made is not None
    assert made.p50 == 2.0
    assert made.p95 == pytest.approx(2.9)
    assert latency([]) is None


def test_groups_keep_their_order() -> None:
    run = [asked("q1", query_type="year"), asked("q2"), asked("q3", query_type="year")]

    made = grouped(run, lambda one: one.query_type)

    assert {name: [one.row for one in held] for name, held in made.items()} == {
        "year": ["q1", "q3"],
        "person": ["q2"],
    }


def runs_of(both: int, first: int, second: int, neither: int) -> tuple[list[Asked], list[Asked]]:
    table = [(True, True)] * both + [(True, False)] * first
    table += [(False, True)] * second + [(False, False)] * neither
    ours = [asked(f"q{at}", right=one) for at, (one, _) in enumerate(table)]
    theirs = [
        asked(f"q{at}", right=other, system="standard-rag") for at, (_, other) in enumerate(table)
    ]
    return ours, theirs


def test_a_difference_has_mcnemar_s_exact_test() -> None:
    ours, theirs = runs_of(20, 8, 2, 10)

    made = paired(ours, theirs, lambda one: one.correct)

    assert made is not None
    assert (made.n, made.first, made.second) == (40, 8, 2)
    assert made.difference == pytest.approx(0.15)
    assert made.p_value == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert made.low < 0.15 < made.high


def test_a_difference_of_nothing_has_an_interval_and_p_one() -> None:
    ours, theirs = runs_of(25, 0, 0, 25)

    made = paired(ours, theirs, lambda one: one.correct)

    assert made is not None
    assert made.difference == 0.0
    assert made.p_value == 1.0
    assert made.low <= 0.0 <= made.high


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
@settings(deadline=None)
def test_a_difference_is_the_other_way_round_what_it_is_with_its_sign_turned(
    both: int, first: int, second: int, neither: int
) -> None:
    ours, theirs = runs_of(both, first, second, neither)

    one = paired(ours, theirs, lambda asked_: asked_.correct)
    other = paired(theirs, ours, lambda asked_: asked_.correct)

    if one is None or other is None:
        assert both + first + second + neither == 0
        return
    assert one.difference == pytest.approx(-other.difference)
    assert one.low == pytest.approx(-other.high)
    assert -1.0 <= one.low <= one.difference + 1e-12
    assert one.difference - 1e-12 <= one.high <= 1.0


def test_intervals_of_differences_hold_the_truth_about_as_often_as_they_say() -> None:
    drawn = random.Random(7)  # noqa: S311
    weights, truth = (40, 30, 10, 20), 0.2

    held = 0
    for _ in range(400):
        table = drawn.choices(range(4), weights=weights, k=50)
        ours, theirs = runs_of(*(table.count(each) for each in range(4)))
        made = paired(ours, theirs, lambda one: one.correct)
        assert made is not None
        held += made.low <= truth <= made.high

    assert 0.92 <= held / 400 <= 0.99


def test_systems_without_a_question_in_common_are_not_compared() -> None:
    assert paired([asked("q1")], [asked("q2")], lambda one: one.correct) is None


def test_a_scan_is_measured_at_a_bounded_share_of_false_positives() -> None:
    benign = [at / 100 for at in range(100)]
    attacks = [0.5, 0.945, 0.96, 0.985, 0.995, 2.0]

    at_one = detection(attacks, benign, false_positives=0.01)
    at_five = detection(attacks, benign, false_positives=0.05)

    assert (at_one.threshold, at_one.false) == (0.98, Rate(hits=1, total=100))
    assert at_one.found == Rate(hits=3, total=6)
    assert (at_five.threshold, at_five.false) == (0.94, Rate(hits=5, total=100))
    assert at_five.found == Rate(hits=5, total=6)


@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=40),
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=40),
    st.sampled_from([0.0, 0.01, 0.05, 0.5]),
)
@settings(deadline=None)
def test_a_scan_never_flags_more_benign_texts_than_allowed(
    attacks: list[float], benign: list[float], allowed: float
) -> None:
    made = detection(attacks, benign, false_positives=allowed)
    laxer = detection(attacks, benign, false_positives=0.9)

    assert made.false.hits <= allowed * len(benign) + 1e-9
    assert laxer.found.hits >= made.found.hits


def test_a_scan_needs_benign_texts_to_be_measured() -> None:
    with pytest.raises(InputError):
        detection([1.0], [], false_positives=0.01)
