"""Tells code points that do honest work where they stand from those that hide something.

Shared by the normaliser, which takes the second kind away, and by the hidden-text detector, which
counts it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from defences import unicode_tables as tables

_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile("[A-Za-z\u00c0-\u024f]")
_GREEK: Final = re.compile("[\u0370-\u03ff]")
_MIXED: Final = re.compile(
    "[A-Za-z\u00c0-\u024f][{0}]|[{0}][A-Za-z\u00c0-\u024f]".format("".join(tables.CONFUSABLE))
)
_LOOKALIKES: Final = re.compile(
    r"(?<![^\W\d_])[{}]{{3,}}(?![^\W\d_])".format("".join(tables.LOOKALIKE))
)
_SMALL_CAPITALS: Final = re.compile(
    r"(?<![^\W\d_])[{}]{{3,}}(?![^\W\d_])".format("".join(tables.SMALL_CAPITALS))
)
_OTHER_SCRIPT: Final = re.compile("[\u0370-\u052f\u0530-\u058f\u13a0-\u13ff]")
_NO_LOOKALIKE: Final = re.compile(f"(?![{''.join(tables.LOOKALIKE)}]){_OTHER_SCRIPT.pattern}")
_DISGUISED_LINE: Final = re.compile(
    f"(?:{_LOOKALIKES.pattern}|{_SMALL_CAPITALS.pattern}|{_MIXED.pattern})"
)
"""What a line holds in which a word may be disguised."""
_LINE_END: Final = re.compile("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


class Trick(StrEnum):
    """Kinds of invisible code points; the values are names of channels."""

    TAGS = "tags"
    VARIATION_SELECTORS = "variation-selectors"
    ZERO_WIDTH = "zero-width"
    BIDI_OVERRIDE = "bidi-override"
    BIDI_CONTROLS = "bidi-controls"
    SOFT_HYPHEN = "soft-hyphen"


class Mark(NamedTuple):
    """An invisible code point; a hostile text has millions.

    Attributes:
        honest: It does what it is for: joins an emoji, parts Persian letters, styles a symbol.
    """

    at: int
    trick: Trick
    honest: bool


def find_marks(text: str) -> Iterator[Mark]:
    """Yield every default-ignorable code point of `text`, in order."""
    if text.isascii():
        return
    rtl: bool | None = None
    flags = {
        index
        for match in tables.FLAG.finditer(text)
        for index in range(match.start() + 1, match.end())
    }
    known: dict[str, tuple[Trick, bool]] = {}
    for match in tables.IGNORABLE.finditer(text):
        index = match.start()
        place = text[index - 1 : index + 2] if index else ""
        looked_up = known.get(place)
        if looked_up is None or not index:
            character = match[0]
            trick = kind(character)
            looked_up = known[place] = trick, _honest(text, index, character)
        trick, honest = looked_up
        if trick is Trick.TAGS:
            honest = index in flags
        elif trick is Trick.BIDI_CONTROLS:
            if rtl is None:
                rtl = tables.RIGHT_TO_LEFT.search(text) is not None
            honest = rtl
        yield Mark(index, trick, honest)


def kind(character: str) -> Trick:
    """Return the kind of a default-ignorable code point."""
    point = ord(character)
    if 0xE0000 <= point <= 0xE007F:  # noqa: PLR2004 - the tag block
        return Trick.TAGS
    if 0xFE00 <= point <= 0xFE0F or point >= 0xE0100 or 0x180B <= point <= 0x180F:  # noqa: PLR2004
        return Trick.VARIATION_SELECTORS
    if character in (tables.RLO, tables.LRO):
        return Trick.BIDI_OVERRIDE
    if character in "\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069":
        return Trick.BIDI_CONTROLS
    return Trick.SOFT_HYPHEN if character == tables.SOFT_HYPHEN else Trick.ZERO_WIDTH


def _honest(text: str, index: int, character: str) -> bool:
    before = text[index - 1] if index else ""
    after = text[index + 1] if index + 1 < len(text) else ""
    if character == tables.ZWJ:
        emoji = before and (before in tables.STYLES or tables.EMOJI.match(before))
        joins = emoji and after and tables.EMOJI.match(after)
        return bool(joins or (before and tables.JOINING.match(before)))
    if character == tables.ZWNJ:
        return bool(before and tables.JOINING.match(before))
    if character in tables.STYLES:
        return bool(before and tables.STYLED.match(before))
    if kind(character) is Trick.VARIATION_SELECTORS:
        return _honest_selector(ord(character), before)
    if character == "\u200b":
        return bool(before and after and tables.NO_SPACES.match(before))
    if character == "\ufeff":
        return index == 0
    return False


def _honest_selector(point: int, before: str) -> bool:
    if not before:
        return False
    if 0x180B <= point <= 0x180F:  # noqa: PLR2004 - Mongolian
        return bool(tables.MONGOLIAN.match(before))
    if point >= 0xE0100:  # noqa: PLR2004 - ideographic
        return bool(tables.IDEOGRAPH.match(before))
    return bool(
        tables.IDEOGRAPH.match(before)
        or tables.JOINING.match(before)
        or unicodedata.category(before)[0] == "S"
    )


@dataclass(frozen=True, slots=True)
class Disguised:
    """A word written with letters that pass for Latin ones: `text` is what a reader takes it for."""

    start: int
    end: int
    text: str


def find_disguised(text: str) -> Iterator[Disguised]:
    """Yield words of `text` that mix scripts to look Latin, in order; each line is judged alone."""
    if text.isascii():
        return
    end = 0
    while sign := _DISGUISED_LINE.search(text, end):
        start = end
        for line_end in _LINE_END.finditer(text, end, sign.start()):
            start = line_end.end()
        last = _LINE_END.search(text, sign.end())
        end = len(text) if last is None else last.end()
        yield from _find_in_line(text[start:end], start)


def _find_in_line(line: str, offset: int) -> Iterator[Disguised]:
    whole = bool(_LOOKALIKES.search(line)) and _is_latin(line)
    small = bool(_SMALL_CAPITALS.search(line))
    if not (whole or small or _MIXED.search(line)):
        return
    for match in _WORD.finditer(line):
        word = match[0]
        if not word.isascii() and _is_disguised(word, whole=whole, small=small):
            plain = "".join(tables.CONFUSABLE.get(letter, letter) for letter in word)
            yield Disguised(offset + match.start(), offset + match.end(), plain)


def _is_latin(line: str) -> bool:
    """Whether every letter of another script in a line of Latin words is a lookalike."""
    if _NO_LOOKALIKE.search(line):
        return False
    return len(_LATIN.findall(line)) * 2 >= len(_OTHER_SCRIPT.findall(line))


def _is_disguised(word: str, *, whole: bool, small: bool) -> bool:
    if _SMALL_CAPITALS.fullmatch(word):
        return small
    foreign = [letter for letter in word if not _LATIN.match(letter)]
    if not foreign or not all(letter in tables.CONFUSABLE for letter in foreign):
        return False
    if len(foreign) == len(word):
        return whole and bool(_LOOKALIKES.fullmatch(word))
    # A variable's letter before or after a name, as in chemistry.
    greek_edge = len(foreign) == 1 and _GREEK.match(foreign[0]) and word[0] + word[-1]
    return not (greek_edge and foreign[0] in greek_edge)
