"""Drafts by any server that speaks OpenAI's `/v1/chat/completions`: vLLM, llama.cpp, hosted."""

from __future__ import annotations

import asyncio
from typing import Final

from backends.llm.drafting import NEUTRAL_PROBABILITY, per_token, to_draft
from backends.llm.endpoint import ChatReply, Endpoint
from backends.llm.probing import keep_fit, look
from backends.llm.prompts import (
    DRAFT_PROMPT_VERSION,
    GREETING,
    Fences,
    Message,
    draft_messages,
)
from backends.server_pool import RefusedError
from domain.answering import Draft, EvidenceSubset, Question
from domain.errors import PermanentError
from domain.queues import QueueDepth

MAX_TOKENS: Final = 320
_NOT_UNDERSTOOD: Final = frozenset({400, 422})


class OpenAIDrafter:
    """A `Drafter` over HTTP.

    rho_draft is exp of the mean log-probability of the tokens generated. A server that gives none
    is noticed at its first reply: from then on every draft has `NEUTRAL_PROBABILITY` and the
    version ends in `:neutral`, so that no calibration fitted with them applies. Of several servers
    each is probed first: where any gives them, those that do not are left out.
    """

    def __init__(self, endpoint: Endpoint, *, fences: Fences) -> None:
        self._endpoint = endpoint
        self._fences = fences
        self._neutral = False
        self._probed = len(endpoint.pool.urls) == 1
        self._probing = asyncio.Lock()

    @property
    def version(self) -> str:
        scoring = "neutral" if self._neutral else "logprobs"
        return f"openai-1:{self._endpoint.model}:{DRAFT_PROMPT_VERSION}:{scoring}"

    def queue_depth(self) -> QueueDepth:
        return self._endpoint.pool.depth()

    async def probe(self) -> None:
        """Ask each of several servers for log-probabilities; one server is judged by its drafts.

        Raises:
            TransientError: None of them answers now; a later call tries again.
        """
        async with self._probing:
            if self._probed:
                return
            found = await look(self._endpoint, _fault_of)
            if None in found.values():
                keep_fit(self._endpoint, found, _fault_of)
            self._probed = True

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        if not self._probed:
            await self.probe()
        messages = draft_messages(question, subset, self._fences)
        reply = await self._ask(messages)
        tokens = reply.log_probabilities
        if not tokens:
            self._neutral = True
        probability = per_token(tokens) if tokens and not self._neutral else NEUTRAL_PROBABILITY
        return to_draft(subset, reply.text, probability)

    async def _ask(self, messages: tuple[Message, ...]) -> ChatReply:
        if not self._neutral:
            try:
                return await self._endpoint.chat(
                    messages, max_tokens=MAX_TOKENS, log_probabilities=True
                )
            except RefusedError as exc:
                # some hosted models refuse the parameter; if it is something else this repeats it
                if exc.status not in _NOT_UNDERSTOOD:
                    raise
        return await self._endpoint.chat(messages, max_tokens=MAX_TOKENS, log_probabilities=False)


async def _fault_of(member: Endpoint) -> str | None:
    try:
        reply = await member.chat(GREETING, max_tokens=8, log_probabilities=True)
    except PermanentError as exc:
        return str(exc)
    return None if reply.log_probabilities else "model endpoint gives no log-probabilities"
