"""Vectors from hashed character n-grams: no model, for tests and `serve --memory`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import xxhash
from numpy.typing import NDArray

from backends.embedding_texts import well_formed

MAX_CHARACTERS: Final = 32_768
_LENGTHS: Final = (3, 4)


class HashingEmbedder:
    """An `Embedder` that sees spelling, not meaning; the same on every machine and in every run.

    Feature hashing with signs (Weinberger et al. 2009) over words and their 3- and 4-grams, counts
    damped by a square root. Case and white space do not matter.
    """

    def __init__(self, *, dimensions: int = 384) -> None:
        if dimensions < 1:
            raise ValueError(f"dimensions must be >= 1, got {dimensions}")
        self._dimensions = dimensions

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def version(self) -> str:
        return f"hashing-1:{self._dimensions}"

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_sync(texts)

    def embed_sync(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors in order. A text without features gets the first basis vector."""
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(text)
        return vectors

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self._dimensions, dtype=np.float64)
        for feature in _features(well_formed(text, max_characters=MAX_CHARACTERS)):
            digest = xxhash.xxh64_intdigest(feature.encode())
            vector[(digest >> 1) % self._dimensions] += 1 if digest & 1 else -1
        vector = np.sign(vector) * np.sqrt(np.abs(vector))
        norm = float(np.linalg.norm(vector))
        if norm == 0:
            vector[0] = norm = 1
        unit: NDArray[np.float32] = (vector / norm).astype(np.float32)
        return unit


def _features(text: str) -> Iterator[str]:
    for word in text.casefold().split():
        yield word
        bounded = f" {word} "
        for length in _LENGTHS:
            for start in range(len(bounded) - length + 1):
                yield bounded[start : start + length]
