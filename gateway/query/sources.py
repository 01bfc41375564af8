"""Where an answer comes from."""

from __future__ import annotations

from collections.abc import Sequence

from domain.answering import AnswerGroup, Source
from domain.retrieval import ScoredChunk


def sources_of(group: AnswerGroup, evidence: Sequence[ScoredChunk]) -> tuple[Source, ...]:
    """Return what the group's drafts quote, best draft first, each passage once."""
    titles = {hit.chunk.document_id: hit for hit in evidence}
    sources: dict[tuple[str, int, int], Source] = {}
    for scored in group.drafts:
        for quote in scored.draft.quotes:
            hit = titles.get(quote.document_id)
            if hit is None:
                continue
            sources.setdefault(
                (quote.document_id, quote.span.start, quote.span.end),
                Source(
                    document_id=quote.document_id,
                    span=quote.span,
                    quote=quote.text,
                    origin=quote.origin,
                    tier=hit.origin.tier,
                    trust=quote.trust,
                    title=hit.title,
                    source_uri=hit.source_uri,
                ),
            )
    return tuple(sources.values())
