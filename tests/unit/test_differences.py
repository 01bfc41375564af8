# ruff: noqa: RUF001 - other alphabets are meant
from __future__ import annotations

import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from defences.retrieval.differences import DifferenceKind, Differences, differences

PAGE = """\
Care of the Ostrel heat pump

Dosing the inhibitor
Add 5 mg of inhibitor for each litre of water. Do not rotate the valve while the pump is running.
The first dose is due on 3 March 2026 and the pump must be vented before the season begins.

Sending it back
The pump may be returned within 30 days with a receipt. Refunds go to Martha Lindqvist at the
service counter, who answers at service@ostrel.example within 2 hours. Shipping is paid by Ostrel
for all orders above 50 euros, and the warranty lasts for nine months from the date on the invoice.

Storage
Keep the pump in a dry place that is never colder than 4 degrees. The pressure was reduced in the
newer model, so older gauges read too high. Parts must be ordered from the list in section 12.
"""


def edited(*pairs: tuple[str, str], page: str = PAGE) -> str:
    for old, new in pairs:
        assert old in page
        page = page.replace(old, new, 1)
    return page


def counts(found: Differences) -> dict[str, int]:
    """Return what was found by kind, without the kinds that were not."""
    every = {
        "figures": found.figures,
        "dates": found.dates,
        "negations": found.negations,
        "names": found.names,
    }
    return {kind: count for kind, count in every.items() if count}


CONTRADICTIONS = [
    ("a figure", "5 mg", "50 mg", {"figures": 1}),
    ("a unit", "5 mg", "5 g", {"figures": 1}),
    ("a figure in words", "nine months", "four months", {"figures": 1}),
    ("words by digits", "nine months", "36 months", {"figures": 1}),
    ("a unit of time", "30 days", "30 weeks", {"figures": 1}),
    ("two in one sentence", "30 days with a", "90 days without a", {"figures": 1, "negations": 1}),
    ("money", "50 euros", "500 euros", {"figures": 1}),
    ("a currency", "50 euros", "50 dollars", {"figures": 1}),
    ("a plain number", "section 12", "section 21", {"figures": 1}),
    ("a temperature", "4 degrees", "14 degrees", {"figures": 1}),
    ("a date", "3 March 2026", "13 March 2026", {"dates": 1}),
    ("a month", "3 March 2026", "3 May 2026", {"dates": 1}),
    ("a year", "3 March 2026", "3 March 2028", {"dates": 1}),
    ("a negation dropped", "Do not rotate", "Rotate", {"negations": 1}),
    ("a negation added", "must be vented", "must not be vented", {"negations": 1}),
    ("never", "is never colder", "is colder", {"negations": 1}),
    ("with and without", "with a receipt", "without a receipt", {"negations": 1}),
    ("an opposite", "was reduced", "was increased", {"negations": 1}),
    ("before and after", "before the season", "after the season", {"negations": 1}),
    ("an obligation", "must be ordered", "may be ordered", {"negations": 1}),
    ("a prefix", "is paid by", "is unpaid by", {"negations": 1}),
    ("a name", "Martha Lindqvist", "Otto Brandauer", {"names": 1}),
    ("half a name", "Martha Lindqvist", "Martha Brandauer", {"names": 1}),
    ("an address", "service@ostrel.example", "service@ostrel-care.example", {"names": 1}),
    ("everything", "5 mg", "50 mg", {"figures": 1}),
]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [row[1:] for row in CONTRADICTIONS],
    ids=[row[0] for row in CONTRADICTIONS],
)
def test_a_changed_fact_is_a_contradiction(old: str, new: str, expected: dict[str, int]) -> None:
    found = differences(PAGE, edited((old, new)))

    assert counts(found) == expected
    assert found.contradicts
    assert counts(differences(edited((old, new)), PAGE)) == expected


