"""Delivers webhooks over HTTP: signed by the Standard Webhooks scheme, to allowed addresses only."""

from __future__ import annotations

import binascii
from datetime import UTC, datetime
from typing import Final

import httpx
from standardwebhooks import Webhook as Signer
from standardwebhooks.webhooks import EmptyWebhookSecretError

from backends.guarded_addresses import Resolver
from backends.guarded_post import GuardedPoster, accepted
from backends.webhook_addresses import check_url
from domain.errors import PermanentError, ReceiverGoneError
from domain.monitoring import Delivery, Webhook

__all__ = ["HttpWebhookSender", "Resolver", "check_url"]

_USER_AGENT: Final = "Mithridate-Webhooks/1"


class HttpWebhookSender:
    """A `WebhookSender`. While a secret is being changed, both sign."""

    def __init__(self, poster: GuardedPoster) -> None:
        self._poster = poster

    async def send(self, delivery: Delivery, webhook: Webhook, *, now: datetime) -> None:
        url = self._poster.checked(webhook.url)
        status = await self._poster.post(
            url, _headers(delivery, webhook, now=now), delivery.payload.encode()
        )
        if status == httpx.codes.GONE:
            raise ReceiverGoneError("receiver answered 410: it wants no more")
        accepted(status)


def _headers(delivery: Delivery, webhook: Webhook, *, now: datetime) -> dict[str, str]:
    at = now.astimezone(UTC)
    try:
        signatures = [
            Signer(secret).sign(delivery.id, at, delivery.payload)
            for secret in webhook.secrets_at(now)
        ]
    except (binascii.Error, EmptyWebhookSecretError, UnicodeError) as exc:
        raise PermanentError("the webhook's secret cannot sign") from exc
    return {
        "content-type": "application/json",
        "user-agent": _USER_AGENT,
        "webhook-id": delivery.id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
