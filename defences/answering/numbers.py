"""Numbers as people write them: figures, words, ordinals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from defences.answering.hints import may_have_digits, may_have_word

_UNITS: Final = {
    word: float(value)
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS: Final = {
    word: 10.0 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_SCALES: Final = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_GROUPS: Final = {"dozen": 12.0, "half": 0.5, "pair": 2.0}
_ORDINALS: Final = {
    word: float(value)
    for value, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ],
        start=1,
    )
}
_TIMES: Final = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_SUFFIXES: Final = {
    "k": 1e3, "thousand": 1e3, "hundred": 1e2, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9,
    "billion": 1e9, "trillion": 1e12, "dozen": 12.0,
}  # fmt: skip

_SPELLED: Final = "|".join(
    sorted([*_UNITS, *_TENS, *_SCALES, "dozen", "half"], key=len, reverse=True)
)
_FIGURE: Final = re.compile(
    r"(?<![\w.,/])(?P<sign>[-−])?"  # noqa: RUF001 - the minus sign is meant
    r"(?P<digits>\d{1,3}(?:[,'’\u00a0\u202f]\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3})+(?![\d.,]\d)"  # noqa: RUF001
    r"|\d{1,3}(?:\.\d{3}){2,}|\d+(?:[.,]\d+)?)"
    r"(?P<tail>st\b|nd\b|rd\b|th\b|(?:[kK]|bn|mn)\b|\s?(?:thousand|hundred|million|billion|trillion|dozen)\b)?"
)
_SCALED: Final = "(?:" + "|".join(f"(?<={scale})" for scale in _SCALES) + ")"
_FRACTIONS: Final = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_WORDS: Final = re.compile(
    # "two hundred and four" is one number, "two and four" are two
    rf"\b(?:(?:{_SPELLED})(?:(?:{_SCALED}[\s-]+and[\s-]+|[\s-]+|-)(?:{_SPELLED}))*"
    rf"(?:[\s]+and[\s]+a[\s]+(?:half|quarter))?)\b",
    re.IGNORECASE,
)
_ORDINAL: Final = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_TIMES_WORD: Final = re.compile(
    r"\b(?:(?<!\bat )once|twice|thrice)\b", re.IGNORECASE
)  # at once: without delay
_SPOKEN: Final = frozenset(
    [*_UNITS, *_TENS, *_SCALES, "dozen", "half", *_ORDINALS, *_TIMES]
)  # one begins whatever the three patterns above find
_PRONOUN_BEFORE: Final = re.compile(
    r"\b(?:no|any|every|each|this|that|which|some|the|another)[\s-]+$", re.IGNORECASE
)
_PRONOUN_AFTER: Final = re.compile(
    r"\s*(?:$|[.,;:!?)]|(?:of|another|that|who|which|is|was|has|can|may|must|should|by)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number in a text. `suffixed` is set where `k` or `million` was read into it."""

    value: float
    start: int
    end: int
    ordinal: bool = False
    times: bool = False
    figures: bool = True


@lru_cache(maxsize=4_096)  # an answer is compared with every sentence that may say the same
def find_numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of `text` in order of place, none overlapping another.

    `1,500` is fifteen hundred and `1,5` one and a half; a point is always decimal unless it
    groups twice (`1.000.000`). "one" as a pronoun is not a number.
    """
    found: list[Number] = []
    for number in sorted([*_figures(text), *_spelled(text)], key=lambda n: (n.start, -n.end)):
        if not found or number.start >= found[-1].end:
            found.append(number)
    return tuple(found)


def _figures(text: str) -> Iterator[Number]:
    if not may_have_digits(text):
        return
    for match in _FIGURE.finditer(text):
        tail = (match.group("tail") or "").strip().lower()
        value = _read_digits(match.group("digits"))
        end = match.end()
        if tail in _SUFFIXES:
            value *= _SUFFIXES[tail]
        if end < len(text) and text[end] in _FRACTIONS:
            value, end = value + _FRACTIONS[text[end]], end + 1
        below = text[max(0, match.start() - 6) : match.start()].lower() == "minus "
        if below or (match.group("sign") and not _ranged(text, match.start())):
            value = -value
        yield Number(
            value=value,
            start=match.start("digits"),
            end=end,
            ordinal=tail in {"st", "nd", "rd", "th"},
        )


def _ranged(text: str, at: int) -> bool:
    """Whether a dash at `at` joins two figures rather than making the second negative."""
    return at > 0 and not text[at - 1].isspace() and text[at - 1] not in "(["


def _read_digits(digits: str) -> float:
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", digits):
        return float(digits.replace(".", ""))
    digits = re.sub(r"[\s'’\u00a0\u202f]", "", digits)  # noqa: RUF001
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        return float(digits.replace(",", ""))
    return float(digits.replace(",", "."))


def _spelled(text: str) -> Iterator[Number]:
    if not may_have_word(text, _SPOKEN):
        return
    for match in _WORDS.finditer(text):
        word = match.group().lower()
        if word == "one" and (
            _PRONOUN_BEFORE.search(text, max(0, match.start() - 12), match.start())
            or _PRONOUN_AFTER.match(text, match.end())
        ):
            continue
        before = text[max(0, match.start() - 4) : match.start()]
        # "hundreds of" is no number, "a hundred" is
        if (word in _SCALES or word == "and") and not re.search(r"\ba[\s]+$", before):
            continue
        yield Number(value=_read_words(word), start=match.start(), end=match.end(), figures=False)
    for match in _ORDINAL.finditer(text):
        value = _ORDINALS[match.group().lower()]
        yield Number(value=value, start=match.start(), end=match.end(), ordinal=True, figures=False)
    for match in _TIMES_WORD.finditer(text):
        value = _TIMES[match.group().lower()]
        yield Number(value=value, start=match.start(), end=match.end(), times=True, figures=False)


def _read_words(phrase: str) -> float:
    total, current = 0.0, 0.0
    parts = [part for part in re.split(r"[\s-]+", phrase) if part not in {"and", "a"}]
    for part in parts:
        if part in _UNITS or part in _TENS:
            current += _UNITS.get(part, _TENS.get(part, 0.0))
        elif part in {"half", "quarter"}:
            current += 0.5 if part == "half" else 0.25
        elif part == "dozen":
            current = max(current, 1.0) * _GROUPS["dozen"]
        elif part == "hundred":
            current = max(current, 1.0) * _SCALES[part]
        elif part in _SCALES:
            total += max(current, 1.0) * _SCALES[part]
            current = 0.0
    return total + current
