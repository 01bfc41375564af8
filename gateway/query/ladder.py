"""The escalation ladder of Law 9: every rung keeps isolation and the guard's own rules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from domain.answering import AbstainReason, AnswerWarning, Drafter, LadderStep, Rung
from domain.errors import DependencyError
from domain.retrieval import ANYTHING, NOTHING_WITHHELD, Embedder, ScoredChunk
from domain.web import WebEvidence
from gateway.query.reformulation import reformulate
from gateway.query.results import Attempt, Inquiry
from gateway.query.retrieval import Retrieval, joined

_NOT_THERE: Final = AbstainReason.NOT_IN_DOCUMENTS

Try = Callable[[Inquiry, tuple[ScoredChunk, ...], Drafter], Awaitable[Attempt]]
"""Drafts, verifies and judges, the long way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Climbed:
    """The attempt that stands, and the steps that were tried."""

    attempt: Attempt
    rungs: tuple[Rung, ...]


class Ladder:
    """What is tried where the first attempt does not stand."""

    def __init__(
        self,
        attempt: Try,
        *,
        retrieval: Retrieval,
        embedder: Embedder,
        drafter: Drafter,
        large_model: Drafter | None,
        web: WebEvidence | None,
    ) -> None:
        self._attempt = attempt
        self._retrieval = retrieval
        self._embedder = embedder
        self._drafter = drafter
        self._large_model = large_model
        self._web = web

    async def climb(self, inquiry: Inquiry, first: Attempt) -> Climbed:
        """Try each step in turn; where none answers, the first attempt stands."""
        rungs: list[Rung] = []
        watch, deadline = inquiry.watch, inquiry.options.timeout_seconds
        first_seconds = watch.elapsed

        def ended(step: LadderStep, result: str) -> None:
            rungs.append(Rung(step=step, result=result))
            watch.rung(rungs[-1])

        for step, climb in (
            (LadderStep.RE_RETRIEVE, self._re_retrieve),
            (LadderStep.FULL_RAG, self._full_rag),
            *([(LadderStep.WEB_SEARCH, self._web_search)] if self._web is not None else []),
        ):
            if watch.elapsed + first_seconds > deadline:
                ended(step, "no-time")  # an honest abstention, rather than an error at the deadline
                continue
            attempt = await climb(inquiry, first)
            if attempt is None:
                ended(step, "unavailable")
            elif attempt.failed:
                ended(step, "no-better")
            else:
                ended(step, "answered")
                return Climbed(attempt=attempt, rungs=tuple(rungs))
        ended(LadderStep.ABSTAIN, "queued")
        return Climbed(attempt=first, rungs=tuple(rungs))

    async def _re_retrieve(self, inquiry: Inquiry, first: Attempt) -> Attempt | None:
        """Search with other words. What was found before stays: no seat is argued away.

        None where no other words, or nothing new, can be found.
        """
        text = reformulate(inquiry.question.text)
        if text is None:
            return None
        vector = (await self._embedder.embed([text]))[0]
        found = await self._retrieval.find(
            inquiry.question.text,
            text,
            vector,
            tenant_id=inquiry.question.tenant_id,
            quotas=inquiry.options.quotas,
        )
        known = {hit.chunk.id for hit in first.evidence}
        fresh = tuple(hit for hit in found if hit.chunk.id not in known)
        inquiry.watch.lap("re-retrieve", fresh=len(fresh))
        if not fresh:
            return None
        return await self._attempt(inquiry, joined(first.evidence, fresh), self._drafter)

    async def _full_rag(self, inquiry: Inquiry, first: Attempt) -> Attempt | None:
        """Let the large model draft over established seats only; None without its word."""
        established = tuple(hit for hit in first.evidence if hit.origin.established)
        if self._large_model is None or not established:
            return None
        try:
            return await self._attempt(inquiry, established, self._large_model)
        except DependencyError:
            return None

    async def _web_search(self, inquiry: Inquiry, first: Attempt) -> Attempt | None:
        """Put what the web says into the pool; None where the documents do speak of the matter.

        Nor where the asker narrowed the documents, or where nothing usable was found.
        """
        options = inquiry.options
        asked_for = options.only != ANYTHING or options.without != NOTHING_WITHHELD
        if self._web is None or asked_for or first.decision.reason is not _NOT_THERE:
            return None
        try:
            found = await self._web.find(inquiry.question, inquiry.vector)
        except DependencyError:
            return None
        hits = [hit for hit in found if hit.trust >= options.min_trust]
        inquiry.watch.lap("web-search", found=len(hits))
        if not hits:
            return None
        hits = list(await self._retrieval.ranked(inquiry.question.text, hits))
        alone = replace(inquiry, options=replace(options, pool_alone=True))
        attempt = await self._attempt(alone, joined(first.evidence, hits), self._drafter)
        warned = (*attempt.decision.warnings, AnswerWarning.WEB)
        return replace(attempt, decision=replace(attempt.decision, warnings=warned))
