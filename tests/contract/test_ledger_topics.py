"""What every `TopicDefinitionLedger` must do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.documents import DEFAULT_TENANT
from domain.errors import ConflictError, InputError, NotFoundError
from domain.ledger import Ledger
from domain.monitoring import TopicId
from domain.topics import TopicDefinition
from tests.ledger_rows import NOW, OTHER_TENANT, REVIEWER, later

pytestmark = pytest.mark.anyio

RETURNS = TopicDefinition(
    id=TopicId("top_1"),
    tenant_id=DEFAULT_TENANT,
    name="returns é =1",
    about=("return deadline", "refund"),
    reason="watched",
    created_by=REVIEWER,
    created_at=NOW,
)
YOUNGER = replace(RETURNS, id=TopicId("top_0"), created_at=later(1))


async def test_a_definition_comes_back_as_written_and_is_journalled(ledger: Ledger) -> None:
    await ledger.topic_definitions.add(RETURNS)

    (entry,) = await ledger.journal.entries(DEFAULT_TENANT)
    assert await ledger.topic_definitions.list(DEFAULT_TENANT) == [RETURNS]
    assert await ledger.topic_definitions.list(OTHER_TENANT) == []
    assert (entry.action, entry.object_id, entry.reason) == ("topic.defined", "top_1", "watched")


async def test_definitions_are_listed_oldest_first(ledger: Ledger) -> None:
    await ledger.topic_definitions.add(YOUNGER)
    await ledger.topic_definitions.add(RETURNS)

    assert await ledger.topic_definitions.list(DEFAULT_TENANT) == [RETURNS, YOUNGER]


async def test_a_removed_definition_stays_on_record_and_is_removed_once(ledger: Ledger) -> None:
    await ledger.topic_definitions.add(RETURNS)

    removed = [
        await ledger.topic_definitions.remove(
            DEFAULT_TENANT, RETURNS.id, reason="over", actor="ben", at=later(seconds)
        )
        for seconds in (5, 9)
    ]

    assert removed == [replace(RETURNS, removed_at=later(5))] * 2
    assert await ledger.topic_definitions.list(DEFAULT_TENANT) == removed[:1]
    actions = [entry.action for entry in await ledger.journal.entries(DEFAULT_TENANT)]
    assert actions == ["topic.removed", "topic.defined"]


async def test_a_definition_needs_a_reason_to_come_and_to_go(ledger: Ledger) -> None:
    with pytest.raises(InputError):
        await ledger.topic_definitions.add(replace(RETURNS, reason=" "))
    await ledger.topic_definitions.add(RETURNS)
    with pytest.raises(InputError):
        await ledger.topic_definitions.remove(
            DEFAULT_TENANT, RETURNS.id, reason="", actor="ben", at=NOW
        )

    assert await ledger.topic_definitions.list(DEFAULT_TENANT) == [RETURNS]


async def test_a_definition_of_another_tenant_is_not_found(ledger: Ledger) -> None:
    await ledger.topic_definitions.add(RETURNS)

    with pytest.raises(NotFoundError):
        await ledger.topic_definitions.remove(
            OTHER_TENANT, RETURNS.id, reason="r", actor="ben", at=NOW
        )
    with pytest.raises(ConflictError):
        await ledger.topic_definitions.add(replace(RETURNS, tenant_id=OTHER_TENANT))


def test_a_definition_is_about_something() -> None:
    with pytest.raises(ValueError, match="about nothing"):
        replace(RETURNS, about=())
