"""Events as CEF over syslog (RFC 5424) with TLS (RFC 5425)."""

from __future__ import annotations

import asyncio
import ssl
from datetime import UTC
from importlib.metadata import version
from typing import Final
from urllib.parse import urlsplit

import anyio
import httpx

from backends.alert_events import AlertEvent, read_event
from backends.guarded_addresses import Resolver, guarded_addresses, resolve_host
from domain.errors import ConfigurationError, TransientError
from domain.escaping import cef_header, cef_value, line
from domain.monitoring import Delivery

PORT: Final = 6514

_FACILITY_AUDIT: Final = 13
_ALERT, _CRITICAL, _WARNING, _NOTICE = 1, 2, 4, 5
_MAX_MESSAGE: Final = 8_192
"""Octets that a TLS receiver should take (RFC 5425, 4.3.1)."""
_KEYS: Final = ("cs1", "cs2", "cs3", "cs4", "cs5", "cs6")


def cef(event: AlertEvent) -> str:
    """Return the event in CEF: header, then extension."""
    severity = "3" if event.resolved else "9" if event.critical else "6"
    header = "|".join(
        cef_header(part)
        for part in (
            "CEF:0",
            "Mithridate",
            "Mithridate",
            version("mithridate"),
            event.type,
            event.name,
            severity,
        )
    )
    pairs = {
        "rt": str(int(event.at.timestamp() * 1000)),
        "start": str(int(event.starts_at.timestamp() * 1000)),
        "externalId": event.id,
        "cat": event.type,
        "outcome": "resolved" if event.resolved else "firing",
    }
    if event.ends_at is not None:
        pairs["end"] = str(int(event.ends_at.timestamp() * 1000))
    if event.url is not None:
        pairs["request"] = event.url
    told = {**event.labels, **event.facts}
    ranked = sorted(told, key=lambda name: (name not in {*event.labels, "suspects"}, name))
    for key, (name, value) in zip(_KEYS, ((one, told[one]) for one in ranked), strict=False):
        pairs[f"{key}Label"], pairs[key] = name, value
    return header + "|" + " ".join(f"{key}={cef_value(value)}" for key, value in pairs.items())


def syslog(event: AlertEvent, *, host: str, uid: str) -> bytes:
    """Return the frame: length, then the message, cut where receivers may stop reading."""
    level = _NOTICE if event.resolved else _CRITICAL if event.critical else _WARNING
    moment = event.at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    head = f"<{_FACILITY_AUDIT * 8 + level}>1 {moment} {_name(host)} mithridate - {_name(uid)} - "
    message = (head + cef(event)).encode()
    if len(message) > _MAX_MESSAGE:
        message = message[:_MAX_MESSAGE].decode(errors="ignore").encode()
    return b"%d %s" % (len(message), message)


class CefSender:
    """A `Sink`. Syslog has no receipts: sent and flushed is delivered."""

    def __init__(
        self,
        url: str,
        *,
        host: str,
        allow_private_networks: bool = False,
        timeout_seconds: float = 10.0,
        resolve: Resolver = resolve_host,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Take `tls://host:port`.

        Raises:
            ConfigurationError: The URL is not of that form.
        """
        self._url = tls_url(url)
        self._host = host
        self._allow_private = allow_private_networks
        self._timeout = timeout_seconds
        self._resolve = resolve
        self._tls = tls

    async def send(self, delivery: Delivery) -> None:
        frame = syslog(read_event(delivery), host=self._host, uid=delivery.id)
        try:
            with anyio.fail_after(self._timeout):
                await self._write(frame)
        except TimeoutError as exc:
            raise TransientError(f"receiver took longer than {self._timeout:g} s") from exc
        except (OSError, ssl.SSLError) as exc:
            raise TransientError(f"receiver cannot be reached: {type(exc).__name__}") from exc

    async def _write(self, frame: bytes) -> None:
        addresses = await guarded_addresses(
            self._url,
            resolve=self._resolve,
            allow_private_networks=self._allow_private,
            who="receiver",
        )
        tls = self._tls or ssl.create_default_context()
        _, writer = await asyncio.open_connection(
            addresses[0],
            self._url.port,
            ssl=tls,
            server_hostname=self._url.raw_host.decode("ascii"),
        )
        try:
            writer.write(frame)
            await writer.drain()
        finally:
            writer.close()
            await writer.wait_closed()


def tls_url(url: str) -> httpx.URL:
    """Return `tls://host:port` in the form that addresses are guarded in.

    Raises:
        ConfigurationError: It is not of that form.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or PORT
    except ValueError as exc:
        raise ConfigurationError("a cef sink's url is not tls://host:port") from exc
    if parts.scheme != "tls" or not parts.hostname or parts.username or parts.path.strip("/"):
        raise ConfigurationError("a cef sink's url is not tls://host:port")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return httpx.URL(f"https://{host}:{port}")


def _name(text: str) -> str:
    """Return a field of the syslog header: printable ASCII without spaces."""
    return "".join(char for char in line(text) if "!" <= char <= "~")[:32] or "-"
