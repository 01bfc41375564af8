"""Bodies of the topic routes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from domain.monitoring import Topic
from domain.topics import TopicDefinition
from gateway.http.models_documents import NAMED_LINE, Model, Reason

Phrase = Annotated[str, Field(min_length=1, max_length=200, pattern=NAMED_LINE)]


class TopicModel(Model):
    """A topic that questions were sorted into, or one that is defined and waits for some."""

    id: str
    name: str | None = Field(
        description="as its administrator calls it; null where none defined it"
    )
    about: list[str] = Field(description="phrases of the definition")
    terms: list[str] = Field(description="words of its questions, letters alone")
    size: int = Field(description="questions counted")
    merged_into: str | None = Field(description="the topic whose alias this id is")
    contested: bool = Field(
        description="established origins contest it from its first questions on"
    )
    created_at: datetime
    created_by: str | None
    removed_at: datetime | None

    @classmethod
    def of(
        cls,
        topic: Topic | None,
        definition: TopicDefinition | None = None,
        *,
        contested: bool = False,
    ) -> TopicModel:
        """Of a topic, its definition, or both; one of the two is there."""
        known = definition or topic
        if known is None:
            raise ValueError("neither a topic nor a definition")
        return cls(
            id=known.id,
            name=definition.name if definition else None,
            about=list(definition.about) if definition else [],
            terms=list(topic.terms) if topic else [],
            size=topic.size if topic else 0,
            merged_into=topic.merged_into if topic else None,
            contested=contested,
            created_at=known.created_at,
            created_by=definition.created_by if definition else None,
            removed_at=definition.removed_at if definition else None,
        )


class TopicList(Model):
    items: list[TopicModel]


class TopicRequest(Model):
    """A question belongs if it has every content word of one phrase, inflected or not."""

    name: Annotated[str, Field(min_length=1, max_length=100, pattern=NAMED_LINE)]
    about: Annotated[list[Phrase], Field(min_length=1, max_length=16)]
    reason: Reason
