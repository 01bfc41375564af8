"""Sentence vectors from any endpoint that speaks OpenAI's `/v1/embeddings`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import httpx
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, SecretStr, ValidationError

from backends.embedding_texts import well_formed
from backends.http_bodies import body_within
from backends.server_pool import GarbledError, RefusedError, ServerPool, UnreachableError
from domain.errors import DependencyError, PermanentError, TransientError
from domain.usage import ModelRole, count_call

_SAME: Final = 0.99
"""Least cosine of one text's vectors from two servers of a model; int8 against fp32 gives .9995."""

_KNOWN_TEXT: Final = "The warranty of the pump lasts twenty-four months."

_CALLS_AT_ONCE: Final = 32
"""To each server; what embeds asks once a batch."""

MAX_REPLY_BYTES: Final = 64_000_000
"""Of one batch: 64 vectors of 4,096 numbers, at 25 bytes a number, take 7 MB."""

_RETRYABLE: Final = frozenset({408, 409, 425, 429})
_SERVER_ERROR: Final = 500


class _Item(BaseModel):
    index: int
    embedding: list[float]


class _Usage(BaseModel):
    prompt_tokens: int | None = Field(None, ge=0)


class _Reply(BaseModel):
    data: list[_Item]
    usage: _Usage | None = None


