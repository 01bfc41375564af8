"""Reads what invisible code points spell: tags, variation selectors, bits of zero width."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Final

import numpy as np

from defences.unicode_tricks import Trick, find_marks
from domain.documents import HiddenPassage
from domain.text import MappedText

MIN_LETTERS: Final = 3
"""Fewer decoded letters are chance."""
MAX_MESSAGES: Final = 200
"""Passages of one channel; what else it says is one passage more, so that each costs little."""
_NEAR: Final = 64
"""Code points between two marks of one message that is strewn over visible text."""
_BITS: Final = 8
_OVERRIDE: Final = re.compile("[\u202d\u202e]([^\u202c\n]{2,})")
_BIT_OF: Final = {"\u200b": "0", "\u200c": "1", "\u2062": "0", "\u2063": "1", "\u2060": "0"}

_Decoded = tuple[list[str], list[int], list[int]]


def hidden_unicode(raw: str) -> tuple[HiddenPassage, ...]:
    """Return the messages hidden in `raw`, mapped to it, not normalised.

    Under a bidirectional override the passage is the text in the order in which a program reads
    it; `ingest.normalise` gives it in the order in which a person does.
    """
    if raw.isascii():
        return ()
    marks = [mark for mark in find_marks(raw) if not mark.honest]
    tags = [mark.at for mark in marks if mark.trick is Trick.TAGS]
    selectors = [mark.at for mark in marks if mark.trick is Trick.VARIATION_SELECTORS]
    bits = [m.at for m in marks if m.trick is Trick.ZERO_WIDTH and raw[m.at] in _BIT_OF]
    # The first selector of a message stands honestly behind its emoji.
    selectors = sorted({*selectors, *_leading(raw, selectors)})
    passages = [
        *_few(_messages(raw, tags, "unicode-tags", _tags)),
        *_few(_messages(raw, selectors, "unicode-variation-selectors", _selectors)),
        *_few(_messages(raw, bits, "unicode-zero-width", _zero_width)),
        *_few(_overridden(raw)),
    ]
    return tuple(sorted(passages, key=lambda passage: passage.text.source(0, 1).start))


def _overridden(raw: str) -> Iterator[HiddenPassage]:
    for match in _OVERRIDE.finditer(raw):
        text = MappedText.identity(match[1], offset=match.start(1))
        yield HiddenPassage(channel="unicode-bidi-override", text=text)


def _few(passages: Iterator[HiddenPassage]) -> Iterator[HiddenPassage]:
    """Yield the first passages as they are and the rest as one, a blank line between them."""
    yield from islice(passages, MAX_MESSAGES)
    rest = list(passages)
    if not rest:
        return
    gap = MappedText(text="\n\n", starts=np.zeros(2, np.int32), ends=np.zeros(2, np.int32))
    pieces: list[MappedText] = []
    for passage in rest:
        at = passage.text.starts[:1].repeat(2)
        pieces += (replace(gap, starts=at, ends=at), passage.text)
    yield replace(
        rest[0],
        text=MappedText(
            text="".join(piece.text for piece in pieces[1:]),
            starts=np.concatenate([piece.starts for piece in pieces[1:]]),
            ends=np.concatenate([piece.ends for piece in pieces[1:]]),
        ),
    )


def _leading(raw: str, indices: Sequence[int]) -> Iterator[int]:
    found = set(indices)
    for index in indices:
        if index and index - 1 not in found and raw[index - 1] in "\ufe00\ufe01\ufe0e\ufe0f":
            yield index - 1


def _messages(
    raw: str, indices: Sequence[int], channel: str, decode: Callable[[str, Sequence[int]], _Decoded]
) -> Iterator[HiddenPassage]:
    for group in _grouped(indices):
        letters, starts, ends = decode(raw, group)
        text = "".join(letters)
        if sum(letter.isalnum() for letter in text) < MIN_LETTERS:
            continue
        mapped = MappedText(
            text=text,
            starts=np.array(starts, dtype=np.int32),
            ends=np.array(ends, dtype=np.int32),
        )
        yield HiddenPassage(channel=channel, text=mapped)


def _grouped(indices: Sequence[int]) -> Iterator[Sequence[int]]:
    first = 0
    for at, (one, other) in enumerate(pairwise(indices), 1):
        if other - one > _NEAR:
            yield indices[first:at]
            first = at
    if indices:
        yield indices[first:]


def _tags(raw: str, indices: Sequence[int]) -> _Decoded:
    kept = [i for i in indices if 0x20 <= ord(raw[i]) - 0xE0000 < 0x7F]  # noqa: PLR2004 - ASCII
    return [chr(ord(raw[i]) - 0xE0000) for i in kept], kept, [i + 1 for i in kept]


def _selectors(raw: str, indices: Sequence[int]) -> _Decoded:
    """Decode a selector to a byte: 16 of the first block, 240 of the second."""
    kept = [i for i in indices if "\ufe00" <= raw[i] <= "\U000e01ef"]
    values = bytes(
        point - 0xE0100 + 16 if point >= 0xE0100 else point - 0xFE00  # noqa: PLR2004
        for point in (ord(raw[index]) for index in kept)
    )
    return _utf8(values, [(index, index + 1) for index in kept])


def _zero_width(raw: str, indices: Sequence[int]) -> _Decoded:
    """Decode eight marks to a byte; the reading with more letters of the two polarities."""
    bits = "".join(_BIT_OF[raw[index]] for index in indices)
    whole = len(bits) // _BITS * _BITS
    places = [(indices[at], indices[at + _BITS - 1] + 1) for at in range(0, whole, _BITS)]
    best: _Decoded = ([], [], [])
    for reading in (bits, bits.translate(str.maketrans("01", "10"))):
        values = bytes(int(reading[at : at + _BITS], 2) for at in range(0, whole, _BITS))
        decoded = _utf8(values, places)
        if len(decoded[0]) * 10 >= len(values) * 9 and len(decoded[0]) > len(best[0]):
            best = decoded
    return best


def _utf8(values: bytes, places: Sequence[tuple[int, int]]) -> _Decoded:
    """Decode UTF-8, leaving out what is none and what is not printable."""
    decoded: _Decoded = ([], [], [])
    at = 0
    while at < len(values):
        width = _width(values[at])
        letter = values[at : at + width].decode("utf-8", "ignore")
        if len(letter) == 1 and (letter.isprintable() or letter in "\n\t"):
            decoded[0].append(letter)
            decoded[1].append(places[at][0])
            decoded[2].append(places[min(at + width, len(places)) - 1][1])
            at += width
        else:
            at += 1
    return decoded


def _width(lead: int) -> int:
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4  # noqa: PLR2004
