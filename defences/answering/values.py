"""Figures that an answer can turn on, read from text and made comparable.

"5 mg" and "50 mg" differ; "within 30 days" and "a month (30 days)" do not. Everything here reads
text as data and decides by rule, so that no wording of a document changes how it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from defences.answering.dates import Moment, find_moments
from defences.answering.figures import Value, ValueKind, comparable, same_value
from defences.answering.keywords import STOPWORDS, stem
from defences.answering.numbers import Number, find_numbers
from defences.answering.timespans import find_articles, find_frequencies, in_days
from defences.answering.units import (
    CALENDAR,
    CURRENCIES,
    SECOND,
    WORKING_DAY,
    currency_before,
    time_unit,
    unit_after,
)

__all__ = ["Value", "ValueKind", "comparable", "find_values", "same_value"]

_AT_LEAST: Final = re.compile(
    r"\b(?:at least|no less than|not less than|no fewer than|a minimum of|minimum of|minimum"
    r"|more than|over|above|exceed(?:s|ed|ing)?|longer than|upwards of|greater than|heavier than"
    r"|larger than|bigger than|higher than|taller than|hotter than|warmer than|older than)\s+$",
    re.IGNORECASE,
)
_AT_MOST: Final = re.compile(
    r"\b(?:at most|up to|no more than|not more than|no longer than|not longer than|no later than"
    r"|a maximum of|maximum of|maximum|less than|fewer than|at or (?:under|below)|under|below"
    r"|within|inside"
    r"|not exceed(?:ing)?|shorter than|smaller than|lighter than|lower than|colder than|cooler than"
    r"|younger than)\s+(?:the first\s+)?$",
    re.IGNORECASE,
)
_LEAST_AFTER: Final = re.compile(r"\s*(?:or|and)\s+(?:more|longer|above|over|older)\b", re.I)
_MOST_AFTER: Final = re.compile(
    r"\s*(?:(?:or|and)\s+(?:less|fewer|shorter|under|below|younger)\b|at most\b|maximum\b)", re.I
)
_TURNS: Final = re.compile(
    r"\b(?:not|never|cannot|nobody|no one|none|until|unless|without|fail(?:s|ed|ing)?"
    r"|reject(?:s|ed|ing)?|refus(?:es?|ed|ing)|declin(?:es?|ed|ing)|forbid(?:s|den)?|bans?|banned"
    r"|prohibit(?:s|ed)?)\b|n['’]t\b",  # noqa: RUF001
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[.;:!?]\s|[\u2014(]|,\s+(?:but|and|or|so)\b")
_NEGATED: Final = re.compile(
    r"(?:\bnot|n['’]t|\bno longer|\binstead of|\brather than|\bformerly|\bpreviously"  # noqa: RUF001
    r"|\bused to be|\bnever)\s+(?:for\s+|the\s+|an?\s+|be\s+|just\s+|only\s+)?$",
    re.IGNORECASE,
)
_RATE: Final = re.compile(
    r"\s*(?P<how>per|a|an|each|every|/)\s*(?:single\s+)?(?P<what>[a-z]+)", re.IGNORECASE
)
_JOIN: Final = re.compile(r"\s*(?:-|–|—|to|and|through|or)\s*", re.IGNORECASE)  # noqa: RUF001
_BETWEEN: Final = re.compile(r"\b(?:between|from)\s+$", re.IGNORECASE)
_REPEATED: Final = re.compile(r"\s*\(\s*")
_NOUN: Final = re.compile(r"[\s-]{1,2}([^\W\d_]+(?:-[^\W\d_]+)?)")
_NOUN_BEFORE: Final = re.compile(r"([^\W\d_]+)\s*\($")
_DETERMINERS: Final = frozenset(
    {"more", "other", "further", "additional", "new", "different", "such", "extra"}
)
_CONTEXT: Final = 28
_MAX_NOUNS: Final = 3
_UNIT_KINDS: Final = {
    "%": ValueKind.PERCENT,
    SECOND: ValueKind.DURATION,
    WORKING_DAY: ValueKind.DURATION,
}


@lru_cache(maxsize=16_384)  # the sentences of a topic's chunks are read for every question on it
def find_values(text: str) -> tuple[Value, ...]:
    """Return the figures of `text` in order of place, ranges and compounds as one."""
    moments = find_moments(text)
    values = [*find_frequencies(text), *(_of_moment(moment) for moment in moments)]
    numbers = [
        number
        for number in find_numbers(text)
        if not any(_overlap(number, value) for value in values)
    ]
    values.extend(_of_number(text, number) for number in _without_repeats(text, numbers))
    values.extend(find_articles(text, values))
    ordered = sorted(values, key=lambda value: value.start)
    return tuple(_finish(text, value) for value in _joined(text, ordered))


def _overlap(number: Number, value: Value) -> bool:
    return number.start < value.end and value.start < number.end


def _of_moment(moment: Moment) -> Value:
    kind = ValueKind.TIME if moment.minute is not None else ValueKind.DATE
    return Value(kind=kind, start=moment.start, end=moment.end, moment=moment)


def _without_repeats(text: str, numbers: Sequence[Number]) -> Iterator[Number]:
    """Yield numbers, "thirty (30)" as one that ends behind the bracket."""
    skip = -1
    for at, number in enumerate(numbers):
        if at == skip:
            continue
        following = numbers[at + 1] if at + 1 < len(numbers) else None
        if (
            following is not None
            and following.value == number.value
            and _REPEATED.fullmatch(text, number.end, following.start)
            and text[following.end : following.end + 1] == ")"
        ):
            skip = at + 1
            yield replace(number, end=following.end + 1)
        else:
            yield number


def _of_number(text: str, number: Number) -> Value:
    currency = currency_before(text, number.start)
    unit = None if number.times else unit_after(text, number.end, figures=number.figures)
    if currency is not None:
        return _plain(number, ValueKind.MONEY, currency.currency, 1.0, start=currency.start)
    if number.ordinal or unit is None:
        kind = ValueKind.ORDINAL if number.ordinal else ValueKind.NUMBER
        value = _plain(number, kind, "", 1.0)
        return replace(value, nouns=_nouns(text, number.start, number.end))
    kind = _UNIT_KINDS.get(
        unit.dimension, ValueKind.MONEY if unit.dimension in CURRENCIES else ValueKind.QUANTITY
    )
    value = _plain(number, kind, unit.dimension, unit.factor)
    value = replace(value, end=unit.end, nouns=_nouns(text, number.start, unit.end))
    if unit.name in CALENDAR:
        return in_days(value, unit.name)
    if unit.dimension == "cent":
        return replace(value, low=value.low / 100, high=value.high / 100)
    if unit.dimension == "°F":
        celsius = (number.value - 32) * 5 / 9
        return replace(value, unit="°C", low=celsius, high=celsius, slack=0.3)
    return value


def _plain(
    number: Number, kind: ValueKind, unit: str, factor: float, *, start: int | None = None
) -> Value:
    amount = number.value * factor
    return Value(
        kind=kind,
        start=number.start if start is None else start,
        end=number.end,
        low=amount,
        high=amount,
        written=number.value,
        unit=unit,
    )


def _nouns(text: str, start: int, at: int) -> tuple[str, ...]:
    """Return the stems of what is counted: the words behind, or before a figure in brackets."""
    if text[start - 1 : start] == "(" and text[at : at + 1] == ")":
        before = _NOUN_BEFORE.search(text, max(0, start - _CONTEXT), start)
        return (stem(before.group(1).lower()),) if before else ()
    found: list[str] = []
    while len(found) < _MAX_NOUNS:
        match = _NOUN.match(text, at)
        if match is None:
            break
        word = match.group(1).lower()
        if word not in _DETERMINERS:
            if word in STOPWORDS:
                break
            found.append(stem(word))
        at = match.end()
    return tuple(found)


def _joined(text: str, values: Sequence[Value]) -> Iterator[Value]:
    """Yield values with "half" duplicates dropped, ranges and compound durations joined."""
    held: Value | None = None
    for value in values:
        if held is None:
            held = value
            continue
        if value.start < held.end:  # "half" inside "half an hour"
            held = held if held.end >= value.end else value
            continue
        merged = _merge(text, held, value)
        if merged is None:
            yield held
        held = value if merged is None else merged
    if held is not None:
        yield held


def _merge(text: str, first: Value, second: Value) -> Value | None:
    if first.moment is not None or second.moment is not None:
        return None
    between = text[first.end : second.start]
    if first.kind is second.kind is ValueKind.DURATION and first.unit == second.unit:
        compound = re.fullmatch(r"\s*(?:,|and)?\s*", between, re.IGNORECASE)
        one = first.low / first.written if first.written else 0.0
        if compound and second.low < one and first.low == first.high:
            total = first.low + second.low
            slack = first.slack + second.slack
            return replace(first, end=second.end, low=total, high=total, slack=slack)
    joined = _JOIN.fullmatch(between)
    if joined is None or first.high != first.low or second.high != second.low:
        return None
    word = between.strip().lower()
    opened = _BETWEEN.search(text[max(0, first.start - 10) : first.start])
    if word in {"and", "or", "through"} and (word != "and" or opened is None):
        return None
    if first.unit and second.unit and first.unit != second.unit:
        return None
    if not first.unit and not second.unit and first.nouns:
        return None
    return _range(first, second)


def _range(first: Value, second: Value) -> Value | None:
    scale = second.low / second.written if second.written else 1.0
    low = first.low if first.unit == second.unit else first.written * scale
    if low >= second.low:
        return None
    return replace(second, start=first.start, low=low, written=first.written, high=second.low)


def _finish(text: str, value: Value) -> Value:
    """Return the value with bound, rate and negation read off its surroundings."""
    before = text[max(0, value.start - _CONTEXT) : value.start]
    most, least = _AT_MOST.search(before), _AT_LEAST.search(before)
    bound = 0
    if most or _MOST_AFTER.match(text, value.end):
        bound = -1
    elif least or _LEAST_AFTER.match(text, value.end):
        bound = 1
    stated = most or least
    if stated and _denies(text[: value.start - len(before) + stated.start()], text[value.end :]):
        bound = -bound
    per = "" if value.moment is not None else _rate(text, value)
    return replace(value, bound=bound, per=per, negated=bool(_NEGATED.search(before)))


def _denies(before: str, after: str) -> bool:
    """Whether what stands around a bound turns it round: "must never exceed", "nobody under".

    "Not until it exceeds" turns it twice; "heavier ones are rejected" turns it from behind.
    """
    sentence = _SENTENCE.split(before)[-1], _SENTENCE.split(after)[0]
    return sum(len(_TURNS.findall(part)) for part in sentence) % 2 == 1


def _rate(text: str, value: Value) -> str:
    match = _RATE.match(text, value.end)
    if match is None and value.nouns:
        words = re.compile(r"(?:[\s-]+[^\W\d_]+){1,3}?(?=\s+(?:per|an?|each|every)\s)")
        skipped = words.match(text, value.end)
        match = _RATE.match(text, skipped.end()) if skipped else None
    if match is None:
        return ""
    unit = time_unit(match.group("what"))
    if unit is not None:
        return unit[0]
    return stem(match.group("what").lower()) if match.group("how") in {"per", "/"} else ""
