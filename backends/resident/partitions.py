"""Vectors in partitions around means: whoever looks for the nearest reads a few of them, each whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

PROBES: Final = 20
"""Partitions that are read first (docs/benchmarks/query.md)."""

MIN_ROWS: Final = 10_000
"""Rows from which vectors are parted: below it reading all of them costs no more."""

_SAMPLE: Final = 64
"""Rows a partition that means are learnt from."""

_ROUNDS: Final = 8
_BLOCK: Final = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Partitions:
    """Rows in the order of their partitions.

    Attributes:
        means: Shape `(partitions, d)`, unit.
        bounds: Shape `(partitions + 1,)`: partition `p` holds rows `bounds[p]` up to `bounds[p + 1]`.
    """

    means: NDArray[np.float32]
    bounds: NDArray[np.int64]

    def nearest(self, query: NDArray[np.float32], probes: int) -> Sequence[slice]:
        """Return the rows of the partitions nearest to a query, no more than `probes` of them."""
        order = np.argsort(-cosines(self.means, query), kind="stable")[:probes]
        return [slice(int(self.bounds[at]), int(self.bounds[at + 1])) for at in np.sort(order)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parted:
    """Partitions, and the order of rows that they want."""

    partitions: Partitions
    order: NDArray[np.int64]


def cosines(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the products of unit rows with a unit vector.

    Not a matrix product: its rounding of a row may depend on how many rows there are, and equal
    rows must tie. One thread, no waiting for others.
    """
    products: NDArray[np.float32] = np.einsum("ij,j->i", vectors, query)
    return products


def part(vectors: NDArray[np.float32]) -> Parted:
    """Part unit rows by spherical k-means into as many partitions as there are rows in one."""
    count = max(1, math.isqrt(len(vectors)))
    random = np.random.default_rng(0)
    chosen = random.permutation(len(vectors))[: _SAMPLE * count]
    sample = vectors[np.sort(chosen)]
    means = vectors[chosen[:count]].copy()
    for _ in range(_ROUNDS):
        means = _means(sample, _assigned(sample, means), means)
    home = _assigned(vectors, means)
    sizes = np.bincount(home, minlength=count)
    return Parted(
        partitions=Partitions(means=means, bounds=np.concatenate([[0], np.cumsum(sizes)])),
        order=np.argsort(home, kind="stable"),
    )


def _assigned(vectors: NDArray[np.float32], means: NDArray[np.float32]) -> NDArray[np.int64]:
    return np.concatenate(
        [
            np.argmax(vectors[start : start + _BLOCK] @ means.T, axis=1)
            for start in range(0, len(vectors), _BLOCK)
        ]
    )


def _means(
    vectors: NDArray[np.float32], home: NDArray[np.int64], before: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the unit mean of each partition; an empty one keeps its own."""
    order = np.argsort(home, kind="stable")
    filled, starts = np.unique(home[order], return_index=True)
    sums = np.add.reduceat(vectors[order], starts, axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    means = before.copy()
    means[filled] = np.where(lengths > 0, sums / np.maximum(lengths, 1e-12), before[filled])
    return means
