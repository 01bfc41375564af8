"""What every `WebhookLedger` must do."""

from __future__ import annotations

import pytest

from domain.documents import DEFAULT_TENANT
from domain.errors import ConflictError, NotFoundError
from domain.ledger import Ledger
from domain.monitoring import WebhookId
from tests.ledger_rows import NOW, OTHER_TENANT, REVIEWER, later, webhook

pytestmark = pytest.mark.anyio

EVENT = "alert.fired"
W1 = WebhookId("w1")


async def emit(ledger: Ledger, payload: str = "{}", *, seconds: float = 0) -> int:
    return await ledger.webhooks.emit(
        DEFAULT_TENANT, event_type=EVENT, payload=payload, at=later(seconds)
    )


async def test_a_webhook_comes_back_with_its_secret(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)

    assert await ledger.webhooks.get(W1) == webhook()
    assert await ledger.webhooks.list(DEFAULT_TENANT) == [webhook()]
    assert await ledger.webhooks.list(OTHER_TENANT) == []
    assert await ledger.webhooks.get(WebhookId("w2")) is None


async def test_the_journal_tells_neither_secret_nor_address(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await ledger.webhooks.remove(DEFAULT_TENANT, W1, actor=REVIEWER, at=later(1))

    entries = await ledger.journal.entries(DEFAULT_TENANT, object_id=W1)

    assert [entry.action for entry in entries] == ["webhook.removed", "webhook.added"]
    assert webhook().secret not in repr(entries)
    assert "token" not in repr(entries)


async def test_a_webhook_id_is_given_once(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)

    with pytest.raises(ConflictError):
        await ledger.webhooks.add(webhook(), actor=REVIEWER)


async def test_an_event_is_delivered_to_its_subscribers_alone(ledger: Ledger) -> None:
    for receiver in (
        webhook("w1"),
        webhook("w2", event_types=["document.quarantined"]),
        webhook("w3", tenant_id=OTHER_TENANT),
        webhook("w4", disabled_at=NOW),
    ):
        await ledger.webhooks.add(receiver, actor=REVIEWER)

    number = await emit(ledger)

    (delivery,) = await ledger.webhooks.due(now=NOW, limit=9)
    assert number == 1
    assert (delivery.webhook_id, delivery.tenant_id) == ("w1", DEFAULT_TENANT)
    assert (delivery.created_at, delivery.next_attempt_at) == (NOW, NOW)


async def test_due_deliveries_come_oldest_first_and_not_before_their_time(
    ledger: Ledger,
) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    for payload, seconds in (("third", 3), ("first", 1), ("second", 2)):
        await emit(ledger, payload, seconds=seconds)

    due = await ledger.webhooks.due(now=later(2), limit=9)
    every = await ledger.webhooks.due(now=later(9), limit=9)
    one = await ledger.webhooks.due(now=later(9), limit=1)

    assert [delivery.payload for delivery in due] == ["first", "second"]
    assert [delivery.payload for delivery in every] == ["first", "second", "third"]
    assert [delivery.payload for delivery in one] == ["first"]


async def test_a_failed_attempt_is_due_again_at_its_time(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await emit(ledger)
    (delivery,) = await ledger.webhooks.due(now=NOW, limit=9)

    await ledger.webhooks.save_attempt(
        delivery.id, delivered_at=None, next_attempt_at=later(30), error="timeout"
    )

    (again,) = await ledger.webhooks.due(now=later(30), limit=9)
    assert not await ledger.webhooks.due(now=later(29), limit=9)
    assert (again.id, again.attempts, again.last_error) == (delivery.id, 1, "timeout")
    assert again.next_attempt_at == later(30)


async def test_a_delivered_one_is_never_due_again(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await emit(ledger)
    (delivery,) = await ledger.webhooks.due(now=NOW, limit=9)
    await ledger.webhooks.save_attempt(
        delivery.id, delivered_at=None, next_attempt_at=later(1), error="timeout"
    )

    await ledger.webhooks.save_attempt(
        delivery.id, delivered_at=later(2), next_attempt_at=None, error=None
    )
    await ledger.webhooks.save_attempt(
        delivery.id, delivered_at=None, next_attempt_at=later(3), error="a late twin"
    )

    (kept,) = await ledger.webhooks.deliveries(DEFAULT_TENANT, W1)
    assert not await ledger.webhooks.due(now=later(99), limit=9)
    assert (kept.delivered_at, kept.attempts, kept.last_error) == (later(2), 2, None)


async def test_what_was_given_up_is_kept_for_the_record(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await emit(ledger)
    (delivery,) = await ledger.webhooks.due(now=NOW, limit=9)

    await ledger.webhooks.save_attempt(
        delivery.id, delivered_at=None, next_attempt_at=None, error="410 Gone"
    )

    (kept,) = await ledger.webhooks.deliveries(DEFAULT_TENANT, W1)
    assert not await ledger.webhooks.due(now=later(99), limit=9)
    assert (kept.delivered_at, kept.attempts, kept.last_error) == (None, 1, "410 Gone")


async def test_an_attempt_of_a_delivery_that_is_gone_is_no_error(ledger: Ledger) -> None:
    await ledger.webhooks.save_attempt(
        "dlv_gone", delivered_at=NOW, next_attempt_at=None, error=None
    )

    assert not await ledger.webhooks.due(now=later(99), limit=9)


async def test_removing_a_webhook_removes_what_was_not_delivered(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook("w1"), actor=REVIEWER)
    await ledger.webhooks.add(webhook("w2"), actor=REVIEWER)
    await emit(ledger, "delivered")
    (delivered,) = await ledger.webhooks.deliveries(DEFAULT_TENANT, W1)
    await ledger.webhooks.save_attempt(
        delivered.id, delivered_at=later(1), next_attempt_at=None, error=None
    )
    await emit(ledger, "pending", seconds=2)

    await ledger.webhooks.remove(DEFAULT_TENANT, W1, actor=REVIEWER, at=later(3))

    due = await ledger.webhooks.due(now=later(99), limit=9)
    kept = await ledger.webhooks.deliveries(DEFAULT_TENANT, W1)
    assert await ledger.webhooks.get(W1) is None
    assert {delivery.webhook_id for delivery in due} == {"w2"}
    assert [delivery.payload for delivery in kept] == ["delivered"]


async def test_a_webhook_unknown_to_the_tenant_is_not_removed(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook("w1"), actor=REVIEWER)

    for tenant, webhook_id in ((OTHER_TENANT, W1), (DEFAULT_TENANT, WebhookId("w9"))):
        with pytest.raises(NotFoundError):
            await ledger.webhooks.remove(tenant, webhook_id, actor=REVIEWER, at=NOW)

    assert await ledger.webhooks.get(W1) == webhook("w1")


async def test_deliveries_are_listed_newest_first_within_their_tenant(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    for seconds in (2, 1, 3):
        await emit(ledger, str(seconds), seconds=seconds)

    found = await ledger.webhooks.deliveries(DEFAULT_TENANT, W1)

    assert [delivery.payload for delivery in found] == ["3", "2", "1"]
    assert not await ledger.webhooks.deliveries(OTHER_TENANT, W1)
