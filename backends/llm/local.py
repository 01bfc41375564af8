"""Drafts and verification by a language model in this process.

One model answers one call at a time, in a thread of its own: two at once would only share the same
cores. So the drafts of a question follow one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from backends.llm.drafting import NEUTRAL_PROBABILITY, per_token, to_draft
from backends.llm.likelihood import ScoredText, ScoringJob, find_fault, score_matrix
from backends.llm.prompts import (
    DRAFT_PROMPT_VERSION,
    SCORING_PROMPT_VERSION,
    Fences,
    Message,
    draft_messages,
)
from domain.answering import Draft, EvidenceSubset, Question
from domain.errors import PermanentError

MAX_TOKENS: Final = 320


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    text: str
    log_probabilities: tuple[float, ...]


class LocalModel(Protocol):
    """A loaded model. Its calls block; threads that call at once take turns."""

    @property
    def version(self) -> str:
        """Names the weights, by their hash."""
        ...

    def generate(self, messages: Sequence[Message], *, max_tokens: int) -> Generated:
        """Continue the conversation greedily.

        Raises:
            PermanentError: It does not fit the model's context.
        """
        ...

    def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        """Score given texts, in order; see `TextScorer`.

        Raises:
            PermanentError: One does not fit the model's context.
        """
        ...


class LocalDrafter:
    """A `Drafter` over a model in this process."""

    def __init__(self, model: LocalModel, *, fences: Fences) -> None:
        self._model = model
        self._fences = fences

    @property
    def version(self) -> str:
        return f"local-1:{self._model.version}:{DRAFT_PROMPT_VERSION}"

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        messages = draft_messages(question, subset, self._fences)
        said = await anyio.to_thread.run_sync(
            lambda: self._model.generate(messages, max_tokens=MAX_TOKENS)
        )
        values = said.log_probabilities
        return to_draft(subset, said.text, per_token(values) if values else NEUTRAL_PROBABILITY)


class LocalVerifier:
    """A `Verifier` over a model in this process, believed only after `probe`."""

    def __init__(self, model: LocalModel, *, fences: Fences) -> None:
        self._model = model
        self._fences = fences
        self._scorer = _Threaded(model)

    @property
    def version(self) -> str:
        return f"local-1:{self._model.version}:{SCORING_PROMPT_VERSION}"

    async def probe(self) -> None:
        """Score what is known.

        Raises:
            PermanentError: It does not come out right; the message says what.
        """
        fault = await find_fault(self._scorer)
        if fault is not None:
            raise PermanentError(f"the local model cannot verify: {fault}")

    async def score(
        self, question: Question, drafts: Sequence[Draft], evidence: Sequence[EvidenceSubset | None]
    ) -> NDArray[np.float64]:
        return await score_matrix(self._scorer, question, drafts, evidence, self._fences)


class _Threaded:
    """A `TextScorer` that leaves the event loop free."""

    def __init__(self, model: LocalModel) -> None:
        self._model = model

    async def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        return await anyio.to_thread.run_sync(self._model.score, jobs)
