"""Values of CSS declarations: lengths with their arithmetic, variables, escapes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|([^\n]))")
_MAX_ESCAPED: Final = 0x10FFFF
_NUMBER: Final = re.compile(
    r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?)([a-z]*%?)", re.IGNORECASE
)
_TOKEN: Final = re.compile(
    r"\s*(?:((?:\d+\.?\d*|\.\d+)[a-z%]*)|([-+*/(),])|([a-z-]+)\()", re.IGNORECASE
)
_ARITHMETIC: Final = ("calc", "min", "max", "clamp", "-webkit-calc", "-moz-calc")
_LENGTHS: Final = {
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "q": 0.945,
}
_VIEW: Final = 12.8  # pixels of a hundredth of a screen 1280 wide
_MAX_TOKENS: Final = 60
_MAX_DEPTH: Final = 16
_MAX_LINKS: Final = 64
_MAX_VALUE: Final = 400
_MAX_REFERENCES: Final = 8
_REFERENCE: Final = re.compile(
    r"var\(\s*(--[^\s,()]{1,80})\s*(?:,([^()]*(?:\([^()]*\)[^()]*)*))?\)"
)


def unescaped(name: str) -> str:
    """Return a name or a value with its escapes read; what is no code point is U+FFFD."""
    if "\\" not in name:
        return name
    return _ESCAPE.sub(_read, name)


def _read(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[2]
    number = int(match[1], 16)
    return chr(number) if 0 < number <= _MAX_ESCAPED else "\ufffd"


@dataclass(frozen=True, slots=True)
class Variables:
    """Custom properties of an element; what it does not say itself, an element around it may."""

    own: Mapping[str, str]
    around: Variables | None = None

    def value(self, name: str) -> str | None:
        level: Variables | None = self
        for _ in range(_MAX_LINKS):
            if level is None:
                return None
            if name in level.own:
                return level.own[name]
            level = level.around
        return None


def resolved(value: str, variables: Variables | None) -> str:
    """Return `value` with its variables put in; one that is set nowhere leaves its fallback.

    What is longer than `_MAX_VALUE`, or refers on and on, is left as it stands.
    """
    for _ in range(_MAX_REFERENCES):
        if not 0 < value.count("var(") <= _MAX_REFERENCES or len(value) > _MAX_VALUE:
            break
        value = _REFERENCE.sub(lambda match: _referred(match, variables), value)
    return value


def _referred(match: re.Match[str], variables: Variables | None) -> str:
    found = None if variables is None else variables.value(match[1])
    return (found if found is not None else match[2] or "").strip()


def length(value: str, *, em: float) -> float | None:
    """Return a CSS length in pixels; None for a percentage, `auto` or what is no length."""
    value = value.strip()
    match = _NUMBER.match(value)
    if match is not None:
        return _pixels(match[1], match[2], em)
    if value.startswith(_ARITHMETIC):
        return _calculated(value, em)
    return None


def share(value: str) -> float | None:
    """Return a number, or a percentage as a share of one; None for what is neither."""
    value = value.strip()
    try:
        number = float(value[:-1]) / 100 if value.endswith("%") else float(value)
    except ValueError:
        return _calculated(value, 1.0) if value.startswith(_ARITHMETIC) else None
    return number if math.isfinite(number) else None


def _pixels(number: str, unit: str, em: float) -> float | None:
    size, unit = float(number), unit.lower()
    if not math.isfinite(size):
        return None
    if unit in ("em", "rem", "ex", "ch", "lh", "rlh", "cap", "ic"):
        return size * em
    if unit.endswith(("vw", "vh", "vmin", "vmax", "vi", "vb")) or unit.startswith("cq"):
        return size * _VIEW
    if unit == "":
        return size
    return size * _LENGTHS[unit] if unit in _LENGTHS else None


class _NoLengthError(ValueError):
    """The expression holds what is no length."""


def _calculated(value: str, em: float) -> float | None:
    """Return what an expression comes to; None where a part is no length, or it is too long."""
    try:
        tokens = list(_tokens(value, em))
        tokens.reverse()
        found = _sum(tokens, 0)
    except (_NoLengthError, ZeroDivisionError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _tokens(value: str, em: float) -> Iterator[float | str]:
    at = 0
    value = value.strip()
    for _ in range(_MAX_TOKENS):
        if at >= len(value):
            return
        match = _TOKEN.match(value, at)
        if match is None:
            raise _NoLengthError
        at = match.end()
        if match[1] is not None:
            number = _NUMBER.match(match[1])
            pixels = None if number is None else _pixels(number[1], number[2], em)
            if pixels is None:
                raise _NoLengthError
            yield pixels
        else:
            yield match[2] or match[3].lower()
    raise _NoLengthError


def _sum(tokens: list[float | str], depth: int) -> float:
    total = _product(tokens, depth)
    while tokens and tokens[-1] in ("+", "-"):
        sign = 1.0 if tokens.pop() == "+" else -1.0
        total += sign * _product(tokens, depth)
    return total


def _product(tokens: list[float | str], depth: int) -> float:
    total = _factor(tokens, depth)
    while tokens and tokens[-1] in ("*", "/"):
        if tokens.pop() == "*":
            total *= _factor(tokens, depth)
        else:
            total /= _factor(tokens, depth)
    return total


def _factor(tokens: list[float | str], depth: int) -> float:
    if not tokens or depth > _MAX_DEPTH:
        raise _NoLengthError
    head = tokens.pop()
    if isinstance(head, float):
        return head
    if head in ("+", "-"):
        return _factor(tokens, depth + 1) * (1.0 if head == "+" else -1.0)
    if head != "(" and head not in _ARITHMETIC:
        raise _NoLengthError
    values = [_sum(tokens, depth + 1)]
    while tokens and tokens[-1] == ",":
        tokens.pop()
        values.append(_sum(tokens, depth + 1))
    if not tokens or tokens.pop() != ")":
        raise _NoLengthError
    if head == "min":
        return min(values)
    if head == "max":
        return max(values)
    if head == "clamp" and len(values) == 3:  # noqa: PLR2004
        return max(values[0], min(values[1], values[2]))
    return values[0]
