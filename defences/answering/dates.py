"""Dates, weekdays and times of day in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from defences.answering.hints import may_have_digits, may_have_word
from defences.answering.years import is_measured, stands_for_year

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",),
            ("june", "jun"), ("july", "jul"), ("august", "aug"), ("september", "sep", "sept"),
            ("october", "oct"), ("november", "nov"), ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}  # fmt: skip
WEEKDAYS: Final = {
    name: number
    for number, name in enumerate(
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"], start=1
    )
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR: Final = r"(?:1\d{3}|20\d{2}|21\d{2})"
_DAY: Final = r"(?:3[01]|[12]\d|0?[1-9])"

_ISO: Final = re.compile(rf"(?<![\d-])(?P<y>{_YEAR})-(?P<m>0[1-9]|1[0-2])-(?P<d>{_DAY})(?!\d)")
_SLASHED: Final = re.compile(
    rf"(?<![\d./])(?P<d>{_DAY})(?P<sep>[./])(?P<m>{_DAY})(?P=sep)(?P<y>{_YEAR}|\d\d)(?![\d./]\d)"
)
_DAY_MONTH: Final = re.compile(
    rf"\b(?P<d>{_DAY})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<m>{_MONTH})\b\.?(?:,?\s+(?P<y>{_YEAR})\b)?",
    re.IGNORECASE,
)
_MONTH_DAY: Final = re.compile(
    rf"\b(?P<m>{_MONTH})\b\.?\s+(?:the\s+)?(?P<d>{_DAY})(?:st|nd|rd|th)?\b(?!:\d)"
    rf"(?:,?\s+(?P<y>{_YEAR})\b)?",
    re.IGNORECASE,
)
_MONTH_YEAR: Final = re.compile(rf"\b(?P<m>{_MONTH})\b\.?,?\s+(?:of\s+)?(?P<y>{_YEAR})\b", re.I)
_MONTH_ALONE: Final = re.compile(
    rf"(?:(?<=\bin )|(?<=\bof )|(?<=\bby )|(?<=\buntil )|(?<=\bsince )|(?<=\bevery )|(?<=\bfrom )"
    rf"|(?<=\beach ))(?P<m>{_MONTH})\b",
    re.IGNORECASE,
)
_DECADE: Final = re.compile(r"\b(?P<y>(?:1\d|20|21)\d0)s\b")
_BARE_YEAR: Final = re.compile(rf"(?<![\w,.$€£/-])(?P<y>{_YEAR})(?![\w%°]|[,.]\d|\s?[€$£%])")
_CLOCK: Final = re.compile(
    r"(?<![\d:.])(?P<h>2[0-3]|[01]?\d):(?P<min>[0-5]\d)(?::[0-5]\d)?(?!\d)"
    r"\s?(?P<half>[ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_HALF_DAY: Final = re.compile(
    r"(?<![\d:.])(?P<h>1[0-2]|0?[1-9])(?:\.(?P<min>[0-5]\d))?\s?(?P<half>[ap]\.?m\b\.?)",
    re.IGNORECASE,
)
_NAMED_TIME: Final = re.compile(
    r"\b(?P<noon>noon|midday)\b|\b(?P<night>midnight)\b|\b(?P<h>1[0-2]|[1-9])\s?o['’]clock",  # noqa: RUF001
    re.IGNORECASE,
)
_HOURS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_PART_OF_HOUR: Final = {"half past": 30, "quarter past": 15, "quarter to": -15}
_PAST: Final = re.compile(
    rf"\b(?P<part>half past|quarter past|quarter to)\s+(?P<h>1[0-2]|[1-9]|{'|'.join(_HOURS)})\b"
    r"(?:\s?(?P<half>[ap]\.?m\b\.?))?",
    re.IGNORECASE,
)
_WEEKDAY: Final = re.compile(rf"\b(?P<w>{'|'.join(WEEKDAYS)})s?\b", re.IGNORECASE)
# One stands wherever the pattern of its kind finds something without a digit.
_MONTH_NAMES: Final = frozenset(_MONTHS)
_NAMED_HOURS: Final = frozenset({"noon", "midday", "midnight"})
_PARTS: Final = frozenset({"half", "quarter"})
_DAYS: Final = frozenset([*WEEKDAYS, *(f"{day}s" for day in WEEKDAYS)])
_CENTURY: Final = 100
_DAY_MINUTES: Final = 1440


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A date, weekday or time of day. Parts that are not said are None.

    Attributes:
        minute: Of the day, from 0; None for a date.
        decade: `year` begins a decade ("1960s") rather than being meant itself.
    """

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    minute: int | None = None
    decade: bool = False


