"""Answers folded to comparable tokens: the same value written two ways gives the same tokens."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import Final

__all__ = ["canonical_tokens", "contains_phrase", "is_bare_value"]

_ONES: Final = [
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
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES: Final = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * (index + 2) for index, word in enumerate(_TENS)
}
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_ORDINALS: Final = {
    word: str(value) + ("th" if value > 3 else ("st", "nd", "rd")[value - 1])  # noqa: PLR2004
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
_MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH_NUMBERS: Final = (
    {name: number for number, name in enumerate(_MONTHS, start=1)}
    | {name[:3]: number for number, name in enumerate(_MONTHS, start=1)}
    | {"sept": 9}
)
_UNITS: Final = {
    "km": "kilometre",
    "kilometer": "kilometre",
    "m": "metre",
    "meter": "metre",
    "cm": "centimetre",
    "centimeter": "centimetre",
    "mm": "millimetre",
    "millimeter": "millimetre",
    "kg": "kilogram",
    "kilo": "kilogram",
    "g": "gram",
    "ml": "millilitre",
    "milliliter": "millilitre",
    "l": "litre",
    "liter": "litre",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
}

_WORD: Final = "|".join(sorted([*_VALUES, *_SCALES], key=len, reverse=True))
_NUMBER_PHRASE: Final = re.compile(
    rf"(?<!\d\s)\b(?:{_WORD})(?:(?:-|\s+(?:and\s+)?)(?:{_WORD}))*\b", re.I
)
_ORDINAL: Final = re.compile(rf"\b(?:(twenty|thirty)-)?({'|'.join(_ORDINALS)})\b", re.I)
_MONTH: Final = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))
_ISO_DATE: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_NUMERIC_DATE: Final = re.compile(r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b")
_DAY_MONTH: Final = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+({_MONTH})\b\.?(?=(,?\s+\d{{4}})?)", re.I
)
_MONTH_DAY: Final = re.compile(
    rf"\b({_MONTH})\b\.?\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]|[.,]\d)"
    r"(?=(,?\s+\d{4})?)",
    re.I,
)
_CLOCK_12: Final = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s*([ap])\.?\s?m\b\.?", re.I)
_CLOCK_24: Final = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_OCLOCK: Final = re.compile(r"\b(\d{1,2})\s+o'?clock\b", re.I)
_EUROS_CENTS: Final = re.compile(r"\b(\d+)\s*(?:euros?|eur)\s+(\d{2})\b(?!\s*[a-z])", re.I)
_SCALED: Final = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s+(thousand|million)\b", re.I)
_CENTS: Final = re.compile(r"\b(\d+)\s*cents?\b", re.I)
_MONEY_BEFORE: Final = re.compile(r"(?:€|\bEUR\b)\s*(\d+(?:\.\d+)?)", re.I)
_MONEY_AFTER: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(?:€|euros?\b|eur\b)", re.I)
_TOKEN: Final = re.compile(r"\d+\.\d+|[^\W_]+")
_GLUED_UNIT: Final = re.compile(rf"(\d)({'|'.join(_UNITS)})\b", re.I)
_NUMERIC: Final = re.compile(r"\d+(?:\.\d+)?")
_FILLERS: Final = frozenset({"the", "a", "an", "about", "it", "is", "are", "at", "on", "in"})
_LONGEST_UNSTRIPPED: Final = 3


def canonical_tokens(text: str) -> tuple[str, ...]:
    """Fold `text` to tokens that compare by value.

    Case, accents, punctuation, plural endings and possessives vanish; number words, grouped digits
    and decimal commas become plain decimals, euros and cents amounts in `eur`, calendar days
    `dateMMDD`, times of day `timeHHMM`. A year stays a token of its own.
    """
    folded = _fold_characters(text)
    folded = _ORDINAL.sub(_ordinal, folded)
    folded = _NUMBER_PHRASE.sub(lambda match: _number_words(match.group()), folded)
    folded = _fold_dates(folded)
    folded = _fold_times(folded)
    folded = _fold_quantities(folded)
    return _tokenise(folded.casefold())


def contains_phrase(tokens: tuple[str, ...], phrase: str) -> bool:
    """Whether the phrase's tokens stand in `tokens` in a row; an empty phrase never does."""
    wanted = canonical_tokens(phrase)
    width = len(wanted)
    if width == 0:
        return False
    return any(tokens[i : i + width] == wanted for i in range(len(tokens) - width + 1))


def is_bare_value(tokens: tuple[str, ...], phrase: str) -> bool:
    """Whether `tokens` are nothing but the one number of `phrase`, its unit left out."""
    said = [token for token in tokens if token not in _FILLERS]
    numbers = [token for token in canonical_tokens(phrase) if _NUMERIC.fullmatch(token)]
    return len(numbers) == 1 and said == numbers


