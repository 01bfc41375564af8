"""Finds what a language model claims to quote; what is not there was never said (Law 6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from domain.answering import Quote
from domain.quoting import MIN_CHARACTERS, TRIM, fold, folded
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
    for part in (part for claim in claimed for part in _OMISSION.split(claim)):
        wanted = folded(part).strip(TRIM)
        if sum(map(str.isalnum, wanted)) < MIN_CHARACTERS:
            continue
        for chunk in chunks:
            text, mentions = chunk.chunk.text, chunk.chunk.mentions
            at = folded(text, mentions).find(wanted)
            if at != -1:
                sources = fold(text, mentions).sources  # dear: of the passage that has it alone
                quote = _quote(chunk, sources[at], sources[at + len(wanted) - 1] + 1)
                found.setdefault((quote.document_id, quote.span), quote)
                break
    return tuple(found.values())


def _quote(chunk: ScoredChunk, start: int, end: int) -> Quote:
    return Quote(
        document_id=chunk.chunk.document_id,
        origin=chunk.origin.ref,
        text=" ".join(chunk.chunk.text[start:end].split()),
        span=chunk.chunk.source(start, end),
        trust=chunk.trust,
    )
