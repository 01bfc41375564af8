"""Gets what is due to its receivers: at least once, patiently, and not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Final

from domain.clock import Clock
from domain.errors import PermanentError, ReceiverGoneError, TransientError
from domain.ledger import WebhookLedger
from domain.monitoring import Delivery, Webhook, WebhookId, WebhookSender
from monitors.events import webhook_disabled

BACKOFF_SECONDS: Final = (5.0, 30.0, 120.0, 600.0, 3_600.0, 10_800.0, 28_800.0, 43_200.0)
"""Wait after the first failure, the second ...; the last repeats. Nine attempts take a day."""

JITTER: Final = 0.2
"""A wait is longer by up to this share, so that receivers that failed together part ways."""
_LONGEST_WAIT: Final = timedelta(seconds=BACKOFF_SECONDS[-1] * (1 + JITTER) + 60)
"""With a minute between clocks; what waits for longer was put off by one that was wrong."""

_BATCH: Final = 1_000
_AT_ONCE: Final = 8
_BUDGET_SECONDS: Final = 30.0
"""No send begins later than this in one call: the caller holds a lease."""
_MAX_ERROR: Final = 300


class DeliveryPump:
    """Sends due deliveries, receivers side by side, each one's own one after the other.

    A crash between sending and writing that down sends again: receivers deduplicate by id.
    """

    def __init__(
        self,
        webhooks: WebhookLedger,
        sender: WebhookSender,
        *,
        clock: Clock,
        random: Random,
        max_attempts: int,
    ) -> None:
        if max_attempts < 1:
            raise ValueError(f"max_attempts must be >= 1, got {max_attempts}")
        self._webhooks = webhooks
        self._sender = sender
        self._clock = clock
        self._random = random
        self._max_attempts = max_attempts

    async def deliver_due(self) -> int:
        """Try what is due now, once each; return how many were delivered.

        Where a delivery fails for now, what else is due to its receiver waits for the next call: a
        receiver that is down costs one timeout a call, however much waits for it.

        Raises:
            TransientError: The ledger did not answer.
        """
        stop_at = self._clock.monotonic() + _BUDGET_SECONDS
        now = self._clock.now()
        due = await self._webhooks.due(now=now, limit=_BATCH, latest=now + _LONGEST_WAIT)
        by_receiver: dict[WebhookId, list[Delivery]] = {}
        for delivery in due:
            by_receiver.setdefault(delivery.webhook_id, []).append(delivery)
        slots = asyncio.Semaphore(_AT_ONCE)

        async def drain(webhook_id: WebhookId, waiting: Sequence[Delivery]) -> int:
            async with slots:
                return await self._drain(webhook_id, waiting, stop_at=stop_at)

        # One receiver's failure must not cancel what is on its way to another.
        outcomes = await asyncio.gather(
            *(drain(webhook_id, waiting) for webhook_id, waiting in by_receiver.items()),
            return_exceptions=True,
        )
        delivered = 0
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            delivered += outcome
        return delivered

    async def deliver_now(self, delivery: Delivery, webhook: Webhook) -> Delivery:
        """Try one delivery, whatever it waits for; return it as it is afterwards.

        Raises:
            TransientError: The ledger did not answer.
        """
        failure = await self._send(delivery, webhook)
        now = self._clock.now()
        error = None if failure is None else str(failure)[:_MAX_ERROR]
        await self._webhooks.save_attempt(
            delivery.id,
            delivered_at=now if failure is None else None,
            next_attempt_at=None,
            error=error,
        )
        return replace(
            delivery,
            attempts=delivery.attempts + 1,
            delivered_at=now if failure is None else None,
            last_error=error,
        )

    async def _drain(
        self, webhook_id: WebhookId, waiting: Sequence[Delivery], *, stop_at: float
    ) -> int:
        webhook = await self._webhooks.get(webhook_id)
        delivered = 0
        for delivery in waiting:
            if self._clock.monotonic() >= stop_at:
                break
            if webhook is None:
                await self._give_up(delivery, "the webhook is no longer registered")
                continue
            failure = await self._send(delivery, webhook)
            if isinstance(failure, TransientError):
                await self._put_off(delivery, failure)
                break
            if failure is not None:
                await self._give_up(delivery, str(failure))
                if isinstance(failure, ReceiverGoneError):
                    await self._disable(webhook, str(failure))
                    break
                continue
            await self._webhooks.save_attempt(
                delivery.id, delivered_at=self._clock.now(), next_attempt_at=None, error=None
            )
            delivered += 1
        return delivered

    async def _send(
        self, delivery: Delivery, webhook: Webhook
    ) -> TransientError | PermanentError | None:
        """Return why it could not be sent: the ledger's own errors must not look like that."""
        try:
            await self._sender.send(delivery, webhook, now=self._clock.now())
        except (TransientError, PermanentError) as exc:
            return exc
        return None

    async def _put_off(self, delivery: Delivery, cause: TransientError) -> None:
        made = delivery.attempts + 1
        if made >= self._max_attempts:
            await self._give_up(delivery, f"given up after {made} attempts: {cause}")
            return
        await self._webhooks.save_attempt(
            delivery.id,
            delivered_at=None,
            next_attempt_at=self._next_attempt(made),
            error=str(cause)[:_MAX_ERROR],
        )

    def _next_attempt(self, attempts: int) -> datetime:
        wait = BACKOFF_SECONDS[min(attempts, len(BACKOFF_SECONDS)) - 1]
        wait *= 1 + JITTER * self._random.random()
        return self._clock.now() + timedelta(seconds=wait)

    async def _disable(self, webhook: Webhook, reason: str) -> None:
        at = self._clock.now()
        told = webhook_disabled(webhook, reason=reason, at=at)
        await self._webhooks.disable(webhook.id, reason=reason, payload=told, at=at)

    async def _give_up(self, delivery: Delivery, error: str) -> None:
        await self._webhooks.save_attempt(
            delivery.id, delivered_at=None, next_attempt_at=None, error=error[:_MAX_ERROR]
        )
