"""Topics by filter: which definition takes a question, and what a definition must be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from defences.answering.keywords import keyword_set, speaks_of
from domain.clock import Clock, IdFactory
from domain.documents import TenantId
from domain.errors import InputError
from domain.monitoring import TopicId
from domain.topics import TopicDefinition, TopicDefinitionLedger

MOST_DEFINED: Final = 64
"""In force at a time, a tenant: each question is held against all of them."""


def covering(definitions: Sequence[TopicDefinition], question: str) -> TopicDefinition | None:
    """Return the oldest definition in force that covers the question; None where none does."""
    standing = (one for one in definitions if one.removed_at is None)
    return next((one for one in standing if speaks_of(question, one.about)), None)


async def define_topic(
    ledger: TopicDefinitionLedger,
    tenant_id: TenantId,
    *,
    name: str,
    about: Sequence[str],
    reason: str,
    actor: str,
    clock: Clock,
    ids: IdFactory,
) -> TopicDefinition:
    """Write a definition; questions that it covers go to its topic within half a minute.

    Raises:
        InputError: A phrase has no content word, the reason is empty, or there are `MOST_DEFINED`.
    """
    if not about or not all(map(keyword_set, about)):
        raise InputError(f"topic {name!r}: a phrase has no content word")
    standing = [one for one in await ledger.list(tenant_id) if one.removed_at is None]
    if len(standing) >= MOST_DEFINED:
        raise InputError(f"{len(standing)} topics are defined, limit is {MOST_DEFINED}")
    definition = TopicDefinition(
        id=TopicId(ids.new("top")),
        tenant_id=tenant_id,
        name=name,
        about=tuple(about),
        reason=reason,
        created_by=actor,
        created_at=clock.now(),
    )
    await ledger.add(definition)
    return definition
