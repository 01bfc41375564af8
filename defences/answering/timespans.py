"""Spans of time in words: "every six months", "a fortnight", "half an hour"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from defences.answering.figures import Value, ValueKind
from defences.answering.hints import may_have_word
from defences.answering.numbers import find_numbers
from defences.answering.units import CALENDAR, DAY, SECOND, time_unit

_ARTICLE: Final = re.compile(
    r"\b(?:an?|each|the)\s+(?P<half>half[\s-])?(?P<unit>minute|hour|day|night|week|fortnight|month|year|decade|century)\b"
    r"(?P<and_half>\s+and\s+a\s+half)?",
    re.IGNORECASE,
)
_SPAN: Final = r"(?:hour|day|night|week|fortnight|month|quarter|year|decade|century|minute|second)"
_EVERY: Final = re.compile(
    rf"\b(?:every|each)\s+(?P<other>other\s+|second\s+)?(?P<count>[\w-]+\s+)?(?P<unit>{_SPAN})s?\b",
    re.IGNORECASE,
)
_TIMES_A: Final = re.compile(
    r"\b(?P<times>once|twice|thrice|[\w-]+\s+times)\s+(?:a|per|each|every|in\s+an?)\s+"
    rf"(?P<count>[\w-]+\s+)?(?P<unit>{_SPAN})s?\b",
    re.IGNORECASE,
)
_ADVERB: Final = re.compile(
    r"\b(?P<unit>hourly|daily|nightly|weekly|fortnightly|monthly|quarterly|yearly|annually)\b",
    re.IGNORECASE,
)
_HALF: Final = re.compile(
    r"\b(?P<part>half|(?:a\s+)?quarter\s+of|three\s+quarters\s+of)\s+an?\s+(?P<unit>hour|day|year|month|minute|century)\b",
    re.IGNORECASE,
)
_CONTEXT: Final = 28
_UNITS: Final = (
    "second", "minute", "hour", "day", "night", "week", "fortnight", "month", "quarter", "year",
    "decade", "century",
)  # fmt: skip
_ADVERBS: Final = (
    "hourly", "daily", "nightly", "weekly", "fortnightly", "monthly", "quarterly", "yearly",
    "annually",
)  # fmt: skip
_UNIT_WORDS: Final = frozenset([*_UNITS, *(f"{unit}s" for unit in _UNITS), *_ADVERBS])
"""One stands in whatever a pattern above finds."""


def find_frequencies(text: str) -> Iterator[Value]:
    """Yield "every 6 months", "twice a year", "quarterly" as the time from one to the next."""
    if not may_have_word(text, _UNIT_WORDS):
        return
    for match in _TIMES_A.finditer(text):
        times, count = _count(match.group("times")), _count(match.group("count"))
        if times is not None and count is not None:
            yield _frequency(match, match.group("unit"), count / times)
    for match in _EVERY.finditer(text):
        count = _count(match.group("count"))
        if count is not None and not _inside_times(text, match.start()):
            yield _frequency(
                match, match.group("unit"), 2.0 * count if match.group("other") else count
            )
    for match in _ADVERB.finditer(text):
        unit = {"daily": "day", "annually": "year"}.get(
            match.group().lower(), match.group().lower().removesuffix("ly")
        )
        yield _frequency(match, unit, 1.0)


def _inside_times(text: str, at: int) -> bool:
    return (
        re.search(r"\b(?:once|twice|thrice|times)\s+$", text[max(0, at - 8) : at], re.I) is not None
    )


def _count(words: str | None) -> float | None:
    """Return the number that the words are, 1 for none, None where they are no positive number."""
    if words is None or not words.strip():
        return 1.0
    numbers = find_numbers(words.replace("times", "").strip() + " x")
    return numbers[0].value if numbers and numbers[0].value > 0 else None


def _frequency(match: re.Match[str], unit: str, count: float) -> Value:
    found = time_unit(unit)
    name, seconds = found if found is not None else ("day", DAY)
    value = Value(
        kind=ValueKind.FREQUENCY,
        start=match.start(),
        end=match.end(),
        low=count * seconds,
        high=count * seconds,
        written=count,
        unit="/s",
    )
    return in_days(value, name) if name in CALENDAR else value


def in_days(value: Value, name: str) -> Value:
    """Return a duration in months or years as the range of days that it can be."""
    months = {"month": 1, "quarter": 3, "year": 12, "yr": 12, "decade": 120, "century": 1200}
    count = value.written * months[name]
    least = min(30 * count, 30.4375 * count - 2.4375) if count < 12 else 30.4375 * count - 1.0  # noqa: PLR2004
    most = 30.4375 * count + 1.0
    centre, slack = (least + most) / 2 * DAY, (most - least) / 2 * DAY
    return replace(value, low=centre, high=centre, slack=slack)


def find_articles(text: str, values: Sequence[Value]) -> Iterator[Value]:
    """Yield "a month", "half an hour", "an hour and a half", but not the month of a rate."""
    if not may_have_word(text, _UNIT_WORDS):
        return
    for match in _HALF.finditer(text):
        part = match.group("part").lower()
        share = 0.75 if part.startswith("three") else 0.25 if "quarter" in part else 0.5
        yield _article(match, share)
    for match in _ARTICLE.finditer(text):
        before = text[max(0, match.start() - _CONTEXT) : match.start()]
        rate = any(0 <= match.start() - value.end <= 2 for value in values)  # noqa: PLR2004
        counted = re.search(r"\b(?:times?|once|twice|half|quarters? of|per)\s+$", before, re.I)
        definite = match.group().lower().startswith(("the", "each"))
        if rate or counted or definite or re.search(r"\d\s+[a-z]+\s+$", before):
            continue
        yield _article(match, 0.5 if match.group("half") else 1.5 if match.group("and_half") else 1)


def _article(match: re.Match[str], share: float) -> Value:
    unit = time_unit(match.group("unit"))
    name, seconds = unit if unit is not None else ("day", DAY)
    value = Value(
        kind=ValueKind.DURATION,
        start=match.start(),
        end=match.end(),
        low=share * seconds,
        high=share * seconds,
        written=share,
        unit=SECOND,
    )
    return in_days(value, name) if name in CALENDAR else value
