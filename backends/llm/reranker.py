"""A cross-encoder behind `POST /rerank`, as vLLM, Cohere, Jina and others serve it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, FiniteFloat, ValidationError

from backends.llm.endpoint import Endpoint
from backends.llm.prompts import masked
from domain.errors import PermanentError
from domain.retrieval import ScoredChunk

MAX_PASSAGE_CHARS: Final = 4_000

_WAY: Final = "rerank-1"
"""Changes with what is sent: it is part of the version."""


class _Score(BaseModel):
    index: int
    relevance_score: FiniteFloat


class _Scores(BaseModel):
    results: list[_Score]


class HttpReranker:
    """Sends a question and passages, mentions of attacks masked; reads `relevance_score`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def version(self) -> str:
        return f"{_WAY}:{self._endpoint.model}"

    async def rerank(self, question: str, chunks: Sequence[ScoredChunk]) -> Sequence[float]:
        """Return a score a passage; see the Protocol."""
        content = await self._endpoint.rerank(
            question, [masked(chunk)[:MAX_PASSAGE_CHARS] for chunk in chunks]
        )
        try:
            found = _Scores.model_validate_json(content).results
        except ValidationError as exc:
            raise PermanentError("reranker: the reply has no scores") from exc
        scores = {one.index: one.relevance_score for one in found}
        if len(found) != len(chunks) or scores.keys() != set(range(len(chunks))):
            raise PermanentError(f"reranker scored {len(scores)} of {len(chunks)} passages")
        return [scores[at] for at in range(len(chunks))]
