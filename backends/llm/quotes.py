"""Finds what a language model claims to quote; what is not there was never said (Law 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from domain.answering import Quote
from domain.quoting import MIN_CHARACTERS, TRIM, folded, sources
from domain.retrieval import ScoredChunk
from domain.text import Span

_OMISSION: Final = re.compile(r"\[?(?:\.{3,}|\u2026)\]?")


def locate_quotes(claimed: Sequence[str], chunks: Sequence[ScoredChunk]) -> tuple[Quote, ...]:
    """Return the quotes that stand in `chunks`, in the chunk's own words, each once.

    Case, blanks, width and the shape of quotation marks and dashes do not count; an omission cuts a
    quote in parts that count by themselves. A quote that stands in several chunks is of the first.
    Nothing is found across or inside a masked mention.
    """
    found: dict[tuple[str, Span], Quote] = {}
    for place in _places(claimed, chunks):
        text, mentions = place.chunk.chunk.text, place.chunk.chunk.mentions
        within = sources(text, mentions)[place.start : place.end]
        quote = _quote(place.chunk, int(within[0]), int(within[-1]) + 1)
        found.setdefault((quote.document_id, quote.span), quote)
    return tuple(found.values())


def is_quoted(claim: str, chunks: Sequence[ScoredChunk]) -> bool:
    """Whether a part of the claim stands in one of `chunks`, as `locate_quotes` finds it."""
    return any(True for _ in _places([claim], chunks))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a quote stands in the folded text of a chunk."""

    chunk: ScoredChunk
    start: int
    end: int


def _places(claimed: Sequence[str], chunks: Sequence[ScoredChunk]) -> Iterator[_Place]:
    for part in (part for claim in claimed for part in _OMISSION.split(claim)):
        wanted = folded(part).strip(TRIM)
        if sum(map(str.isalnum, wanted)) < MIN_CHARACTERS:
            continue
        for chunk in chunks:
            at = folded(chunk.chunk.text, chunk.chunk.mentions).find(wanted)
            if at != -1:
                yield _Place(chunk, at, at + len(wanted))
                break


def _quote(chunk: ScoredChunk, start: int, end: int) -> Quote:
    return Quote(
        document_id=chunk.chunk.document_id,
        origin=chunk.origin.ref,
        text=" ".join(chunk.chunk.text[start:end].split()),
        span=chunk.chunk.source(start, end),
        trust=chunk.trust,
    )
