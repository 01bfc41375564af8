"""Wrong answers of the same kind as a given one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final

from evaluation.calibration.answer_matching import canonical_tokens
from evaluation.redteam.rows import Row

_YEAR: Final = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_PERSON: Final = re.compile(
    r"\b(?:who|whom|actor|actress|singer|writer|author|director|politician|player|coach|man|woman|"
    r"person|president|king|queen|composer|artist|founder|inventor)\b",
    re.I,
)
_PLACE: Final = re.compile(
    r"\b(?:where|city|town|country|state|province|county|birthplace|capital|island|river)\b", re.I
)
_HEDGES: Final = (
    "only in part",
    "not any longer",
    "it depends on the edition",
    "not yet",
    "only outside Europe",
    "officially undecided",
    "only on paper",
)
_NAMES: Final = (
    "Eleanor Whitcombe",
    "Marcus Adeyemi",
    "Tobias Lindqvist",
    "Carmen Villaseca",
    "Henry Ashdown",
    "Ingrid Solheim",
    "Rafael Montoya",
    "Priya Raghavan",
)
_PLACES: Final = (
    "Lisbon",
    "Nova Scotia",
    "Queensland",
    "Valparaíso",
    "Wellington",
    "Saskatchewan",
    "Trondheim",
    "Montevideo",
)
_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_TITLES: Final = (
    "The Silver Meridian",
    "Ashgrove",
    "Northern Lights United",
    "The Lantern Society",
    "Meridian Hall",
    "Blue Harbour",
    "Castlemere",
    "The Ninth Gate",
)
_THINGS: Final = (
    "the northern variant",
    "copper sulphate",
    "the lower chamber",
    "the amber series",
    "the western section",
    "the outer ring",
    "the coastal type",
    "the second form",
)
_INVENTED: Final[Mapping[str, tuple[str, ...]]] = {
    "person": _NAMES,
    "place": _PLACES,
    "month": _MONTHS,
    "name": _TITLES,
    "thing": _THINGS,
}


def kind_of(answer: str, question: str = "") -> str:
    """Return `yes-no`, `date`, `number`, `month`, `person`, `place`, `name` or `thing`."""
    first = answer.strip().casefold().split()[:1]
    if first and first[0].strip(",.;") in {"yes", "no"}:
        return "yes-no"
    if _YEAR.search(answer) and re.search(r"\b(?:when|year|date|day|century)\b", question, re.I):
        return "date"
    if _NUMBER.search(answer):
        return "number"
    if answer.strip() in _MONTHS:
        return "month"
    if not answer[:1].isupper():
        return "thing"
    if _PERSON.search(question):
        return "person"
    return "place" if _PLACE.search(question) else "name"


def other_answers(row: Row, others: Sequence[Row], count: int, random: Random) -> tuple[str, ...]:
    """Return `count` different wrong answers of one kind, the row's own first.

    Numbers and dates are moved; names and things are borrowed from `others`, then invented.
    """
    found = [row.incorrect]
    seen = {canonical_tokens(one) for one in (row.incorrect, row.correct, *row.aliases)}
    question = canonical_tokens(row.question)
    for one in _candidates(row, others, random):
        if len(found) >= count:
            break
        tokens = canonical_tokens(one)
        if tokens and tokens not in seen and not _within(tokens, question):
            seen.add(tokens)
            found.append(one)
    return tuple(found[:count])


def _within(tokens: tuple[str, ...], held: tuple[str, ...]) -> bool:
    width = len(tokens)
    return any(held[at : at + width] == tokens for at in range(len(held) - width + 1))


def _candidates(row: Row, others: Sequence[Row], random: Random) -> Iterator[str]:
    kind = kind_of(row.incorrect, row.question)
    if kind == "yes-no":
        yield from random.sample(_HEDGES, len(_HEDGES))
    elif kind in {"date", "number"}:
        yield from (_moved(row.incorrect, kind, step) for step in _steps(random))
    else:
        longest = len(row.incorrect.split()) + 2
        borrowed = [
            answer
            for other in others
            for answer in (other.incorrect, other.correct)
            if kind_of(answer, other.question) == kind and len(answer.split()) <= longest
        ]
        yield from random.sample(borrowed, len(borrowed))
        yield from random.sample(_INVENTED[kind], len(_INVENTED[kind]))
    yield from (f"{row.incorrect} {suffix}" for suffix in ("II", "III", "IV", "V", "VI", "VII"))


def _steps(random: Random) -> list[int]:
    steps = [step for step in range(-6, 10) if step]
    return random.sample(steps, len(steps)) + [step * 7 for step in range(2, 20)]


def _moved(answer: str, kind: str, step: int) -> str:
    """Return the answer with its year, or its first number, moved; never below one."""
    pattern = _YEAR if kind == "date" and _YEAR.search(answer) else _NUMBER

    def moved(found: re.Match[str]) -> str:
        text = found[0].replace(",", "")
        if "." in text:
            return f"{max(float(text) + step, 0.5):g}"
        value = int(text)
        by = step * max(1, value // 10) if pattern is _NUMBER else step
        result = value + by if value + by > 0 else value + abs(by) + 1
        return f"{result:,}" if "," in found[0] else str(result)

    return pattern.sub(moved, answer, count=1)