class OpenAIEmbedder:
    """An `Embedder` over HTTP, e.g. vLLM, a llama.cpp server, or a hosted service.

    With one server calls are not retried; the caller knows what it can wait for. With several a
    call goes to the least loaded, and on to the next where that fails (`backends.server_pool`);
    one whose vectors are not those of the others is left out. A request's texts and the key never
    enter an error message.
    """

    def __init__(
        self,
        *,
        client: httpx.AsyncClient,
        base_url: str,
        model: str,
        dimensions: int,
        more_urls: Sequence[str] = (),
        api_key: SecretStr | None = None,
        timeout_seconds: float = 30.0,
        connect_seconds: float = 5.0,
        batch_size: int = 64,
        max_characters: int = 24_000,
    ) -> None:
        """Keep the settings; nothing is sent yet.

        Args:
            client: Shared connections; whoever made it closes it.
            base_url: Up to and without `/embeddings`, e.g. `http://vllm:8000/v1`.
            model: As the endpoint names it.
            dimensions: Of the model's vectors; any other length is refused.
            more_urls: Of further servers with the same model and key.
            api_key: Sent as a bearer token, if given.
            timeout_seconds: For one call as a whole.
            connect_seconds: For connecting, if that is less.
            batch_size: Texts a request, at most.
            max_characters: The rest of a text is not sent. Endpoints refuse what does not fit
                their context; 24,000 characters of English are about 6,000 tokens.
        """
        if min(dimensions, batch_size, max_characters) < 1 or timeout_seconds <= 0:
            raise ValueError(
                "dimensions, batch_size, max_characters and timeout_seconds must be > 0"
            )
        self._client = client
        urls = tuple(dict.fromkeys(url.rstrip("/") for url in (base_url, *more_urls)))
        self.pool = ServerPool(urls, concurrency=_CALLS_AT_ONCE)
        self._reference: NDArray[np.float32] | None = None
        self._settling = asyncio.Lock()
        self._model = model
        self._dimensions = dimensions
        self._api_key = api_key
        self._timeout_seconds = timeout_seconds
        self._timeout = httpx.Timeout(
            timeout_seconds, connect=min(connect_seconds, timeout_seconds)
        )
        self._batch_size = batch_size
        self._max_characters = max_characters

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def version(self) -> str:
        return f"openai:{self._model}:{self._dimensions}"

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(self.pool.urls) > 1 and self._reference is None:
            await self._settle()
        vectors = np.empty((len(texts), self._dimensions), dtype=np.float32)
        for start in range(0, len(texts), self._batch_size):
            batch = texts[start : start + self._batch_size]
            vectors[start : start + len(batch)] = await self._embed_batch(batch)
        return vectors

    async def _embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # OpenAI refuses an empty text, and with it the whole batch
        inputs = [well_formed(text, max_characters=self._max_characters) or " " for text in texts]
        return await self.pool.call(lambda url: self._ask(url, inputs))

    async def _ask(self, url: str, texts: Sequence[str]) -> NDArray[np.float32]:
        content = await self._post(url, {"model": self._model, "input": list(texts)})
        try:
            reply = _Reply.model_validate_json(content)
        except ValidationError as exc:
            raise GarbledError(
                f"embeddings endpoint sent a malformed reply: {exc.error_count()} faults"
            ) from exc
        count_call(
            ModelRole.EMBEDDER,
            read=reply.usage.prompt_tokens if reply.usage is not None else None,
            written=0,
        )
        items = sorted(reply.data, key=lambda item: item.index)
        if [item.index for item in items] != list(range(len(texts))):
            raise GarbledError(
                f"embeddings endpoint sent {len(items)} vectors for {len(texts)} texts, "
                "or numbered them wrongly"
            )
        lengths = {len(item.embedding) for item in items}
        if lengths != {self._dimensions}:
            raise GarbledError(
                f"embeddings endpoint sent {sorted(lengths)} dimensions, "
                f"{self._dimensions} are configured"
            )
        return _unit(np.asarray([item.embedding for item in items], dtype=np.float64))

    async def _settle(self) -> None:
        """Take the vector of the first server that answers as that of the model."""
        async with self._settling:
            if self._reference is None:
                self._reference = (await self._embed_batch([_KNOWN_TEXT]))[0]
                self.pool.require(self._fault_of)
                for url in self.pool.urls:
                    try:
                        fault = await self._fault_of(url)
                    except DependencyError as exc:
                        fault = str(exc)
                    if fault is not None:
                        self.pool.take_out(url, fault)

    async def _fault_of(self, url: str) -> str | None:
        vector = (await self._ask(url, [_KNOWN_TEXT]))[0]
        same = self._reference is None or float(vector @ self._reference) >= _SAME
        return None if same else "its vectors are not those of the other servers"

    async def _post(self, url: str, body: dict[str, str | list[str]]) -> bytes:
        headers = {}
        if self._api_key is not None:
            headers["Authorization"] = f"Bearer {self._api_key.get_secret_value()}"
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._exchange(f"{url}/embeddings", body, headers)
        except TimeoutError as exc:
            raise UnreachableError(
                f"embeddings endpoint did not answer within {self._timeout_seconds:g} seconds"
            ) from exc
        except httpx.TransportError as exc:
            permanent = isinstance(exc, httpx.UnsupportedProtocol)
            kind = PermanentError if permanent else UnreachableError
            raise kind(f"embeddings endpoint did not answer: {type(exc).__name__}") from exc
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise PermanentError(f"embeddings request failed: {type(exc).__name__}") from exc

    async def _exchange(
        self, url: str, body: dict[str, str | list[str]], headers: dict[str, str]
    ) -> bytes:
        # In pieces: a client's own time limits are for each of them, and its replies of any size.
        async with self._client.stream(
            "POST", url, json=body, headers=headers, timeout=self._timeout
        ) as response:
            status = response.status_code
            if status in _RETRYABLE or status >= _SERVER_ERROR:
                raise TransientError(f"embeddings endpoint answered {status}")
            if not response.is_success:
                raise RefusedError(f"embeddings endpoint answered {status}", status=status)
            content = await body_within(response, MAX_REPLY_BYTES)
            if content is None:
                raise GarbledError(f"embeddings endpoint sent more than {MAX_REPLY_BYTES} bytes")
            return content


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or (norms == 0).any():
        raise GarbledError("embeddings endpoint sent a vector that is zero or not finite")
    unit: NDArray[np.float32] = (vectors / norms).astype(np.float32)
    return unit
