"""Answers in the many ways in which people write one thing, and near ones that are another."""

from __future__ import annotations

import pytest

from defences.answering.agreement import same_answer
from defences.answering.questions import read_question

DOSE = "How much of the salt is given a day?"
SPEED = "How fast may the crane travel?"
MASS = "How heavy is the pump?"
TEMP = "What temperature may the tank reach?"
PRICE = "What does the Plus plan cost?"
SHARE = "What percentage of the fee is refunded?"
COUNT = "How many relay outputs does it have?"
PEOPLE = "How many people work at the plant?"
BUILT = "When was the pier built?"
DUE = "When is the report due?"
OPENS = "When does the museum open?"
LONG = "How long is the notice period?"
WHO = "Who leads the seed bank?"
WROTE = "Who wrote the report?"
WHERE = "Where does the ferry leave from?"
COLOURS = "What are the colours of the flag?"
WHICH = "Which cities does the line serve?"
COVERED = "Is damage by lightning covered?"
MUST = "Must visitors wear a helmet?"
SAFE = "Which gas is used in the lamp?"

TABLE = [
    # units
    (DOSE, "5 mg", "5 milligrams", True),
    (DOSE, "5 mg", "5000 µg", True),
    (DOSE, "5 mg", "5 mcg", False),
    (DOSE, "0.5 g", "500 mg", True),
    (DOSE, "0.5 g", "50 mg", False),
    (MASS, "2.5 kg", "2500 g", True),
    (MASS, "2.5 kg", "2,500 kg", False),
    (MASS, "1.2 tonnes", "1200 kg", True),
    (SPEED, "5 km/h", "5 m/s", False),
    (SPEED, "36 km/h", "10 m/s", True),
    (TEMP, "40 °C", "40 degrees Celsius", True),
    (TEMP, "40 °C", "104 °F", True),
    (TEMP, "40 °C", "40 °F", False),
    (TEMP, "-5 °C", "5 °C", False),
    (TEMP, "minus 5 °C", "-5 °C", True),
    # money and shares
    (PRICE, "€1.5 million", "1,500,000 euros", True),
    (PRICE, "€1.5 million", "€15 million", False),
    (PRICE, "$20", "20 dollars", True),
    (PRICE, "£20", "€20", False),
    (PRICE, "50 cents", "€0.50", True),
    (SHARE, "20%", "20 per cent", True),
    (SHARE, "20%", "20 percent of the fee", True),
    (SHARE, "20%", "2%", False),
    (SHARE, "12.5%", "12,5 %", True),
    # numbers
    (COUNT, "8", "eight", True),
    (COUNT, "a dozen", "12", True),
    (COUNT, "twenty-one", "21", True),
    (COUNT, "21", "12", False),
    (PEOPLE, "1,200", "1200 people", True),
    (PEOPLE, "1.2 thousand", "1200", True),
    (PEOPLE, "two million", "2,000,000", True),
    (PEOPLE, "1,200", "12,000", False),
    # approximations
    (PEOPLE, "about 1,200 people", "1,200 people", True),
    (PEOPLE, "around 1,200", "approximately 1200", True),
    (PEOPLE, "about 1,200", "about 1,900", False),
    (PEOPLE, "roughly 300", "300", True),
    # ranges
    (LONG, "two to four weeks", "2-4 weeks", True),
    (LONG, "between two and four weeks", "from 2 to 4 weeks", True),
    (LONG, "14 to 28 days", "2-4 weeks", True),
    (LONG, "2-4 weeks", "2-6 weeks", False),
    (LONG, "at least 30 days", "30 days or more", True),
    (LONG, "at least 30 days", "up to 30 days", False),
    (LONG, "no more than 30 days", "at most 30 days", True),
    (LONG, "a fortnight", "14 days", True),
    (LONG, "half a year", "6 months", True),
    (LONG, "90 minutes", "an hour and a half", True),
    (LONG, "90 minutes", "one hour", False),
    # dates in several formats
    (DUE, "12 May 2026", "2026-05-12", True),
    (DUE, "12 May 2026", "May 12, 2026", True),
    (DUE, "12 May 2026", "12.05.2026", True),
    (DUE, "12 May 2026", "12/05/2026", True),
    (DUE, "12 May 2026", "the 12th of May 2026", True),
    (DUE, "12 May 2026", "12 June 2026", False),
    (DUE, "12 May 2026", "12 May 2025", False),
    (DUE, "12 May", "12th May 2026", True),
    (BUILT, "in 1884", "1884", True),
    (BUILT, "in the 1880s", "in 1884", False),
    (BUILT, "in the nineteenth century", "in the 19th century", True),
    (OPENS, "at 9:30", "at half past nine", True),
    (OPENS, "at 9 a.m.", "9:00", True),
    (OPENS, "at 21:00", "at 9 p.m.", True),
    (OPENS, "at noon", "at 12:00", True),
    (OPENS, "at noon", "at midnight", False),
    # names
    (WHO, "Dr. Priya Nandakumar", "Priya Nandakumar", True),
    (WHO, "P. Nandakumar", "Priya Nandakumar", True),
    (WHO, "Nandakumar, Priya", "Priya Nandakumar", True),
    (WHO, "Priya Nandakumar", "Ravi Nandakumar", False),
    (WROTE, "José Álvarez", "Jose Alvarez", True),
    (WROTE, "Anna Lind", "Anna Lindt", False),
    (WHERE, "Pier 7", "Pier Seven", True),
    (WHERE, "Pier 7", "Pier 17", False),
    (WHERE, "St. Mary's Quay", "Saint Mary's Quay", True),
    # lists
    (COLOURS, "red, white and blue", "blue, white and red", True),
    (COLOURS, "red and white", "red and green", False),
    (WHICH, "Ghent and Bruges", "Bruges and Ghent", True),
    (WHICH, "Ghent and Bruges", "Ghent and Ostend", False),
    (WHICH, "Ghent, Bruges", "Ghent, Bruges and Ostend", False),
    # yes or no
    (COVERED, "Yes.", "yes", True),
    (COVERED, "Yes, it is covered.", "It is covered.", True),
    (COVERED, "No.", "It is not covered.", True),
    (COVERED, "No.", "Yes.", False),
    (COVERED, "It is covered.", "It is excluded.", False),
    (MUST, "Yes, helmets are mandatory.", "Visitors must wear a helmet.", True),
    (MUST, "Visitors must wear a helmet.", "Visitors need not wear a helmet.", False),
    # negations in words
    (SAFE, "argon", "not argon", False),
    (SAFE, "argon", "Argon.", True),
    (SAFE, "argon", "krypton", False),
]  # fmt: skip


@pytest.mark.parametrize(("question", "first", "second", "same"), TABLE)
def test_what_is_written_differently_is_compared_by_what_it_says(
    question: str, first: str, second: str, same: bool
) -> None:
    profile = read_question(question)

    assert same_answer(profile, first, second, 0.7) is same
    assert same_answer(profile, second, first, 0.7) is same
