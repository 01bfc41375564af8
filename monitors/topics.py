"""Sorts questions into topics as they come, without ever looking at an uploader's labels."""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.keywords import STOPWORDS
from domain.clock import IdFactory
from domain.documents import TenantId
from domain.errors import TransientError
from domain.ledger import ObservationLedger
from domain.monitoring import Topic, TopicId
from domain.retrieval import Vector

_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]{3,24}(?!\w)")
_CLOSING: Final = " ?!.;:…\u061f\uff1f\u3002"
"""What a question may end on without being another one; the Arabic and full-width marks too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicOptions:
    """How questions become topics.

    Attributes:
        similarity: Least cosine of a question to a topic's centroid to join it.
        max_topics: Of a tenant; beyond it the nearest topic takes the question.
        terms: Words of a label, at most.
        learning: Questions a centroid is the mean of; later ones count as one of so many, so that
            a topic follows slowly and never freezes.
        words: Different words counted a topic, at most.
        attempts: Times a lost race is run again before the question goes uncounted.
    """

    # 0.48: every demo topic whole and unmixed for 0.45 to 0.52 in twelve orders of the questions;
    # from 0.55 on they split, at 0.42 they take in strangers (MiniLM int8).
    similarity: float = 0.48
    max_topics: int = 256
    terms: int = 4
    learning: int = 200
    words: int = 64
    attempts: int = 4

    def __post_init__(self) -> None:
        if not 0 < self.similarity < 1:
            raise ValueError(f"similarity must be between 0 and 1, got {self.similarity}")
        if min(self.max_topics, self.learning, self.attempts) < 1:
            raise ValueError("max_topics, learning and attempts must be >= 1")


def normalise_question(text: str) -> str:
    """Return the question as repeats are compared: case, width, spacing and closing marks aside."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(_CLOSING)


def question_key(text: str) -> str:
    """Return a digest that equal questions share, 32 hex digits."""
    normalised = normalise_question(text).encode("utf-8", "surrogatepass")
    return hashlib.sha256(normalised).hexdigest()[:32]


def question_words(text: str) -> frozenset[str]:
    """Return the words that may label a topic: letters alone, 3 to 24 of them, no stop words.

    Without digits and short words no telephone number, amount or code becomes part of a label.
    """
    words = _WORD.findall(normalise_question(text))
    return frozenset(word for word in words if word not in STOPWORDS)


@dataclass(slots=True)
class _Known:
    """What this process knows of one tenant's topics.

    Attributes:
        words: By topic, how many of the questions counted here held a word.
        counted: By topic, how many questions were counted here.
    """

    topics: dict[TopicId, Topic] = field(default_factory=dict)
    words: dict[TopicId, Counter[str]] = field(default_factory=dict)
    counted: Counter[TopicId] = field(default_factory=Counter)

    def count(self, topic_id: TopicId, words: frozenset[str], *, most: int) -> None:
        counts = self.words.setdefault(topic_id, Counter())
        counts.update(words)
        self.words[topic_id] = Counter(dict(counts.most_common(most)))
        self.counted[topic_id] += 1

    def label(
        self, topic_id: TopicId, words: frozenset[str], *, size: int, most: int
    ) -> tuple[str, ...] | None:
        """Return the words most telling of a topic, one more question counted in.

        By tf-idf, a topic being the document; equal words in order of the alphabet. None where
        this process has counted less than half of the topic, so that a restart relabels nothing.
        """
        if 2 * (self.counted[topic_id] + 1) < size:
            return None
        counts = self.words.get(topic_id, Counter()) + Counter(words)
        spread = Counter(word for id, held in self.words.items() if id != topic_id for word in held)
        topics = 1 + len(self.words.keys() - {topic_id})
        weights = {
            word: count * math.log(1 + topics / (1 + spread[word]))
            for word, count in counts.items()
        }
        return tuple(sorted(weights, key=lambda word: (-weights[word], word))[:most])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """`near` is False where only the cap on topics put the question here."""

    topic: Topic
    near: bool


