"""Splits a question by a language model, which sees the question alone: never a document."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from backends.llm.endpoint import Endpoint
from backends.llm.prompts import Message
from domain.decomposition import Combine, Plan

DECOMPOSITION_VERSION: Final = "hops-1"
MAX_TOKENS: Final = 256
MAX_HOP_CHARS: Final = 300

_INSTRUCTIONS: Final = """\
You split questions. A question needs a split only where the name of something must be found before \
it can be asked about, or where two named things are compared. Reply with one JSON object and \
nothing else:
{"hops": [], "combine": "last", "subjects": []} where one question is enough;
{"hops": ["Who founded Acme?", "Where was {1} born?"], "combine": "last", "subjects": []} where one \
needs another's answer; {1} stands for the answer of the first;
{"hops": ["When was A born?", "When was B born?"], "combine": "less", "subjects": ["A", "B"]} where \
two are compared: "less" for the earlier or smaller, "more" for the later or greater, "same" for \
whether both answers are the same, "both" for whether both are yes.
At most 4 hops, each one short question. Use the words of the question; add no facts."""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    hops: list[str]
    combine: str = Combine.LAST.value
    subjects: list[str] = []


class OpenAIDecomposer:
    """A `Decomposer` over HTTP. A reply that is not exactly as asked for is no plan."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def version(self) -> str:
        return f"openai-1:{self._endpoint.model}:{DECOMPOSITION_VERSION}"

    async def decompose(self, question: str) -> Plan | None:
        reply = await self._endpoint.chat(
            (Message("system", _INSTRUCTIONS), Message("user", f"Question: {question}")),
            max_tokens=MAX_TOKENS,
            log_probabilities=False,
        )
        return read_plan(reply.text)


def read_plan(text: str) -> Plan | None:
    """Return the plan that a reply states; None where it states none, or not as asked for."""
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        said = _Reply.model_validate_json(bare)
        hops = tuple(" ".join(hop.split()) for hop in said.hops)
        if not all(hop and len(hop) <= MAX_HOP_CHARS for hop in hops):
            return None
        return Plan(hops=hops, combine=Combine(said.combine), subjects=tuple(said.subjects))
    except (ValidationError, ValueError):
        return None
