"""Peers that throw passages away before a standard RAG reads the rest."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np
from sklearn.cluster import KMeans

from domain.retrieval import ScoredChunk
from evaluation.calibration.answer_matching import canonical_tokens
from evaluation.redteam.rows import Row
from evaluation.redteam.systems.gateway import Models
from evaluation.redteam.systems.peers import Peer, answered
from evaluation.redteam.systems.reply import Reply
from evaluation.redteam.world import World

ALIKE: Final = 0.25
"""ROUGE-L from which texts of a cluster count as copies (Zhou et al. 2025, arXiv:2501.00879)."""

_CLUSTERS: Final = 2
_FEWEST: Final = 3


class TrustRag(Peer):
    """Stage 1: two clusters by K-means; one whose texts overlap too much is thrown away."""

    def __init__(self, models: Models) -> None:
        super().__init__("trustrag", models)

    async def ask(self, row: Row, world: World) -> Reply:
        kept = trusted(await self.retrieve(row, world))
        return answered(await self.drafts(row, [kept]), world, picked=0)


def trusted(hits: Sequence[ScoredChunk]) -> list[ScoredChunk]:
    """Return the hits that the first stage leaves, in order."""
    if len(hits) < _FEWEST:
        return list(hits)
    vectors = np.stack([hit.vector for hit in hits])
    labels = KMeans(n_clusters=_CLUSTERS, n_init=10, random_state=0).fit_predict(vectors)
    kept: list[ScoredChunk] = []
    thrown = {
        cluster
        for cluster in range(_CLUSTERS)
        if _overlap([hit for hit, label in zip(hits, labels, strict=True) if label == cluster])
        > ALIKE
    }
    kept.extend(hit for hit, label in zip(hits, labels, strict=True) if label not in thrown)
    return kept


def _overlap(hits: Sequence[ScoredChunk]) -> float:
    """Return the mean pairwise ROUGE-L of the texts; 0 for a single one."""
    tokens = [canonical_tokens(hit.chunk.text) for hit in hits]
    pairs = [rouge_l(one, other) for one, other in itertools.combinations(tokens, 2)]
    return float(np.mean(pairs)) if pairs else 0.0


def rouge_l(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the F-measure of the longest common subsequence (Lin 2004)."""
    if not one or not other:
        return 0.0
    row = [0] * (len(other) + 1)
    for token in one:
        before = 0
        for at, rival in enumerate(other, start=1):
            before, row[at] = row[at], before + 1 if token == rival else max(row[at], row[at - 1])
    return 2.0 * row[-1] / (len(one) + len(other))
