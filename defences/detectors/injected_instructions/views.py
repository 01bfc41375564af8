"""The other readings of a text: what it says once it is decoded.

Every view is mapped to the text it was made from, so that a match in it has a place there. A
budget bounds the work: an encoded blob costs the scanner no more than the attacker.
"""

from __future__ import annotations

import codecs
import re
import string
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from defences.decodings import DecodedOnce
from defences.encoded_blobs import ESCAPE, near_changes, unescape
from domain.decodings import Decodings
from domain.text import MappedText

MAX_BLOBS = 64
MAX_DEPTH = 3

_OFTEN = 4  # escapes or marks that make another reading worth its time

_Replacement = Callable[[str], str]

_LATIN = [*range(0xC0, 0x250), *range(0x1E00, 0x1F00)]


def _folds() -> dict[int, str]:
    table: dict[int, str] = {ord("_"): " ", 0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}
    for code in _LATIN:
        base = unicodedata.normalize("NFD", chr(code).lower())[0]
        if base in string.ascii_lowercase:
            table[code] = base
    return table | {0x131: "i", 0xF8: "o", 0x142: "l", 0xDF: "s", 0x111: "d"}


_FOLD = _folds()
_HOMOGLYPHS = str.maketrans(
    "авекмнорстухіјѕԁһԛԝгпьαβεικνορτυχηγωӏ",
    "abekmhopctyxijsdhqwrnbabeikvoptuxnywl",
)
_MIXED = re.compile(r"[a-z][\u0370-\u04ff\u0500-\u052f]|[\u0370-\u04ff\u0500-\u052f][a-z]")
_MIXED_WORD = re.compile(r"[a-z\u0370-\u04ff\u0500-\u052f]+")
_LEET = str.maketrans("013457@$!|", "oieastasil")
_LEET_WORD = re.compile(r"[a-z0-9@$!|]+")
_MARKS = re.compile(r"[\u0300-\u036f]+")
_MARKED = re.compile(r"[A-Za-z][\u0300-\u036f]")
_SIGNS = (
    "instruct", "ignor", "prompt", "system", "assistant", "disregard", "forget", "reveal",
    "previous", "anweisung", "instruc", "istruzion", "password", "bypass", "override",
)  # fmt: skip
_ROT13_SIGNS = tuple(
    codecs.encode(word, "rot13") for word in ("instruction", "ignore", "prompt", "assistant")
)
_REVERSED_SIGNS = tuple(word[::-1] for word in ("instruction", "ignore", "prompt", "assistant"))

