"""A search outside the documents, for questions that they do not answer. Off by default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.answering import Question
from domain.retrieval import ScoredChunk, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class WebResult:
    """What a search engine says stands at an address. All of it is untrusted text."""

    url: str
    title: str
    text: str


class WebSearch(Protocol):
    async def search(self, question: str, *, count: int) -> Sequence[WebResult]:
        """Return at most `count` results, best first. No address in them is visited.

        Raises:
            TransientError: No answer in time, or over the engine's limits.
            PermanentError: The engine refused, or answered something else.
        """
        ...


class WebEvidence(Protocol):
    """Searches, and scans what is found as an upload of somebody unknown would be."""

    async def find(self, question: Question, vector: Vector) -> Sequence[ScoredChunk]:
        """Return pooled passages of results that would have been admitted; none may be.

        Args:
            question: Its text leaves the installation.
            vector: Of the question, unit norm.

        Raises:
            TransientError: The search or a service of the scan did not answer.
            PermanentError: The search is not what was configured.
        """
        ...
