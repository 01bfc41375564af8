"""A cheap look never hides from a pattern what it would find."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from defences.answering import dates, numbers, timespans
from defences.answering.hints import may_have_digits, may_have_word
from domain.quoting import folded, sources
from domain.text import Span

PIECES = (
    "six", "Half", "dozen", "hundred", "twice", "third", "once", "may", "MARCH", "Mondays", "noon",
    "o'clock", "5", "12", "every", "other", "year", "years", "daily", "an", "a", "quarter", "past",
    "of", "and", "-", "_", ".", "\u017fix", "K", "½", "٣", "5th", "the", "each", "in", "two-hundred",
)  # fmt: skip

texts = st.lists(st.sampled_from(PIECES), max_size=9).flatmap(
    lambda pieces: st.sampled_from((" ", "  ", "", "-", "\n")).map(lambda gap: gap.join(pieces))
)

BY_WORD: list[tuple[str, re.Pattern[str], frozenset[str]]] = [
    *(
        (name, pattern, numbers._SPOKEN)
        for name, pattern in (
            ("spelled", numbers._WORDS),
            ("ordinal", numbers._ORDINAL),
            ("times", numbers._TIMES_WORD),
        )
    ),
    *(
        (name, pattern, dates._MONTH_NAMES)
        for name, pattern in (
            ("day month", dates._DAY_MONTH),
            ("month day", dates._MONTH_DAY),
            ("month year", dates._MONTH_YEAR),
            ("month", dates._MONTH_ALONE),
        )
    ),
    ("past", dates._PAST, dates._PARTS),
    ("weekday", dates._WEEKDAY, dates._DAYS),
    *(
        (name, pattern, timespans._UNIT_WORDS)
        for name, pattern in (
            ("times a", timespans._TIMES_A),
            ("every", timespans._EVERY),
            ("adverb", timespans._ADVERB),
            ("half a", timespans._HALF),
            ("article", timespans._ARTICLE),
        )
    ),
]
BY_DIGIT = [
    ("figure", numbers._FIGURE), ("iso", dates._ISO), ("slashed", dates._SLASHED),
    ("clock", dates._CLOCK), ("half day", dates._HALF_DAY), ("decade", dates._DECADE),
    ("year", dates._BARE_YEAR),
]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "words"), [row[1:] for row in BY_WORD], ids=[row[0] for row in BY_WORD]
)
@given(text=texts)
def test_where_a_pattern_finds_something_one_of_its_words_stands(
    pattern: re.Pattern[str], words: frozenset[str], text: str
) -> None:
    found = pattern.search(text)

    assert found is None or may_have_word(text, words)


@pytest.mark.parametrize("pattern", [row[1] for row in BY_DIGIT], ids=[row[0] for row in BY_DIGIT])
@given(text=texts)
def test_where_a_pattern_finds_figures_a_digit_stands(pattern: re.Pattern[str], text: str) -> None:
    found = pattern.search(text)

    assert found is None or may_have_digits(text)


@given(text=texts)
def test_a_time_of_day_without_a_digit_has_its_name(text: str) -> None:
    found = dates._NAMED_TIME.search(text)

    assert found is None or may_have_digits(text) or may_have_word(text, dates._NAMED_HOURS)


@pytest.mark.parametrize("text", ["six", "SIX.", "(six)", "a six-pack", "6 or six"])
def test_a_word_is_seen_whatever_stands_around_it(text: str) -> None:
    assert may_have_word(text, frozenset({"six"}))


@pytest.mark.parametrize("text", ["", "sixty", "sixes", "5 or 7"])
def test_a_part_of_a_word_is_not_the_word(text: str) -> None:
    assert not may_have_word(text, frozenset({"six"}))


@given(
    text=st.text(max_size=60),
    masked=st.lists(st.tuples(st.integers(0, 70), st.integers(0, 9)), max_size=3),
)
def test_folding_is_that_of_each_character_and_its_places_are_known(
    text: str, masked: list[tuple[int, int]]
) -> None:
    spans = tuple(Span(start, start + length) for start, length in masked)
    hidden = {at for span in spans for at in range(span.start, span.end)}

    plain = [
        (each, at)
        for at, character in enumerate(text)
        if not character.isspace()
        for each in ("\0" if at in hidden else folded(character))
    ]

    assert folded(text, spans) == "".join(each for each, _ in plain)
    assert sources(text, spans).tolist() == [at for _, at in plain]