_ESCAPED_LETTER = re.compile(
    r"%(?:[46-7][0-9A-Fa-f]|20)|\\x[46-7][0-9A-Fa-f]|\\u00[46-7][0-9A-Fa-f]|&#[xX]?[0-9A-Fa-f]{2,6};"
)
_SPACED = re.compile(r"(?<!\w)(?:\w(?:[ .*\-]|  )){6,}\w(?!\w)")
_SPLIT_LETTERS = re.compile(r"(?<!\w)(?:[a-z] ){3,}[a-z](?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One reading.

    Attributes:
        encoding: Kebab-case name of what was undone; empty for the text itself.
        text: Unfolded reading, mapped to the text the views were made of.
        squashed: Word gaps are lost.
    """

    encoding: str
    text: MappedText
    squashed: bool = False


def fold(text: str) -> str:
    """Return `text` in lower case, without Latin accents and homoglyphs; of the same length."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(character.lower()[:1] for character in text)
    if lowered.isascii():
        return lowered.replace("_", " ")
    folded = lowered.translate(_FOLD)
    if _MIXED.search(folded):
        folded = _MIXED_WORD.sub(
            lambda word: word[0].translate(_HOMOGLYPHS) if _MIXED.search(word[0]) else word[0],
            folded,
        )
    return folded


def views(text: str, decodings: Decodings | None = None) -> Iterator[View]:
    """Yield the text itself, then what it says decoded, at most `MAX_DEPTH` layers deep."""
    known = decodings or DecodedOnce()
    plain = View(encoding="", text=MappedText.identity(text))
    yield plain
    layer = [plain]
    budget = MAX_BLOBS
    for _ in range(MAX_DEPTH):
        inner: list[View] = []
        for outer in layer:
            for view in islice(_unpacked(outer.text.text, known), budget):
                budget -= 1
                inner.append(_composed(outer, view))
        yield from inner
        yield from (
            _composed(outer, view) for outer in layer for view in _reread(outer.text.text, known)
        )
        layer = inner


def _composed(outer: View, inner: View) -> View:
    starts = outer.text.starts[inner.text.starts]
    ends = outer.text.ends[np.maximum(inner.text.ends - 1, 0)]
    return View(
        encoding=f"{outer.encoding}+{inner.encoding}" if outer.encoding else inner.encoding,
        text=MappedText(text=inner.text.text, starts=starts, ends=ends),
        squashed=inner.squashed,
    )


def _unpacked(text: str, known: Decodings) -> Iterator[View]:
    """Yield what was packed away in the text and may hold more of the kind."""
    for blob in known.blobs(text):
        yield View(encoding=blob.encoding, text=blob.text)
    if _often(_ESCAPED_LETTER, text):
        undone = _replaced("escapes", text, ESCAPE, unescape)
        yield View(encoding=undone.encoding, text=near_changes(undone.text))


def _reread(text: str, known: Decodings) -> Iterator[View]:
    """Yield readings of the text as a whole in which it says more than it seems to."""
    lowered = text.lower()
    if len(lowered) == len(text):
        if any(sign in lowered for sign in _ROT13_SIGNS):
            yield _same_length("rot13", codecs.encode(text, "rot13"))
        if any(sign in lowered for sign in _REVERSED_SIGNS):
            places = np.arange(len(text) - 1, -1, -1, dtype=np.int32)
            yield View(
                encoding="reversed",
                text=MappedText(text=text[::-1], starts=places, ends=places + 1),
            )
        # Word by word only where it pays: most digits in a text are digits.
        if _says_more(lowered.translate(_LEET), lowered):
            yield _same_length("leet", _LEET_WORD.sub(_unleet, lowered))
    if _often(_MARKED, text):
        yield _replaced("combining-marks", text, _MARKS, lambda _: "")
    for pattern, squashed in ((_SPLIT_LETTERS, False), (_SPACED, True)):
        if pattern.search(text):
            view = _replaced("spaced-letters", text, pattern, _joined)
            if _says_more(fold(view.text.text), lowered):
                yield View(encoding=view.encoding, text=view.text, squashed=squashed)
    for disguise in known.disguises(text):
        for reading in disguise.readings:
            yield View(encoding=disguise.encoding, text=reading)
    for split in known.splits(text):
        yield View(encoding=split.encoding, text=split.text)


def _says_more(reading: str, source: str) -> bool:
    return any(reading.count(sign) > source.count(sign) for sign in _SIGNS)


def _often(pattern: re.Pattern[str], text: str) -> bool:
    return len(list(islice(pattern.finditer(text), _OFTEN))) == _OFTEN


def _joined(run: str) -> str:
    return re.sub(r"[ .*\-]", "", run)


def _same_length(encoding: str, text: str) -> View:
    return View(encoding=encoding, text=MappedText.identity(text))


def _unleet(word: re.Match[str]) -> str:
    text = word[0]
    has_letters = any("a" <= character <= "z" for character in text)
    return text.translate(_LEET) if has_letters or len(text) <= 1 else text


def _replaced(
    encoding: str, text: str, pattern: re.Pattern[str], replacement: _Replacement
) -> View:
    """Return `text` with every match replaced; each new character stands for the whole match."""
    pieces: list[str] = []
    firsts: list[int] = []  # of the source of each piece, kept and new ones in turn
    lasts: list[int] = []
    at = 0
    for match in pattern.finditer(text):
        pieces += (text[at : match.start()], replacement(match[0]))
        firsts += (at, match.start())
        lasts += (match.start(), match.end())
        at = match.end()
    pieces.append(text[at:])
    firsts.append(at)
    lasts.append(len(text))
    lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    inside = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    kept = np.repeat(np.arange(len(pieces)) % 2 == 0, lengths)
    starts = np.repeat(firsts, lengths) + inside * kept
    ends = np.where(kept, starts + 1, np.repeat(lasts, lengths))
    return View(
        encoding=encoding,
        text=MappedText(
            text="".join(pieces), starts=starts.astype(np.int32), ends=ends.astype(np.int32)
        ),
    )
