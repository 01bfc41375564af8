from __future__ import annotations

import numpy as np
import pytest

from defences.answering.agreement import group_answers, same_answer
from defences.answering.questions import read_question
from domain.documents import Tier
from tests.answer_builders import make_origin, make_scored

WARRANTY = "How long is the warranty of the Verrin?"
RETURN = "Within what time can I send it back?"
DOSE = "How much of the salt is given a day?"
PRICE = "What does the Plus plan cost?"
WHEN = "When does the museum open?"
SINCE = "When was the pier built?"
COUNT = "How many relay outputs does it have?"
WHO = "Who leads the seed bank?"
WHERE = "Where does the ferry leave from?"
COVERED = "Is damage by lightning covered?"
LATE = "Can I return it after 60 days?"
OFTEN = "How often are bills sent out?"
HOW = "How do I restore the factory settings?"
WHAT = "What happens to my data when the account is closed?"

TABLE = [
    (WARRANTY, "36 months from the date on the invoice.", "Verrin owners have three years of cover.", True),
    (WARRANTY, "36 months.", "The cover ends after 9 months.", False),
    (WARRANTY, "36 months.", "36 weeks.", False),
    (WARRANTY, "The warranty lasts 36 months.", "The warranty does not last 36 months.", False),
    (WARRANTY, "It is 36 months.", "It is not 36 months but 9 months.", False),
    (WARRANTY, "It is 9 months.", "It is not 36 months but 9 months.", True),
    (WARRANTY, "36 months, and 30 days for returns.", "Three years.", True),
    (WARRANTY, "36 months.", "It is generous.", False),
    (RETURN, "within 30 days", "a month (30 days)", True),
    (RETURN, "within 30 days", "within 14 days", False),
    (RETURN, "You have 30 days.", "Not later than 30 days after delivery.", True),
    (RETURN, "You have 30 days.", "You have 30 working days.", False),
    (RETURN, "at least 30 days", "at most 30 days", False),
    (DOSE, "5 mg", "50 mg", False),
    (DOSE, "5 mg a day", "0.005 g a day", True),
    (DOSE, "5 mg", "5 g", False),
    (DOSE, "2.5 mg", "25 mg", False),
    (PRICE, "It costs €29 a month.", "29 euros per month.", True),
    (PRICE, "It costs €29 a month.", "It costs €39 a month.", False),
    (PRICE, "€29 a month", "€29 a year", False),
    (PRICE, "€29", "$29", False),
    (PRICE, "€1,200.00", "1200 euros", True),
    (WHEN, "It opens at 9 a.m.", "From 09:00.", True),
    (WHEN, "It opens at 9 a.m.", "It opens at 9 p.m.", False),
    (WHEN, "On Mondays.", "On Tuesdays.", False),
    (SINCE, "It was built in 1884.", "The pier dates from 12 May 1884.", True),
    (SINCE, "It was built in 1884.", "It was built in 1984.", False),
    (SINCE, "In the 1880s.", "In 1880.", False),
    (COUNT, "It has eight relay outputs.", "There are 8 relay outputs.", True),
    (COUNT, "It has eight relay outputs.", "There are 6 relay outputs.", False),
    (COUNT, "It has eight relay outputs and keeps 500 events.", "8 relay outputs.", True),
    (WHO, "Priya Nandakumar leads the seed bank.", "The seed bank is led by Dr Priya Nandakumar.", True),
    (WHO, "Priya Nandakumar leads the seed bank.", "Erwin Toll leads the seed bank.", False),
    (WHO, "Ask Priya Nandakumar.", "Nandakumar has led it since 2019.", True),
    (WHERE, "The ferry leaves from Pier Seven.", "It leaves from Pier Nine.", False),
    (WHERE, "It leaves from Saltgate Quay.", "From the berth at Saltgate Quay, every hour.", True),
    (COVERED, "No: Damage by lightning is not covered.", "Lightning damage is excluded.", True),
    (COVERED, "Yes: Damage by lightning is covered.", "No: Damage by lightning is not covered.", False),
    (COVERED, "Damage by lightning is covered.", "Damage by lightning is not covered.", False),
    (LATE, "Returns are accepted within 30 days.", "No, that is too late.", True),
    (LATE, "Returns are accepted within 30 days.", "Returns are accepted for up to 90 days.", False),
    (LATE, "Returns are accepted within 90 days.", "Yes, gladly.", True),
    (OFTEN, "Bills go out every quarter.", "Four times a year.", True),
    (OFTEN, "Bills go out every quarter.", "Bills go out every month.", False),
    (HOW, "Hold the reset key for 8 seconds.", "Hold the reset key for 18 seconds.", False),
    (HOW, "Hold the reset key for 8 seconds.", "Hold the reset key for eight seconds.", True),
    (HOW, "Hold the reset key.", "Do not hold the reset key.", False),
    (WHAT, "All readings are erased.", "All readings are erased.", True),
    (WHAT, "The readings are erased after 17 days.", "The readings are erased after 90 days.", False),
    (WHAT, "The supplier keeps it in Oslo Harbour.", "The supplier keeps it in Porto Velho.", False),
    ("How deep may the tank be filled?", "The level must never exceed 6.5 metres.", "Keep the level at or under 6.5 metres.", True),
    ("How much charge must the battery hold?", "Do not begin while the battery shows less than 35% charge.", "The battery must hold at least 35% charge.", True),
    ("How old must a driver be?", "Drivers must be at least 21 years old.", "Nobody under 21 years may drive.", True),
    ("How old must a driver be?", "Drivers must be at least 21 years old.", "Drivers may be up to 21 years old.", False),
    ("What temperature may the tank reach?", "The tank may reach at most 40 °C.", "The tank must not go below 40 °C.", False),
    ("How heavy may a parcel be?", "Parcels heavier than 14 kg are rejected.", "A parcel may weigh no more than 14 kg.", True),
    ("How heavy may a parcel be?", "Parcels heavier than 14 kg are rejected.", "A parcel must weigh at least 14 kg.", False),
    ("When is the line staffed?", "The line is staffed from 07:30 to 19:00.", "Lines open at 07:30 and close at 19:00.", True),
    ("When is the line staffed?", "The line is staffed from 07:30 to 19:00.", "Lines open at 08:30 and close at 19:00.", False),
    ("How often must a filter be changed?", "Change the filter every 6 months.", "It is replaced again after six months.", True),
    ("How often must a filter be changed?", "Change the filter every 6 months.", "It is replaced again after six weeks.", False),
    ("Which form goes with it?", "Every parcel needs a completed form R-117.", "The form to fill in is R-117.", True),
    ("Which form goes with it?", "Every parcel needs a completed form R-117.", "The form to fill in is R-204.", False),
    ("Is the pump approved for drinking water?", "No: It is not approved for drinking water.", "Drinking water must not be carried by the pump, because its seals have no approval.", True),
    (SINCE, "Open from 7 March to 29 November.", "The show: 7 March to 29 November 2026.", True),
    (SINCE, "Open from 8 March to 29 November.", "The show: 7 March to 30 November 2026.", False),
    (WARRANTY, "18 to 68 years", "From 18 to 68.", True),
    (WARRANTY, "18 to 68 years", "From 18 to 65.", False),
]  # fmt: skip


