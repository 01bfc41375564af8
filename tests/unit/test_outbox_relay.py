"""What the outbox holds is handed over once, whoever asks and however many at once."""

from __future__ import annotations

import asyncio

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.jobs import InMemoryJobQueue
from backends.memory.ledger import InMemoryLedger
from runtime.outbox import OutboxRelay
from tests.ledger_rows import upload

pytestmark = pytest.mark.anyio


class Relayed:
    """A relay over an outbox in memory."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.ledger = InMemoryLedger(clock=self.clock, ids=SequentialIds())
        self.queue = InMemoryJobQueue()
        self.relay = OutboxRelay(
            outbox=self.ledger.outbox,
            documents=self.ledger.documents,
            queue=self.queue,
            clock=self.clock,
        )

    async def upload(self, name: str) -> int:
        """Upload, and publish as the gateway does after its answer."""
        await self.ledger.documents.receive(upload(name), claim=None)
        return await self.relay.publish_pending()


async def test_uploads_side_by_side_are_each_handed_over_once() -> None:
    relayed = Relayed()

    published = await asyncio.gather(*(relayed.upload(f"n{number}") for number in range(40)))

    handed = [subject for _, subject in relayed.queue.jobs]
    assert sorted(handed) == sorted(f"doc_n{number}" for number in range(40))
    assert sum(published) == 40
    assert 0 in published  # those whose entries another call took along
    assert await relayed.ledger.outbox.pending(limit=9) == []


async def test_a_call_that_is_given_up_while_it_waits_holds_up_none_after_it() -> None:
    relayed = Relayed()
    first = asyncio.create_task(relayed.upload("one"))
    second = asyncio.create_task(relayed.upload("two"))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)

    await relayed.upload("three")

    assert {subject for _, subject in relayed.queue.jobs} >= {"doc_one", "doc_three"}
    assert await relayed.ledger.outbox.pending(limit=9) == []


async def test_a_broker_that_is_down_leaves_the_rest_for_later() -> None:
    relayed = Relayed()
    relayed.queue.down = True
    assert await relayed.upload("one") == 0
    relayed.queue.down = False

    assert await relayed.upload("two") == 2


async def test_what_a_clock_too_far_on_took_in_is_queued_again_once_when_it_is_right() -> None:
    relayed = Relayed()
    wrong = relayed.clock.jump(86_400)
    await relayed.ledger.documents.receive(upload("one", received_at=wrong), claim=None)
    relayed.clock.jump(-86_400)

    queued = [await relayed.relay.requeue_undecided(older_than_seconds=1200) for _ in range(2)]

    assert queued == [1, 0]
