"""Topics that an administrator defines by what questions are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from domain.documents import TenantId
from domain.monitoring import TopicId


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDefinition:
    """A filter over questions. What documents or their uploaders say never selects a topic.

    Attributes:
        id: The topic's own, in observations and alerts.
        name: For people.
        about: Phrases. A question belongs if it has every content word of one of them, whatever
            their order and inflection; of several definitions the oldest takes it.
        removed_at: It takes no more questions; what it took stays under its id.
    """

    id: TopicId
    tenant_id: TenantId
    name: str
    about: tuple[str, ...]
    reason: str
    created_by: str
    created_at: datetime
    removed_at: datetime | None = None

    def __post_init__(self) -> None:
        if not self.about:
            raise ValueError(f"topic {self.name!r} is about nothing")


class TopicDefinitionLedger(Protocol):
    async def add(self, definition: TopicDefinition) -> None:
        """Write it, with the journal entry `topic.defined`.

        Raises:
            InputError: The reason is empty.
            ConflictError: There is one with this id.
        """
        ...

    async def list(self, tenant_id: TenantId) -> Sequence[TopicDefinition]:
        """Return all, removed ones too, oldest first."""
        ...

    async def remove(
        self, tenant_id: TenantId, topic_id: TopicId, *, reason: str, actor: str, at: datetime
    ) -> TopicDefinition:
        """End it now, with the journal entry `topic.removed`; twice is no error.

        Raises:
            NotFoundError: Unknown to this tenant.
            InputError: The reason is empty.
        """
        ...
