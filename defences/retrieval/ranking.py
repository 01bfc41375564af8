"""The one order in which evidence is read."""

from __future__ import annotations

from collections.abc import Iterable

from domain.retrieval import ScoredChunk


def best_first(chunks: Iterable[ScoredChunk]) -> list[ScoredChunk]:
    """Return chunks best first: as the reranker scored them, where one ran, then by similarity.

    Ties go by id, so that the order they came in tells nothing.
    """
    return sorted(
        chunks, key=lambda chunk: (-(chunk.rerank or 0.0), -chunk.similarity, chunk.chunk.id)
    )
