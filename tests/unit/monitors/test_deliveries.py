from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from backends.memory.webhooks import RecordingWebhookSender
from domain.documents import DEFAULT_TENANT
from domain.errors import PermanentError, TransientError
from domain.ledger import WebhookLedger
from domain.monitoring import Delivery, Webhook, WebhookId, WebhookSender
from monitors.deliveries import BACKOFF_SECONDS, JITTER, DeliveryPump

pytestmark = pytest.mark.anyio

A, B = WebhookId("wh_a"), WebhookId("wh_b")
DOWN = TransientError("receiver answered 500")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def webhooks(clock: ManualClock) -> WebhookLedger:
    return InMemoryLedger(clock=clock, ids=SequentialIds()).webhooks


@pytest.fixture
def sender() -> RecordingWebhookSender:
    return RecordingWebhookSender()


@pytest.fixture
def pump(
    webhooks: WebhookLedger, sender: RecordingWebhookSender, clock: ManualClock
) -> DeliveryPump:
    return make_pump(webhooks, sender, clock)


def make_pump(
    webhooks: WebhookLedger,
    sender: WebhookSender,
    clock: ManualClock,
    *,
    max_attempts: int = 9,
    seed: int = 1,
) -> DeliveryPump:
    return DeliveryPump(
        webhooks,
        sender,
        clock=clock,
        random=Random(seed),  # noqa: S311 - jitter
        max_attempts=max_attempts,
    )


async def register(webhooks: WebhookLedger, clock: ManualClock, *ids: WebhookId) -> None:
    for id in ids:
        webhook = Webhook(
            id=id,
            tenant_id=DEFAULT_TENANT,
            url=f"https://example.org/{id}",
            secret="whsec_c2VjcmV0",
            event_types=frozenset({"alert.firing"}),
            created_at=clock.now(),
        )
        await webhooks.add(webhook, actor="test")


async def emit(webhooks: WebhookLedger, clock: ManualClock, payload: str = "{}") -> None:
    await webhooks.emit(DEFAULT_TENANT, event_type="alert.firing", payload=payload, at=clock.now())


async def only_delivery(webhooks: WebhookLedger, webhook_id: WebhookId = A) -> Delivery:
    (delivery,) = await webhooks.deliveries(DEFAULT_TENANT, webhook_id)
    return delivery


async def test_what_is_due_is_sent_once_to_each_receiver(
    webhooks: WebhookLedger,
    sender: RecordingWebhookSender,
    pump: DeliveryPump,
    clock: ManualClock,
) -> None:
    await register(webhooks, clock, A, B)
    await emit(webhooks, clock, '{"n":1}')

    first, second = await pump.deliver_due(), await pump.deliver_due()

    assert (first, second) == (2, 0)
    assert sorted(sent.webhook.id for sent in sender.sent) == [A, B]
    assert {sent.delivery.payload for sent in sender.sent} == {'{"n":1}'}
    assert (await only_delivery(webhooks)).delivered_at == clock.now()


async def test_a_receiver_gets_its_events_in_order(
    webhooks: WebhookLedger,
    sender: RecordingWebhookSender,
    pump: DeliveryPump,
    clock: ManualClock,
) -> None:
    await register(webhooks, clock, A)
    for number in range(5):
        await emit(webhooks, clock, f"{number}")
        clock.advance(1)

    await pump.deliver_due()

    assert [sent.delivery.payload for sent in sender.sent] == ["0", "1", "2", "3", "4"]


async def test_waits_grow_from_five_seconds_to_hours_and_then_it_is_given_up(
    webhooks: WebhookLedger,
    sender: RecordingWebhookSender,
    pump: DeliveryPump,
    clock: ManualClock,
) -> None:
    await register(webhooks, clock, A)
    await emit(webhooks, clock)
    sender.failures[A] = DOWN

    waits = []
    while True:
        await pump.deliver_due()
        delivery = await only_delivery(webhooks)
        wait = (delivery.next_attempt_at - clock.now()).total_seconds()
        if wait <= 0:
            break
        waits.append(wait)
        clock.advance(wait)

    assert delivery.attempts == 9
    assert delivery.delivered_at is None
    assert delivery.last_error == "given up after 9 attempts: receiver answered 500"
    assert len(waits) == len(BACKOFF_SECONDS)
    assert 86_400 <= sum(waits) <= 86_400 * 1.25
    for wait, least in zip(waits, BACKOFF_SECONDS, strict=True):
        assert least <= wait <= least * (1 + JITTER)
    assert await due(webhooks, clock.now() + timedelta(days=30)) == []


async def due(webhooks: WebhookLedger, at: datetime) -> Sequence[Delivery]:
    return list(await webhooks.due(now=at, limit=10))


