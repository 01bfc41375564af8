"""Language-model drafters and verifiers as the wiring builds them, against the fake server."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import httpx
from pydantic import SecretStr

from backends.llm.endpoint import Endpoint
from backends.llm.likelihood import ScoredText, ScoringJob, yes_odds
from backends.llm.local import Generated
from backends.llm.openai_drafter import OpenAIDrafter
from backends.llm.openai_verifier import OpenAIVerifier
from backends.llm.prompts import Fences, Message
from domain.usage import ModelRole
from tests.fakes.openai_server import (
    MODEL,
    Served,
    log_probabilities,
    reply_to,
    tokens_of,
    yes_or_no,
)

KEY = "sk-not-to-be-seen"


def numbered_fences() -> Fences:
    numbers = itertools.count()
    return lambda: f"mark{next(numbers):06d}"


def endpoint(
    served: Served,
    client: httpx.AsyncClient,
    *,
    timeout_seconds: float = 20.0,
    concurrency: int = 8,
) -> Endpoint:
    return Endpoint(
        client=client,
        base_url=served.base_url,
        role=ModelRole.DRAFTER,
        model=MODEL,
        api_key=SecretStr(KEY),
        timeout_seconds=timeout_seconds,
        concurrency=concurrency,
    )


def openai_drafter(target: Endpoint) -> OpenAIDrafter:
    return OpenAIDrafter(target, fences=numbered_fences())


def openai_verifier(target: Endpoint) -> OpenAIVerifier:
    return OpenAIVerifier(target, fences=numbered_fences(), shuffler=random.Random(7))  # noqa: S311


class ToyModel:
    """The fake server's model as a `LocalModel`."""

    @property
    def version(self) -> str:
        return "toy"

    def generate(self, messages: Sequence[Message], *, max_tokens: int) -> Generated:
        text = reply_to([{"role": m.role, "content": m.content} for m in messages], None)
        return Generated(text=text, log_probabilities=(-0.25,) * len(tokens_of(text)))

    def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        return [self._score(job) for job in jobs]

    def _score(self, job: ScoringJob) -> ScoredText:
        before = len(tokens_of(job.prefix))
        tokens = tokens_of(job.prefix + job.scored)
        values = [value for value in log_probabilities(tokens)[before:] if value is not None]
        return ScoredText(
            log_probabilities=tuple(values),
            tokens=tuple(tokens[before:]),
            yes_odds=yes_odds(yes_or_no(job.prefix + job.scored + job.tail)) if job.tail else None,
        )
