"""Whether four figures that could be a year are one where they stand.

"of 1200 mg", "page 1984", "a 2048-bit key" and "1920 x 1080" are no years. Read as one, a dose would be
compared as a date, and two doses that differ by their unit alone would say the same.
"""

from __future__ import annotations

import re
from typing import Final

from defences.answering.units import currency_before, unit_after

_YEAR_BEFORE: Final = re.compile(
    r"(?:\b(?:in|since|by|of|from|until|till|before|after|during|to|between|and|around|year|circa"
    r"|early|late|mid|for|the|edition|season|spring|summer|autumn|fall|winter)|[(–—,;])\s*$",  # noqa: RUF001
    re.IGNORECASE,
)
_PLAIN_AFTER: Final = re.compile(r"\s*(?:$|[.,;:)\]–—-]|\[)")  # noqa: RUF001
_NUMBERED: Final = re.compile(
    r"(?:\b(?:pages?|pp?\.|lines?|verses?|rooms?|sections?|sec\.|rules?|articles?|art\.|paragraphs?"
    r"|chapters?|clauses?|items?|parts?|steps?|forms?|tickets?|orders?|invoices?|batch(?:es)?|lots?"
    r"|flights?|bus|routes?|gates?|lockers?|codes?|ports?|pin|extensions?|ext\.?|errors?|models?"
    r"|serial|iso|iec|din|rfc|version|revision|build|numbers?|no\.|nos?\.)|[#№§])\s*$",
    re.IGNORECASE,
)
_MANY: Final = re.compile(
    r"[\s\u00a0-](?:(?:new|other|more|active|registered|paying|full|different|concurrent)\s+)?"
    r"(?:units?|people|persons?|users?|visitors?|words?|characters?|letters?|points?|calories|kcal"
    r"|requests?|tokens?|pages?|copies|members?|employees?|workers?|staff|students?|pupils?|seats?"
    r"|pieces?|rows?|rounds?|doses?|participants?|patients?|customers?|subscribers?|guests?"
    r"|residents?|inhabitants?|households?|homes?|cycles?|iterations?|steps?|times|bits?|pixels?"
    r"|dpi|iu|joules?|newtons?|lumens?|nits?|cc|hp|horsepower|items?|entries|records?|documents?"
    r"|files?|devices?|connections?|votes?|shares?|signatures?|questions?|strong|odd)\b",
    re.IGNORECASE,
)
_DATED_BEFORE: Final = re.compile(
    r"\b(?:in|since|until|till|before|during|year|circa|early|late|mid|season|spring|summer|autumn"
    r"|fall|winter)\s*$",
    re.IGNORECASE,
)
_ACROSS: Final = re.compile(r"\s?[x×]\s?\d", re.IGNORECASE)  # noqa: RUF001
_ACROSS_BEFORE: Final = re.compile(r"\d\s?[x×]\s?$", re.IGNORECASE)  # noqa: RUF001
_RATE: Final = re.compile(r"/[A-Za-z]")
_RANGE: Final = re.compile(
    r"\s*(?:-|–|—|\bto\b|\band\b|\bor\b)\s*(?P<last>\d[\d,]*(?:\.\d+)?)",  # noqa: RUF001
    re.IGNORECASE,
)
_LETTERS_ALONE: Final = frozenset(
    {"feet", "yen", "percent", "hertz", "celsius", "fahrenheit", "mbar", "kbps", "mbps", "gbps"}
    | {"quid"}
)
"""Units that are written the same of one and of many, longer than an abbreviation."""

_ABBREVIATED: Final = 3
_LOOKED_BACK: Final = 14


def stands_for_year(text: str, start: int, end: int) -> bool:
    """Whether the four figures at `text[start:end]` are a year: by what introduces or follows them.

    Nothing that is measured, counted, paid, numbered or a size is; "in 2020 patients" stays a year.
    """
    before = text[max(0, start - _LOOKED_BACK) : start]
    if not (_YEAR_BEFORE.search(before) or _PLAIN_AFTER.match(text, end)):
        return False
    return not (
        _NUMBERED.search(before)
        or _ACROSS_BEFORE.search(before)
        or currency_before(text, start) is not None
        or is_measured(text, start, end)
    )


def is_measured(text: str, start: int, end: int) -> bool:
    """Whether what stands behind the figures tells what they count or measure."""
    if _ACROSS.match(text, end) or _RATE.match(text, end) or _has_unit(text, end):
        return True
    dated = _DATED_BEFORE.search(text[max(0, start - _LOOKED_BACK) : start])
    if dated is None and (_MANY.match(text, end) or text.startswith(" per ", end)):
        return True
    ranged = _RANGE.match(text, end)
    if ranged is None or dated is not None:
        return False
    last = ranged.end("last")
    return _has_unit(text, last) or _MANY.match(text, last) is not None


def _has_unit(text: str, at: int) -> bool:
    """Whether a unit follows that is one in all likelihood.

    A word in the singular is none behind a space ("in 2020 second place"), nor is a capital alone.
    """
    unit = unit_after(text, at, figures=True)
    if unit is None:
        return False
    word = text[at : unit.end].lstrip(" \t\n\u00a0-")
    gap = text[at : unit.end - len(word)]
    if "\n" in gap or word in {"A", "V", "W"}:
        return False
    if "-" in gap or not word.isalpha():
        return True
    lowered = word.lower()
    if len(word) <= _ABBREVIATED:
        return lowered != "day"
    return lowered in _LETTERS_ALONE or lowered.endswith("s")
