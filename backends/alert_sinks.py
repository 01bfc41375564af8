"""The operator's own receivers: Alertmanager, OCSF over HTTP or in a file, JSON lines, apprise."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import stat
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

from backends.alert_events import AlertEvent, read_event
from backends.alert_ocsf import to_json as to_ocsf
from backends.guarded_post import GuardedPoster, accepted
from domain.errors import ConfigurationError, PermanentError, TransientError
from domain.escaping import defanged, line
from domain.monitoring import WEBHOOK, Delivery, Webhook, WebhookId, WebhookSender

LONGEST_EPISODE: Final = timedelta(days=7)
"""Alertmanager forgets an alert then if it was not told that it ended, nor reminded."""

_MARKUP: Final = re.compile(r"[<>&*`~|#\\]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""Underscores within words are our ids'; no markup begins or ends there."""
_JSON: Final[Mapping[str, str]] = {
    "content-type": "application/json",
    "user-agent": "Mithridate-Sinks/1",
}


class Sink(Protocol):
    async def send(self, delivery: Delivery) -> None:
        """Send one delivery; errors as those of a `WebhookSender`."""
        ...


class SinkSender:
    """A `WebhookSender` that hands what is for a sink to that sink."""

    def __init__(self, webhooks: WebhookSender, sinks: Mapping[WebhookId, Sink]) -> None:
        self._webhooks = webhooks
        self._sinks = sinks

    async def send(self, delivery: Delivery, webhook: Webhook, *, now: datetime) -> None:
        if webhook.kind == WEBHOOK:
            await self._webhooks.send(delivery, webhook, now=now)
            return
        sink = self._sinks.get(webhook.id)
        if sink is None:
            raise TransientError("this process was started without the sink")
        await sink.send(delivery)


class AlertmanagerSender:
    """Pushes to `<url>/api/v2/alerts`. Other events than alerts are not Alertmanager's."""

    def __init__(self, url: str, poster: GuardedPoster, *, authorization: str | None) -> None:
        self._url = url.rstrip("/") + "/api/v2/alerts"
        self._poster = poster
        self._headers = _headers(authorization)

    async def send(self, delivery: Delivery) -> None:
        body = json.dumps([alertmanager_alert(read_event(delivery))], separators=(",", ":"))
        url = self._poster.checked(self._url)
        accepted(await self._poster.post(url, self._headers, body.encode()))


def alertmanager_alert(event: AlertEvent) -> Mapping[str, object]:
    """Return the alert as Alertmanager's API takes it."""
    ends_at = event.ends_at if event.resolved else None
    alert: dict[str, object] = {
        "labels": {
            **{_label(name): line(value) for name, value in event.labels.items() if value},
            "alertname": line(event.name),
            "severity": line(event.severity),
        },
        "annotations": {
            **{_label(name): line(value) for name, value in event.facts.items()},
            "id": line(event.id),
        },
        "startsAt": event.starts_at.astimezone(UTC).isoformat(),
        "endsAt": (ends_at or event.at + LONGEST_EPISODE).astimezone(UTC).isoformat(),
    }
    if event.url is not None:
        alert["generatorURL"] = event.url
    return alert


class OcsfHttpSender:
    """Posts each event as one finding, e.g. to an HTTP event collector."""

    def __init__(self, url: str, poster: GuardedPoster, *, authorization: str | None) -> None:
        self._url = url
        self._poster = poster
        self._headers = _headers(authorization)

    async def send(self, delivery: Delivery) -> None:
        body = to_ocsf(read_event(delivery), uid=delivery.id)
        url = self._poster.checked(self._url)
        accepted(await self._poster.post(url, self._headers, body.encode()))


class FileSender:
    """Appends one JSON object a line: the event as webhooks get it, or a finding.

    A delivery that is repeated after a crash is there twice, under one id.
    """

    def __init__(self, path: Path, *, ocsf: bool) -> None:
        self._path = path
        self._ocsf = ocsf

    async def send(self, delivery: Delivery) -> None:
        if self._ocsf:
            text = to_ocsf(read_event(delivery), uid=delivery.id)
        else:
            text = json.dumps(
                {"id": delivery.id, "tenant": delivery.tenant_id, **json.loads(delivery.payload)},
                separators=(",", ":"),
            )
        await asyncio.to_thread(self._append, text + "\n")

    def _append(self, text: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            descriptor = os.open(self._path, flags, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise PermanentError(f"{self._path.name!r} is not a regular file")
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as exc:
            raise TransientError(f"{self._path.name!r}: {exc.strerror}") from exc


class Notifier(Protocol):
    """What is used of `apprise.Apprise`."""

    def notify(self, body: str, title: str) -> object:
        """Return something true if every receiver took it."""
        ...


class AppriseSender:
    """Tells people, by chat or e-mail, through apprise. The library connects: no address is guarded.

    Nothing in a message is a link, a mention or markup, whoever named what it tells of.
    """

    def __init__(self, notifier: Notifier, *, timeout_seconds: float) -> None:
        self._notifier = notifier
        self._timeout = timeout_seconds

    async def send(self, delivery: Delivery) -> None:
        event = read_event(delivery)
        try:
            async with asyncio.timeout(self._timeout):
                sent = await asyncio.to_thread(
                    self._notifier.notify, title=title_of(event), body=body_of(event)
                )
        except TimeoutError as exc:
            raise TransientError(f"receiver took longer than {self._timeout:g} s") from exc
        if not sent:
            raise TransientError("apprise did not deliver")


def open_notifier(url: str) -> Notifier:
    """Return apprise for one of its URLs.

    Raises:
        ConfigurationError: The extra `notify` is not installed, or apprise does not know the URL.
    """
    try:
        from apprise import Apprise, AppriseAsset
    except ImportError as exc:
        raise ConfigurationError("a sink of kind apprise needs the extra 'notify'") from exc
    notifier = Apprise(asset=AppriseAsset(app_id="Mithridate", app_desc="Mithridate", app_url=""))
    if not notifier.add(url):
        raise ConfigurationError("apprise does not know the URL of a sink")
    known: Notifier = notifier
    return known


def title_of(event: AlertEvent) -> str:
    state = "resolved" if event.resolved else event.severity
    return _plain(f"Mithridate: {event.name} ({state})")


def body_of(event: AlertEvent) -> str:
    """Return the message: one fact a line."""
    facts = {"event": event.type, "id": event.id, **event.labels, **event.facts}
    lines = [f"{_plain(name)}: {_plain(value)}" for name, value in facts.items() if value]
    if event.url is not None:
        lines.append(event.url)  # the operator's own setting
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Return text that neither Markdown, nor Slack's mark-up, nor HTML takes for anything else."""
    return _MARKUP.sub("?", defanged(text))


def _label(name: str) -> str:
    """Return a name that Prometheus takes."""
    fit = "".join(char if char.isascii() and char.isalnum() else "_" for char in line(name))
    return fit if fit and not fit[0].isdigit() else f"_{fit}"


def _headers(authorization: str | None) -> Mapping[str, str]:
    return _JSON if authorization is None else {**_JSON, "authorization": authorization}
