"""What every `WebhookLedger` must do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from domain.documents import DEFAULT_TENANT
from domain.errors import ConflictError, NotFoundError
from domain.ledger import Ledger
from domain.monitoring import Delivery, Webhook, WebhookId
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


def sink(name: str = "soc", *, event_types: Sequence[str] = ("alert.fired",)) -> Webhook:
    return replace(
        webhook(f"sink_{name}", event_types=event_types),
        url=f"settings:sinks.{name}",
        secret="",
        kind="cef",
    )


async def test_sinks_are_told_of_every_tenant_and_only_the_settings_change_them(
    ledger: Ledger,
) -> None:
    await ledger.webhooks.synchronise([sink(), sink("chat")], at=NOW)
    await ledger.webhooks.synchronise([sink(event_types=["x"]), sink("chat")], at=later(1))

    written = await ledger.webhooks.emit(OTHER_TENANT, event_type="x", payload="{}", at=later(2))

    (due,) = await ledger.webhooks.due(now=later(2), limit=9)
    entries = await ledger.journal.entries(DEFAULT_TENANT, object_id="sink_soc")
    assert written == 1
    assert (due.webhook_id, due.tenant_id) == ("sink_soc", OTHER_TENANT)
    assert [entry.action for entry in entries] == ["sink.configured", "sink.configured"]
    assert [one.id for one in await ledger.webhooks.list(OTHER_TENANT)] == ["sink_chat", "sink_soc"]
    with pytest.raises(NotFoundError):
        await ledger.webhooks.remove(
            DEFAULT_TENANT, WebhookId("sink_soc"), actor=REVIEWER, at=later(3)
        )


async def test_synchronising_again_writes_nothing(ledger: Ledger) -> None:
    await ledger.webhooks.synchronise([sink()], at=NOW)

    await ledger.webhooks.synchronise([sink()], at=later(1))

    assert len(await ledger.journal.entries(DEFAULT_TENANT)) == 1


async def test_what_waits_for_a_sink_that_is_gone_is_given_up(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await ledger.webhooks.synchronise([sink()], at=NOW)
    await ledger.webhooks.emit(DEFAULT_TENANT, event_type="alert.fired", payload="{}", at=NOW)

    await ledger.webhooks.synchronise([], at=later(1))

    due = await ledger.webhooks.due(now=later(2), limit=9)
    assert [one.webhook_id for one in due] == ["w1"]
    assert [one.id for one in await ledger.webhooks.list(DEFAULT_TENANT)] == ["w1"]


async def test_a_new_secret_lets_the_former_one_sign_for_a_while(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)

    rotated = await ledger.webhooks.rotate(
        DEFAULT_TENANT,
        WebhookId("w1"),
        secret="whsec_bmV3",
        former_until=later(60),
        actor=REVIEWER,
        at=NOW,
    )

    stored = await ledger.webhooks.get(WebhookId("w1"))
    assert stored == rotated
    assert rotated.secrets_at(later(59)) == ("whsec_bmV3", webhook().secret)
    assert rotated.secrets_at(later(60)) == ("whsec_bmV3",)
    told = await ledger.journal.entries(DEFAULT_TENANT, object_id="w1")
    assert told[0].action == "webhook.secret-rotated"
    assert "whsec" not in str(told)


async def test_a_disabled_receiver_gets_nothing_more_and_others_are_told(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook("w1"), actor=REVIEWER)
    await ledger.webhooks.add(webhook("w2", event_types=["webhook.disabled"]), actor=REVIEWER)
    await ledger.webhooks.emit(DEFAULT_TENANT, event_type="alert.fired", payload="{}", at=NOW)

    async def disable() -> bool:
        return await ledger.webhooks.disable(
            WebhookId("w1"), reason="410", payload="[]", at=later(1)
        )

    first, again = await disable(), await disable()

    due = await ledger.webhooks.due(now=later(9), limit=9)
    (given_up,) = await ledger.webhooks.deliveries(DEFAULT_TENANT, WebhookId("w1"))
    assert (first, again) == (True, False)
    assert [(one.webhook_id, one.event_type) for one in due] == [("w2", "webhook.disabled")]
    assert given_up.last_error == "the webhook was disabled"
    with pytest.raises(ConflictError):
        await ledger.webhooks.replay(
            DEFAULT_TENANT,
            WebhookId("w1"),
            delivery_id=None,
            since=NOW,
            actor=REVIEWER,
            at=later(2),
        )
    enabled = await ledger.webhooks.enable(
        DEFAULT_TENANT, WebhookId("w1"), actor=REVIEWER, at=later(3)
    )
    assert enabled.disabled_at is None
    assert await ledger.webhooks.emit(
        DEFAULT_TENANT, event_type="alert.fired", payload="{}", at=later(4)
    )


async def test_deliveries_can_be_made_due_again_under_their_ids(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    for seconds in (0, 10, 20):
        await ledger.webhooks.emit(
            DEFAULT_TENANT, event_type="alert.fired", payload="{}", at=later(seconds)
        )
    made = await ledger.webhooks.due(now=later(20), limit=9)
    for delivery in made:
        await ledger.webhooks.save_attempt(
            delivery.id, delivered_at=later(21), next_attempt_at=None, error=None
        )

    async def replay(delivery_id: str | None, since: datetime | None) -> int:
        return await ledger.webhooks.replay(
            DEFAULT_TENANT,
            WebhookId("w1"),
            delivery_id=delivery_id,
            since=since,
            actor=REVIEWER,
            at=later(30),
        )

    one = await replay(made[0].id, None)
    some = await replay(None, later(10))
    none = await replay(None, later(10))

    due = await ledger.webhooks.due(now=later(30), limit=9)
    assert (one, some, none) == (1, 2, 0)
    assert {again.id for again in due} == {delivery.id for delivery in made}
    assert {again.attempts for again in due} == {0}
    with pytest.raises(NotFoundError):
        await replay("dlv_none", None)


async def test_a_delivery_of_its_own_needs_no_subscription(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(event_types=["nothing"]), actor=REVIEWER)
    test = Delivery(
        id="dlv_test",
        tenant_id=DEFAULT_TENANT,
        webhook_id=WebhookId("w1"),
        event_type="webhook.test",
        payload="{}",
        created_at=NOW,
        attempts=0,
        next_attempt_at=NOW,
    )

    await ledger.webhooks.add_delivery(test)

    assert await ledger.webhooks.due(now=NOW, limit=9) == [test]
