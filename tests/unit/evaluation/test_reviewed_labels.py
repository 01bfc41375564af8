"""Calibration by what reviewers said of answers that were given: enough of them, or none."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from defences.answering.calibration import CalibrationError, ReliabilityBin
from domain.answering import Outcome, QuestionId
from domain.documents import DEFAULT_TENANT
from domain.feedback import Feedback, FeedbackVerdict
from domain.ledger import QuestionRecord
from evaluation.calibrate import CalibrationReport
from evaluation.calibration.labelled_set import Split
from evaluation.reviewed_labels import (
    NEEDED,
    ReviewedScore,
    fit_reviewed,
    missing,
    reviewed_scores,
    split,
)
from gateway.cli.commands_calibrate import reliability_page
from tests.ledger_rows import observation

pytestmark = pytest.mark.anyio

AT = datetime(2026, 11, 1, tzinfo=UTC)


def score(number: int, *, configuration: str = "default") -> ReviewedScore:
    value = (number % 50) / 50
    return ReviewedScore(
        configuration=configuration,
        question=f"question {number}?",
        score=value,
        right=value > 0.4 or number % 7 == 0,
    )


SCORES = [score(number) for number in range(300)]


async def ledger_with(*labels: tuple[str, float, FeedbackVerdict, bool]) -> InMemoryLedger:
    ledger = InMemoryLedger(clock=ManualClock(AT), ids=SequentialIds())
    for at, (question, value, verdict, label) in enumerate(labels):
        name = QuestionId(f"q{at}")
        trace = {
            "question": question,
            "answer": "three",
            "configuration": "default",
            "groups": [{"answer": "four", "score": 0.1}, {"answer": "three", "score": value}],
        }
        await ledger.questions.add(
            QuestionRecord(
                id=name,
                tenant_id=DEFAULT_TENANT,
                principal="app",
                asked_at=AT,
                outcome=Outcome.ANSWER,
                trace=json.dumps(trace),
            ),
            replace(observation(), question_id=name, outcome=Outcome.ANSWER),
        )
        await ledger.feedback.give(
            Feedback(
                question_id=name,
                tenant_id=DEFAULT_TENANT,
                author="rita",
                verdict=verdict,
                answer=None,
                comment=None,
                label=label,
                given_at=AT + timedelta(minutes=at),
            )
        )
    return ledger


async def test_the_score_of_the_group_that_was_answered_with_is_labelled() -> None:
    ledger = await ledger_with(("how many doors?", 0.75, FeedbackVerdict.RIGHT, True))

    (found,) = await reviewed_scores(ledger, DEFAULT_TENANT)

    assert found == ReviewedScore(
        configuration="default", question="how many doors?", score=0.75, right=True
    )


async def test_a_proposal_is_no_label_and_the_latest_label_of_a_question_counts() -> None:
    ledger = await ledger_with(
        ("how many doors?", 0.5, FeedbackVerdict.RIGHT, True),
        ("how many doors?", 0.6, FeedbackVerdict.WRONG, True),
        ("how many gates?", 0.7, FeedbackVerdict.RIGHT, False),
    )

    (found,) = await reviewed_scores(ledger, DEFAULT_TENANT)

    assert (found.score, found.right) == (0.6, False)


def test_too_few_labels_are_refused_with_the_number_that_is_missing() -> None:
    with pytest.raises(CalibrationError, match=r"^12 reviewers' labels; about \d+ more are needed"):
        fit_reviewed(SCORES[:12], precision=0.9)
    with pytest.raises(CalibrationError, match="about 80 more"):
        fit_reviewed([], precision=0.9)


def test_the_missing_labels_are_about_enough() -> None:
    few = SCORES[:60]
    lacking = missing(few)

    assert lacking > 0
    assert missing(SCORES[: 60 + 2 * lacking]) == 0


def test_every_split_has_what_it_needs_and_no_question_is_in_two() -> None:
    dealt = split([*SCORES, *SCORES])

    texts = {name: {one.question for one in held} for name, held in dealt.items()}
    assert all(len(texts[name]) >= NEEDED[name] for name in Split)
    assert sum(len(held) for held in texts.values()) == len(SCORES)


def test_each_configuration_with_enough_labels_has_an_artefact_of_its_own() -> None:
    other = [score(number, configuration="other") for number in range(20)]

    (made,) = fit_reviewed([*SCORES, *other], precision=0.9)

    assert made.configuration == "default"
    assert sum(made.labels) == len(SCORES)
    assert {each.kind for each in made.candidates} == {"temperature", "platt", "isotonic"}


def test_a_report_draws_reliability_before_and_after_and_escapes_names() -> None:
    before = ReliabilityBin(lower=0.0, upper=0.5, count=4, confidence=0.3, right=0.75)
    after = ReliabilityBin(lower=0.5, upper=1.0, count=4, confidence=0.7, right=0.75)
    found = CalibrationReport(
        configuration="<b>default",
        version="v",
        tau=0.7,
        questions=4,
        labels=4,
        answered=4,
        right=3,
        brier=0.1,
        ece=0.05,
        bins=(after,),
        brier_before=0.3,
        ece_before=0.45,
        bins_before=(before,),
    )

    page = reliability_page(found, {"configuration": found.configuration, "ece": found.ece})

    assert "<b>default" not in page
    assert page.count("<polyline") == 2
