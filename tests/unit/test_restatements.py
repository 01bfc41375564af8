"""What a new version says in the place of what an earlier one said."""

from __future__ import annotations

import time

import pytest

from defences.retrieval.restatements import Restatement, restatements
from domain.documents import ChangeKind

AROUND = ("The rooms of the house were painted twice.", "Nobody lives there in the winter months.")
HEADED = (
    "# The Palm House\n\n{}\n\n| Beds | 412 |\n| Staff | 38 |\n\n- the first item\n- the last one\n"
)


def within(sentence: str) -> str:
    return HEADED.format(f"{AROUND[0]} {sentence} {AROUND[1]}")


def found(before: str, after: str) -> list[Restatement]:
    return list(restatements(within(before), within(after)))


CERTAIN = [
    ("It is named after Kazimir Orlow.", "It is named after Ottilie Brandt.", ChangeKind.NAME),
    ("Edmund Farrow designed it.", "Victor Amsel designed it.", ChangeKind.NAME),
    ("It stands in the fish market.", "It stands in the Old Customs House.", ChangeKind.NAME),
    ("Sung by Runa Tellefsen and Bo.", "Sung by Tove Alnes and Bo.", ChangeKind.NAME),
    ("The driver is Piet Halloran.", "The driver is Osric Bramley.", ChangeKind.NAME),
    ("Apply on form W-9 with a copy.", "Apply on form Lindqvist with a copy.", ChangeKind.NAME),
    ("It opened on 9 October 1948.", "It opened on 9 October 1962.", ChangeKind.FIGURE),
    ("It opened in the spring of 1948.", "It opened in 1962.", ChangeKind.FIGURE),
    ("Adults weigh 45 grams.", "Adults weigh 31% more.", ChangeKind.FIGURE),
    ("The mark was replaced by it.", "The Krone was replaced by it.", ChangeKind.NAME),
    ("Dogs are welcome on deck.", "Dogs are not let on board.", ChangeKind.NEGATION),
    ("We never cut off a dwelling.", "An occupied home is cut off.", ChangeKind.NEGATION),
    ("Die Leitung hat Karl Sorn.", "Die Leitung hat Emma Boll.", ChangeKind.NAME),
    ("La clé est chez Anne Roux.", "La clé est chez Luc Moreau.", ChangeKind.NAME),
]
DOUBTFUL = [
    ("The bowl is turned from ash.", "The bowl is turned from oak."),
    ("He died of pneumonia at forty.", "He died of cholera at forty."),
    ("The play is set in a lighthouse.", "The play is set in a prison."),
    ("The water of the town is soft.", "The water of the town is brown."),
    ("Its economy rests on wool and granite.", "Its economy rests on wool and limestone."),
    ("A blue label marks the samples.", "A red label marks the samples."),
    ("The tower was built by monks.", "The tower was built by soldiers."),
    ("Flowers are brought to the ward.", "Visitors of the ward must wash their hands."),
]
SAME = [
    ("The desk pays the postage.", "The desk pays the  postage."),
    ("The desk pays the postage.", "The desk pays\nthe postage."),
    ("The desk pays the postage.", "The desk covers the postage."),
    ("The desk pays the postage.", "The desk pays the postage and the box."),
    ("The desk pays the postage and the box.", "The desk pays the postage."),
    ("The desk pays the postage.", "The desk pays the postgae."),
    ("The monks laid out the garden.", "The garden was laid out by the monks."),
    ("It explains how the meter is read.", "It describes how the meter is read."),
    ("Tickets are sold at the pier.", "Tickets are sold at the pier. Ask for Ida Fenwright."),
    ("It is easily read.", "It is easy to read."),
    ("Last reviewed on 5 March 2026.", "Last reviewed on 12 October 2026."),
    ("Version 7 of the text.", "Version 8 of the text."),
    ("The pump is OLD.", "The pump is old."),
    ("Use the form.", "**Use** the form."),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "kind"), CERTAIN)
def test_another_name_figure_or_negation_is_told_for_certain(
    before: str, after: str, kind: ChangeKind
) -> None:
    told = found(before, after)

    assert {one.kind for one in told} == {kind}
    assert all(one.certain for one in told)
    new = within(after)
    assert all(new[one.span.start : one.span.end] in after for one in told)


@pytest.mark.parametrize(("before", "after"), DOUBTFUL)
def test_another_thing_in_one_s_place_is_for_the_meaning_to_tell(before: str, after: str) -> None:
    (told,) = found(before, after)

    assert (told.kind, told.certain) == (ChangeKind.TEXT, False)
    assert (told.before, told.after) == (before.rstrip("."), after.rstrip("."))


@pytest.mark.parametrize(("before", "after"), SAME)
def test_layout_spelling_additions_and_how_it_is_told_restate_nothing(
    before: str, after: str
) -> None:
    assert found(before, after) == []


@pytest.mark.parametrize(("before", "after", "kind"), CERTAIN)
def test_a_new_layout_hides_no_restatement(before: str, after: str, kind: ChangeKind) -> None:
    flat = " ".join(within(after).split())

    told = list(restatements(within(before), flat))

    assert kind in {one.kind for one in told}


@pytest.mark.parametrize(("before", "after", "kind"), CERTAIN[:6])
def test_a_sentence_that_was_moved_is_compared_with_what_it_was_made_of(
    before: str, after: str, kind: ChangeKind
) -> None:
    longer = "The visitors of the garden ask for it every summer: {}"
    old, new = longer.format(before), longer.format(after)
    moved = within("").replace("- the last one", f"- the last one\n\n{new}")

    told = list(restatements(within(old), moved))

    assert kind in {one.kind for one in told}


def test_a_moved_paragraph_restates_nothing() -> None:
    parts = [
        f"The {one} of the house faces the yard. It is warm." for one in ("hall", "bath", "den")
    ]

    told = list(restatements("\n\n".join(parts), "\n\n".join(reversed(parts))))

    assert told == []


def test_a_long_passage_that_was_written_anew_is_told_for_certain() -> None:
    old = " ".join(f"the bridge {n} of iron stands over a river of the north" for n in range(40))
    new = " ".join(f"the museum {n} of glass shows a painting of the court" for n in range(40))

    told = found(old + ".", new.replace("museum", "gallery") + ".")

    assert told
    assert all(one.certain for one in told)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("a", ""),
        ("", "a"),
        ("...", "!!!"),
        ("\n\n", "# |"),
        ("a.a." * 20_000, "a.b." * 20_000),
        ("word " * 40_000, "other " * 40_000),
        ("One. " * 20_000, "Two. " * 20_000),
        ("x" * 200_000, "y" * 200_000),
    ],
    ids=["empty", "gone", "new", "signs", "layout", "dots", "no end", "sentences", "one word"],
)
def test_strange_texts_are_compared_in_bounded_time(old: str, new: str) -> None:
    began = time.process_time()

    list(restatements(old, new))

    assert time.process_time() - began < 10.0