async def test_a_receiver_that_comes_back_is_delivered_to(
    webhooks: WebhookLedger,
    sender: RecordingWebhookSender,
    pump: DeliveryPump,
    clock: ManualClock,
) -> None:
    await register(webhooks, clock, A)
    await emit(webhooks, clock)
    sender.failures[A] = DOWN
    await pump.deliver_due()
    sender.failures.clear()

    too_early = await pump.deliver_due()
    clock.advance(10)
    in_time = await pump.deliver_due()

    assert (too_early, in_time) == (0, 1)
    delivery = await only_delivery(webhooks)
    assert (delivery.attempts, delivery.last_error) == (2, None)


async def test_a_permanent_refusal_is_given_up_at_once_and_kept_for_the_record(
    webhooks: WebhookLedger,
    sender: RecordingWebhookSender,
    pump: DeliveryPump,
    clock: ManualClock,
) -> None:
    await register(webhooks, clock, A)
    await emit(webhooks, clock)
    sender.failures[A] = PermanentError("receiver answered 410: it wants no more")

    await pump.deliver_due()
    clock.advance(86_400)
    await pump.deliver_due()

    delivery = await only_delivery(webhooks)
    assert (delivery.attempts, delivery.delivered_at) == (1, None)
    assert delivery.last_error == "receiver answered 410: it wants no more"


async def test_a_receiver_that_is_down_costs_one_attempt_a_call_and_holds_up_nobody(
    webhooks: WebhookLedger,
    sender: RecordingWebhookSender,
    pump: DeliveryPump,
    clock: ManualClock,
) -> None:
    await register(webhooks, clock, A, B)
    for _ in range(4):
        await emit(webhooks, clock)
    sender.failures[A] = DOWN

    delivered = await pump.deliver_due()

    attempts = [one.attempts for one in await webhooks.deliveries(DEFAULT_TENANT, A)]
    assert delivered == 4
    assert sorted(attempts) == [0, 0, 0, 1]


async def test_two_pumps_with_other_randomness_wait_differently(
    webhooks: WebhookLedger, sender: RecordingWebhookSender, clock: ManualClock
) -> None:
    await register(webhooks, clock, A, B)
    await emit(webhooks, clock)
    sender.failures = {A: DOWN, B: DOWN}

    await make_pump(webhooks, sender, clock).deliver_due()

    first, second = await only_delivery(webhooks, A), await only_delivery(webhooks, B)
    assert first.next_attempt_at != second.next_attempt_at


class SlowSender:
    """Takes twenty seconds of the clock for each delivery."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock

    async def send(self, delivery: Delivery, webhook: Webhook, *, now: datetime) -> None:
        self._clock.advance(20)


async def test_a_call_begins_no_send_after_its_budget(
    webhooks: WebhookLedger, clock: ManualClock
) -> None:
    await register(webhooks, clock, A)
    for _ in range(5):
        await emit(webhooks, clock)
    pump = make_pump(webhooks, SlowSender(clock), clock)

    delivered = [await pump.deliver_due() for _ in range(3)]

    assert delivered == [2, 2, 1]


class BrokenWebhooks:
    """A webhook ledger that cannot write down what was sent."""

    def __init__(self, webhooks: WebhookLedger) -> None:
        self.due = webhooks.due
        self.get = webhooks.get
        self.add = webhooks.add
        self.list = webhooks.list
        self.remove = webhooks.remove
        self.emit = webhooks.emit
        self.deliveries = webhooks.deliveries
        self.synchronise = webhooks.synchronise
        self.rotate = webhooks.rotate
        self.disable = webhooks.disable
        self.enable = webhooks.enable
        self.replay = webhooks.replay
        self.add_delivery = webhooks.add_delivery
        self.saved = 0

    async def save_attempt(
        self,
        delivery_id: str,
        *,
        delivered_at: datetime | None,
        next_attempt_at: datetime | None,
        error: str | None,
    ) -> None:
        self.saved += 1
        raise TransientError("database does not answer")


async def test_a_ledger_that_fails_is_not_taken_for_a_receiver_that_does(
    webhooks: WebhookLedger, sender: RecordingWebhookSender, clock: ManualClock
) -> None:
    await register(webhooks, clock, A, B)
    await emit(webhooks, clock)
    broken = BrokenWebhooks(webhooks)

    with pytest.raises(TransientError, match="database"):
        await make_pump(broken, sender, clock).deliver_due()

    assert broken.saved == 2
    assert await make_pump(webhooks, sender, clock).deliver_due() == 2
    assert len(sender.sent) == 4


def test_at_least_one_attempt_is_needed(
    webhooks: WebhookLedger, sender: RecordingWebhookSender, clock: ManualClock
) -> None:
    with pytest.raises(ValueError, match="max_attempts"):
        make_pump(webhooks, sender, clock, max_attempts=0)


async def test_what_a_clock_a_day_too_far_on_put_off_is_sent_once_it_is_right(
    webhooks: WebhookLedger,
    sender: RecordingWebhookSender,
    pump: DeliveryPump,
    clock: ManualClock,
) -> None:
    await register(webhooks, clock, A)
    clock.jump(86_400)
    await emit(webhooks, clock)
    clock.jump(-86_400)

    sent = [await pump.deliver_due(), await pump.deliver_due()]

    assert sent == [1, 0]
    assert len(sender.sent) == 1
