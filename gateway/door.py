"""The Python door: `from gateway import answer_question`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.llm.prompts import masked
from defences.neutralising import neutralise
from domain.answering import (
    AbstainReason,
    AnswerResult,
    AnswerWarning,
    Outcome,
    Question,
    QuestionId,
)
from domain.documents import DEFAULT_TENANT, TenantId
from domain.errors import InputError
from gateway.query.options import Wishes
from runtime.answering import build_query
from runtime.secrets import instance_secret
from runtime.settings import Settings, load_settings
from runtime.storage import build_embedder, build_vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedAnswer:
    """An answer with the passages it was drafted from; `answer, contexts = ...` unpacks it.

    Attributes:
        answer: None where the outcome is `abstain`.
        contexts: The passages that the drafters read, in the order of the subsets, each once;
            what quotes an attack is masked, links and markup are inert. Untrusted text.
        confidence: Calibrated probability that the answer is right, in [0, 1].
    """

    answer: str | None
    contexts: tuple[str, ...]
    outcome: Outcome
    reason: AbstainReason | None
    warnings: tuple[AnswerWarning, ...]
    confidence: float

    def __iter__(self) -> Iterator[str | tuple[str, ...] | None]:
        return iter((self.answer, self.contexts))


def answer_question(
    question: str,
    n_drafters: int = 3,
    k: int = 5,
    *,
    settings: Settings | None = None,
    tenant_id: TenantId = DEFAULT_TENANT,
) -> GuardedAnswer:
    """Answer from the admitted documents of the configured data folder, in this process.

    Blocks; not for use on a running event loop. Nothing is recorded and no monitor sees it: an
    application that serves people asks over HTTP.

    Args:
        question: At most 2,000 characters.
        n_drafters: Drafts, one an evidence subset; 1 to 32.
        k: Chunks a drafter reads, at most; 1 to 32.
        settings: None reads file and environment.
        tenant_id: Whose documents.

    Raises:
        InputError: The question is empty or too long, or a number is out of range.
        TransientError: Index or model did not answer.
        ConfigurationError: The configuration is wrong.
    """
    if not question.strip() or len(question) > 2000:  # noqa: PLR2004 - as over HTTP
        raise InputError("a question has 1 to 2000 characters")
    if not 1 <= n_drafters <= 32 or not 1 <= k <= 32:  # noqa: PLR2004 - as over HTTP
        raise InputError(f"n_drafters and k must be 1 to 32, got {n_drafters} and {k}")
    in_force = settings or load_settings()
    return asyncio.run(_answer(question, n_drafters, k, in_force, tenant_id))


async def _answer(
    question: str, m: int, k: int, settings: Settings, tenant_id: TenantId
) -> GuardedAnswer:
    clock = SystemClock()
    async with httpx.AsyncClient(follow_redirects=False) as http:
        embedder = build_embedder(settings.embedder, http)
        query = await build_query(
            settings,
            embedder=embedder,
            vectors=build_vectors(settings, dimensions=embedder.dimensions),
            clock=clock,
            secret=instance_secret(settings),
            http=http,
        )
        asked = Question(
            id=QuestionId(RandomIds(clock).new("q")), tenant_id=tenant_id, text=question
        )
        return _guarded(await query.answer(asked, Wishes(m=m, k=k)))


def _guarded(result: AnswerResult) -> GuardedAnswer:
    contexts = dict.fromkeys(
        neutralise(masked(hit)) for subset in result.subsets for hit in subset.chunks
    )
    return GuardedAnswer(
        answer=None if result.answer is None else neutralise(result.answer),
        contexts=tuple(contexts),
        outcome=result.outcome,
        reason=result.reason,
        warnings=result.warnings,
        confidence=result.confidence,
    )
