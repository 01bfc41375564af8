"""Units of measure, and what one of each is in the base unit of its dimension."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SECOND: Final = "s"
WORKING_DAY: Final = "working-day"
DAY: Final = 86_400.0

_TABLE: Final[Mapping[str, Mapping[str, float]]] = {
    SECOND: {
        "second": 1, "sec": 1, "s": 1, "millisecond": 1e-3, "ms": 1e-3, "minute": 60, "min": 60,
        "hour": 3600, "hr": 3600, "h": 3600, "day": DAY, "night": DAY, "week": 7 * DAY,
        "wk": 7 * DAY, "fortnight": 14 * DAY, "month": 30.4375 * DAY, "quarter": 91.3125 * DAY,
        "year": 365.25 * DAY, "yr": 365.25 * DAY, "decade": 3652.5 * DAY, "century": 36525 * DAY,
    },
    WORKING_DAY: {"working day": 1, "business day": 1, "workday": 1, "weekday": 1, "banking day": 1},
    "%": {"%": 1, "percent": 1, "per cent": 1, "percentage point": 1, "pct": 1},
    "m": {
        "nm": 1e-9, "µm": 1e-6, "micron": 1e-6, "mm": 1e-3, "millimetre": 1e-3, "cm": 1e-2,
        "centimetre": 1e-2, "m": 1, "metre": 1, "km": 1e3, "kilometre": 1e3, "inch": 0.0254,
        "in": 0.0254, "foot": 0.3048, "feet": 0.3048, "ft": 0.3048, "yard": 0.9144, "mile": 1609.344,
        "mi": 1609.344,
    },
    "g": {
        "µg": 1e-6, "mcg": 1e-6, "microgram": 1e-6, "mg": 1e-3, "milligram": 1e-3, "g": 1,
        "gram": 1, "gramme": 1, "kg": 1e3, "kilo": 1e3, "kilogram": 1e3, "kilogramme": 1e3,
        "tonne": 1e6, "ounce": 28.349523125, "oz": 28.349523125, "pound weight": 453.59237,
        "lb": 453.59237,
    },
    "l": {
        "µl": 1e-6, "ml": 1e-3, "millilitre": 1e-3, "cl": 1e-2, "centilitre": 1e-2, "dl": 0.1,
        "l": 1, "litre": 1, "hectolitre": 100, "gallon": 3.785411784, "pint": 0.473176473,
        "cubic metre": 1e3, "m³": 1e3,
    },
    "m²": {"m²": 1, "square metre": 1, "sqm": 1, "hectare": 1e4, "ha": 1e4, "acre": 4046.8564224},
    "°C": {"°c": 1, "degree celsius": 1, "celsius": 1, "degree centigrade": 1},
    "°F": {"°f": 1, "degree fahrenheit": 1, "fahrenheit": 1},
    "°": {"°": 1, "degree": 1},
    "W": {"mw": 1e-3, "w": 1, "watt": 1, "kw": 1e3, "kilowatt": 1e3, "megawatt": 1e6},
    "Wh": {"wh": 1, "watt hour": 1, "kwh": 1e3, "kilowatt hour": 1e3},
    "V": {"mv": 1e-3, "v": 1, "volt": 1, "kv": 1e3},
    "A": {"ma": 1e-3, "milliamp": 1e-3, "a": 1, "amp": 1, "ampere": 1, "mah": 3.6, "ah": 3600},
    "Hz": {"hz": 1, "hertz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
    "Pa": {"pa": 1, "pascal": 1, "hpa": 100, "kpa": 1e3, "bar": 1e5, "mbar": 100, "psi": 6894.757},
    "B": {
        "byte": 1, "kb": 1e3, "kilobyte": 1e3, "mb": 1e6, "megabyte": 1e6, "gb": 1e9,
        "gigabyte": 1e9, "tb": 1e12, "terabyte": 1e12,
    },
    "bit/s": {"kbps": 1e3, "kbit/s": 1e3, "mbps": 1e6, "mbit/s": 1e6, "gbps": 1e9, "gbit/s": 1e9},
    "m/s": {"m/s": 1, "km/h": 1 / 3.6, "kmh": 1 / 3.6, "mph": 0.44704, "knot": 0.514444},
    "rpm": {"rpm": 1, "revolutions per minute": 1},
    "lx": {"lux": 1, "lx": 1},
    "dB": {"db": 1, "decibel": 1},
    "ppm": {"ppm": 1},
    "EUR": {"€": 1, "eur": 1, "euro": 1},
    "USD": {"$": 1, "usd": 1, "us$": 1, "dollar": 1, "us dollar": 1},
    "GBP": {"£": 1, "gbp": 1, "pound": 1, "pound sterling": 1, "quid": 1},
    "JPY": {"¥": 1, "jpy": 1, "yen": 1},
    "CHF": {"chf": 1, "swiss franc": 1, "franc": 1},
    "INR": {"₹": 1, "inr": 1, "rupee": 1},
    "cent": {"cent": 1, "¢": 1, "penny": 1, "pence": 1},
    "CAD": {"cad": 1}, "AUD": {"aud": 1}, "SEK": {"sek": 1}, "NOK": {"nok": 1}, "DKK": {"dkk": 1},
    "PLN": {"pln": 1, "zloty": 1}, "CZK": {"czk": 1}, "crown": {"crown": 1},
}  # fmt: skip

CURRENCIES: Final = frozenset(
    [
        "EUR",
        "USD",
        "GBP",
        "JPY",
        "CHF",
        "INR",
        "cent",
        "CAD",
        "AUD",
        "SEK",
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "crown",
    ]
)
CALENDAR: Final = frozenset({"month", "quarter", "year", "yr", "decade", "century"})
"""Units whose length in days depends on where in the calendar they stand."""

_BY_NAME: Final = {
    name: (dimension, float(factor))
    for dimension, names in _TABLE.items()
    for name, factor in names.items()
}
_CASED: Final = {"MW": ("W", 1e6), "Mb": ("bit", 1e6), "Gb": ("bit", 1e9), "A": ("A", 1.0)}
# Letters that are units only where they stand close to a figure: "5 a day", "3 in a row", "4 h".
_FRAGILE: Final = frozenset({"a", "in", "s", "m", "g", "l", "v", "w", "pa", "ha", "mi", "second"})
_FILLERS: Final = frozenset(
    ["calendar", "full", "whole", "consecutive", "complete", "straight", "more", "additional"]
)
_NAME: Final = re.compile(
    r"(?P<gap>[\s\u00a0-]{0,2})(?P<name>°\s?[CF]?\b|[%‰€$£¥₹¢°]|[µA-Za-z][A-Za-z]*(?:/[a-z]+|[²³2-3]\b)?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit found after a number; `name` as looked up, `end` where it ends in the text."""

    name: str
    dimension: str
    factor: float
    end: int


