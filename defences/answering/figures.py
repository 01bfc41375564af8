"""What a figure in a text is, and when two of them say the same."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from defences.answering.dates import Moment, same_moment
from defences.answering.units import CURRENCIES

_RELATIVE: Final = 1e-6


class ValueKind(StrEnum):
    NUMBER = "number"
    ORDINAL = "ordinal"
    PERCENT = "percent"
    MONEY = "money"
    DURATION = "duration"
    FREQUENCY = "frequency"
    """How often: `low` and `high` are the time from one to the next."""
    QUANTITY = "quantity"
    DATE = "date"
    TIME = "time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A figure with its unit, normalised.

    Attributes:
        low, high: In the base unit of `unit`; equal unless a range is stated.
        slack: How far either may lie off, in the base unit: a month is 28 to 31 days.
        written: `low` as written, before conversion.
        unit: Base unit (`s`, `g`, `EUR` ...), empty for a plain number.
        nouns: Stems of the words that are counted: "8 relay outputs".
        bound: 1 "at least", -1 "at most", 0 neither.
        per: What the figure is a rate of: "5 euros per month".
        negated: The text says that it is not, or no longer, this.
        moment: The date or time itself, where it is one.
    """

    kind: ValueKind
    start: int
    end: int
    low: float = 0.0
    high: float = 0.0
    slack: float = 0.0
    written: float = 0.0
    unit: str = ""
    nouns: tuple[str, ...] = ()
    bound: int = 0
    per: str = ""
    negated: bool = False
    moment: Moment | None = None


def same_value(first: Value, second: Value) -> bool:
    """Whether two figures say the same, units converted.

    A figure without a unit is compared as written. Opposite bounds ("at least", "at most") and
    different rates ("per month", "per year") never match.
    """
    if first.bound * second.bound < 0 or (first.per and second.per and first.per != second.per):
        return False
    if first.moment is not None and second.moment is not None:
        return same_moment(first.moment, second.moment)
    if first.moment is not None or second.moment is not None:
        return _is_year(first, second) or _is_year(second, first)
    if (first.kind is ValueKind.ORDINAL) is not (second.kind is ValueKind.ORDINAL):
        return False
    if {first.unit, second.unit} <= CURRENCIES and "cent" in {first.unit, second.unit}:
        return _close(first.low, second.low, 0.0) and _close(first.high, second.high, 0.0)
    if {first.kind, second.kind} == {ValueKind.FREQUENCY, ValueKind.DURATION}:
        # "every 180 days" and "again after 180 days" say the same interval.
        units = {value.unit.removeprefix("/") for value in (first, second)}
        return len(units) == 1 and _close(first.low, second.low, first.slack + second.slack)
    if first.unit != second.unit:
        bare = not first.unit or not second.unit
        return bare and _close_as_written(first, second)
    slack = first.slack + second.slack
    return _close(first.low, second.low, slack) and _close(first.high, second.high, slack)


def comparable(first: Value, second: Value) -> bool:
    """Whether two figures are of the same matter, so that they contradict where they differ."""
    if first.kind is not second.kind or first.unit != second.unit:
        return False
    if first.kind in {ValueKind.NUMBER, ValueKind.ORDINAL}:
        return not first.nouns or not second.nouns or bool(set(first.nouns) & set(second.nouns))
    return not (first.per and second.per and first.per != second.per)


def _is_year(date: Value, number: Value) -> bool:
    moment = date.moment
    return (
        moment is not None
        and number.kind is ValueKind.NUMBER
        and moment.year == number.low
        and moment.month is None
        and not number.nouns
    )


def _close_as_written(first: Value, second: Value) -> bool:
    """Whether both ends are the same figures on paper: "18 to 68" and "18 to 68 years"."""
    ends = [
        value.high / value.low * value.written if value.low else value.high
        for value in (first, second)
    ]
    return _close(first.written, second.written, 0.0) and _close(ends[0], ends[1], 0.0)


def _close(first: float, second: float, slack: float) -> bool:
    return abs(first - second) <= slack + _RELATIVE * max(abs(first), abs(second))
