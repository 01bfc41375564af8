"""Log-probabilities of a given text, in the two ways in which OpenAI-compatible servers tell them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from backends.llm.completions import Completion, PromptTokens, echoed_tokens, prompt_tokens
from backends.llm.endpoint import Endpoint
from backends.llm.likelihood import ScoredText, ScoringJob, yes_odds
from domain.errors import PermanentError

_TOP: Final = 20
"""Likeliest tokens asked for where Yes or No is generated; vLLM's own limit by default."""


class Dialect(StrEnum):
    PROMPT_LOGPROBS = "prompt-logprobs"
    """vLLM: `prompt_logprobs: 0`, and one token generated because none is not allowed."""
    ECHO = "echo"
    """OpenAI's former completions, and vLLM: `echo: true, logprobs: 0, max_tokens: 0`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A prompt's tokens with their log-probabilities, and what may follow them."""

    tokens: PromptTokens
    top: dict[str, float] | None


class OpenAIScorer:
    """A `TextScorer` over `/v1/completions`.

    The scored tokens are found by their text, from the end of the prompt, blanks not counted.
    Where the server's token texts do not add up to the prompt (a character in pieces, a tokenizer
    that rewrites), they are counted instead: prompts that end where the scored text begins and
    ends are sent too.
    """

    def __init__(self, endpoint: Endpoint, dialect: Dialect) -> None:
        self._endpoint = endpoint
        self._dialect = dialect

    async def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        asked = [job for job in jobs if job.tail]
        plain = [job for job in jobs if not job.tail]
        read = {
            id(job): one
            for group, reflect in ((asked, True), (plain, False))
            for job, one in zip(group, await self._read(_prompts(group), reflect), strict=True)
        }
        places = {id(job): _place(read[id(job)].tokens, job) for job in jobs}
        lost = [job for job in jobs if places[id(job)] is None]
        if lost:
            for job, place in zip(lost, await self._count(lost), strict=True):
                places[id(job)] = place
        return [_scored(read[id(job)], places[id(job)], job) for job in jobs]

    async def _read(self, prompts: Sequence[str], reflect: bool) -> list[_Read]:
        if not prompts:
            return []
        options: dict[str, int | float | bool]
        if self._dialect is Dialect.PROMPT_LOGPROBS:
            options = {"max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
            if reflect:
                options["logprobs"] = _TOP
            return [_from_prompt(one) for one in await self._endpoint.complete(prompts, options)]
        generated = 1 if reflect else 0
        options = {
            "max_tokens": generated,
            "temperature": 0,
            "echo": True,
            "logprobs": _TOP if reflect else 0,
        }
        return [
            _from_echo(one, generated) for one in await self._endpoint.complete(prompts, options)
        ]

    async def _count(self, jobs: Sequence[ScoringJob]) -> list[range]:
        """Return where the scored tokens are, from the lengths of shorter prompts."""
        prompts = [text for job in jobs for text in (job.prefix, job.prefix + job.scored)]
        counts = [one.tokens.count for one in await self._read(prompts, reflect=False)]
        return [range(start, end) for start, end in zip(counts[::2], counts[1::2], strict=True)]


def _prompts(jobs: Sequence[ScoringJob]) -> list[str]:
    return [job.prefix + job.scored + job.tail for job in jobs]


def _from_prompt(completion: Completion) -> _Read:
    if not completion.prompt_logprobs:
        raise PermanentError("model endpoint gives no prompt log-probabilities")
    top = completion.logprobs.top_logprobs if completion.logprobs else None
    return _Read(tokens=prompt_tokens(completion.prompt_logprobs), top=(top or [None])[0])


def _from_echo(completion: Completion, generated: int) -> _Read:
    told = completion.logprobs
    if told is None or not told.tokens:
        raise PermanentError("model endpoint gives no log-probabilities of an echoed prompt")
    if len(told.tokens) != len(told.token_logprobs):
        raise PermanentError(
            f"model endpoint sent {len(told.token_logprobs)} log-probabilities "
            f"for {len(told.tokens)} tokens"
        )
    return _Read(
        tokens=echoed_tokens(told, len(told.tokens) - generated),
        top=(told.top_logprobs or [None])[-1] if generated else None,
    )


def _place(tokens: PromptTokens, job: ScoringJob) -> range | None:
    end = find_end(tokens.text_at, tokens.count, job.tail)
    if end is None:
        return None
    start = find_end(tokens.text_at, end, job.scored)
    return None if start is None else range(start, end)


def find_end(text_at: Callable[[int], str], end: int, text: str) -> int | None:
    """Return where the tokens that spell `text` begin, if they end at `end`; None if none do."""
    wanted = "".join(text.split())
    pieces: list[str] = []
    at, left = end, len(wanted)
    while at > 0 and left > 0:
        at -= 1
        piece = _bare(text_at(at))
        pieces.append(piece)
        left -= len(piece)
    return at if "".join(reversed(pieces)) == wanted else None


@lru_cache(maxsize=8_192)
def _bare(token: str) -> str:
    return "".join(token.replace("\u2581", " ").split())


def _scored(read: _Read, place: range | None, job: ScoringJob) -> ScoredText:
    tokens = read.tokens
    if place is None or not 0 < place.start < place.stop <= tokens.count:
        raise PermanentError("model endpoint's tokens do not line up with the prompt")
    known = [one for at in place if (one := tokens.log_probability_at(at)) is not None]
    if len(known) != len(place):
        raise PermanentError("model endpoint left out log-probabilities of the prompt")
    return ScoredText(
        log_probabilities=tuple(known),
        tokens=tuple(map(tokens.text_at, place)),
        yes_odds=yes_odds(read.top) if job.tail and read.top else None,
    )