PARAGRAPHS = PAGE.split("\n\n")
HARMLESS = [
    ("nothing", PAGE),
    ("lines wrapped elsewhere", "\n\n".join(textwrap.fill(p, 40) for p in PARAGRAPHS)),
    ("one line", " ".join(PAGE.split())),
    ("upper case", PAGE.upper()),
    ("paragraphs moved", "\n\n".join(reversed(PARAGRAPHS))),
    ("a menu above", f"Home Products Support Contact 24\n\n{PAGE}"),
    ("boilerplate below", PAGE + "\n\nCopyright 2026 Ostrel Ltd. All 12 rights are not waived."),
    ("a sentence added", edited(("\n\nStorage", " Do not hurry, it takes 14 days.\n\nStorage"))),
    ("a paragraph added", edited(("\n\nStorage", "\n\nNo pets within 3 metres.\n\nStorage"))),
    ("a paragraph dropped", "\n\n".join(PARAGRAPHS[:2] + PARAGRAPHS[3:])),
    ("cut in half", PAGE[: len(PAGE) // 2]),
    ("a synonym", edited(("newer model", "recent model"))),
    ("words by digits", edited(("nine months", "9 months"))),
    ("a blank before the unit", edited(("5 mg", "5mg"))),
    ("the same amount", edited(("5 mg", "0.005 g"))),
    ("the same span", edited(("2 hours", "120 minutes"))),
    ("the same date", edited(("3 March 2026", "2026-03-03"))),
    ("a contraction", edited(("Do not rotate", "Don't rotate"))),
    ("markdown", edited(("Sending it back", "## Sending it back"), ("Storage", "## Storage"))),
    ("a heading reworded", edited(("Sending it back", "How To Return It"))),
]


@pytest.mark.parametrize("other", [row[1] for row in HARMLESS], ids=[row[0] for row in HARMLESS])
def test_what_changes_no_fact_is_no_contradiction(other: str) -> None:
    assert counts(differences(PAGE, other)) == {}
    assert counts(differences(other, PAGE)) == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Last updated 3 March 2024", "Last updated 17 November 2026"),
        ("Page 3 of 12", "Page 7 of 19"),
        ("Copyright 2024 Ostrel", "Copyright 2026 Ostrel"),
        ("Version 2.3.1, printed 2024-05-01", "Version 4.0.0, printed 2026-01-09"),
        ("1204 views, 17 comments", "99 views, 3 comments"),
        ("Posted by Anna Berg", "Posted by Otto Lund"),
        ("Home Products Support Contact", "Start Shop Help About"),
        ("5 min read", "9 min read"),
    ],
)
@pytest.mark.parametrize("place", ["above", "below"])
def test_a_stamp_or_a_menu_is_no_fact(one: str, other: str, place: str) -> None:
    first, second = (
        f"{line}\n\n{PAGE}" if place == "above" else f"{PAGE}\n\n{line}" for line in (one, other)
    )

    assert counts(differences(first, second)) == {}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Die Rückgabe ist binnen 30 Tagen möglich.", "Die Rückgabe ist binnen 90 Tagen möglich.", {"figures": 1}),
        ("Das Ventil darf nicht gedreht werden.", "Das Ventil darf gedreht werden.", {"negations": 1}),
        ("Le retour est possible avec un reçu.", "Le retour est possible sans un reçu.", {"negations": 1}),
        ("La garantía dura 36 meses y no cubre el agua.", "La garantía dura 9 meses y cubre el agua.", {"figures": 1, "negations": 1}),
        ("Насос нужно держать при 4 градусах.", "Насос нужно держать при 40 градусах.", {"figures": 1}),
        ("Клапан не вращать во время работы.", "Клапан вращать во время работы.", {"negations": 1}),
        ("保修期为36个月，可以转让。", "保修期为9个月，不可以转让。", {"figures": 1, "negations": 1}),
        ("La pompe doit être vidée avant l'hiver.", "La pompe doit être vidée après l'hiver.", {"negations": 1}),
    ],
)  # fmt: skip
def test_single_sentences_of_other_languages_are_compared(
    one: str, other: str, expected: dict[str, int]
) -> None:
    assert counts(differences(one, other)) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pump weighs 12 kg.", "Returns take 30 days and need a receipt."),
        ("", PAGE),
        ("", ""),
        ("?!", "..."),
    ],
)
def test_texts_that_have_nothing_in_common_do_not_contradict(one: str, other: str) -> None:
    assert not differences(one, other).contradicts


def test_a_change_is_found_beside_a_long_insertion() -> None:
    filler = " ".join(f"word{n} of the long advertisement" for n in range(60))
    other = edited(("30 days", f"90 days {filler}"))

    assert differences(PAGE, other).figures == 1


def test_every_change_of_a_page_is_found_where_it_stands() -> None:
    other = edited(
        ("5 mg", "50 mg"), ("3 March", "9 March"), ("Do not rotate", "Rotate"), ("Martha", "Agnes")
    )

    found = differences(PAGE, other).found

    assert sorted(each.kind for each in found) == sorted(DifferenceKind)
    places = {
        each.kind: (PAGE[each.a.start : each.a.end], other[each.b.start : each.b.end])
        for each in found
    }
    assert places[DifferenceKind.FIGURE] == ("5 mg", "50 mg")
    assert places[DifferenceKind.DATE] == ("3 March 2026", "9 March 2026")
    assert places[DifferenceKind.NAME] == ("Martha", "Agnes")


def test_a_figure_is_found_in_whichever_order_the_paragraphs_are() -> None:
    moved = "\n\n".join(reversed(edited(("nine months", "two months")).split("\n\n")))

    assert counts(differences(PAGE, moved)) == {"figures": 1}


@given(one=st.text(max_size=300), other=st.text(max_size=300))
def test_any_text_can_be_compared(one: str, other: str) -> None:
    for each in differences(one, other).found:
        assert 0 <= each.a.start <= each.a.end <= len(one)
        assert 0 <= each.b.start <= each.b.end <= len(other)


@given(text=st.text(alphabet="ab 1.\n-n't", max_size=400))
def test_a_text_never_contradicts_itself(text: str) -> None:
    assert not differences(text, text).contradicts


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        "a.a.a." * 20_000,
        "no " * 60_000,
        "5 mg " * 40_000,
        "x@" * 50_000,
        "\n" * 100_000,
        "1" * 100_000,
    ],
    ids=["dots", "refrain", "figures", "addresses", "breaks", "digits"],
)
def test_hostile_texts_take_time_in_proportion(hostile: str) -> None:
    begun = time.thread_time()

    differences(hostile, hostile[7:] + " 5 mg")

    assert time.thread_time() - begun < 10


@pytest.mark.parametrize(("one", "other"), [("² m", "³ m"), ("①②", "③④")])
def test_digits_that_are_no_decimals_are_no_figures(one: str, other: str) -> None:
    assert (
        differences(f"The hall has {one} of floor.", f"The hall has {other} of floor.").figures == 0
    )