@pytest.mark.parametrize("cosine", [0.7, 0.95])
@pytest.mark.parametrize(("question", "first", "second", "same"), TABLE)
def test_answers_are_compared_by_what_they_say(
    question: str, first: str, second: str, same: bool, cosine: float
) -> None:
    profile = read_question(question)

    assert same_answer(profile, first, second, cosine) is same
    assert same_answer(profile, second, first, cosine) is same


def test_answers_in_words_alone_need_a_near_meaning() -> None:
    profile = read_question(WHAT)
    first, second = "Every reading is deleted for good.", "Nothing is kept."

    assert not same_answer(profile, first, "The relay board has a seal.", 0.1)
    assert not same_answer(profile, first, second, 0.3)


def similar(count: int) -> np.ndarray:
    return np.full((count, count), 0.9)


def test_an_answer_that_names_both_values_does_not_weld_two_groups() -> None:
    drafts = [
        make_scored("36 months.", origin=make_origin("a"), raw=0.9),
        make_scored("It was 9 months.", origin=make_origin("b"), raw=0.8, index=1),
        make_scored("36 months, or 9 months.", origin=make_origin("c"), raw=0.7, index=2),
    ]

    groups = group_answers(WARRANTY, drafts, similar(3))

    assert sorted(len(group) for group in groups) in ([1, 1, 1], [1, 2])


def test_pooled_drafts_leave_the_groups_of_established_ones_alone() -> None:
    established = [
        make_scored("36 months.", origin=make_origin("a"), raw=0.2),
        make_scored("Three years.", origin=make_origin("b"), raw=0.1, index=1),
    ]
    pooled = make_scored(
        "3 years or 9 months", origin=make_origin("x", Tier.POOL), raw=1.0, index=2
    )

    groups = group_answers(WARRANTY, [pooled, *established], similar(3))

    assert any(
        {scored.draft.answer for scored in group} >= {"36 months.", "Three years."}
        for group in groups
    )


def test_no_drafts_make_no_groups() -> None:
    assert group_answers(WARRANTY, [], similar(0)) == ()


def test_a_similarity_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        group_answers(WARRANTY, [make_scored("36 months.")], similar(2))