def find_moments(text: str) -> tuple[Moment, ...]:
    """Return the moments of `text` in order of place, longer readings first, none overlapping.

    `03/04/2026` is read day first, and month first only where that alone makes a date.
    """
    taken: list[Moment] = []
    for reader in (_dates, _times, _weekdays, _years):
        for moment in reader(text):
            if all(moment.end <= other.start or other.end <= moment.start for other in taken):
                taken.append(moment)
    return tuple(sorted(taken, key=lambda moment: moment.start))


def same_moment(first: Moment, second: Moment) -> bool:
    """Whether the moments agree in every part that both state, and both state one."""
    if first.decade is not second.decade:
        return False
    pairs = [
        (first.year, second.year),
        (first.month, second.month),
        (first.day, second.day),
        (first.weekday, second.weekday),
        (first.minute, second.minute),
    ]
    stated = [(a, b) for a, b in pairs if a is not None and b is not None]
    return bool(stated) and all(a == b for a, b in stated)


def _dates(text: str) -> Iterator[Moment]:
    numeric = (_ISO, _SLASHED) if may_have_digits(text) else ()
    named = (_DAY_MONTH, _MONTH_DAY, _MONTH_YEAR, _MONTH_ALONE)
    for pattern in (*numeric, *(named if may_have_word(text, _MONTH_NAMES) else ())):
        for match in pattern.finditer(text):
            moment = _date(match)
            if moment is not None:
                yield moment


def _date(match: re.Match[str]) -> Moment | None:
    parts = match.groupdict()
    written = parts["m"] or ""
    if written.lower() in {"may", "march", "mar"} and not written[0].isupper():
        return None  # the verb
    month = int(written) if written.isdecimal() else _MONTHS[written.lower()]
    day = int(parts["d"]) if parts.get("d") else None
    year = int(parts["y"]) if parts.get("y") else None
    if year is not None and year < _CENTURY:
        year += 2000
    if day is not None and month > 12 >= day:  # noqa: PLR2004
        day, month = month, day
    if month > 12:  # noqa: PLR2004
        return None
    end = match.end()
    if parts.get("y") and end == match.end("y") > match.end("m") and _counts(match):
        if day is None:
            return None
        year, end = None, match.start("y")  # "on 5 March 1200 units were sold"
        end = match.start() + len(match.string[match.start() : end].rstrip(" ,"))
    return Moment(start=match.start(), end=end, year=year, month=month, day=day)


def _counts(match: re.Match[str]) -> bool:
    """Whether the year of a date written in words is a figure of what follows it."""
    return match["m"].isalpha() and is_measured(match.string, match.start("y"), match.end("y"))


def _years(text: str) -> Iterator[Moment]:
    if not may_have_digits(text):
        return
    for match in _DECADE.finditer(text):
        yield Moment(start=match.start(), end=match.end(), year=int(match.group("y")), decade=True)
    for match in _BARE_YEAR.finditer(text):
        if stands_for_year(text, match.start(), match.end()):
            yield Moment(start=match.start(), end=match.end(), year=int(match.group("y")))


def _times(text: str) -> Iterator[Moment]:
    clocks = (_CLOCK, _HALF_DAY) if may_have_digits(text) else ()
    named = (_NAMED_TIME,) if clocks or may_have_word(text, _NAMED_HOURS) else ()
    for pattern in (*clocks, *named):
        for match in pattern.finditer(text):
            yield Moment(start=match.start(), end=match.end(), minute=_minute(match.groupdict()))
    if not may_have_word(text, _PARTS):
        return
    for match in _PAST.finditer(text):
        hour = match["h"].lower()
        parts = {"h": str(_HOURS.get(hour, hour)), "half": match["half"]}
        minute = _minute(parts) + _PART_OF_HOUR[" ".join(match["part"].lower().split())]
        yield Moment(start=match.start(), end=match.end(), minute=minute % _DAY_MINUTES)


def _minute(parts: dict[str, str | None]) -> int:
    if parts.get("noon") or parts.get("night"):
        return 720 if parts.get("noon") else 0
    hour, half = int(parts["h"] or 0), (parts.get("half") or "").lower()
    if half.startswith("p") and hour < 12:  # noqa: PLR2004
        hour += 12
    elif half.startswith("a") and hour == 12:  # noqa: PLR2004
        hour = 0
    return hour * 60 + int(parts.get("min") or 0)


def _weekdays(text: str) -> Iterator[Moment]:
    if not may_have_word(text, _DAYS):
        return
    for match in _WEEKDAY.finditer(text):
        yield Moment(
            start=match.start(), end=match.end(), weekday=WEEKDAYS[match.group("w").lower()]
        )
