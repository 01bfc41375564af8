"""Decodes what was packed: base64, base32, base85, hexadecimal, codes, escapes and Morse.

Shared by the hidden-text detector, to which prose inside an encoding is a finding by itself, and
by the instruction detector, which reads what it says.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from domain.decodings import Blob
from domain.text import MappedText

MAX_BLOB_CHARACTERS: Final = 1_000_000
"""Of one run that are decoded; `undecoded` counts the rest."""
_MIN_BLOB: Final = 12
_SHORT: Final = 20_000
_NEAR: Final = 600
"""Code points on each side of an escape that are read with it: more than a window."""
_READABLE_SHARE: Final = 0.9
_ODD: Final = re.compile(r"[^\w .,:;'\"!?\-\n/@()]|_")

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{20,}(?:[ \t]*\r?\n[ \t]*[A-Za-z0-9+/_-]{4,})*={0,2}")
_BASE32: Final = re.compile(r"[A-Z2-7]{32,}={0,6}")
_BASE85: Final = re.compile(r"(?<![^\s\"'`(>])[!-u]{32,}")
_BASE85_RUN: Final = re.compile(r"[!-u]{32,}")
_HEX_RUN: Final = re.compile(r"[0-9A-Fa-fx\\ :,\n]{32,}")
_BINARY_RUN: Final = re.compile(r"[01 \n]{64,}")
_DECIMAL_RUN: Final = re.compile(r"[\d ,]{47,}")
_MORSE_ALPHABET: Final = re.compile(r"[.\u00b7\-\u2013 /|]{31,}")
_HEX: Final = re.compile(r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ :,\n]{0,2}){15,}(?:0x|\\x)?[0-9A-Fa-f]{2}")
_BINARY: Final = re.compile(r"(?:[01]{8}[ \n]?){7,}[01]{8}")
_DECIMAL: Final = re.compile(r"(?<![\d.])(?:\d{2,3}[ ,]{1,2}){15,}\d{2,3}(?![\d.])")
_MORSE_RUN: Final = re.compile(
    r"(?:[.\u00b7\-\u2013]{1,6}(?: ?[/|] ?| {1,3})){15,}[.\u00b7\-\u2013]{1,6}"
)
_PACKED: Final = re.compile(r"[A-Za-z0-9+/_=-]{20,}|(?:%[0-9A-Fa-f]{2}){8,}|[01 ]{64,}")
_DATA_URI: Final = re.compile(
    r"data:(?!text/(?:plain|html))[\w.+-]*/?[\w.+-]*(?:;[\w=-]+)*;base64,\s*\Z"
)
_DATA_HEAD: Final = 80
ESCAPE: Final = re.compile(
    r"%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|&#[xX]?[0-9A-Fa-f]{1,6};|&[a-z]{2,8};"
)
_ESCAPED_RUN: Final = re.compile(
    rf"(?:{ESCAPE.pattern})(?:[^\s<>\"]{{0,24}}(?:{ESCAPE.pattern}))*[^\s<>\"%&\\]{{0,24}}"
)
"""Escapes with at most a word between them, as `%20` joins words."""
_LETTER_ESCAPE: Final = re.compile(
    r"%(?:[46][1-9A-Fa-f]|[57][0-9Aa])|\\x(?:[46][1-9A-Fa-f]|[57][0-9Aa])"
    r"|\\u00(?:[46][1-9A-Fa-f]|[57][0-9Aa])"
    r"|&#[xX](?:[46][1-9A-Fa-f]|[57][0-9Aa]);|&#(?:6[5-9]|[78]\d|90|9[7-9]|1[01]\d|12[0-2]);"
)
"""An escape of a plain ASCII letter: nothing needs one."""
_MORSE: Final[dict[str, str]] = dict(
    zip(
        [
            ".-",
            "-...",
            "-.-.",
            "-..",
            ".",
            "..-.",
            "--.",
            "....",
            "..",
            ".---",
            "-.-",
            ".-..",
            "--",
            "-.",
            "---",
            ".--.",
            "--.-",
            ".-.",
            "...",
            "-",
            "..-",
            "...-",
            ".--",
            "-..-",
            "-.--",
            "--..",
            "-----",
            ".----",
            "..---",
            "...--",
            "....-",
            ".....",
            "-....",
            "--...",
            "---..",
            "----.",
        ],
        "abcdefghijklmnopqrstuvwxyz0123456789",
        strict=True,
    )
)


def blobs(text: str) -> Iterator[Blob]:
    """Yield the readable contents of encoded runs, a codec after the other."""
    for encoding, alphabet, pattern, decode in _CODECS:
        for run in _runs(text, alphabet, pattern):
            blob = run[0][:MAX_BLOB_CHARACTERS]
            content = _readable(decode(blob))
            if content is None:
                continue
            head = text[max(0, run.start() - _DATA_HEAD) : run.start()]
            yield Blob(
                encoding=encoding,
                text=spread(content, run.start(), len(blob)),
                start=run.start(),
                end=run.start() + len(blob),
                embedded=bool(_DATA_URI.search(head)),
            )


def undecoded(text: str) -> int:
    """Return how many code points of the longest encoded run are left undecoded; 0 or more."""
    if len(text) <= MAX_BLOB_CHARACTERS:
        return 0
    lengths = [
        len(run[0]) for _, alphabet, pattern, _ in _CODECS for run in _runs(text, alphabet, pattern)
    ]
    lengths += [len(run[0]) for run in _ESCAPED_RUN.finditer(text)]
    return max(0, max(lengths, default=0) - MAX_BLOB_CHARACTERS)


def _runs(
    text: str, alphabet: re.Pattern[str] | None, pattern: re.Pattern[str]
) -> Iterator[re.Match[str]]:
    """Yield what `pattern` matches, tried only where enough of its alphabet stands together."""
    if alphabet is None:
        yield from pattern.finditer(text)
        return
    for run in alphabet.finditer(text):
        # One more code point, for what must not follow.
        yield from pattern.finditer(text, run.start(), min(run.end() + 1, len(text)))


def escaped_runs(text: str) -> Iterator[Blob]:
    r"""Yield runs written in escapes: `%69`, `\u0069`, `&#105;`, or words joined by `%20`."""
    if "%" not in text and "\\" not in text and "&" not in text:
        return
    for run in _ESCAPED_RUN.finditer(text):
        size = len(run[0])
        if size < _MIN_BLOB:
            continue
        blob = run[0][:MAX_BLOB_CHARACTERS]
        decoded = ESCAPE.sub(lambda match: unescape(match[0]), blob)
        yield Blob(
            encoding="escapes",
            text=spread(decoded, run.start(), len(blob)),
            start=run.start(),
            end=run.start() + len(blob),
            letters=len(_LETTER_ESCAPE.findall(blob)) * 4 >= len(decoded),
        )


def unescape(escape: str) -> str:
    r"""Return the code point that one escape stands for; `\ufffd` where it stands for no ASCII."""
    if escape[0] == "&":
        return html.unescape(escape)[:1] or " "
    value = int(escape.lstrip("%\\xu"), 16)
    return chr(value) if value < 0x80 or escape[1] == "u" else "\ufffd"  # noqa: PLR2004 - ASCII


def near_changes(text: MappedText) -> MappedText:
    """Return what stands near the replaced ranges of a long text, blank lines between.

    The rest reads as it did before, and reading it twice would double the cost of a scan. A short
    text comes back whole.
    """
    size = len(text.text)
    if size <= _SHORT:
        return text
    so_far = np.concatenate(([0], np.cumsum(text.ends - text.starts != 1)))
    at = np.arange(size)
    near = so_far[np.minimum(at + _NEAR, size)] > so_far[np.maximum(at - _NEAR, 0)]
    edges = np.flatnonzero(np.diff(near, prepend=False, append=False)).reshape(-1, 2)
    pieces = [text.slice(start, end) for start, end in edges.tolist()]
    gaps = [
        MappedText(text="\n\n", starts=piece.starts[:1].repeat(2), ends=piece.starts[:1].repeat(2))
        for piece in pieces
    ]
    parts = [part for pair in zip(gaps, pieces, strict=True) for part in pair][1:]
    if not parts:
        return text.slice(0, 0)
    return MappedText(
        text="".join(part.text for part in parts),
        starts=np.concatenate([part.starts for part in parts]),
        ends=np.concatenate([part.ends for part in parts]),
    )


def spread(content: str, start: int, length: int) -> MappedText:
    """Return `content` mapped evenly over the run of `length` that it came from."""
    edges = np.linspace(0, length, len(content) + 1)
    return MappedText(
        text=content,
        starts=(start + np.floor(edges[:-1])).astype(np.int32),
        ends=(start + np.ceil(edges[1:])).astype(np.int32),
    )


def _readable(content: bytes) -> str | None:
    if len(content) < _MIN_BLOB:
        return None
    text = content.decode("utf-8", errors="ignore")
    if _PACKED.fullmatch(text):
        return text
    if len(text.encode()) < _READABLE_SHARE * len(content):
        return None
    letters = len(text) - len(_ODD.findall(text))
    spaced = " " in text or not text.isascii()
    return text if letters >= _READABLE_SHARE * len(text) and spaced else None


def _base64(blob: str) -> bytes:
    packed = re.sub(r"[\s=]", "", blob).translate(str.maketrans("-_", "+/"))
    packed = packed[: len(packed) - (len(packed) % 4 == 1)]
    return _tried(packed + "=" * (-len(packed) % 4), base64.b64decode)


def _base32(blob: str) -> bytes:
    packed = blob.rstrip("=")
    packed = packed[: len(packed) - (len(packed) % 8 in {1, 3, 6})]
    return _tried(packed + "=" * (-len(packed) % 8), base64.b32decode)


def _base85(blob: str) -> bytes:
    return _tried(blob, base64.a85decode) if not blob.isalnum() else b""


def _hex(blob: str) -> bytes:
    return _tried(re.sub(r"0x|\\x|[ :,\n]", "", blob), bytes.fromhex)


def _binary(blob: str) -> bytes:
    digits = re.sub(r"\s", "", blob)
    return bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits) - 7, 8))


def _decimal(blob: str) -> bytes:
    values = [int(value) for value in re.findall(r"\d+", blob)]
    return bytes(values) if max(values) < 256 else b""  # noqa: PLR2004 - a byte


def _morse(blob: str) -> bytes:
    plain = blob.replace("\u00b7", ".").replace("\u2013", "-")
    words = re.split(r" ?[/|] ?| {2,3}", plain)
    decoded = [[_MORSE.get(code, "") for code in word.split()] for word in words]
    return " ".join("".join(word) for word in decoded).encode()


def _tried(packed: str, decode: Callable[[str], bytes]) -> bytes:
    try:
        return decode(packed)
    except (binascii.Error, ValueError, OverflowError):
        return b""


_Decode = Callable[[str], bytes]
_CODECS: Final[tuple[tuple[str, re.Pattern[str] | None, re.Pattern[str], _Decode], ...]] = (
    ("base64", None, _BASE64, _base64),
    ("base32", None, _BASE32, _base32),
    ("hex", _HEX_RUN, _HEX, _hex),
    ("binary", _BINARY_RUN, _BINARY, _binary),
    ("decimal", _DECIMAL_RUN, _DECIMAL, _decimal),
    ("morse", _MORSE_ALPHABET, _MORSE_RUN, _morse),
    ("base85", _BASE85_RUN, _BASE85, _base85),
)
"""Name, the alphabet of a run that is long enough, pattern and decoder."""
