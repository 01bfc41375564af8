"""What has been kept for long enough goes, in bounded batches; what is pending stays."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from domain.answering import QuestionId
from domain.documents import DEFAULT_TENANT, DocumentId
from domain.ledger import Ledger
from runtime.retention import BATCH, prune
from runtime.settings import Settings
from tests.ledger_rows import (
    NOW,
    REVIEWER,
    claim,
    later,
    observation,
    question,
    upload,
    webhook,
)

pytestmark = pytest.mark.anyio

LONG_AFTER = NOW + timedelta(days=365)


async def test_an_old_claim_goes_and_a_new_one_stays(ledger: Ledger) -> None:
    await ledger.documents.receive(upload("a"), claim=claim("old"))
    await ledger.documents.receive(upload("b", received_at=later(60)), claim=claim("new"))

    gone = await ledger.retention.prune_claims(made_before=later(30), limit=10)

    again = await ledger.documents.receive(upload("c"), claim=claim("old"))
    replayed = await ledger.documents.receive(upload("d"), claim=claim("new"))
    assert (gone, again.created, replayed.created) == (1, True, False)
    assert replayed.record.id == DocumentId("doc_b")


async def test_only_published_entries_go(ledger: Ledger) -> None:
    for name in ("a", "b", "c"):
        await ledger.documents.receive(upload(name), claim=None)
    first, second, third = await ledger.outbox.pending(limit=9)
    await ledger.outbox.mark_published([first.id], at=later(10))
    await ledger.outbox.mark_published([second.id], at=later(50))

    gone = await ledger.retention.prune_outbox(published_before=later(30), limit=9)

    assert gone == 1
    assert await ledger.retention.prune_outbox(published_before=later(30), limit=9) == 0
    assert await ledger.outbox.pending(limit=9) == [third]
    await ledger.outbox.add("maintenance.sweep", "default", at=later(60))
    pending = await ledger.outbox.pending(limit=9)
    assert len({entry.id for entry in pending} | {first.id, second.id}) == 4


async def test_only_finished_deliveries_go(ledger: Ledger) -> None:
    hook = webhook()
    await ledger.webhooks.add(hook, actor=REVIEWER)
    for number in range(3):
        await ledger.webhooks.emit(
            DEFAULT_TENANT, event_type="alert.fired", payload=str(number), at=NOW
        )
    made, given_up, waiting = sorted(
        await ledger.webhooks.due(now=NOW, limit=9), key=lambda one: one.payload
    )
    await ledger.webhooks.save_attempt(
        made.id, delivered_at=later(1), next_attempt_at=None, error=None
    )
    await ledger.webhooks.save_attempt(
        given_up.id, delivered_at=None, next_attempt_at=None, error="refused"
    )

    early = await ledger.retention.prune_deliveries(made_before=NOW, limit=9)
    gone = await ledger.retention.prune_deliveries(made_before=LONG_AFTER, limit=9)

    kept = await ledger.webhooks.deliveries(DEFAULT_TENANT, hook.id)
    assert (early, gone) == (0, 2)
    assert [one.id for one in kept] == [waiting.id]


async def test_old_observations_go_and_their_questions_stay(ledger: Ledger) -> None:
    for name, seconds in (("q1", 1), ("q2", 2), ("q3", 60)):
        seen = observation(name, observed_at=later(seconds))
        await ledger.questions.add(question(name), seen)

    batches = [
        await ledger.retention.prune_observations(made_before=later(30), limit=1) for _ in range(3)
    ]

    kept = await ledger.observations.recorded(DEFAULT_TENANT, since=None, after=None, limit=9)
    assert batches == [1, 1, 0]
    assert [item.question_id for item in kept] == ["q3"]
    assert (await ledger.questions.get(DEFAULT_TENANT, QuestionId("q1"))).id == "q1"


async def test_a_batch_is_bounded(ledger: Ledger) -> None:
    for number in range(5):
        await ledger.documents.receive(upload(f"n{number}"), claim=claim(f"k{number}"))

    batches = [
        await ledger.retention.prune_claims(made_before=LONG_AFTER, limit=2) for _ in range(4)
    ]

    assert batches == [2, 2, 1, 0]


async def test_a_run_goes_on_until_nothing_old_is_left(ledger: Ledger, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path).retention
    for _ in range(BATCH + 3):
        await ledger.outbox.add("maintenance.sweep", "default", at=NOW)
    entries = await ledger.outbox.pending(limit=BATCH + 3)
    await ledger.outbox.mark_published([entry.id for entry in entries], at=NOW)
    await ledger.documents.receive(upload(), claim=claim())

    too_early = await prune(ledger.retention, settings, now=NOW + timedelta(days=6))
    pruned = await prune(ledger.retention, settings, now=NOW + timedelta(days=8))

    assert (too_early, pruned) == (0, BATCH + 4)
    assert len(await ledger.outbox.pending(limit=9)) == 1
