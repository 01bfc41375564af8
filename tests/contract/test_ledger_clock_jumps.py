"""A host's clock that is set forward or back holds up no document and gives none two verdicts."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import pytest

from backends.memory.clock import START, ManualClock
from domain.alerting import Silence
from domain.documents import DEFAULT_TENANT, DocumentId
from domain.errors import ScanUnderWayError
from domain.ledger import Ledger
from runtime.retention import prune
from runtime.settings import Settings
from tests.ledger_rows import REVIEWER, claim, settlement, upload, webhook

pytestmark = pytest.mark.anyio

ONE = DocumentId("doc_one")
LEASE = 20.0
DAY: Final = 86_400.0
PATIENCE: Final = 1200.0


@pytest.mark.parametrize("seconds", [3600.0, -3600.0, -86_400.0])
async def test_after_a_jump_a_dead_scan_is_taken_over_and_settled_once(
    ledger: Ledger, clock: ManualClock, seconds: float
) -> None:
    await ledger.documents.receive(upload("one", received_at=START), claim=None)
    await ledger.documents.begin_attempt(ONE, lease_seconds=LEASE)

    clock.jump(seconds)
    taken_over = await ledger.documents.begin_attempt(ONE, lease_seconds=LEASE)

    assert taken_over is not None
    assert taken_over.attempts == 2
    assert not await ledger.documents.extend_lease(ONE, attempt=1)
    # Whoever of the two comes first settles; the other finds it settled.
    both = [await ledger.documents.settle(ONE, settlement(ONE)) for _ in range(2)]
    assert both == [True, False]


@pytest.mark.parametrize("seconds", [0.0, -5.0, 5.0])
async def test_clocks_that_differ_a_little_leave_a_live_scan_alone(
    ledger: Ledger, clock: ManualClock, seconds: float
) -> None:
    await ledger.documents.receive(upload("one", received_at=START), claim=None)
    await ledger.documents.begin_attempt(ONE, lease_seconds=LEASE)

    clock.jump(seconds)

    with pytest.raises(ScanUnderWayError) as caught:
        await ledger.documents.begin_attempt(ONE, lease_seconds=LEASE)
    assert caught.value.retry_after_seconds <= 2 * LEASE


async def test_what_a_clock_too_far_on_left_behind_is_swept_when_it_is_set_back(
    ledger: Ledger, clock: ManualClock
) -> None:
    wrong = clock.jump(DAY)
    await ledger.documents.receive(upload("one", received_at=wrong), claim=None)
    now = clock.jump(-DAY)
    patience = timedelta(seconds=PATIENCE)

    found = await ledger.documents.undecided(
        received_before=now - patience, limit=9, latest=now + patience
    )
    await ledger.outbox.add("documents.ingest", ONE, at=now)
    again = await ledger.documents.undecided(
        received_before=now - patience, limit=9, latest=now + patience
    )

    assert found == [ONE]
    assert again == []


async def test_a_delivery_put_off_by_a_clock_too_far_on_is_due_when_it_is_set_back(
    ledger: Ledger, clock: ManualClock
) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await ledger.webhooks.emit(
        DEFAULT_TENANT, event_type="alert.fired", payload="{}", at=clock.jump(DAY)
    )
    now = clock.jump(-DAY)

    waiting = await ledger.webhooks.due(now=now, limit=9)
    due = await ledger.webhooks.due(now=now, limit=9, latest=now + timedelta(hours=15))

    assert waiting == []
    assert [delivery.payload for delivery in due] == ["{}"]


async def test_a_retry_after_a_jump_finds_its_upload_and_no_claim_goes_early(
    ledger: Ledger, clock: ManualClock
) -> None:
    settings = Settings().retention
    before = await ledger.documents.receive(
        upload("one", received_at=clock.now()), claim=claim("before")
    )
    wrong = clock.jump(DAY)
    within = await ledger.documents.receive(upload("two", received_at=wrong), claim=claim("within"))

    pruned = [await prune(ledger.retention, settings, now=wrong)]
    now = clock.jump(-DAY)
    pruned.append(await prune(ledger.retention, settings, now=now))
    replays = [
        await ledger.documents.receive(upload(f"again-{key}", received_at=now), claim=claim(key))
        for key in ("before", "within")
    ]
    end = clock.advance(settings.claims_days * DAY + DAY + 1)
    late = await prune(ledger.retention, settings, now=end)

    assert pruned == [0, 0]
    assert [one.created for one in replays] == [False, False]
    assert [one.record.id for one in replays] == [before.record.id, within.record.id]
    assert late == 2


async def test_a_silence_that_a_jump_passed_over_holds_again_when_the_clock_is_right(
    ledger: Ledger, clock: ManualClock
) -> None:
    silence = Silence(
        id="sil_one",
        tenant_id=DEFAULT_TENANT,
        matchers={"monitor": "x"},
        author=REVIEWER,
        reason="known",
        created_at=clock.now(),
        expires_at=clock.now() + timedelta(hours=2),
    )
    await ledger.silences.add(silence)

    passed = await ledger.silences.active(DEFAULT_TENANT, now=clock.jump(DAY))
    back = await ledger.silences.active(DEFAULT_TENANT, now=clock.jump(-DAY))
    over = await ledger.silences.active(DEFAULT_TENANT, now=clock.advance(7201))

    assert [[one.id for one in each] for each in (passed, back, over)] == [[], ["sil_one"], []]
