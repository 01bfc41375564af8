"""Merges topics that came to be one and splits one that came to be two, ids staying what they were."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace
from datetime import datetime

import numpy as np

from domain.clock import IdFactory
from domain.errors import PermanentError
from domain.ledger import ObservationLedger
from domain.monitoring import MonitorState, Topic, TopicId
from monitors.detectors.registry import TOPIC_DETECTORS
from monitors.known_topics import KnownTopics, TopicOptions
from monitors.stream_states import NAME, load_state
from monitors.topic_shapes import Halves, halves_of, larger_first, twin_of, unit


class TopicReshaping:
    """Changes topics between questions.

    What is usual on a topic goes with its questions: a part that leaves takes a copy of what the
    detectors remember along, so that nobody gets a fresh reference by asking a topic apart. While
    an alert stands on a topic it stays as it is.
    """

    def __init__(self, ledger: ObservationLedger, *, ids: IdFactory, options: TopicOptions) -> None:
        self._ledger = ledger
        self._ids = ids
        self._options = options

    async def look(self, known: KnownTopics, topic: Topic, *, at: datetime) -> None:
        """Merge the topic with its twin, or split it, or leave it.

        Raises:
            TransientError: The ledger did not answer; what was begun is looked at again later.
        """
        others = [one for one in known.found() if one.id != topic.id]
        twin = twin_of(topic, others, self._options.shapes)
        if twin is not None:
            await self._merge(known, topic, twin)
            return
        recent = known.recent.get(topic.id)
        if recent is None or len(others) + 1 >= self._options.max_topics:
            return
        alike = [one.embedding for one in recent if one.embedding.shape == topic.centroid.shape]
        halves = halves_of(np.stack(alike), self._options.shapes) if alike else None
        if halves is not None and len(alike) == len(recent):
            await self._split(known, topic, halves, at=at)

    async def _merge(self, known: KnownTopics, one: Topic, other: Topic) -> None:
        kept, gone = larger_first(one, other)
        if await self._alarmed(kept) or await self._alarmed(gone):
            return
        if not await self._alias(known, gone, kept.id):
            return
        weights = [min(each.size, self._options.learning) for each in (kept, gone)]
        whole = replace(
            kept,
            centroid=unit(kept.centroid * weights[0] + gone.centroid * weights[1]),
            size=kept.size + gone.size,
            version=kept.version + 1,
        )
        if await self._ledger.save_topic(whole):
            known.topics[whole.id] = whole
        else:
            known.take(await self._ledger.topics(kept.tenant_id))
        known.words.merge(gone.id, kept.id)
        recent = known.recent.setdefault(kept.id, deque(maxlen=self._options.shapes.kept))
        recent.extend(known.recent.pop(gone.id, ()))
        for alias in [each for each in known.topics.values() if each.merged_into == gone.id]:
            await self._alias(known, alias, kept.id)

    async def _alias(self, known: KnownTopics, gone: Topic, kept: TopicId) -> bool:
        """Point a topic to another; another process may have been faster with a question of it."""
        alias = replace(gone, merged_into=kept, version=gone.version + 1)
        written = await self._ledger.save_topic(alias)
        if written:
            known.topics[alias.id] = alias
        return written

    async def _split(
        self, known: KnownTopics, topic: Topic, halves: Halves, *, at: datetime
    ) -> None:
        if await self._alarmed(topic):
            return
        leaving = round(topic.size * halves.share)
        new = TopicId(self._ids.new("top"))
        await self._take_along(topic, new)
        staying = replace(
            topic,
            centroid=halves.centroid,
            size=topic.size - leaving,
            version=topic.version + 1,
        )
        if not await self._ledger.save_topic(staying):
            return
        known.topics[topic.id] = staying
        self._part(known, topic.id, new, halves)
        part = Topic(
            id=new,
            tenant_id=topic.tenant_id,
            centroid=halves.leaving,
            size=leaving,
            terms=known.words.label(new, frozenset(), size=0, most=self._options.terms) or (),
            created_at=at,
        )
        if await self._ledger.save_topic(part):
            known.topics[new] = part

    def _part(self, known: KnownTopics, staying: TopicId, leaving: TopicId, halves: Halves) -> None:
        recent = list(known.recent[staying])
        for topic_id, chosen in ((staying, ~halves.smaller), (leaving, halves.smaller)):
            mine = [one for one, is_mine in zip(recent, chosen, strict=True) if is_mine]
            known.recent[topic_id] = deque(mine, maxlen=self._options.shapes.kept)
            counts = Counter(word for one in mine for word in one.words)
            known.words.replace(topic_id, counts, counted=len(mine))

    async def _take_along(self, topic: Topic, new: TopicId) -> None:
        state = await self._ledger.monitor_state(topic.tenant_id, topic.id, NAME)
        if state is not None:
            await self._ledger.save_monitor_state(
                MonitorState(
                    tenant_id=topic.tenant_id, topic_id=new, monitor=NAME, state=state.state
                )
            )

    async def _alarmed(self, topic: Topic) -> bool:
        """Whether an alert stands on it, or none can be ruled out."""
        state = await self._ledger.monitor_state(topic.tenant_id, topic.id, NAME)
        if state is None:
            return False
        try:
            return bool(load_state(state.state, TOPIC_DETECTORS).standing)
        except PermanentError:
            return True
