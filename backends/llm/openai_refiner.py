"""Says the answer of several drafts in one, by a server that speaks `/v1/chat/completions`."""

from __future__ import annotations

from collections.abc import Sequence

from backends.llm.drafting import NEUTRAL_PROBABILITY, to_draft
from backends.llm.endpoint import Endpoint
from backends.llm.openai_drafter import MAX_TOKENS
from backends.llm.prompts import REFINE_PROMPT_VERSION, Fences, refine_messages
from domain.answering import Draft, EvidenceSubset, Question


class OpenAIRefiner:
    """A `Refiner` over HTTP."""

    def __init__(self, endpoint: Endpoint, *, fences: Fences) -> None:
        self._endpoint = endpoint
        self._fences = fences

    @property
    def version(self) -> str:
        return f"openai-1:{self._endpoint.model}:{REFINE_PROMPT_VERSION}"

    async def refine(
        self, question: Question, answers: Sequence[str], evidence: EvidenceSubset
    ) -> Draft:
        messages = refine_messages(question, tuple(answers), evidence, self._fences)
        reply = await self._endpoint.chat(messages, max_tokens=MAX_TOKENS, log_probabilities=False)
        return to_draft(evidence, reply.text, NEUTRAL_PROBABILITY)
