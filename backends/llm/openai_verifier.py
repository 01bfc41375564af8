"""Verification by any server that speaks OpenAI's `/v1/completions`, as far as it can be believed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backends.llm.collecting import BATCH_JOBS, BATCH_SECONDS, CollectingScorer
from backends.llm.endpoint import Endpoint
from backends.llm.likelihood import find_fault, score_matrix
from backends.llm.openai_scorer import Dialect, OpenAIScorer
from backends.llm.probing import FaultOf, keep_fit, look
from backends.llm.prompts import (
    GREETING,
    SCORING_PROMPT_VERSION,
    SELECTION_PROMPT_VERSION,
    Fences,
)
from backends.llm.selection import select_matrix
from domain.answering import Draft, EvidenceSubset, Question
from domain.queues import QueueDepth
from domain.stages import UNOBSERVED, StageObserver

_GENERATIVE: Final = "generative"


class VerifierMode(StrEnum):
    UNPROBED = "unprobed"
    PROMPT_LOGPROBS = Dialect.PROMPT_LOGPROBS.value
    ECHO = Dialect.ECHO.value
    GENERATIVE = _GENERATIVE


class OpenAIVerifier:
    """A `Verifier` over HTTP.

    Log-probabilities of given text are absent from some servers and wrong in others (off by one,
    measured), so each server is probed: what is known must come out right. Where no dialect does,
    the verifier selects by generating, and `mode` and `version` say so. Its numbers in that mode are
    pseudo log-probabilities (`selection.py`), never to be read beside the others.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        fences: Fences,
        shuffler: random.Random,
        batch_seconds: float = BATCH_SECONDS,
        batch_jobs: int = BATCH_JOBS,
        batches: StageObserver = UNOBSERVED,
    ) -> None:
        """Set up; nothing is sent yet.

        Args:
            endpoint: The model and its servers.
            fences: Marks of prompts.
            shuffler: Orders candidates where the mode is generative.
            batch_seconds: For how long scoring jobs wait for those of other questions.
            batch_jobs: With so many they go at once.
            batches: Is told of each batch: it belongs to no question alone.
        """
        self._endpoint = endpoint
        self._fences = fences
        self._shuffler = shuffler
        self._mode = VerifierMode.UNPROBED
        self._batch_seconds = batch_seconds
        self._batch_jobs = batch_jobs
        self._batches = batches
        self._scorer: CollectingScorer | None = None
        self._probing = asyncio.Lock()
        self._faults: dict[Dialect, str] = {}

    @property
    def mode(self) -> VerifierMode:
        return self._mode

    @property
    def faults(self) -> dict[Dialect, str]:
        """What was wrong with each dialect that was not taken, for people."""
        return dict(self._faults)

    @property
    def version(self) -> str:
        generative = self._mode is VerifierMode.GENERATIVE
        prompt = SELECTION_PROMPT_VERSION if generative else SCORING_PROMPT_VERSION
        return f"openai-1:{self._endpoint.model}:{prompt}:{self._mode.value}"

    def queue_depth(self) -> QueueDepth:
        """Return scoring jobs and calls that wait, and calls under way."""
        calls = self._endpoint.pool.depth()
        jobs = self._scorer.waiting if self._scorer is not None else 0
        return QueueDepth(waiting=jobs + calls.waiting, under_way=calls.under_way)

    async def probe(self) -> VerifierMode:
        """Find out, once, which way of scoring can be believed.

        Raises:
            TransientError: The server does not answer now; a later call tries again.
            PermanentError: It cannot even generate.
        """
        async with self._probing:
            if self._mode is VerifierMode.UNPROBED:
                self._mode = await self._find_mode()
            return self._mode

    async def score(
        self, question: Question, drafts: Sequence[Draft], evidence: Sequence[EvidenceSubset | None]
    ) -> NDArray[np.float64]:
        await self.probe()
        if self._scorer is not None:
            return await score_matrix(self._scorer, question, drafts, evidence, self._fences)
        return await select_matrix(
            self._endpoint,
            question,
            drafts,
            evidence,
            fences=self._fences,
            shuffler=self._shuffler,
        )

    async def _find_mode(self) -> VerifierMode:
        """Try each dialect on each server; the first that any passes is that of all.

        A server that fails in it is left out until it passes, and so is one that does not answer.
        """
        endpoint = self._endpoint
        for dialect in Dialect:
            fault_of = _fault_in(dialect)
            found = await look(endpoint, fault_of)
            if None in found.values():
                keep_fit(endpoint, found, fault_of)
                self._scorer = CollectingScorer(
                    OpenAIScorer(endpoint, dialect),
                    seconds=self._batch_seconds,
                    jobs=self._batch_jobs,
                    observer=self._batches,
                )
                return VerifierMode(dialect.value)
            self._faults[dialect] = next(one for one in found.values() if isinstance(one, str))
        await self._endpoint.chat(GREETING, max_tokens=8, log_probabilities=False)
        return VerifierMode.GENERATIVE


def _fault_in(dialect: Dialect) -> FaultOf:
    return lambda member: find_fault(OpenAIScorer(member, dialect))
