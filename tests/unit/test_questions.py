from __future__ import annotations

import pytest

from defences.answering.focus import find_focus, yes_or_no
from defences.answering.questions import AnswerType, read_question


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many relay outputs does it have?", AnswerType.NUMBER),
        ("how many episodes are in the fourth season", AnswerType.NUMBER),
        ("How many days do I have to pay?", AnswerType.DURATION),
        ("How many minuts does it take?", AnswerType.DURATION),
        ("How long is the warranty?", AnswerType.DURATION),
        ("How far ahead must I book?", AnswerType.DURATION),
        ("What is the notice period?", AnswerType.DURATION),
        ("How old must a child be?", AnswerType.DURATION),
        ("How often are bills sent?", AnswerType.FREQUENCY),
        ("How much does a bag of the garden's compost cost?", AnswerType.MONEY),
        ("What does the Plus plan cost?", AnswerType.MONEY),
        ("What is the late fee?", AnswerType.MONEY),
        ("What percentage is taken off?", AnswerType.PERCENT),
        ("How high is the bridge?", AnswerType.QUANTITY),
        ("What is the maximum pressure?", AnswerType.QUANTITY),
        ("When was the pier built?", AnswerType.DATE),
        ("In which year did it open?", AnswerType.DATE),
        ("On what days is the library closed?", AnswerType.DATE),
        ("At what time does it close?", AnswerType.TIME),
        ("What are the visiting hours?", AnswerType.TIME),
        ("Who leads the seed bank?", AnswerType.PERSON),
        ("Which woman ran the garden?", AnswerType.PERSON),
        ("the concept was developed by who", AnswerType.PERSON),
        ("Where does the ferry leave from?", AnswerType.PLACE),
        ("Which city hosts the fair?", AnswerType.PLACE),
        ("Which key restores the settings?", AnswerType.NAME),
        ("What is the name of the tortoise?", AnswerType.NAME),
        ("Is lightning damage covered?", AnswerType.YES_NO),
        ("Can I return it after 60 days?", AnswerType.YES_NO),
        ("Don't they open on Mondays?", AnswerType.YES_NO),
        ("Is the water hard or soft?", AnswerType.NAME),
        ("Should the power go off, for how long do the seeds last?", AnswerType.DURATION),
        ("What happens to my data when I close the account?", AnswerType.DESCRIPTION),
        ("How do I reset it?", AnswerType.DESCRIPTION),
        ("Why did it fail?", AnswerType.DESCRIPTION),
        ("Wie lange gilt die Garantie?", AnswerType.DESCRIPTION),
        ("", AnswerType.DESCRIPTION),
    ],
)
def test_a_question_is_typed_by_what_it_asks_for(text: str, expected: AnswerType) -> None:
    assert read_question(text).type is expected


@pytest.mark.parametrize(
    ("question", "text", "focus"),
    [
        ("How long is the warranty?", "Within 30 days you register; the warranty lasts 36 months.", "36 months"),
        ("How many umbrellas were lost?", "People lost umbrellas (212) and gloves (175).", "212"),
        ("How many beds will the wing add?", "Of 412 rooms it will hold 54 more beds.", "54"),
        ("How many days do I have?", "You have two weeks, or 10 days abroad.", "10 days"),
        ("What does it cost in 2026?", "In 2026 it costs €7.40.", "€7.40"),
        ("When was it built?", "Built in 1884, it has 640 plants.", "1884"),
        ("Who led the work?", "The work at Mill Gate was led by Dagny Roake.", "Dagny Roake"),
        ("Where is it?", "The office stands in Cooper Row.", "Cooper Row"),
        ("How long is it not 36 months?", "It is not 36 months but 9 months.", "9 months"),
    ],
)  # fmt: skip
def test_the_focus_is_what_answers(question: str, text: str, focus: str) -> None:
    found = find_focus(read_question(question), text)

    part = found.value or found.name
    assert part is not None
    assert text[part.start : part.end] == focus


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long is the warranty?", "The warranty is generous."),
        ("When did the 2025 season open?", "The 2025 season opened early."),
        ("What does it cost?", "It lasts 36 months."),
    ],
)
def test_without_a_figure_of_the_kind_there_is_no_focus(question: str, text: str) -> None:
    found = find_focus(read_question(question), text)

    assert (found.value, found.name) == (None, None)


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Is lightning damage covered?", "Damage by lightning is covered.", True),
        ("Is lightning damage covered?", "Damage by lightning is not covered.", False),
        ("Is lightning damage covered?", "Damage by lightning isn't covered.", False),
        ("Is lightning damage covered?", "Lightning damage is excluded.", False),
        ("Is lightning damage covered?", "Lightning damage is never excluded.", True),
        ("Is lightning damage not covered?", "Lightning damage is not covered.", True),
        ("Is lightning damage covered?", "No. Lightning is not.", False),
        ("Is lightning damage covered?", "Yes, always.", True),
        ("Is lightning damage covered?", "The seal is blue.", None),
        (
            "Is lightning damage covered?",
            "Lightning damage is covered unless the seal broke.",
            None,
        ),
        ("Can I return it after 60 days?", "Returns are accepted within 30 days.", False),
        ("Can I return it after 20 days?", "Returns are accepted within 30 days.", True),
        ("Is a charge of 30% enough?", "The battery must hold at least 35%.", False),
        ("Is a charge of 40% enough?", "The battery must hold at least 35%.", True),
        ("May I carry 30 kg?", "Bags of up to 23 kg are carried.", False),
        ("May I carry 20 kg?", "Bags of up to 23 kg are carried.", True),
        ("Is the warranty at least 24 months?", "The warranty is 36 months.", True),
        ("Is the warranty 24 months?", "The warranty is 36 months.", False),
        ("Is the warranty 3 years?", "The warranty is 36 months.", True),
        ("Is transfer possible?", "The transfer is possible at no charge.", True),
    ],
)
def test_yes_or_no_goes_by_word_figure_and_negation(
    question: str, text: str, expected: bool | None
) -> None:
    assert yes_or_no(read_question(question), text) is expected
