"""Peers that throw passages away before a standard RAG reads the rest."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.feature_extraction.text import TfidfVectorizer

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
_TERMS: Final = 5
"""m of RAGDefender's equation 1."""

_FEWEST: Final = 3


class TrustRag(Peer):
    """Stage 1: two clusters by K-means; one whose texts overlap too much is thrown away."""

    def __init__(self, models: Models) -> None:
        super().__init__("trustrag", models)

    async def ask(self, row: Row, world: World) -> Reply:
        kept = trusted(await self.retrieve(row, world))
        return answered(await self.drafts(row, [kept]), world, picked=0)


class RagDefender(Peer):
    """Both stages of RAGDefender (Kim et al. 2025, arXiv:2511.01268), section 4, for single hops.

    How many passages are adversarial: two clusters by Ward's linkage; the smaller one, or the larger
    where more than half of all passages hold most of the five heaviest TF-IDF terms. Which ones:
    those that stand in the most similar pairs, weighed by the square of their similarity. The
    authors' package needs torch and a model of a hub, so this is written from the paper, on the
    embedder of the run.
    """

    def __init__(self, models: Models) -> None:
        super().__init__("ragdefender", models)

    async def ask(self, row: Row, world: World) -> Reply:
        kept = undisputed(await self.retrieve(row, world))
        return answered(await self.drafts(row, [kept]), world, picked=0)


def undisputed(hits: Sequence[ScoredChunk]) -> list[ScoredChunk]:
    """Return the hits that both stages leave, in order."""
    if len(hits) < _FEWEST:
        return list(hits)
    vectors = np.stack([hit.vector for hit in hits]).astype(np.float64)
    count = adversarial_count([hit.chunk.text for hit in hits], vectors)
    dropped = set(most_similar(vectors, count))
    return [hit for at, hit in enumerate(hits) if at not in dropped]


def adversarial_count(texts: Sequence[str], vectors: NDArray[np.float64]) -> int:
    """Return how many of the texts are taken for adversarial: equations 1 and 2."""
    labels = AgglomerativeClustering(n_clusters=_CLUSTERS).fit_predict(vectors)
    first = int(labels.sum())
    smaller, larger = sorted((first, len(texts) - first))
    return smaller if _concentrated(texts) <= len(texts) // 2 else larger


def _concentrated(texts: Sequence[str]) -> int:
    """Return how many texts hold more than half of the heaviest terms of all."""
    try:
        vectorizer = TfidfVectorizer(stop_words="english")
        weights = np.asarray(vectorizer.fit_transform(texts).sum(axis=0)).ravel()
    except ValueError:  # stop words only
        return 0
    names = vectorizer.get_feature_names_out()
    heaviest = [str(names[at]) for at in np.argsort(-weights, kind="stable")[:_TERMS]]
    return sum(
        sum(term in text.lower() for term in heaviest) > len(heaviest) // 2 for text in texts
    )


def most_similar(vectors: NDArray[np.float64], count: int) -> list[int]:
    """Return the places of `count` rows that most similar pairs are made of: equations 4 to 7."""
    if count < 1:
        return []
    cosines = vectors @ vectors.T
    pairs = sorted(
        itertools.combinations(range(len(vectors)), 2), key=lambda pair: -float(cosines[pair])
    )
    frequency = np.zeros(len(vectors))
    for one, other in pairs[: max(1, count * (count - 1) // 2)]:
        weight = np.sign(cosines[one, other]) * cosines[one, other] ** 2
        frequency[[one, other]] += weight
    return [int(at) for at in np.argsort(-frequency, kind="stable")[:count]]


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
