"""Finds admitted passages that mean nearly what an unestablished document says (a review signal).

Near-copies and shared passages are matters of wording; a paraphrase shares none. Sentence vectors
see it, and cannot tell a repetition from a contradiction ("5 mg" and "50 mg" are nearer to each
other than most paraphrases), so what they find is compared fact by fact and left to a person.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from defences.retrieval.differences import differences
from domain.documents import Chunk, Document, DocumentId, Echo, Tier
from domain.retrieval import Embedder, ScoredChunk, Vector, VectorStore
from ingest.chunking import chunk

ECHO: Final = 0.78
"""Cosine from which on two passages are said to mean the same (docs/decisions/0015)."""
PIECES: Final = 4
"""Passages of a document that are looked up: its cost does not grow with its length."""
PIECE_WORDS: Final = 60

_LIMIT: Final = 4
_PER_ORIGIN: Final = 2


class EchoLookup:
    """Looks up passages of a document by their meaning, among what is admitted."""

    def __init__(
        self, *, embedder: Embedder, vectors: VectorStore, threshold: float = ECHO
    ) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._threshold = threshold

    async def around(self, document: Document) -> Document:
        """Return the document with its echoes, nearest first; of an established one none.

        Documents that are near-copies of it or share passages with it are none.
        """
        if document.provenance.origin.tier is not Tier.POOL:
            return document
        pieces = await asyncio.to_thread(_pieces, document)
        if not pieces:
            return document
        vectors = await self._embedder.embed([piece.text for piece in pieces])
        known = {
            document.id,
            *(one.document_id for one in document.neighbours),
            *(one.document_id for one in document.overlaps),
        }
        best: dict[DocumentId, Echo] = {}
        for piece, vector in zip(pieces, vectors, strict=True):
            for hit in await self._near(document, vector):
                if hit.chunk.document_id in known or hit.similarity < self._threshold:
                    continue
                before = best.get(hit.chunk.document_id)
                if before is None or hit.similarity > before.similarity:
                    best[hit.chunk.document_id] = await asyncio.to_thread(_echo, hit, piece)
        found = sorted(best.values(), key=lambda echo: (-echo.similarity, echo.document_id))
        return replace(document, echoes=tuple(found))

    async def _near(self, document: Document, vector: Vector) -> Sequence[ScoredChunk]:
        return [
            hit
            for established in (True, False)
            for hit in await self._vectors.search(
                vector,
                "",
                tenant_id=document.tenant_id,
                established=established,
                limit=_LIMIT,
                per_origin=_PER_ORIGIN,
            )
        ]


def _pieces(document: Document) -> Sequence[Chunk]:
    """Return passages from beginning to end, evenly."""
    chunks = chunk(document, words=PIECE_WORDS, overlap_words=0, mentions=())
    if len(chunks) <= PIECES:
        return chunks
    return [chunks[round(at * (len(chunks) - 1) / (PIECES - 1))] for at in range(PIECES)]


def _echo(hit: ScoredChunk, piece: Chunk) -> Echo:
    return Echo(
        document_id=hit.chunk.document_id,
        origin=hit.origin,
        similarity=min(1.0, hit.similarity),
        differences=differences(hit.chunk.text, piece.text).total,
    )