def _fold_characters(text: str) -> str:
    grouped = re.sub(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}\b)", "", text)
    decomposed = unicodedata.normalize("NFKD", grouped)
    folded = "".join(char for char in decomposed if not unicodedata.combining(char))
    folded = re.sub("[\u2018\u2019\u02bc`]", "'", folded)
    folded = re.sub("[\u2010-\u2015\u2212]", "-", folded)
    folded = folded.replace("*", "").replace("&", " and ")
    return re.sub(r"(?<![\w.])-(?=\d)", "minus ", folded)


def _ordinal(match: re.Match[str]) -> str:
    tens, word = match.group(1), match.group(2).lower()
    if tens is None:
        return _ORDINALS[word]
    suffix = _ORDINALS[word]
    return str(_VALUES[tens.lower()] + int(suffix[:-2])) + suffix[-2:]


def _number_words(phrase: str) -> str:
    values: list[int] = []
    joined = False  # whether the next word may still add to the last value
    room = 0  # only a value below this adds to the last
    for word in re.split(r"[\s-]+", phrase.lower()):
        if word == "and":
            if not joined:
                values.append(-1)
        elif word in _SCALES:
            values, room = _scaled(values, _SCALES[word])
            joined = True
        else:
            value = _VALUES[word]
            if values and values[-1] >= 0 and 0 < value < room:
                values[-1] += value
            else:
                values.append(value)
            joined = False
            room = 10 if value >= 20 else 0  # noqa: PLR2004 - twenty takes a digit, twelve does not
    return " ".join("and" if value < 0 else str(value) for value in values)


def _scaled(values: list[int], scale: int) -> tuple[list[int], int]:
    if not values or values[-1] < 0:
        return [*values, scale], scale
    last = values[-1]
    above = last // 1_000 * 1_000 if scale == _SCALES["hundred"] else 0
    return [*values[:-1], above + (last - above or 1) * scale], scale


def _fold_dates(text: str) -> str:
    text = _ISO_DATE.sub(lambda m: f"date{m[2]}{m[3]} {m[1]}", text)
    text = _NUMERIC_DATE.sub(lambda m: f"date{int(m[2]):02}{int(m[1]):02} {m[3]}", text)
    text = _DAY_MONTH.sub(lambda m: _date(m, day=m[1], month=m[2], year=m[3]), text)
    return _MONTH_DAY.sub(lambda m: _date(m, day=m[2], month=m[1], year=m[3]), text)


def _date(match: re.Match[str], *, day: str, month: str, year: str | None) -> str:
    # A small "may" after or before a number is the verb, unless a year or the end follows it.
    is_verb = month == "may" and year is None and match.end() < len(match.string.rstrip(" ."))
    if is_verb or not 1 <= int(day) <= 31:  # noqa: PLR2004 - days of the longest month
        return match.group()
    return f"date{_MONTH_NUMBERS[month.lower()]:02}{int(day):02}"


def _fold_times(text: str) -> str:
    text = _CLOCK_12.sub(_twelve_hour, text)
    text = _CLOCK_24.sub(lambda m: f"time{int(m[1]):02}{m[2]}", text)
    text = _OCLOCK.sub(lambda m: f"time{int(m[1]):02}00", text)
    text = re.sub(r"\bnoon\b", "time1200", text, flags=re.I)
    return re.sub(r"\bmidnight\b", "time0000", text, flags=re.I)


def _twelve_hour(match: re.Match[str]) -> str:
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    return f"time{hour:02}{match[2] or '00'}"


def _fold_quantities(text: str) -> str:
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"(?<![\d.])(\d+),(\d{1,2})(?!\d)", r"\1.\2", text)
    text = _EUROS_CENTS.sub(r"\1.\2 eur", text)
    text = _SCALED.sub(lambda m: _plain(Decimal(m[1]) * _SCALES[m[2].lower()]), text)
    text = _CENTS.sub(lambda m: _plain(Decimal(m[1]) / 100) + " eur", text)
    text = _MONEY_BEFORE.sub(r"\1 eur", text)
    text = _MONEY_AFTER.sub(r"\1 eur", text)
    text = re.sub(r"%|\bper\s?cent\b", " percent ", text, flags=re.I)
    text = re.sub(r"(?:°|\bdegrees?)\s*(?:c\b|celsius\b)?", " degree ", text, flags=re.I)
    return _GLUED_UNIT.sub(r"\1 \2", text)


def _plain(value: Decimal) -> str:
    return format(value.normalize(), "f")


def _tokenise(text: str) -> tuple[str, ...]:
    tokens: list[str] = []
    for raw in _TOKEN.findall(re.sub(r"'s\b|'", "", text)):
        token = _fold_token(raw)
        if tokens and tokens[-1][-1].isdigit():
            token = _UNITS.get(token, token)
        tokens.append(token)
    return tuple(tokens)


def _fold_token(token: str) -> str:
    if "." in token:
        return _plain(Decimal(token))
    if token.endswith("s") and not token.endswith("ss") and len(token) > _LONGEST_UNSTRIPPED:
        return token[:-1]
    return token