class Topics:
    """Leader clustering on centroids, over a ledger that several processes write to.

    A question joins the topic with the nearest centroid if it is near enough, else it begins one.
    Ids never change; topics are neither merged nor split. A process keeps the topics it has seen
    and reads them again where another was faster to write, so two processes may begin the same
    topic at once only if each finds no near one in the ledger.
    """

    def __init__(self, ledger: ObservationLedger, *, ids: IdFactory, options: TopicOptions) -> None:
        self._ledger = ledger
        self._ids = ids
        self._options = options
        self._known: dict[TenantId, _Known] = {}
        self._lock = asyncio.Lock()

    async def assign(
        self, tenant_id: TenantId, text: str, embedding: Vector, *, at: datetime
    ) -> TopicId:
        """Return the topic of a question and count the question in it.

        Raises:
            TransientError: The ledger did not answer, or a first topic lost every race.
        """
        async with self._lock:
            known = self._known.get(tenant_id)
            if known is None:
                known = self._known[tenant_id] = _Known()
                await self._refresh(tenant_id, known)
            return await self._assign(tenant_id, known, text, embedding, at)

    async def _assign(
        self, tenant_id: TenantId, known: _Known, text: str, embedding: Vector, at: datetime
    ) -> TopicId:
        words = question_words(text)
        for _ in range(self._options.attempts):
            place = self._place(known, embedding)
            if place is None:
                # Another process may have begun it; what is in the ledger by now decides.
                await self._refresh(tenant_id, known)
                place = self._place(known, embedding)
            proposed = (
                self._begun(tenant_id, known, words, embedding, at)
                if place is None
                else self._grown(known, place, words, embedding)
            )
            if await self._ledger.save_topic(proposed):
                known.topics[proposed.id] = proposed
                if place is None or place.near:
                    known.count(proposed.id, words, most=self._options.words)
                return proposed.id
            await self._refresh(tenant_id, known)
        place = self._place(known, embedding)
        if place is None:
            raise TransientError(f"no topic could be written in {self._options.attempts} attempts")
        return place.topic.id

    async def _refresh(self, tenant_id: TenantId, known: _Known) -> None:
        known.topics = {topic.id: topic for topic in await self._ledger.topics(tenant_id)}

    def _place(self, known: _Known, embedding: Vector) -> _Place | None:
        """Return the topic that takes the question; None where it should begin one.

        Centroids of other dimensions are of another embedder, and no topics to this one.
        """
        topics = [
            topic for topic in known.topics.values() if topic.centroid.shape == embedding.shape
        ]
        if not topics:
            return None
        cosines = np.stack([topic.centroid for topic in topics]) @ embedding
        best = int(cosines.argmax())
        near = bool(cosines[best] >= self._options.similarity)
        if not near and len(topics) < self._options.max_topics:
            return None
        return _Place(topic=topics[best], near=near)

    def _begun(
        self,
        tenant_id: TenantId,
        known: _Known,
        words: frozenset[str],
        embedding: Vector,
        at: datetime,
    ) -> Topic:
        new = TopicId(self._ids.new("top"))
        return Topic(
            id=new,
            tenant_id=tenant_id,
            centroid=_unit(embedding),
            size=1,
            terms=known.label(new, words, size=1, most=self._options.terms) or (),
            created_at=at,
        )

    def _grown(
        self, known: _Known, place: _Place, words: frozenset[str], embedding: Vector
    ) -> Topic:
        """Return the topic with the question in it; one that is merely put there moves nothing."""
        topic = place.topic
        size, version = topic.size + 1, topic.version + 1
        if not place.near:
            return replace(topic, size=size, version=version)
        weight = min(topic.size, self._options.learning)
        label = known.label(topic.id, words, size=size, most=self._options.terms)
        return replace(
            topic,
            size=size,
            version=version,
            centroid=_unit(topic.centroid * weight + embedding),
            terms=topic.terms if label is None else label,
        )


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    norm = float(np.linalg.norm(vector))
    unit: NDArray[np.float32] = (vector / norm if norm > 0 else vector).astype(np.float32)
    return unit
