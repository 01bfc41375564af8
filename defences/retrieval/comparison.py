"""Partitions that mix seats. Kept for comparison: none of them bounds what one seat can move.

`multi-perspective` is Algorithm 1 of Wang et al., ICLR 2025, arXiv:2407.08223; `random` and
`round-robin` are what it is compared with. They look at what a text says and never at whose it is,
which is the point of them: a poisoned cluster reaches every draft.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from sklearn.cluster import KMeans

from defences.retrieval.ranking import best_first
from domain.answering import PartitionMode
from domain.retrieval import ScoredChunk

_STARTS: Final = 4
"""Starting points of K-means; the tightest clusters of them are taken."""


class Mixer(Protocol):
    def __call__(
        self, chunks: Sequence[ScoredChunk], m: int, k: int, random: np.random.Generator
    ) -> list[list[ScoredChunk]]:
        """Return at most `m` subsets of at most `k` of the chunks, which come best first."""
        ...


def mixed(
    chunks: Sequence[ScoredChunk], mode: PartitionMode, *, m: int, k: int, key: bytes
) -> list[list[ScoredChunk]]:
    """Return at most `m` subsets of at most `k` chunks each, best first inside.

    Of the evidence the best m x k passages are dealt, as in the paper (10 = 5 x 2). The same
    passages and key give the same subsets, whatever order they come in.

    Args:
        mode: One of `MIXERS`.
    """
    dealt = best_first(chunks)[: m * k]
    if not dealt:
        return []
    ids = "\n".join(chunk.chunk.id for chunk in dealt)
    seed = hashlib.blake2b(ids.encode(), key=key[:64], digest_size=8).digest()
    random = np.random.default_rng(int.from_bytes(seed))
    return [best_first(subset) for subset in MIXERS[mode](dealt, m, k, random)]


def _round_robin(
    chunks: Sequence[ScoredChunk], m: int, k: int, random: np.random.Generator
) -> list[list[ScoredChunk]]:
    """Deal in turn: disjoint, every subset with its share of the best."""
    del random
    return [list(chunks[start::m][:k]) for start in range(min(m, len(chunks)))]


def _random(
    chunks: Sequence[ScoredChunk], m: int, k: int, random: np.random.Generator
) -> list[list[ScoredChunk]]:
    """Draw `m` unique subsets of `k` chunks, each by itself: they may overlap."""
    size = min(k, len(chunks))
    wanted = min(m, math.comb(len(chunks), size))
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < wanted:
        drawn[tuple(sorted(random.permutation(len(chunks))[:size].tolist()))] = None
    return [[chunks[at] for at in subset] for subset in drawn]


def _multi_perspective(
    chunks: Sequence[ScoredChunk], m: int, k: int, random: np.random.Generator
) -> list[list[ScoredChunk]]:
    """Algorithm 1: `k` clusters, one chunk of each in every subset, `m` unique subsets.

    The paper's embedding depends on the question (InBedder); here the index's own is clustered.
    """
    clusters = _clusters(chunks, k, random)
    wanted = min(m, math.prod(len(cluster) for cluster in clusters))
    if math.prod(len(cluster) for cluster in clusters) <= m:
        return [list(subset) for subset in itertools.product(*clusters)]
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < wanted:
        drawn[tuple(int(random.integers(len(cluster))) for cluster in clusters)] = None
    return [[cluster[at] for cluster, at in zip(clusters, subset, strict=True)] for subset in drawn]


def _clusters(
    chunks: Sequence[ScoredChunk], k: int, random: np.random.Generator
) -> list[list[ScoredChunk]]:
    vectors = np.stack([chunk.vector for chunk in chunks]).astype(np.float64)
    distinct = len(np.unique(vectors, axis=0))
    means = KMeans(
        n_clusters=min(k, distinct), n_init=_STARTS, random_state=int(random.integers(2**31))
    )
    clusters: dict[int, list[ScoredChunk]] = {}
    for chunk, label in zip(chunks, means.fit_predict(vectors).tolist(), strict=True):
        clusters.setdefault(label, []).append(chunk)
    return list(clusters.values())


MIXERS: Final[Mapping[PartitionMode, Mixer]] = {
    PartitionMode.MULTI_PERSPECTIVE: _multi_perspective,
    PartitionMode.ROUND_ROBIN: _round_robin,
    PartitionMode.RANDOM: _random,
}
"""The comparison modes: a partition of any of them carries no tolerance."""
