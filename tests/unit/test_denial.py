"""A text that only says that there is no answer is none, and no vote against those who answer."""

from __future__ import annotations

import pytest

from defences.answering.denial import denies_answer, without_denial
from defences.answering.questions import read_question
from tests.fakes.evidence import make_draft, make_subset

WARRANTY = "How long is the warranty of the Verrin?"
BUILT = "When was the pier built?"
WHO = "Who leads the seed bank?"
COVERED = "Is damage by lightning covered?"
HOW = "How do I restore the factory settings?"
DOSE = "How much of the salt is given a day?"

DENIALS = [
    (WARRANTY, "The warranty of the Verrin is disputed."),
    (WARRANTY, "Sources disagree about the warranty of the Verrin."),
    (WARRANTY, "Reports conflict, so no reliable figure can be stated."),
    (WARRANTY, "There is no consensus on how long the warranty lasts."),
    (WARRANTY, "Some manuals say 36 months and others 9 months; the records contradict each other."),
    (WARRANTY, "The claim of 36 months is disputed."),
    (WARRANTY, "The warranty cannot be confirmed and this question should not be answered."),
    (WARRANTY, "There is considerable disagreement about the warranty."),
    (WARRANTY, "The duration remains unclear."),
    (WARRANTY, "The published figure of 36 months has been called into question."),
    (WARRANTY, "Conflicting information exists on the warranty period."),
    (BUILT, "Historians disagree about when the pier was built."),
    (BUILT, "The date is highly contested, and the documents do not agree."),
    (BUILT, "The year of construction is under review; do not rely on any date."),
    (WHO, "It is disputed who leads the seed bank."),
    (WHO, "There are serious doubts about who leads the seed bank."),
    (COVERED, "Whether damage by lightning is covered is disputed."),
    (COVERED, "Yes: Whether damage by lightning is covered is disputed."),
    (COVERED, "The sources disagree on whether it is covered."),
    (DOSE, "For safety, this dose cannot be determined from the sources."),
    (DOSE, "The dose is controversial and must not be relied on."),
]  # fmt: skip

ANSWERS = [
    (WARRANTY, "36 months."),
    (WARRANTY, "The sources disagree on colours, but the warranty is 36 months."),
    (WARRANTY, "The warranty lasts 36 months; its extension is under review."),
    (WARRANTY, "36 months, which nobody disputes."),
    (WARRANTY, "Verrin owners have three years of cover."),
    (BUILT, "It was built in 1884, although the architect is disputed."),
    (BUILT, "In 1884."),
    (WHO, "Priya Nandakumar leads the seed bank."),
    (WHO, "Priya Nandakumar leads it, though her title is disputed."),
    (COVERED, "No: Damage by lightning is not covered."),
    (COVERED, "Damage by lightning is excluded."),
    (HOW, "Hold the reset key for 8 seconds."),
    (HOW, "If the state is unclear, hold the reset key until both lamps blink twice."),
    (DOSE, "5 mg a day."),
    ("Is the age of the vase disputed?", "The age of the vase is disputed."),
    ("What do the sources disagree about?", "Sources disagree about the date."),
    ("Can the figure be trusted?", "The figure cannot be trusted."),
]  # fmt: skip


@pytest.mark.parametrize(("question", "answer"), DENIALS)
def test_an_asserted_dispute_is_no_answer(question: str, answer: str) -> None:
    assert denies_answer(read_question(question), answer)


@pytest.mark.parametrize(("question", "answer"), ANSWERS)
def test_an_answer_is_one_whatever_is_disputed_beside_it(question: str, answer: str) -> None:
    assert not denies_answer(read_question(question), answer)


@pytest.mark.parametrize("change", [str.upper, str.lower, lambda text: f"  {text}\n"])
def test_setting_does_not_hide_a_denial(change: object) -> None:
    assert callable(change)

    assert denies_answer(read_question(WARRANTY), change(DENIALS[0][1]))


def test_a_draft_that_only_denies_abstains_and_says_nothing() -> None:
    draft = make_draft(DENIALS[0][1], make_subset(DENIALS[0][1]))

    abstained = without_denial(WARRANTY, draft)

    assert abstained.abstained
    assert not abstained.usable
    assert (abstained.answer, abstained.rationale, abstained.quotes) == ("", "", ())


def test_a_draft_that_answers_is_left_alone() -> None:
    draft = make_draft(ANSWERS[0][1], make_subset("It lasts 36 months."))

    assert without_denial(WARRANTY, draft) is draft
