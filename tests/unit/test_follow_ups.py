from __future__ import annotations

import pytest

from gateway.query.follow_ups import stands_alone

ALONE = [
    "How long is the warranty of the lamp?",
    "When does the quarry road close in winter?",
    "How long does it take to return a lamp?",
    "Is it possible to return a lamp without a receipt?",
    "Is it allowed to park at the quarry?",
    "Is there a fee for returns?",
    "Are there any discounts for members?",
    "If a lamp breaks, can it be returned?",
    "When a member cancels, do they get their money back?",
    "Which lamp has a battery that lasts longest?",
    "Who wrote the report that the council published?",
    "What is the opening time of the museum?",
    "In which year was the Ghent depot built?",
    "Warranty of the lamp",
    "Does the policy say that returns are free?",
    "What does the word codicil mean?",
    "How many people work at the Ghent depot?",
    "Wie lange gilt die Garantie?",
    "保証期間はどのくらいですか",
    "Thanks for nothing is which album's first song?",
]
FOLLOW_UPS = [
    "And in winter?",
    "and how much is the fee?",
    "What about the other lamp?",
    "How about tomorrow?",
    "Why?",
    "why not?",
    "How long is it valid?",
    "How much does it cost?",
    "When does it close?",
    "Where can they be bought?",
    "Who is he?",
    "What is her role?",
    "Is this true?",
    "Are these free?",
    "What does that mean?",
    "Is that one cheaper?",
    "Does that apply to members?",
    "In winter?",
    "For members only?",
    "Tell me more",
    "Go on.",
    "Anything else?",
    "The second one?",
    "Ok, why?",
    "How do I get there?",
    "How long does it take?",
    "???",
    "",
]


@pytest.mark.parametrize("question", ALONE)
def test_a_question_that_names_its_subject_stands_alone(question: str) -> None:
    assert stands_alone(question)


@pytest.mark.parametrize("question", FOLLOW_UPS)
def test_a_question_that_points_back_does_not(question: str) -> None:
    assert not stands_alone(question)
