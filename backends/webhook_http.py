"""Delivers webhooks over HTTP: signed by the Standard Webhooks scheme, to allowed addresses only."""

from __future__ import annotations

import binascii
import ssl
from datetime import UTC, datetime
from typing import Final

import anyio
import httpx
from standardwebhooks import Webhook as Signer
from standardwebhooks.webhooks import EmptyWebhookSecretError

from backends.guarded_addresses import Resolver, guarded_addresses, resolve_host
from backends.webhook_addresses import check_url, parse_url
from domain.errors import InputError, PermanentError, TransientError
from domain.monitoring import Delivery, Webhook

__all__ = ["HttpWebhookSender", "Resolver", "check_url"]

_USER_AGENT: Final = "Mithridate-Webhooks/1"
_MAX_RESPONSE_BYTES: Final = 16_384


class HttpWebhookSender:
    """A `WebhookSender` that guards where it connects to.

    A host is resolved once a delivery and the connection made to the very address that was checked,
    under the host's own name, so that a name which changes its mind gains nothing. Redirects are
    failures, proxies of the environment are not used, and no connection serves two hosts.
    """

    def __init__(
        self,
        *,
        allow_private_networks: bool = False,
        timeout_seconds: float = 10.0,
        resolve: Resolver = resolve_host,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Keep the settings; nothing is sent yet.

        Args:
            allow_private_networks: Also deliver to loopback and private addresses, and by http.
            timeout_seconds: For the whole of a delivery, resolving included.
            resolve: Where addresses come from.
            tls: What to trust; None for the usual authorities.
        """
        if timeout_seconds <= 0:
            raise ValueError(f"timeout_seconds must be > 0, got {timeout_seconds}")
        self._allow_private = allow_private_networks
        self._timeout = timeout_seconds
        self._resolve = resolve
        self._tls = tls

    async def send(self, delivery: Delivery, webhook: Webhook, *, now: datetime) -> None:
        url = self._checked_url(webhook)
        headers = _headers(delivery, webhook, url, now=now)
        try:
            with anyio.fail_after(self._timeout):
                status = await self._post(url, headers, delivery.payload.encode())
        except TimeoutError as exc:
            raise TransientError(f"receiver took longer than {self._timeout:g} s") from exc
        except httpx.HTTPError as exc:
            raise TransientError(f"receiver cannot be reached: {type(exc).__name__}") from exc
        if status == httpx.codes.GONE:
            raise PermanentError("receiver answered 410: it wants no more")
        if not httpx.codes.is_success(status):
            raise TransientError(f"receiver answered {status}")

    def _checked_url(self, webhook: Webhook) -> httpx.URL:
        try:
            check_url(webhook.url, allow_private_networks=self._allow_private)
        except InputError as exc:
            raise PermanentError(str(exc)) from exc
        url = parse_url(webhook.url)
        if url is None:
            raise PermanentError("the webhook URL is not one")
        return url

    async def _post(self, url: httpx.URL, headers: dict[str, str], body: bytes) -> int:
        """Return the status that the first address to accept a connection answers with."""
        addresses = await guarded_addresses(
            url,
            resolve=self._resolve,
            allow_private_networks=self._allow_private,
            who="receiver",
        )
        if self._tls is None:
            self._tls = httpx.create_ssl_context(trust_env=False)
        async with httpx.AsyncClient(
            verify=self._tls,
            trust_env=False,
            follow_redirects=False,
            timeout=self._timeout,
        ) as client:
            for address in addresses[:-1]:
                try:
                    return await _post_to(client, url, address, headers, body)
                except httpx.ConnectError:
                    continue
            return await _post_to(client, url, addresses[-1], headers, body)


async def _post_to(
    client: httpx.AsyncClient, url: httpx.URL, address: str, headers: dict[str, str], body: bytes
) -> int:
    request = client.build_request(
        "POST",
        url.copy_with(host=address),
        headers=headers,
        content=body,
        extensions={"sni_hostname": url.raw_host.decode("ascii")},
    )
    response = await client.send(request, stream=True)
    try:
        received = 0
        # Raw: what is compressed stays so. Nothing in it is of use to us.
        async for piece in response.aiter_raw():
            received += len(piece)
            if received >= _MAX_RESPONSE_BYTES:
                break
    finally:
        await response.aclose()
    return response.status_code


def _headers(
    delivery: Delivery, webhook: Webhook, url: httpx.URL, *, now: datetime
) -> dict[str, str]:
    at = now.astimezone(UTC)
    try:
        signature = Signer(webhook.secret).sign(delivery.id, at, delivery.payload)
    except (binascii.Error, EmptyWebhookSecretError, UnicodeError) as exc:
        raise PermanentError("the webhook's secret cannot sign") from exc
    return {
        "host": url.netloc.decode("ascii"),
        "content-type": "application/json",
        "user-agent": _USER_AGENT,
        "accept-encoding": "identity",
        "webhook-id": delivery.id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": signature,
    }
