"""Sentence vectors from any endpoint that speaks OpenAI's `/v1/embeddings`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import httpx
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, SecretStr, ValidationError

from backends.embedding_texts import well_formed
from domain.errors import PermanentError, TransientError

_RETRYABLE: Final = frozenset({408, 409, 425, 429})
_SERVER_ERROR: Final = 500


class _Item(BaseModel):
    index: int
    embedding: list[float]


class _Reply(BaseModel):
    data: list[_Item]


class OpenAIEmbedder:
    """An `Embedder` over HTTP, e.g. vLLM, a llama.cpp server, or a hosted service.

    Calls are not retried here; the caller knows what it can wait for. A request's texts and the
    key never enter an error message.
    """

    def __init__(
        self,
        *,
        client: httpx.AsyncClient,
        base_url: str,
        model: str,
        dimensions: int,
        api_key: SecretStr | None = None,
        timeout_seconds: float = 30.0,
        batch_size: int = 64,
        max_characters: int = 24_000,
    ) -> None:
        """Keep the settings; nothing is sent yet.

        Args:
            client: Shared connections; whoever made it closes it.
            base_url: Up to and without `/embeddings`, e.g. `http://vllm:8000/v1`.
            model: As the endpoint names it.
            dimensions: Of the model's vectors; any other length is refused.
            api_key: Sent as a bearer token, if given.
            timeout_seconds: For each of connecting, sending, and waiting for a reply.
            batch_size: Texts a request, at most.
            max_characters: The rest of a text is not sent. Endpoints refuse what does not fit
                their context; 24,000 characters of English are about 6,000 tokens.
        """
        if min(dimensions, batch_size, max_characters) < 1 or timeout_seconds <= 0:
            raise ValueError(
                "dimensions, batch_size, max_characters and timeout_seconds must be > 0"
            )
        self._client = client
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._model = model
        self._dimensions = dimensions
        self._api_key = api_key
        self._timeout = httpx.Timeout(timeout_seconds)
        self._batch_size = batch_size
        self._max_characters = max_characters

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def version(self) -> str:
        return f"openai:{self._model}:{self._dimensions}"

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self._dimensions), dtype=np.float32)
        for start in range(0, len(texts), self._batch_size):
            batch = texts[start : start + self._batch_size]
            vectors[start : start + len(batch)] = await self._embed_batch(batch)
        return vectors

    async def _embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # OpenAI refuses an empty text, and with it the whole batch
        inputs = [well_formed(text, max_characters=self._max_characters) or " " for text in texts]
        content = await self._post({"model": self._model, "input": inputs})
        try:
            items = sorted(_Reply.model_validate_json(content).data, key=lambda item: item.index)
        except ValidationError as exc:
            raise PermanentError(
                f"embeddings endpoint sent a malformed reply: {exc.error_count()} faults"
            ) from exc
        if [item.index for item in items] != list(range(len(texts))):
            raise PermanentError(
                f"embeddings endpoint sent {len(items)} vectors for {len(texts)} texts, "
                "or numbered them wrongly"
            )
        lengths = {len(item.embedding) for item in items}
        if lengths != {self._dimensions}:
            raise PermanentError(
                f"embeddings endpoint sent {sorted(lengths)} dimensions, "
                f"{self._dimensions} are configured"
            )
        return _unit(np.asarray([item.embedding for item in items], dtype=np.float64))

    async def _post(self, body: dict[str, str | list[str]]) -> bytes:
        headers = {}
        if self._api_key is not None:
            headers["Authorization"] = f"Bearer {self._api_key.get_secret_value()}"
        try:
            response = await self._client.post(
                self._url, json=body, headers=headers, timeout=self._timeout
            )
        except httpx.TransportError as exc:
            kind = PermanentError if isinstance(exc, httpx.UnsupportedProtocol) else TransientError
            raise kind(f"embeddings endpoint did not answer: {type(exc).__name__}") from exc
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise PermanentError(f"embeddings request failed: {type(exc).__name__}") from exc
        status = response.status_code
        if status in _RETRYABLE or status >= _SERVER_ERROR:
            raise TransientError(f"embeddings endpoint answered {status}")
        if not response.is_success:
            raise PermanentError(f"embeddings endpoint answered {status}")
        return response.content


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or (norms == 0).any():
        raise PermanentError("embeddings endpoint sent a vector that is zero or not finite")
    unit: NDArray[np.float32] = (vectors / norms).astype(np.float32)
    return unit
