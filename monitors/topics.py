"""Sorts questions into topics as they come, without ever looking at an uploader's labels."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from domain.clock import IdFactory
from domain.documents import TenantId
from domain.errors import TransientError
from domain.ledger import ObservationLedger
from domain.monitoring import Topic, TopicId
from domain.retrieval import Vector
from domain.topics import TopicDefinition, TopicDefinitionLedger
from monitors.defined_topics import covering
from monitors.known_topics import Asked, KnownTopics, TopicOptions
from monitors.topic_reshaping import TopicReshaping
from monitors.topic_shapes import unit
from monitors.topic_words import TopicWords, question_words

_DEFINITIONS_READ_EVERY: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a question goes.

    Attributes:
        topic: None where it begins the topic `id`.
        near: False where only the cap on topics put it here.
    """

    id: TopicId
    topic: Topic | None
    near: bool = True


class Topics:
    """Leader clustering on centroids, over a ledger that several processes write to.

    A question that an administrator's definition covers goes to the defined topic. Any other joins
    the topic with the nearest centroid if it is near enough, else it begins one. Topics that come
    to be alike are merged, the smaller one's id living on as an alias; one that comes to be two is
    split, the larger half keeping the id. A process keeps the topics it has seen and reads them
    again where another was faster to write, so two processes may begin the same topic at once only
    if each finds no near one in the ledger.
    """

    def __init__(
        self,
        ledger: ObservationLedger,
        *,
        ids: IdFactory,
        options: TopicOptions,
        definitions: TopicDefinitionLedger | None = None,
    ) -> None:
        self._ledger = ledger
        self._definitions = definitions
        self._ids = ids
        self._options = options
        self._reshaping = TopicReshaping(ledger, ids=ids, options=options)
        self._known: dict[TenantId, KnownTopics] = {}
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
                known = KnownTopics(words=TopicWords(most=self._options.words))
                await self._refresh(tenant_id, known)
                self._known[tenant_id] = known
            await self._read_definitions(tenant_id, known, at)
            return await self._assign(tenant_id, known, text, embedding, at)

    async def _assign(
        self, tenant_id: TenantId, known: KnownTopics, text: str, embedding: Vector, at: datetime
    ) -> TopicId:
        asked = Asked(embedding=unit(embedding), words=question_words(text))
        defined = covering(known.definitions, text)
        for _ in range(self._options.attempts):
            place = self._place(known, embedding, defined)
            if place is None:
                # Another process may have begun it; what is in the ledger by now decides.
                await self._refresh(tenant_id, known)
                place = self._place(known, embedding, defined)
            if place is None:
                place = _Place(id=TopicId(self._ids.new("top")), topic=None)
            proposed = (
                self._begun(tenant_id, known, place.id, asked, at)
                if place.topic is None
                else self._grown(known, place.topic, asked, near=place.near)
            )
            if await self._ledger.save_topic(proposed):
                known.topics[proposed.id] = proposed
                if place.near:
                    await self._counted(known, proposed, asked, at, fixed=defined is not None)
                return proposed.id
            await self._refresh(tenant_id, known)
        place = self._place(known, embedding, defined)
        if place is None or place.topic is None:
            raise TransientError(f"no topic could be written in {self._options.attempts} attempts")
        return place.id

    async def _refresh(self, tenant_id: TenantId, known: KnownTopics) -> None:
        known.take(await self._ledger.topics(tenant_id))

    async def _read_definitions(
        self, tenant_id: TenantId, known: KnownTopics, at: datetime
    ) -> None:
        """Read them anew now and then: another process may have been told of them."""
        if self._definitions is None:
            return
        if known.read_at is None or abs(at - known.read_at) >= _DEFINITIONS_READ_EVERY:
            known.definitions = await self._definitions.list(tenant_id)
            known.read_at = at

    def _place(
        self, known: KnownTopics, embedding: Vector, defined: TopicDefinition | None
    ) -> _Place | None:
        """Return where the question goes; None where it should begin a topic.

        Centroids of other dimensions are of another embedder, and no topics to this one.
        """
        if defined is not None:
            return _Place(id=defined.id, topic=known.topics.get(defined.id))
        topics = [topic for topic in known.found() if topic.centroid.shape == embedding.shape]
        if not topics:
            return None
        cosines = np.stack([topic.centroid for topic in topics]) @ embedding
        best = int(cosines.argmax())
        near = bool(cosines[best] >= self._options.similarity)
        if not near and len(topics) < self._options.max_topics:
            return None
        return _Place(id=topics[best].id, topic=topics[best], near=near)

    def _begun(
        self, tenant_id: TenantId, known: KnownTopics, id: TopicId, asked: Asked, at: datetime
    ) -> Topic:
        return Topic(
            id=id,
            tenant_id=tenant_id,
            centroid=asked.embedding,
            size=1,
            terms=known.words.label(id, asked.words, size=1, most=self._options.terms) or (),
            created_at=at,
        )

    def _grown(self, known: KnownTopics, topic: Topic, asked: Asked, *, near: bool) -> Topic:
        """Return the topic with the question in it; one that is merely put there moves nothing."""
        size, version = topic.size + 1, topic.version + 1
        if not near:
            return replace(topic, size=size, version=version)
        centroid = topic.centroid
        if centroid.shape == asked.embedding.shape:
            weight = min(topic.size, self._options.learning)
            centroid = unit(centroid * weight + asked.embedding)
        label = known.words.label(topic.id, asked.words, size=size, most=self._options.terms)
        return replace(
            topic,
            size=size,
            version=version,
            centroid=centroid,
            terms=topic.terms if label is None else label,
        )

    async def _counted(
        self, known: KnownTopics, topic: Topic, asked: Asked, at: datetime, *, fixed: bool
    ) -> None:
        """Remember the question; now and then look whether its topic is one still."""
        known.words.count(topic.id, asked.words)
        if fixed:
            return
        shapes = self._options.shapes
        recent = known.recent.setdefault(topic.id, deque(maxlen=shapes.kept))
        recent.append(asked)
        if topic.size % shapes.every == 0:
            await self._reshaping.look(known, topic, at=at)
