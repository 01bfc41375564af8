"""The other readings of a text: what it says once it is decoded.

Every view is mapped to the text it was made from, so that a match in it has a place there. A
budget bounds the work: an encoded blob costs the scanner no more than the attacker.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import string
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from domain.text import MappedText

MAX_BLOBS = 64
MAX_BLOB_CHARACTERS = 16_384
MAX_DEPTH = 2

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
_LEET_INSIDE = re.compile(r"[a-z][013457@$!|]{1,3}[a-z]")
_MARKED = re.compile(r"[A-Za-z][\u0300-\u036f]")
_ROT13_SIGNS = tuple(
    codecs.encode(word, "rot13") for word in ("instruction", "ignore", "prompt", "assistant")
)
_REVERSED_SIGNS = tuple(word[::-1] for word in ("instruction", "ignore", "prompt", "assistant"))

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}")
_BASE32 = re.compile(r"[A-Z2-7]{32,}={0,6}")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}[ :]?){16,}")
_BINARY = re.compile(r"(?:[01]{8} ?){8,}")
_ESCAPE = re.compile(
    r"%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|&#[xX]?[0-9A-Fa-f]{1,6};|&[a-z]{2,8};"
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


def views(text: str) -> Iterator[View]:
    """Yield the text itself, then what it says decoded, at most `MAX_DEPTH` layers deep."""
    plain = View(encoding="", text=MappedText.identity(text))
    yield plain
    layer = [plain]
    budget = MAX_BLOBS
    for _ in range(MAX_DEPTH):
        inner: list[View] = []
        for outer in layer:
            for view in islice(_decoded(outer.text.text), budget):
                budget -= 1
                inner.append(_composed(outer, view))
        yield from inner
        layer = inner


def _composed(outer: View, inner: View) -> View:
    starts = outer.text.starts[inner.text.starts]
    ends = outer.text.ends[np.maximum(inner.text.ends - 1, 0)]
    return View(
        encoding=f"{outer.encoding}+{inner.encoding}" if outer.encoding else inner.encoding,
        text=MappedText(text=inner.text.text, starts=starts, ends=ends),
        squashed=inner.squashed,
    )


def _decoded(text: str) -> Iterator[View]:
    lowered = text.lower()
    yield from _blobs(text)
    yield from _whole(text, lowered)


def _whole(text: str, lowered: str) -> Iterator[View]:
    """Yield readings of the text as a whole; most keep its length."""
    if len(lowered) == len(text):
        if any(sign in lowered for sign in _ROT13_SIGNS):
            yield _same_length("rot13", codecs.encode(text, "rot13"))
        if any(sign in lowered for sign in _REVERSED_SIGNS):
            places = np.arange(len(text) - 1, -1, -1, dtype=np.int32)
            yield View(
                encoding="reversed",
                text=MappedText(text=text[::-1], starts=places, ends=places + 1),
            )
        if sum(1 for _ in islice(_LEET_INSIDE.finditer(lowered), 3)) == 3:
            yield _same_length("leet", _LEET_WORD.sub(_unleet, lowered))
    if len(list(islice(_ESCAPE.finditer(text), 6))) == 6:
        yield _replaced("escapes", text, _ESCAPE, _unescape)
    if len(list(islice(_MARKED.finditer(text), 8))) == 8:
        yield _replaced("combining-marks", text, re.compile(r"[\u0300-\u036f]+"), lambda _: "")
    if _SPLIT_LETTERS.search(text):
        yield _replaced("spaced-letters", text, _SPLIT_LETTERS, lambda run: run.replace(" ", ""))
    if _SPACED.search(text):
        view = _replaced("spaced-letters", text, _SPACED, lambda run: re.sub(r"[ .*\-]", "", run))
        yield View(encoding=view.encoding, text=view.text, squashed=True)


def _same_length(encoding: str, text: str) -> View:
    return View(encoding=encoding, text=MappedText.identity(text))


def _unleet(word: re.Match[str]) -> str:
    text = word[0]
    has_letters = any("a" <= character <= "z" for character in text)
    return text.translate(_LEET) if has_letters or len(text) <= 1 else text


def _unescape(escape: str) -> str:
    if escape[0] == "&":
        return html.unescape(escape)[:1] or " "
    value = int(escape.lstrip("%\\xu"), 16)
    return chr(value) if value < 0x80 or escape[1] == "u" else "\ufffd"


def _replaced(
    encoding: str, text: str, pattern: re.Pattern[str], replacement: _Replacement
) -> View:
    """Return `text` with every match replaced; each new character stands for the whole match."""
    pieces: list[str] = []
    starts: list[NDArray[np.int32]] = []
    ends: list[NDArray[np.int32]] = []
    at = 0
    for match in pattern.finditer(text):
        new = replacement(match[0])
        kept = np.arange(at, match.start(), dtype=np.int32)
        pieces += (text[at : match.start()], new)
        starts += (kept, np.full(len(new), match.start(), dtype=np.int32))
        ends += (kept + 1, np.full(len(new), match.end(), dtype=np.int32))
        at = match.end()
    kept = np.arange(at, len(text), dtype=np.int32)
    pieces.append(text[at:])
    return View(
        encoding=encoding,
        text=MappedText(
            text="".join(pieces),
            starts=np.concatenate([*starts, kept]),
            ends=np.concatenate([*ends, kept + 1]),
        ),
    )


def _blobs(text: str) -> Iterator[View]:
    """Yield the readable contents of encoded runs, each mapped to its run."""
    for encoding, pattern, decode in _CODECS:
        for run in pattern.finditer(text):
            blob = run[0][:MAX_BLOB_CHARACTERS]
            content = _readable(decode(blob))
            if content is not None:
                yield View(encoding=encoding, text=_spread(content, run.start(), len(blob)))


def _spread(content: str, start: int, length: int) -> MappedText:
    """Return `content` mapped evenly over the run of `length` that it came from."""
    edges = np.linspace(0, length, len(content) + 1)
    return MappedText(
        text=content,
        starts=(start + np.floor(edges[:-1])).astype(np.int32),
        ends=(start + np.ceil(edges[1:])).astype(np.int32),
    )


def _readable(content: bytes) -> str | None:
    if len(content) < 12:
        return None
    text = content.decode("utf-8", errors="ignore")
    letters = sum(1 for character in text if character.isalnum() or character in " .,:;'\"!?-\n")
    return text if letters >= 0.9 * len(content) and " " in text else None


def _base64(blob: str) -> bytes:
    packed = re.sub(r"[\r\n=]", "", blob).translate(str.maketrans("-_", "+/"))
    packed = packed[: len(packed) - (len(packed) % 4 == 1)]
    return _tried(packed + "=" * (-len(packed) % 4), base64.b64decode)


def _base32(blob: str) -> bytes:
    packed = blob.rstrip("=")
    packed = packed[: len(packed) - (len(packed) % 8 in {1, 3, 6})]
    return _tried(packed + "=" * (-len(packed) % 8), base64.b32decode)


def _hex(blob: str) -> bytes:
    return _tried(re.sub(r"[ :]", "", blob), bytes.fromhex)


def _binary(blob: str) -> bytes:
    digits = blob.replace(" ", "")
    return bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits) - 7, 8))


def _tried(packed: str, decode: Callable[[str], bytes]) -> bytes:
    try:
        return decode(packed)
    except (binascii.Error, ValueError):
        return b""


_CODECS: tuple[tuple[str, re.Pattern[str], Callable[[str], bytes]], ...] = (
    ("base64", _BASE64, _base64),
    ("base32", _BASE32, _base32),
    ("hex", _HEX, _hex),
    ("binary", _BINARY, _binary),
)
