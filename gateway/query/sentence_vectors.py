"""Sentence embeddings of the drafts under way: one call for many, and none for what is known."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.retrieval import Embedder, Vector

DEFAULT_CAPACITY: Final = 20_000
"""Sentences kept; at 384 dimensions 1.5 kB each and their texts, so 35 MB."""


class SentenceVectors:
    """Embeds texts for whoever asks, joining requests of one turn of the event loop.

    Drafts of one question run side by side; each asks for its own sentences, and the embedder is
    called once for all of them. Vectors are kept, those of the texts least recently asked for
    dropped first, so that a question asked again embeds nothing. It is an `Embedder` itself, so
    that drafter and verifier can share one.
    """

    def __init__(self, embedder: Embedder, *, capacity: int = DEFAULT_CAPACITY) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be >= 1, got {capacity}")
        self._embedder = embedder
        self._capacity = capacity
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._waiting: dict[str, asyncio.Future[Vector]] = {}
        self._flushes: set[asyncio.Task[None]] = set()

    @classmethod
    def over(cls, embedder: Embedder, *, capacity: int = DEFAULT_CAPACITY) -> SentenceVectors:
        """Return `embedder` itself where it is one already, else one that calls it."""
        return embedder if isinstance(embedder, cls) else cls(embedder, capacity=capacity)

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def version(self) -> str:
        return self._embedder.version

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of shape `(len(texts), dimensions)`, in order.

        Raises:
            TransientError: The model did not answer in time.
            PermanentError: The model is not what was configured.
        """
        if not texts:
            return np.empty((0, self._embedder.dimensions), dtype=np.float32)
        found: dict[str, Vector] = {}
        pending: dict[str, asyncio.Future[Vector]] = {}
        for text in dict.fromkeys(texts):
            if (known := self._known.get(text)) is not None:
                self._known.move_to_end(text)
                found[text] = known
            else:
                pending[text] = self._enqueue(text)
        for text, future in pending.items():
            found[text] = await asyncio.shield(future)
        return np.stack([found[text] for text in texts])

    def _enqueue(self, text: str) -> asyncio.Future[Vector]:
        waiting = self._waiting.get(text)
        if waiting is not None:
            return waiting
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Vector] = loop.create_future()
        future.add_done_callback(_retrieve)
        if not self._waiting:
            loop.call_soon(self._start_flush)
        self._waiting[text] = future
        return future

    def _start_flush(self) -> None:
        batch, self._waiting = self._waiting, {}
        task = asyncio.get_running_loop().create_task(self._flush(batch))
        self._flushes.add(task)
        task.add_done_callback(self._flushes.discard)

    async def _flush(self, batch: dict[str, asyncio.Future[Vector]]) -> None:
        try:
            vectors = await self._embedder.embed(list(batch))
        except BaseException as error:
            for future in batch.values():
                if isinstance(error, Exception):
                    future.set_exception(error)
                else:
                    future.cancel()
            if not isinstance(error, Exception):
                raise
            return
        for (text, future), vector in zip(batch.items(), vectors, strict=True):
            self._known[text] = vector
            future.set_result(vector)
        while len(self._known) > self._capacity:
            self._known.popitem(last=False)


def _retrieve(future: asyncio.Future[Vector]) -> None:
    """Mark a failure as seen: a waiter that was cancelled never asks for it."""
    if not future.cancelled():
        future.exception()
