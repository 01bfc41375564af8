"""What every `AlertLedger` must do."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from backends.memory.clock import ManualClock
from domain.documents import DEFAULT_TENANT
from domain.errors import ConflictError
from domain.ledger import Ledger
from domain.monitoring import AlertStatus, WebhookId
from tests.ledger_rows import OTHER_TENANT, REVIEWER, alert, later, webhook

pytestmark = pytest.mark.anyio

FIRED = "alert.fired"
RESOLVED = "alert.resolved"


async def test_a_fired_alert_is_listed_and_journalled(ledger: Ledger) -> None:
    fired = await ledger.alerts.fire(alert(), event_type=FIRED, payload="{}")

    page = await ledger.alerts.list(DEFAULT_TENANT, status=None, cursor=None, limit=9)
    (told,) = await ledger.journal.entries(DEFAULT_TENANT)
    assert fired
    assert page.items == (alert(),)
    assert (told.action, told.object_id) == ("alert.fired", alert().id)


async def test_a_cause_that_is_firing_fires_no_second_time(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")

    again = await ledger.alerts.fire(alert("a2"), event_type=FIRED, payload="{}")

    page = await ledger.alerts.list(DEFAULT_TENANT, status=None, cursor=None, limit=9)
    assert not again
    assert [item.id for item in page.items] == ["a1"]
    assert len(await ledger.webhooks.deliveries(DEFAULT_TENANT, WebhookId("w1"))) == 1


async def test_of_monitors_that_see_the_same_cause_one_fires(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)

    fired = await asyncio.gather(
        *(
            ledger.alerts.fire(alert(f"a{number}"), event_type=FIRED, payload="{}")
            for number in range(10)
        )
    )

    assert fired.count(True) == 1
    assert len(await ledger.webhooks.deliveries(DEFAULT_TENANT, WebhookId("w1"))) == 1


async def test_other_causes_and_other_tenants_fire_on_their_own(ledger: Ledger) -> None:
    alerts = [
        alert("a1"),
        alert("a2", fingerprint="f2"),
        alert("a3", tenant_id=OTHER_TENANT),
    ]

    fired = [await ledger.alerts.fire(item, event_type=FIRED, payload="{}") for item in alerts]

    page = await ledger.alerts.list(OTHER_TENANT, status=None, cursor=None, limit=9)
    assert fired == [True, True, True]
    assert [item.id for item in page.items] == ["a3"]


async def test_an_alert_id_is_given_once(ledger: Ledger) -> None:
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")

    with pytest.raises(ConflictError):
        await ledger.alerts.fire(alert("a1", fingerprint="f2"), event_type=FIRED, payload="{}")


async def test_firing_writes_a_delivery_for_each_subscribed_webhook(
    ledger: Ledger, clock: ManualClock
) -> None:
    for receiver in (
        webhook("w1"),
        webhook("w2", event_types=[FIRED]),
        webhook("w3", event_types=[RESOLVED]),
        webhook("w4", tenant_id=OTHER_TENANT),
        webhook("w5", disabled_at=later(1)),
    ):
        await ledger.webhooks.add(receiver, actor=REVIEWER)
    now = clock.advance(10)

    await ledger.alerts.fire(alert(), event_type=FIRED, payload='{"id": "a1"}')

    due = await ledger.webhooks.due(now=now, limit=9)
    assert sorted(delivery.webhook_id for delivery in due) == ["w1", "w2"]
    assert {delivery.payload for delivery in due} == {'{"id": "a1"}'}
    assert {delivery.event_type for delivery in due} == {FIRED}
    assert {delivery.created_at for delivery in due} == {now}
    assert {delivery.attempts for delivery in due} == {0}


async def test_a_resolved_alert_says_when_it_ended(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(event_types=[RESOLVED]), actor=REVIEWER)
    await ledger.alerts.fire(alert(), event_type=FIRED, payload="{}")

    resolved = await ledger.alerts.resolve(
        DEFAULT_TENANT, "f1", at=later(60), event_type=RESOLVED, payload="[]"
    )

    page = await ledger.alerts.list(DEFAULT_TENANT, status=None, cursor=None, limit=9)
    told = (await ledger.journal.entries(DEFAULT_TENANT))[0]
    (delivery,) = await ledger.webhooks.deliveries(DEFAULT_TENANT, WebhookId("w1"))
    assert resolved == replace(alert(), status=AlertStatus.RESOLVED, ends_at=later(60))
    assert page.items == (resolved,)
    assert (told.action, told.at) == ("alert.resolved", later(60))
    assert (delivery.payload, delivery.created_at) == ("[]", later(60))


async def test_what_is_not_firing_is_not_resolved(ledger: Ledger) -> None:
    await ledger.alerts.fire(alert(), event_type=FIRED, payload="{}")

    async def resolve(tenant: str, fingerprint: str) -> object:
        return await ledger.alerts.resolve(
            DEFAULT_TENANT if tenant == "mine" else OTHER_TENANT,
            fingerprint,
            at=later(1),
            event_type=RESOLVED,
            payload="{}",
        )

    assert await resolve("mine", "f2") is None
    assert await resolve("other", "f1") is None
    assert await resolve("mine", "f1") is not None
    assert await resolve("mine", "f1") is None


async def test_a_resolved_cause_can_fire_again(ledger: Ledger) -> None:
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")
    await ledger.alerts.resolve(
        DEFAULT_TENANT, "f1", at=later(1), event_type=RESOLVED, payload="{}"
    )

    again = await ledger.alerts.fire(
        alert("a2", starts_at=later(2)), event_type=FIRED, payload="{}"
    )

    assert again
    for status, expected in (
        (None, ["a2", "a1"]),
        (AlertStatus.FIRING, ["a2"]),
        (AlertStatus.RESOLVED, ["a1"]),
    ):
        page = await ledger.alerts.list(DEFAULT_TENANT, status=status, cursor=None, limit=9)
        assert [item.id for item in page.items] == expected
