"""Replies of `/completions`, read no further than they are used.

A server tells of every token of every prompt, some 70 bytes each; used are those of the scored text at
the end. So a reply is decoded whole, its shape checked, and each token read when it is asked for: to make
an object of each took half a second of processor time a question (docs/benchmarks/query.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field, FiniteFloat, ValidationError
from pydantic_core import from_json

from backends.server_pool import GarbledError

_UNKNOWN_FORM: Final = "model endpoint tells of a token in a form that is not known"


class CompletionLogprobs(BaseModel):
    tokens: list[str] = Field(default_factory=list)
    token_logprobs: list[FiniteFloat | None] = Field(default_factory=list)
    top_logprobs: list[dict[str, FiniteFloat] | None] | None = None


class Completion(BaseModel):
    """A choice of `/completions`, with vLLM's `prompt_logprobs`: see `prompt_tokens`."""

    index: int
    text: str = ""
    logprobs: CompletionLogprobs | None = None
    prompt_logprobs: list[object] | None = None


class PromptDetails(BaseModel):
    cached_tokens: int | None = Field(None, ge=0)


class Usage(BaseModel):
    prompt_tokens: int | None = Field(None, ge=0)
    completion_tokens: int | None = Field(None, ge=0)
    prompt_tokens_details: PromptDetails | None = None


class Completions(BaseModel):
    choices: list[Completion]
    usage: Usage | None = None


def read_completions(content: bytes, *, prompts: int) -> Completions:
    """Return as many completions as there were prompts, in order.

    Raises:
        GarbledError: The reply is not that; the message quotes nothing of it.
    """
    try:
        # Straight from bytes to objects: a model's own JSON reader takes twice as long.
        reply = Completions.model_validate(from_json(content, allow_inf_nan=False))
    except ValidationError as exc:
        raise GarbledError(
            f"model endpoint sent a malformed reply: {exc.error_count()} faults"
        ) from exc
    except ValueError as exc:
        raise GarbledError("model endpoint sent a malformed reply: no JSON") from exc
    reply.choices.sort(key=lambda choice: choice.index)
    if [choice.index for choice in reply.choices] != list(range(prompts)):
        raise GarbledError(
            f"model endpoint sent {len(reply.choices)} completions for {prompts} prompts, "
            "or numbered them wrongly"
        )
    return reply


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """The tokens of a prompt, each read when it is asked for.

    Attributes:
        count: How many there are.
        text_at: Returns the text of the token at a place in `range(count)`, empty where the server
            tells none, as of the first; raises `GarbledError` where it tells it in another form.
        log_probability_at: Likewise; None where the server tells none.
    """

    count: int
    text_at: Callable[[int], str]
    log_probability_at: Callable[[int], float | None]


def prompt_tokens(entries: Sequence[object]) -> PromptTokens:
    """Return the tokens as `prompt_logprobs` has them."""
    return PromptTokens(
        count=len(entries),
        text_at=lambda place: _text_of(entries[place]),
        log_probability_at=lambda place: _log_probability_of(entries[place]),
    )


def echoed_tokens(told: CompletionLogprobs, count: int) -> PromptTokens:
    """Return the first `count` tokens of an echoed prompt."""
    return PromptTokens(
        count=count,
        text_at=told.tokens.__getitem__,
        log_probability_at=told.token_logprobs.__getitem__,
    )


def _text_of(entry: object) -> str:
    text = _told(entry).get("decoded_token") if entry else None
    if text is not None and not isinstance(text, str):
        raise GarbledError(_UNKNOWN_FORM)
    return text or ""


def _log_probability_of(entry: object) -> float | None:
    if not entry:
        return None
    value = _told(entry).get("logprob")
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise GarbledError(_UNKNOWN_FORM)
    return float(value)


def _told(entry: object) -> Mapping[str, object]:
    """Return what is told of the prompt's own token.

    With `prompt_logprobs: 0` it is the only entry; if more come it is the first.
    """
    token = next(iter(entry.values()), None) if isinstance(entry, dict) else None
    if not isinstance(token, dict):
        raise GarbledError(_UNKNOWN_FORM)
    return token
