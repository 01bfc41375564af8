"""Defined topics in this process's memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from backends.ledger import entries, transitions
from backends.memory.ledger_access import InMemoryJournal
from domain.documents import TenantId
from domain.errors import ConflictError
from domain.monitoring import TopicId
from domain.topics import TopicDefinition


class InMemoryTopicDefinitionLedger:
    def __init__(self, journal: InMemoryJournal) -> None:
        self._journal = journal
        self._definitions: dict[TopicId, TopicDefinition] = {}

    async def add(self, definition: TopicDefinition) -> None:
        transitions.require_reason(definition.reason)
        if definition.id in self._definitions:
            raise ConflictError("the ledger has a row with that id already")
        self._definitions[definition.id] = definition
        self._journal.write(entries.topic_defined(definition))

    async def list(self, tenant_id: TenantId) -> Sequence[TopicDefinition]:
        found = [one for one in self._definitions.values() if one.tenant_id == tenant_id]
        return sorted(found, key=lambda one: (one.created_at, one.id))

    async def remove(
        self, tenant_id: TenantId, topic_id: TopicId, *, reason: str, actor: str, at: datetime
    ) -> TopicDefinition:
        transitions.require_reason(reason)
        before = self._definitions.get(topic_id)
        if before is None or before.tenant_id != tenant_id:
            raise transitions.unknown_topic(topic_id)
        if before.removed_at is None:
            draft = entries.topic_removed(before, reason=reason, actor=actor, at=at)
            self._journal.write(draft)
            before = self._definitions[topic_id] = replace(before, removed_at=at)
        return before
