"""What every `AlertLedger` must do."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from backends.memory.clock import ManualClock
from domain.alerting import Event, Review, Silence, Standing, Step
from domain.answering import QuestionId
from domain.documents import DEFAULT_TENANT, DocumentId
from domain.errors import ConflictError, InputError, NotFoundError
from domain.ledger import Ledger
from domain.monitoring import AlertId, AlertStatus, AlertSuspect, Severity, WebhookId
from tests.ledger_rows import NOW, OTHER_TENANT, REVIEWER, alert, later, webhook
from tests.telling import tell

pytestmark = pytest.mark.anyio

FIRED = "alert.fired"
RESOLVED = "alert.resolved"
FIRST = Step(alert_id=AlertId("a1"), notices_before=0, notices=1, settled=False)


async def test_a_fired_alert_is_listed_and_journalled(ledger: Ledger) -> None:
    fired = await ledger.alerts.fire(alert(), event_type=FIRED, payload="{}")

    page = await ledger.alerts.list(DEFAULT_TENANT, status=None, cursor=None, limit=9)
    (told,) = await ledger.journal.entries(DEFAULT_TENANT)
    assert fired
    assert page.items == (alert(),)
    assert (told.action, told.object_id) == ("alert.fired", alert().id)


async def test_an_alert_comes_back_with_its_suspects_until_and_after_it_ends(
    ledger: Ledger,
) -> None:
    suspects = (
        AlertSuspect(
            document_id=DocumentId("d1"),
            origin="uploader:é",
            family_id="f1",
            score=0.1 + 0.2,
            reasons=("young", "named"),
        ),
        AlertSuspect(
            document_id=DocumentId("d2"), origin="o", family_id="f2", score=0.0, reasons=()
        ),
    )
    await ledger.alerts.fire(replace(alert(), suspects=suspects), event_type=FIRED, payload="{}")

    kept = await ledger.alerts.get(DEFAULT_TENANT, AlertId("a1"))
    ended = await ledger.alerts.resolve(
        DEFAULT_TENANT, "f1", at=later(9), event_type=RESOLVED, payload="{}"
    )

    assert kept.suspects == suspects
    assert ended is not None
    assert ended.suspects == suspects


async def test_a_cause_that_is_firing_fires_no_second_time(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")

    again = await ledger.alerts.fire(alert("a2"), event_type=FIRED, payload="{}")

    await tell(ledger)
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

    await tell(ledger)
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


async def test_a_notice_writes_a_delivery_for_each_subscribed_webhook(
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

    await ledger.alerts.fire(alert(), event_type=FIRED, payload="{}")
    written = await ledger.alerts.notify(
        DEFAULT_TENANT, [FIRST], events={FIRED: '{"id": "a1"}'}, at=now
    )

    due = await ledger.webhooks.due(now=now, limit=9)
    assert written
    assert sorted(delivery.webhook_id for delivery in due) == ["w1", "w2"]
    assert {delivery.payload for delivery in due} == {'{"id": "a1"}'}
    assert {delivery.event_type for delivery in due} == {FIRED}
    assert {delivery.created_at for delivery in due} == {now}
    assert {delivery.attempts for delivery in due} == {0}


async def test_a_resolved_alert_says_when_it_ended(ledger: Ledger) -> None:
    await ledger.alerts.fire(alert(), event_type=FIRED, payload="{}")

    resolved = await ledger.alerts.resolve(
        DEFAULT_TENANT, "f1", at=later(60), event_type=RESOLVED, payload="[]"
    )

    page = await ledger.alerts.list(DEFAULT_TENANT, status=None, cursor=None, limit=9)
    told = (await ledger.journal.entries(DEFAULT_TENANT))[0]
    (standing,) = await ledger.alerts.standing(DEFAULT_TENANT)
    assert resolved == replace(alert(), status=AlertStatus.RESOLVED, ends_at=later(60))
    assert page.items == (resolved,)
    assert (told.action, told.at) == ("alert.resolved", later(60))
    assert standing.ended == Event(type=RESOLVED, payload="[]")


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


async def test_what_stands_is_what_was_said_so_far(ledger: Ledger) -> None:
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")
    await ledger.alerts.fire(alert("b1", tenant_id=OTHER_TENANT), event_type=FIRED, payload="{}")
    before = await ledger.alerts.standing(DEFAULT_TENANT)

    await ledger.alerts.notify(DEFAULT_TENANT, [FIRST], events={FIRED: "{}"}, at=later(5))

    began = Event(type=FIRED, payload="{}")
    (after,) = await ledger.alerts.standing(DEFAULT_TENANT)
    assert before == [
        Standing(alert=alert("a1"), began=began, ended=None, notices=0, notified_at=None)
    ]
    assert after == replace(before[0], notices=1, notified_at=later(5))


async def test_of_notices_at_once_one_is_given(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")
    await ledger.alerts.fire(alert("a2", fingerprint="f2"), event_type=FIRED, payload="{}")
    second = replace(FIRST, alert_id=AlertId("a2"))

    given = await asyncio.gather(
        *(
            ledger.alerts.notify(DEFAULT_TENANT, [FIRST, second], events={FIRED: "{}"}, at=NOW)
            for _ in range(5)
        )
    )

    assert given.count(True) == 1
    assert len(await ledger.webhooks.deliveries(DEFAULT_TENANT, WebhookId("w1"))) == 1


async def test_a_notice_that_was_overtaken_writes_nothing_at_all(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")
    stale = replace(FIRST, alert_id=AlertId("gone"))

    given = await ledger.alerts.notify(DEFAULT_TENANT, [FIRST, stale], events={FIRED: "{}"}, at=NOW)

    (standing,) = await ledger.alerts.standing(DEFAULT_TENANT)
    assert not given
    assert standing.notices == 0
    assert not await ledger.webhooks.deliveries(DEFAULT_TENANT, WebhookId("w1"))


async def test_a_receiver_gets_the_first_type_that_it_wants(ledger: Ledger) -> None:
    for name, types in (("w1", ["general", "special"]), ("w2", ["special"]), ("w3", ["none"])):
        await ledger.webhooks.add(webhook(name, event_types=types), actor=REVIEWER)
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")

    await ledger.alerts.notify(
        DEFAULT_TENANT, [FIRST], events={"general": "[1]", "special": "[2]"}, at=NOW
    )

    due = await ledger.webhooks.due(now=NOW, limit=9)
    assert sorted((one.webhook_id, one.event_type, one.payload) for one in due) == [
        ("w1", "general", "[1]"),
        ("w2", "special", "[2]"),
    ]


async def test_what_is_settled_stands_no_more(ledger: Ledger) -> None:
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")

    await ledger.alerts.notify(DEFAULT_TENANT, [replace(FIRST, settled=True)], events={}, at=NOW)

    assert not await ledger.alerts.standing(DEFAULT_TENANT)
    assert not await ledger.alerts.notify(DEFAULT_TENANT, [FIRST], events={}, at=NOW)


async def test_the_first_who_acknowledges_is_remembered_and_journalled(ledger: Ledger) -> None:
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")

    first = await ledger.alerts.acknowledge(
        DEFAULT_TENANT, AlertId("a1"), actor="key:ann", at=later(1)
    )
    second = await ledger.alerts.acknowledge(
        DEFAULT_TENANT, AlertId("a1"), actor="key:bob", at=later(2)
    )

    told = await ledger.journal.entries(DEFAULT_TENANT, object_id="a1")
    assert first == second == await ledger.alerts.get(DEFAULT_TENANT, AlertId("a1"))
    assert (first.acknowledged_by, first.acknowledged_at) == ("key:ann", later(1))
    assert [entry.action for entry in told] == ["alert.acknowledged", "alert.fired"]


async def test_what_is_over_or_unknown_is_not_acknowledged(ledger: Ledger) -> None:
    await ledger.alerts.fire(alert("a1"), event_type=FIRED, payload="{}")
    await ledger.alerts.resolve(
        DEFAULT_TENANT, "f1", at=later(1), event_type=RESOLVED, payload="{}"
    )

    for tenant, name, error in (
        (DEFAULT_TENANT, "a1", ConflictError),
        (DEFAULT_TENANT, "a2", NotFoundError),
        (OTHER_TENANT, "a1", NotFoundError),
    ):
        with pytest.raises(error):
            await ledger.alerts.acknowledge(tenant, AlertId(name), actor=REVIEWER, at=NOW)


def silence(name: str = "s1", *, reason: str = "known") -> Silence:
    return Silence(
        id=name,
        tenant_id=DEFAULT_TENANT,
        matchers={"topic": "t1"},
        author=REVIEWER,
        reason=reason,
        created_at=NOW,
        expires_at=later(60),
    )


async def test_a_silence_counts_until_it_expires_or_is_removed(ledger: Ledger) -> None:
    await ledger.silences.add(silence("s1"))
    await ledger.silences.add(silence("s2"))
    removed = await ledger.silences.remove(DEFAULT_TENANT, "s2", actor=REVIEWER, at=later(5))
    again = await ledger.silences.remove(DEFAULT_TENANT, "s2", actor="key:bob", at=later(6))

    async def active(seconds: float) -> list[str]:
        found = await ledger.silences.active(DEFAULT_TENANT, now=later(seconds))
        return sorted(one.id for one in found)

    assert removed == again
    assert removed.removed_at == later(5)
    assert await active(1) == ["s1", "s2"]
    assert await active(6) == ["s1"]
    assert await active(60) == []
    assert [one.id for one in await ledger.silences.list(DEFAULT_TENANT)] == ["s2", "s1"]
    assert not await ledger.silences.list(OTHER_TENANT)
    told = await ledger.journal.entries(DEFAULT_TENANT, object_id="s2")
    assert [entry.action for entry in told] == ["silence.removed", "silence.added"]


async def test_a_silence_needs_a_reason_and_is_of_one_tenant(ledger: Ledger) -> None:
    with pytest.raises(InputError):
        await ledger.silences.add(silence(reason=" "))
    await ledger.silences.add(silence())
    with pytest.raises(NotFoundError):
        await ledger.silences.remove(OTHER_TENANT, "s1", actor=REVIEWER, at=NOW)


def review(
    name: str, *, principal: str = "key:a", severity: Severity = Severity.WARNING, reach: int = 1
) -> Review:
    return Review(
        tenant_id=DEFAULT_TENANT,
        question_id=QuestionId(name),
        principal=principal,
        alert_id=AlertId("a1"),
        severity=severity,
        reach=reach,
        added_at=NOW,
    )


async def test_the_review_queue_is_by_reach_times_severity(ledger: Ledger) -> None:
    await ledger.reviews.add(
        [
            review("q1", reach=2),
            review("q2", reach=5),
            review("q3", reach=2, severity=Severity.CRITICAL),
            review("q4", reach=2),
        ],
        quota=9,
    )

    found = await ledger.reviews.open(DEFAULT_TENANT, limit=9)

    assert [one.question_id for one in found] == ["q3", "q2", "q1", "q4"]
    assert [one.question_id for one in await ledger.reviews.open(DEFAULT_TENANT, limit=1)] == ["q3"]
    assert not await ledger.reviews.open(OTHER_TENANT, limit=9)


async def test_no_principal_fills_the_review_queue(ledger: Ledger) -> None:
    many = [review(f"q{number}") for number in range(9)]

    first = await ledger.reviews.add(many, quota=3)
    other = await ledger.reviews.add([review("b1", principal="key:b")], quota=3)
    await ledger.reviews.close(DEFAULT_TENANT, QuestionId("q0"), actor=REVIEWER, at=later(1))
    later_on = await ledger.reviews.add(many, quota=3)

    assert (first, other, later_on) == (3, 1, 1)
    assert len(await ledger.reviews.open(DEFAULT_TENANT, limit=99)) == 4


async def test_a_review_is_closed_once_and_journalled(ledger: Ledger) -> None:
    await ledger.reviews.add([review("q1")], quota=3)

    closed = await ledger.reviews.close(
        DEFAULT_TENANT, QuestionId("q1"), actor=REVIEWER, at=later(1)
    )
    again = await ledger.reviews.close(
        DEFAULT_TENANT, QuestionId("q1"), actor="key:bob", at=later(2)
    )

    assert closed == again
    assert closed.closed_by == REVIEWER
    assert await ledger.reviews.add([review("q1")], quota=3) == 0
    (told,) = await ledger.journal.entries(DEFAULT_TENANT)
    assert told.action == "review.closed"
    with pytest.raises(NotFoundError):
        await ledger.reviews.close(DEFAULT_TENANT, QuestionId("q2"), actor=REVIEWER, at=NOW)
