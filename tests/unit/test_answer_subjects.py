"""What is said of another thing of the same kind answers no question about this one."""

from __future__ import annotations

import pytest

from defences.answering.subjects import missing_subjects, names_another

SHEET = "{0} pump\n\nThe {0} pump carries a warranty of 34 months. Seals are in the store."


def another(question: str, said: str, passage: str | None = None) -> bool:
    known = said if passage is None else passage
    return names_another(question, said, missing_subjects(question, known))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "How long is the warranty of the Heron pump?",
            "The Corvid pump is covered for 34 months.",
        ),
        ("How long is the warranty of the Heron pump?", "Corvid pump: It is 34 months."),
        ("How long is the heron pump's warranty?", "The Corvid pump is covered for 34 months."),
        ("What is the Heron's warranty?", "The Corvid's warranty is 34 months."),
        ("Who founded Norvell Instruments?", "The baker Bruno founded Alder in 1990."),
        ("When does project Heron end?", "The end of project Corvid is in May."),
    ],
)
def test_another_thing_of_the_kind_is_meant(question: str, said: str) -> None:
    assert another(question, said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How long is the warranty of the Heron pump?", "The Heron pump is covered for 34 months."),
        ("How long is the warranty of the Heron pump?", "The Herron pump is covered 34 months."),
        ("How long is the warranty of the Hernon pump?", "The Heron pump is covered 34 months."),
        ("How long is the warranty of the Heron pump?", "Every pump is covered for 34 months."),
        ("How long is the warranty of the Heron pump?", "New pumps are covered for 34 months."),
        ("How long is the warranty of a pump?", "The Corvid pump is covered for 34 months."),
        ("how long is the warranty of a new pump?", "The Corvid pump is covered for 34 months."),
        ("Is the Heron or the Corvid pump the older one?", "The Corvid pump came in 1990."),
        ("When did JFK die?", "On 22 November Kennedy died."),
        ("What colour is the Heron pump?", "The Corvid lathe is blue."),
    ],
)
def test_it_may_be_about_what_is_asked(question: str, said: str) -> None:
    assert not another(question, said)


def test_a_passage_that_has_the_name_may_mean_it() -> None:
    question = "How long is the warranty of the Heron pump?"
    said = "The Corvid pump is covered for 34 months"

    assert another(question, said, said)
    assert not another(question, said, f"{said}, and so is the Heron.")
