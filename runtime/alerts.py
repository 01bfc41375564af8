"""Who is told of alerts, and when, from `Settings`."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, get_args

from pydantic import SecretStr

from backends.alert_cef import CefSender
from backends.alert_sinks import (
    AlertmanagerSender,
    AppriseSender,
    FileSender,
    OcsfHttpSender,
    Sink,
    open_notifier,
)
from backends.guarded_post import GuardedPoster
from backends.webhook_addresses import check_url
from domain.clock import Clock
from domain.documents import DEFAULT_TENANT
from domain.errors import ConfigurationError, InputError
from domain.ledger import Ledger
from domain.monitoring import Webhook, WebhookId
from monitors.lifecycle import Inhibition, LifecycleOptions
from monitors.reviewing import ReviewSampler
from monitors.routing import AlertDispatcher
from runtime.sections import EventType, SinkSettings
from runtime.settings import Settings

EVENT_TYPES: Final[tuple[str, ...]] = get_args(EventType)
_ALERTS: Final = ("alert.firing", "alert.resolved")
_USUAL: Final = tuple(
    each for each in EVENT_TYPES if each in _ALERTS or each.startswith(("document.", "webhook."))
)


def build_dispatcher(settings: Settings, *, ledger: Ledger, clock: Clock) -> AlertDispatcher:
    alerts = settings.alerts
    return AlertDispatcher(
        ledger.alerts,
        ledger.silences,
        clock=clock,
        options=LifecycleOptions(
            group_interval=timedelta(seconds=alerts.group_seconds),
            repeat_interval=timedelta(hours=alerts.repeat_hours),
            inhibitions=tuple(
                Inhibition(source=rule.source, target=rule.target, equal=rule.equal)
                for rule in alerts.inhibitions
            ),
        ),
        reviews=ReviewSampler(
            ledger.questions,
            ledger.observations,
            ledger.reviews,
            sample=alerts.review_sample,
            quota=alerts.review_quota,
        ),
        public_url=alerts.public_url,
    )


def sink_rows(settings: Settings, *, at: datetime) -> Sequence[Webhook]:
    """Return the sinks as the ledger knows them: neither address nor secret is in it.

    Raises:
        ConfigurationError: Two have one name.
    """
    rows = [
        Webhook(
            id=_id(sink),
            tenant_id=DEFAULT_TENANT,
            url=f"settings:sinks.{sink.name}",
            secret="",
            event_types=frozenset(_types(sink)),
            created_at=at,
            kind=sink.kind,
        )
        for sink in settings.sinks
    ]
    if len({row.id for row in rows}) < len(rows):
        raise ConfigurationError("sinks: two have one name")
    return rows


def build_sinks(settings: Settings) -> Mapping[WebhookId, Sink]:
    """Build what sends to each sink.

    Raises:
        ConfigurationError: An address, a file of authorities or an extra cannot be used.
    """
    return {_id(sink): _build(sink) for sink in settings.sinks}


def _types(sink: SinkSettings) -> Sequence[str]:
    if sink.event_types is not None:
        return sink.event_types
    return _ALERTS if sink.kind == "alertmanager" else _USUAL


def _build(sink: SinkSettings) -> Sink:
    if sink.path is not None:
        return FileSender(sink.path.expanduser(), ocsf=sink.kind == "ocsf")
    url = sink.url.get_secret_value() if sink.url is not None else ""
    if sink.kind == "apprise":
        return AppriseSender(open_notifier(url), timeout_seconds=sink.timeout_seconds)
    if sink.kind == "cef":
        return CefSender(
            url,
            host=socket.gethostname(),
            allow_private_networks=sink.allow_private_networks,
            timeout_seconds=sink.timeout_seconds,
            tls=_tls(sink),
        )
    try:
        check_url(url, allow_private_networks=sink.allow_private_networks)
    except InputError as exc:
        raise ConfigurationError(f"sinks: {sink.name}: {exc}") from exc
    poster = GuardedPoster(
        allow_private_networks=sink.allow_private_networks,
        timeout_seconds=sink.timeout_seconds,
        tls=_tls(sink),
    )
    kind = AlertmanagerSender if sink.kind == "alertmanager" else OcsfHttpSender
    return kind(url, poster, authorization=_secret(sink.authorization))


def _tls(sink: SinkSettings) -> ssl.SSLContext | None:
    if sink.ca_path is None:
        return None
    try:
        return ssl.create_default_context(cafile=sink.ca_path.expanduser())
    except (OSError, ssl.SSLError) as exc:
        raise ConfigurationError(
            f"sinks: {sink.name}: {str(sink.ca_path)!r} holds no certificates in PEM"
        ) from exc


def _secret(given: SecretStr | None) -> str | None:
    return None if given is None else given.get_secret_value()


def _id(sink: SinkSettings) -> WebhookId:
    return WebhookId(f"sink_{sink.name}")
