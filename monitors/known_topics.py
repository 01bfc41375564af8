"""What a process remembers of a tenant's topics, and how they are made."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from domain.monitoring import Topic, TopicId
from domain.retrieval import Vector
from domain.topics import TopicDefinition
from monitors.topic_shapes import ShapeOptions
from monitors.topic_words import TopicWords


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicOptions:
    """How questions become topics.

    Attributes:
        similarity: Least cosine of a question to a topic's centroid to join it.
        max_topics: Of a tenant, defined ones and aliases aside; beyond it the nearest topic takes
            the question.
        terms: Words of a label, at most.
        learning: Questions a centroid is the mean of; later ones count as one of so many, so that
            a topic follows slowly and never freezes.
        words: Different words counted a topic, at most.
        attempts: Times a lost race is run again before the question goes uncounted.
        shapes: When topics are merged or split.
    """

    # 0.48: every demo topic whole and unmixed for 0.45 to 0.52 in twelve orders of the questions;
    # from 0.55 on they split, at 0.42 they take in strangers (MiniLM int8).
    similarity: float = 0.48
    max_topics: int = 256
    terms: int = 4
    learning: int = 200
    words: int = 64
    attempts: int = 4
    shapes: ShapeOptions = field(default_factory=ShapeOptions)

    def __post_init__(self) -> None:
        if not 0 < self.similarity < 1:
            raise ValueError(f"similarity must be between 0 and 1, got {self.similarity}")
        if min(self.max_topics, self.learning, self.attempts) < 1:
            raise ValueError("max_topics, learning and attempts must be >= 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as a topic keeps it in memory, for a while."""

    embedding: Vector
    words: frozenset[str]


@dataclass(slots=True, kw_only=True)
class KnownTopics:
    """What this process knows of one tenant's topics. `recent`: by topic, its latest questions."""

    words: TopicWords
    topics: dict[TopicId, Topic] = field(default_factory=dict)
    definitions: Sequence[TopicDefinition] = ()
    read_at: datetime | None = None
    recent: dict[TopicId, deque[Asked]] = field(default_factory=dict)

    def found(self) -> list[Topic]:
        """Return the topics that questions are sorted into by what they are like."""
        defined = {one.id for one in self.definitions}
        return [
            topic
            for topic in self.topics.values()
            if topic.merged_into is None and topic.id not in defined
        ]

    def take(self, topics: Iterable[Topic]) -> None:
        self.topics = {topic.id: topic for topic in topics}
