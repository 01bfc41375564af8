"""The calls that drafters, verifiers and rerankers make of OpenAI-compatible servers."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, TypeAlias, TypeVar

import httpx
from pydantic import BaseModel, Field, FiniteFloat, SecretStr, ValidationError

from backends.http_bodies import body_within
from backends.llm.completions import Completion, Usage, read_completions
from backends.llm.prompts import Message
from backends.server_pool import GarbledError, RefusedError, ServerPool, UnreachableError
from domain.errors import PermanentError, TransientError
from domain.usage import ModelRole, count_call

MAX_CHAT_BYTES: Final = 2_000_000
MAX_COMPLETION_BYTES: Final = 64_000_000
"""Log-probabilities of a long prompt take about 90 bytes a token."""

PROMPTS_A_REQUEST: Final = 16

_RETRYABLE: Final = frozenset({408, 409, 425, 429})
_NOT_IMPLEMENTED: Final = 501
_LISTS_NOTHING: Final = frozenset({404, 405, _NOT_IMPLEMENTED})
"""Statuses of servers without a list of models, of which there are some."""
_SERVER_ERROR: Final = 500

Body: TypeAlias = Mapping[
    str, "str | int | float | bool | Sequence[str] | Sequence[Mapping[str, str]]"
]


ReplyT = TypeVar("ReplyT", bound=BaseModel)
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """`log_probabilities` of the generated tokens; None where the server gives none."""

    text: str
    log_probabilities: tuple[float, ...] | None


class _Total(BaseModel):
    total_tokens: int | None = Field(None, ge=0)


class _Counted(BaseModel):
    usage: _Total | None = None


class _ChatToken(BaseModel):
    logprob: FiniteFloat


class _ChatLogprobs(BaseModel):
    content: list[_ChatToken] | None = None


class _ChatMessage(BaseModel):
    content: str | None = None


class _ChatChoice(BaseModel):
    message: _ChatMessage
    logprobs: _ChatLogprobs | None = None


class _Chat(BaseModel):
    choices: list[_ChatChoice] = Field(min_length=1)
    usage: Usage | None = None


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Model]


class Endpoint:
    """A model and the servers that have it. Errors are wrapped here, once.

    With one server nothing is retried; with several a call goes to the least loaded, and on to the
    next where that fails (`backends.server_pool`). Neither the key nor a prompt or reply ever
    enters an error message.
    """

    def __init__(
        self,
        *,
        client: httpx.AsyncClient,
        base_url: str,
        model: str,
        role: ModelRole,
        more_urls: Sequence[str] = (),
        api_key: SecretStr | None = None,
        timeout_seconds: float = 30.0,
        connect_seconds: float = 5.0,
        concurrency: int = 8,
    ) -> None:
        """Keep the settings; nothing is sent yet.

        Args:
            client: Shared connections; whoever made it closes it.
            base_url: With `/v1`, without what follows.
            model: As the servers name it.
            role: What it is asked for; its calls are counted under it.
            more_urls: Of further servers with the same model and key.
            api_key: Sent as a bearer token, if given.
            timeout_seconds: For one call as a whole, the wait for its turn not counted.
            connect_seconds: Of it, for the connection: what is not there is known sooner.
            concurrency: Calls under way at once to each server, at most.
        """
        if timeout_seconds <= 0 or connect_seconds <= 0 or concurrency < 1:
            raise ValueError("timeouts and concurrency must be > 0")
        self.model = model
        self.role = role
        self._client = client
        self._api_key = api_key
        self._timeout_seconds = timeout_seconds
        self._timeout = httpx.Timeout(timeout_seconds, connect=connect_seconds)
        urls = tuple(dict.fromkeys(url.rstrip("/") for url in (base_url, *more_urls)))
        self.pool = ServerPool(urls, concurrency=concurrency)
        self.pool.require(self._alive)

    def members(self) -> tuple[Endpoint, ...]:
        """Return an endpoint a server, for what must be asked of each."""
        return tuple(self.member(url) for url in self.pool.urls)

    def member(self, url: str) -> Endpoint:
        """Return the same model at one of the servers alone."""
        alone = copy.copy(self)
        alone.pool = ServerPool((url,))
        return alone

    async def models(self, url: str) -> tuple[str, ...] | None:
        """Return the names of the models that the server at `url` lists; None: it lists none.

        Raises:
            TransientError: No answer in time, or an error of the server's.
            RefusedError: It does not take the request.
            GarbledError: The reply is no list of models.
        """
        asked = self._exchange("GET", url + "/models", None, MAX_CHAT_BYTES)
        try:
            content = await _wrapped(asked, self._timeout_seconds)
        except RefusedError as exc:
            if exc.status in _LISTS_NOTHING:
                return None
            raise
        return tuple(one.id for one in _reading(_Models)(content).data)

    async def _alive(self, url: str) -> str | None:
        """Say what is wrong with a server, as far as the list of its models tells."""
        try:
            await self.models(url)
        except RefusedError as exc:
            return str(exc)
        except GarbledError:
            return None  # it answers; whether it answers well is for the calls to tell
        return None

    async def chat(
        self, messages: Sequence[Message], *, max_tokens: int, log_probabilities: bool
    ) -> ChatReply:
        """Generate greedily.

        Raises:
            TransientError: No answer in time, or over the server's limits.
            RefusedError: The server does not take the request.
            PermanentError: The reply is not one.
        """
        body: dict[str, str | int | float | bool | Sequence[Mapping[str, str]]] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        if log_probabilities:
            body["logprobs"] = True
        reply = await self._post("/chat/completions", body, MAX_CHAT_BYTES, _reading(_Chat))
        self._count(reply.usage)
        choice = reply.choices[0]
        tokens = choice.logprobs.content if choice.logprobs is not None else None
        return ChatReply(
            text=choice.message.content or "",
            log_probabilities=tuple(token.logprob for token in tokens) if tokens else None,
        )

    async def complete(
        self, prompts: Sequence[str], options: Mapping[str, int | float | bool]
    ) -> list[Completion]:
        """Return one completion a prompt, in order; long lists go in several calls at once.

        Raises:
            TransientError: No answer in time, or over the server's limits.
            RefusedError: The server does not take the request.
            PermanentError: The reply is not one.
        """
        parts = [
            prompts[at : at + PROMPTS_A_REQUEST] for at in range(0, len(prompts), PROMPTS_A_REQUEST)
        ]
        tasks = [asyncio.ensure_future(self._complete(part, options)) for part in parts]
        try:
            return [one for part in await asyncio.gather(*tasks) for one in part]
        finally:
            for task in tasks:  # those that a failed one left running
                task.cancel()

    async def rerank(self, query: str, documents: Sequence[str]) -> bytes:
        """Return the body of `/rerank`, which no standard fixes beyond its results.

        Raises:
            TransientError: No answer in time, or over the server's limits.
            RefusedError: The server does not take the request.
        """
        body: Body = {
            "model": self.model,
            "query": query,
            "documents": list(documents),
            "top_n": len(documents),
        }
        content = await self._post("/rerank", body, MAX_CHAT_BYTES, bytes)
        count_call(self.role, read=_total_tokens(content), written=0)
        return content

    async def _complete(
        self, prompts: Sequence[str], options: Mapping[str, int | float | bool]
    ) -> list[Completion]:
        body: Body = {"model": self.model, "prompt": list(prompts), **options}
        reply = await self._post(
            "/completions",
            body,
            MAX_COMPLETION_BYTES,
            partial(read_completions, prompts=len(prompts)),
        )
        self._count(reply.usage)
        return reply.choices

    def _count(self, usage: Usage | None) -> None:
        told = usage or Usage()
        details = told.prompt_tokens_details
        count_call(
            self.role,
            read=told.prompt_tokens,
            cached=details.cached_tokens if details is not None else None,
            written=told.completion_tokens,
        )

    async def _post(
        self, path: str, body: Body, max_bytes: int, read: Callable[[bytes], ResultT]
    ) -> ResultT:
        async def send(url: str) -> ResultT:
            exchange = self._exchange("POST", url + path, body, max_bytes)
            return read(await _wrapped(exchange, self._timeout_seconds))

        return await self.pool.call(send)

    def _headers(self) -> dict[str, str]:
        if self._api_key is None:
            return {}
        return {"Authorization": f"Bearer {self._api_key.get_secret_value()}"}

    async def _exchange(self, method: str, url: str, body: Body | None, max_bytes: int) -> bytes:
        async with self._client.stream(
            method,
            url,
            json=body,
            headers=self._headers(),
            timeout=self._timeout,
            follow_redirects=False,
        ) as response:
            status = response.status_code
            failed = status >= _SERVER_ERROR and status != _NOT_IMPLEMENTED
            if status in _RETRYABLE or failed:
                raise TransientError(f"model endpoint answered {status}")
            if not response.is_success:
                raise RefusedError(f"model endpoint answered {status}", status=status)
            content = await body_within(response, max_bytes)
            if content is None:
                raise PermanentError(f"model endpoint sent more than {max_bytes} bytes")
            return content


@lru_cache(maxsize=256)  # building a request takes 185 us if it is read anew, 85 to 140 if not
def _parsed(url: str) -> httpx.URL:
    return httpx.URL(url)


async def _wrapped(exchange: Awaitable[ResultT], timeout_seconds: float) -> ResultT:
    """Await an exchange, its errors and its time ours."""
    try:
        async with asyncio.timeout(timeout_seconds):
            return await exchange
    except TimeoutError as exc:
        raise UnreachableError(
            f"model endpoint did not answer within {timeout_seconds:g} seconds"
        ) from exc
    except httpx.TransportError as exc:
        permanent = isinstance(exc, httpx.UnsupportedProtocol)
        kind = PermanentError if permanent else UnreachableError
        raise kind(f"model endpoint did not answer: {type(exc).__name__}") from exc
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise PermanentError(f"model request failed: {type(exc).__name__}") from exc


def _total_tokens(content: bytes) -> int | None:
    """Return what a reply says was read; None where it does not tell."""
    try:
        usage = _Counted.model_validate_json(content).usage
    except ValidationError:
        return None
    return usage.total_tokens if usage is not None else None


def _reading(model: type[ReplyT]) -> Callable[[bytes], ReplyT]:
    def read(content: bytes) -> ReplyT:
        try:
            return model.model_validate_json(content)
        except ValidationError as exc:
            raise GarbledError(
                f"model endpoint sent a malformed reply: {exc.error_count()} faults"
            ) from exc

    return read
