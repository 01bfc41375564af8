"""Okapi BM25 over many texts at once, in arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Robertson and Zaragoza 2009, section 3.2; as LanceDB has them.
K1: Final = 1.2
B: Final = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Which token stands in which row how often, by token and then by row.

    Attributes:
        tokens, rows, counts: Shape `(n,)`, sorted by token.
        lengths: Shape `(rows,)`, tokens of each row.
    """

    tokens: NDArray[np.int32]
    rows: NDArray[np.int32]
    counts: NDArray[np.float32]
    lengths: NDArray[np.float32]

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]]) -> Postings:
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        flat = np.fromiter(
            (token for text in texts for token in text), dtype=np.int64, count=int(lengths.sum())
        )
        keys, counts = np.unique(
            flat * max(1, len(texts)) + np.repeat(np.arange(len(texts)), lengths),
            return_counts=True,
        )
        tokens, rows = np.divmod(keys, max(1, len(texts)))
        return cls(
            tokens=tokens.astype(np.int32),
            rows=rows.astype(np.int32),
            counts=counts.astype(np.float32),
            lengths=lengths.astype(np.float32),
        )

    @classmethod
    def joined(cls, parts: Sequence[Postings]) -> Postings:
        """Return the postings of the parts' rows one after the other."""
        before = np.cumsum([0, *(len(part.lengths) for part in parts)])
        tokens = np.concatenate([part.tokens for part in parts])
        rows = np.concatenate(
            [part.rows + np.int32(first) for part, first in zip(parts, before[:-1], strict=True)]
        )
        order = np.argsort(tokens, kind="stable")
        return cls(
            tokens=tokens[order],
            rows=rows[order],
            counts=np.concatenate([part.counts for part in parts])[order],
            lengths=np.concatenate([part.lengths for part in parts]),
        )

    def taken(self, places: NDArray[np.int64]) -> Postings:
        """Return the postings of these rows, each once, in this order."""
        new = np.full(len(self.lengths), -1, dtype=np.int32)
        new[places] = np.arange(len(places), dtype=np.int32)
        rows = new[self.rows]
        kept = rows >= 0
        order = np.lexsort((rows[kept], self.tokens[kept]))
        return Postings(
            tokens=self.tokens[kept][order],
            rows=rows[kept][order],
            counts=self.counts[kept][order],
            lengths=self.lengths[places],
        )

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self.tokens, self.rows, self.counts, self.lengths))

    def having(self, token: int) -> slice:
        """Return where the token's postings stand."""
        start, end = np.searchsorted(self.tokens, np.array([token, token + 1], dtype=np.int32))
        return slice(int(start), int(end))


@dataclass(frozen=True, slots=True, kw_only=True)
class LivingPostings:
    """Postings with those of their rows that are still there."""

    postings: Postings
    alive: NDArray[np.bool_]


def scores(parts: Sequence[LivingPostings], tokens: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return the BM25 score of each row, a part at a time; 0 where it has none of the tokens.

    Numbers of rows, and mean lengths, are of the living rows of all parts together.
    """
    count = sum(int(part.alive.sum()) for part in parts)
    total = sum(float(part.postings.lengths[part.alive].sum(dtype=np.float64)) for part in parts)
    mean = total / count if total else 1.0
    found = [np.zeros(len(part.alive), dtype=np.float64) for part in parts]
    for token in tokens:
        held = [part.postings.having(token) for part in parts]
        rows = [part.postings.rows[at] for part, at in zip(parts, held, strict=True)]
        having = sum(int(part.alive[at].sum()) for part, at in zip(parts, rows, strict=True))
        idf = math.log1p((count - having + 0.5) / (having + 0.5))
        for part, at, places, score in zip(parts, rows, held, found, strict=True):
            often = part.postings.counts[places]
            length = K1 * (1 - B + B / mean * part.postings.lengths[at])
            score[at] += idf * (K1 + 1) * often / (often + length)
    return found
