"""The fast tier: a linear model over hashed n-grams that ranks a text's sentences.

It reads words, pairs and triples of words, and runs of four characters, each hashed to one weight.
Its place is to choose what the encoder reads; its score alone decides nothing.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

BUCKETS: Final = 1 << 17
CHARACTERS: Final = 4

_WORD = re.compile(r"[^\W_]+|[^\w\s]")
_ODD: Final = np.uint32(0x9E3779B1)  # 2^32 / golden ratio, Knuth's multiplicative hashing
_SALTS: Final = tuple(np.uint32(salt) for salt in (0x1B873593, 0xCC9E2D51, 0x85EBCA6B))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Features:
    """Hashed n-grams of a text.

    Attributes:
        places: Shape (n,), int64, rising within each kind of n-gram: where each starts.
        buckets: Shape (n,), int64, in [0, BUCKETS).
    """

    places: NDArray[np.int64]
    buckets: NDArray[np.int64]


def features(folded: str) -> Features:
    """Return the n-grams of a text that `fold` has been over."""
    places: list[NDArray[np.int64]] = []
    hashes: list[NDArray[np.uint32]] = []
    spans = [match.span() for match in _WORD.finditer(folded)]
    if spans:
        starts = np.fromiter((start for start, _ in spans), np.int64, len(spans))
        words = np.fromiter(
            (zlib.crc32(folded[start:end].encode("utf-8", "replace")) for start, end in spans),
            np.uint32,
            len(spans),
        )
        grams = words
        for size, salt in enumerate(_SALTS, start=1):
            if len(words) < size:
                break
            if size > 1:
                grams = grams[:-1] * _ODD + words[size - 1 :]
            places.append(starts[: len(grams)])
            hashes.append(grams ^ salt)
    if len(folded) >= CHARACTERS:
        codes = np.frombuffer(folded.encode("utf-32-le", "replace"), np.uint32)
        runs = codes[: len(codes) - CHARACTERS + 1].copy()
        for shift in range(1, CHARACTERS):
            runs = runs * _ODD + codes[shift : len(codes) - CHARACTERS + 1 + shift]
        places.append(np.arange(len(runs), dtype=np.int64))
        hashes.append(runs)
    if not places:
        return Features(places=np.empty(0, np.int64), buckets=np.empty(0, np.int64))
    mixed = np.concatenate(hashes)
    mixed = (mixed ^ (mixed >> np.uint32(15))) * _ODD
    return Features(
        places=np.concatenate(places),
        buckets=(mixed >> np.uint32(32 - 17)).astype(np.int64),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WindowRanker:
    """Scores pieces of a text, in log-odds up to a shift: the higher, the more it addresses a model.

    Attributes:
        weights: Shape (BUCKETS,), float32.
        bias: Added to every score.
    """

    weights: NDArray[np.float32]
    bias: float

    def __post_init__(self) -> None:
        if self.weights.shape != (BUCKETS,):
            raise ValueError(f"weights must have shape ({BUCKETS},), got {self.weights.shape}")

    def scores(self, folded: str, bounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the score of each piece, shape (n,); `bounds` has shape (n, 2), in order.

        A score is the sum of the weights of the n-grams that start in the piece over the square
        root of their number, plus the bias.
        """
        if not len(bounds):
            return np.empty(0, np.float64)
        found = features(folded)
        piece = np.searchsorted(bounds[:, 0], found.places, side="right") - 1
        inside = piece >= 0
        piece = piece[inside]
        sums = np.bincount(piece, self.weights[found.buckets[inside]], len(bounds))
        counts = np.bincount(piece, minlength=len(bounds)).astype(np.float64)
        scored: NDArray[np.float64] = self.bias + sums / np.sqrt(np.maximum(counts, 1.0))
        return scored
