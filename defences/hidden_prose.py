"""Prose that only shows once a text is decoded: found in the text itself, whatever it says.

Nobody writes a sentence in base64, backwards or one letter a line for a reader. What honest
documents encode is data: pictures, tokens, certificates, source maps, queries of links; that is
told apart by what it decodes to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from defences import unicode_tables as tables
from defences.decodings import DecodedOnce
from defences.disguised_words import LEET, SCRAMBLED
from defences.encoded_blobs import escaped_runs, undecoded
from defences.split_words import undivided
from defences.vocabulary import is_prose
from domain.decodings import Blob, Decodings

MAX_DEPTH: Final = 3
MAX_FOUND: Final = 64
_TOKEN_REACH: Final = 300
_URL: Final = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://|mailto:|[?&][\w.\[\]-]{1,40}=|www\.|\]\(|(?:href|src)=",
    re.IGNORECASE,
)
_SPACE_ESCAPES: Final = 5
_SCRAMBLED_VOTES: Final = 5
_JSON: Final = re.compile(r"\s*[{\[]\s*[\"{\[]")
_QUOTED: Final = re.compile(r"[`\"'\u201c\u00ab]\s{0,3}\Z")
_ABOUT: Final = re.compile(
    r"\b(?:prompt injection|injections?|jailbreak\w{0,6}|obfuscat\w{1,6}|attack\w{0,3}|base64|rot-?13|hexadecimal"
    r"|encod(?:e|es|ed|ing)|decod(?:e|es|ed|ing)|cipher\w{0,5}|leetspeak|percent-encod\w{1,4}|homoglyphs?)\b",
    re.IGNORECASE,
)
_ABOUT_TERMS: Final = 3
_FENCE: Final = re.compile(r"^ {0,3}(?:`{3}|~{3})", re.MULTILINE)
_FULLWIDTH: Final = re.compile(r"[\uff01-\uff5e](?:[\uff01-\uff5e\u3000 ]*[\uff01-\uff5e])?")
_WIDE_LETTER: Final = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
_REGIONAL: Final = re.compile(
    "(?:[\U0001f1e6-\U0001f1ff][ \u200b]{1,3}){7,}[\U0001f1e6-\U0001f1ff]"
)
_REGIONAL_RUN: Final = re.compile("[\U0001f1e6-\U0001f1ff]{13,}")
_MIN_WIDE: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenProse:
    """A range of a text that says something else once it is decoded.

    Attributes:
        encoding: Kebab-case, ends the name of a finding's rule.
        risk: That it hides something, in [0, 1].
    """

    encoding: str
    start: int
    end: int
    risk: float


def hidden_prose(text: str, decodings: Decodings | None = None) -> tuple[HiddenProse, ...]:
    """Return what is found, in order, at most `MAX_FOUND`.

    A range that is quoted in a text about encodings or attacks is an example: of low risk.
    """
    known = decodings or DecodedOnce()
    found = [
        *_packed(text, known),
        *_escapes(text, known),
        *_words(text, known),
        *styled_prose(text),
    ]
    found = sorted(found, key=lambda item: item.start)[:MAX_FOUND]
    if found and len(_ABOUT.findall(text)) >= _ABOUT_TERMS:
        found = [_as_example(text, item) for item in found]
    return tuple(found)


def not_looked_at(text: str) -> int:
    """Return how many code points may hold encoded prose and are beyond what is decoded."""
    return undecoded(text) + undivided(text)


def _as_example(text: str, item: HiddenProse) -> HiddenProse:
    fenced = len(_FENCE.findall(text[: item.start])) % 2 == 1
    quoted = bool(_QUOTED.search(text[max(0, item.start - 4) : item.start]))
    if not fenced and not quoted:
        return item
    return HiddenProse(encoding=item.encoding, start=item.start, end=item.end, risk=0.3)


def _packed(text: str, known: Decodings) -> Iterator[HiddenProse]:
    for blob in known.blobs(text):
        if not blob.embedded and _says_something(blob, MAX_DEPTH, known):
            yield HiddenProse(encoding=blob.encoding, start=blob.start, end=blob.end, risk=0.85)


def _says_something(blob: Blob, depth: int, known: Decodings) -> bool:
    content = blob.text.text
    if _JSON.match(content):
        return False
    if is_prose(content):
        return True
    if depth <= 1:
        return False
    if any(_says_something(inner, depth - 1, known) for inner in known.blobs(content)):
        return True
    return any(True for _ in _words(content, known))


def _escapes(text: str, known: Decodings) -> Iterator[HiddenProse]:
    for run in escaped_runs(text):
        content = run.text.text
        if run.letters:
            if is_prose(content) or any(
                _says_something(inner, MAX_DEPTH, known) for inner in known.blobs(content)
            ):
                yield HiddenProse(encoding="escapes", start=run.start, end=run.end, risk=0.85)
        elif (
            _in_plain_sight(text, run.start)
            and content.count(" ") >= _SPACE_ESCAPES
            and is_prose(content)
        ):
            yield HiddenProse(encoding="escapes", start=run.start, end=run.end, risk=0.8)


def _in_plain_sight(text: str, start: int) -> bool:
    """Whether the word that a run of `%20` begins in is no link's."""
    floor = max(0, start - _TOKEN_REACH)
    head = text[floor:start]
    cut = max(head.rfind(mark) for mark in " \n\t<>")
    return not _URL.search(head[cut + 1 :])


def _words(text: str, known: Decodings) -> Iterator[HiddenProse]:
    for disguise in known.disguises(text):
        risk = 0.85
        if disguise.encoding in (SCRAMBLED, LEET) and disguise.votes < _SCRAMBLED_VOTES:
            risk = 0.6
        encoding = "caesar" if disguise.encoding.startswith("caesar-") else disguise.encoding
        yield HiddenProse(encoding=encoding, start=disguise.start, end=disguise.end, risk=risk)
    for split in known.splits(text):
        risk = 0.8 if split.sure else 0.4
        yield HiddenProse(encoding=split.encoding, start=split.start, end=split.end, risk=risk)


def styled_prose(text: str) -> Iterator[HiddenProse]:
    """Yield Latin words in letters as wide as ideographs, and in the letters flags are made of.

    Normalising folds the wide ones away: the raw text must be asked.
    """
    if text.isascii():
        return
    for match in _FULLWIDTH.finditer(text):
        wide = len(_WIDE_LETTER.findall(match[0]))
        around = (
            text[max(0, match.start() - 60) : match.start()] + text[match.end() : match.end() + 60]
        )
        if wide >= _MIN_WIDE and not tables.NO_SPACES.search(around):
            yield HiddenProse(encoding="fullwidth", start=match.start(), end=match.end(), risk=0.7)
    for pattern in (_REGIONAL, _REGIONAL_RUN):
        for match in pattern.finditer(text):
            yield HiddenProse(
                encoding="regional-letters", start=match.start(), end=match.end(), risk=0.7
            )