def unit_after(text: str, at: int, *, figures: bool) -> Unit | None:
    """Return the unit that follows a number ending at `at`; None if there is none.

    Args:
        figures: Whether the number is in figures; a one-letter unit never follows a spelled one.
    """
    first = _NAME.match(text, at)
    if first is None:
        return None
    word = first.group("name")
    if word.lower() in _FILLERS:
        return unit_after(text, first.end(), figures=figures)
    second = _NAME.match(text, first.end())
    if second is not None and "\n" not in second.group("gap"):
        pair = f"{_singular(word)} {_singular(second.group('name'))}"
        if pair in _BY_NAME:
            return _unit(pair, second.end())
        if word.lower() == "per" and second.group("name").lower() == "cent":
            return _unit("per cent", second.end())
    if word in _CASED and figures:
        dimension, factor = _CASED[word]
        return Unit(name=word, dimension=dimension, factor=factor, end=first.end())
    name = _singular(word.replace(" ", ""))
    if name not in _BY_NAME:
        return None
    beside = figures and len(first.group("gap")) <= 1 and word.islower()
    if name in _FRAGILE and not beside and not (name in {"v", "w", "second"} and figures):
        return None
    if name in {"a", "in"} and first.group("gap"):
        return None
    return _unit(name, first.end())


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrencySign:
    """A currency named before its amount; `start` is where it stands in the text."""

    currency: str
    start: int


def currency_before(text: str, at: int) -> CurrencySign | None:
    """Return the currency whose sign or code stands right before `at`; None if there is none."""
    begin = max(0, at - 6)
    match = re.search(r"(€|US\$|\$|£|¥|₹|\b[A-Z]{3})[\s\u00a0]?$", text[begin:at])
    if match is None:
        return None
    found = _BY_NAME.get(match.group(1).lower())
    if found is None or found[0] not in CURRENCIES:
        return None
    return CurrencySign(currency=found[0], start=begin + match.start())


def time_unit(word: str) -> tuple[str, float] | None:
    """Return the singular and the seconds of a unit of time written out; None if it is not one."""
    name = _singular(word)
    found = _BY_NAME.get(name)
    return (name, found[1]) if found is not None and found[0] == SECOND else None


def _unit(name: str, end: int) -> Unit:
    dimension, factor = _BY_NAME[name]
    return Unit(name=name, dimension=dimension, factor=factor, end=end)


def _singular(word: str) -> str:
    lowered = word.lower().replace("meter", "metre").replace("liter", "litre")
    if lowered in _BY_NAME:
        return lowered
    if lowered.endswith("ies"):
        return lowered[:-3] + "y"
    if lowered in {"inches", "feet"}:
        return {"inches": "inch", "feet": "foot"}[lowered]
    return lowered[:-1] if lowered.endswith("s") and len(lowered) > 2 else lowered  # noqa: PLR2004
