"""Finds what a language model claims to quote; what is not there was never said (Law 6)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.answering import Quote
from domain.retrieval import ScoredChunk
from domain.text import Span

MIN_CHARACTERS: Final = 6
"""Letters and digits of a quote: a shorter one stands everywhere and shows nothing."""

_OMISSION: Final = re.compile(r"\[?(?:\.{3,}|\u2026)\]?")
_SAME: Final = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2010\u2011\u2012\u2013\u2014\u2212",
    '\'\'\'\'""""""------',
)
_TRIM: Final = "\"'.,;:!?-*_`"


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text without blanks and case; `sources[i]` is where character i stands in the text."""

    text: str
    sources: tuple[int, ...]


def locate_quotes(claimed: Sequence[str], chunks: Sequence[ScoredChunk]) -> tuple[Quote, ...]:
    """Return the quotes that stand in `chunks`, in the chunk's own words, each once.

    Case, blanks, width and the shape of quotation marks and dashes do not count; an omission cuts a
    quote in parts that count by themselves. A quote that stands in several chunks is of the first.
    Nothing is found across or inside a masked mention.
    """
    folded = [_fold(chunk.chunk.text, chunk.chunk.mentions) for chunk in chunks]
    found: dict[tuple[str, Span], Quote] = {}
    for part in (part for claim in claimed for part in _OMISSION.split(claim)):
        wanted = _fold(part).text.strip(_TRIM)
        if sum(map(str.isalnum, wanted)) < MIN_CHARACTERS:
            continue
        for chunk, within in zip(chunks, folded, strict=True):
            at = within.text.find(wanted)
            if at != -1:
                start, end = within.sources[at], within.sources[at + len(wanted) - 1] + 1
                quote = _quote(chunk, start, end)
                found.setdefault((quote.document_id, quote.span), quote)
                break
    return tuple(found.values())


def _fold(text: str, masked: Sequence[Span] = ()) -> _Folded:
    characters: list[str] = []
    sources: list[int] = []
    hidden = {at for span in masked for at in range(span.start, span.end)}
    for at, character in enumerate(text):
        if character.isspace():
            continue
        plain = "\0" if at in hidden else unicodedata.normalize("NFKC", character).casefold()
        for one in plain.translate(_SAME):
            characters.append(one)
            sources.append(at)
    return _Folded("".join(characters), tuple(sources))


def _quote(chunk: ScoredChunk, start: int, end: int) -> Quote:
    return Quote(
        document_id=chunk.chunk.document_id,
        origin=chunk.origin.ref,
        text=" ".join(chunk.chunk.text[start:end].split()),
        span=chunk.chunk.source(start, end),
        trust=chunk.trust,
    )
