"""Sends jobs by name, so that the gateway needs no worker code to enqueue."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from celery import Celery
from kombu.exceptions import OperationalError

from backends.redis_clients import celery_broker
from domain.errors import TransientError
from domain.jobs import JobName

DOCUMENTS_QUEUE: Final = "documents"
BULK_QUEUE: Final = "bulk"
"""Documents of an origin that just sent many: served by turns with `documents`, never before it."""
ALERTS_QUEUE: Final = "alerts"
MAINTENANCE_QUEUE: Final = "maintenance"
MONITORS_QUEUE: Final = "monitors"
"""No upload holds up what is delivered, swept or watched."""

ROUTES: Final[dict[JobName, str]] = {
    "documents.ingest": DOCUMENTS_QUEUE,
    "documents.ingest-bulk": BULK_QUEUE,
    "monitors.evaluate": MONITORS_QUEUE,
    "alerts.deliver": ALERTS_QUEUE,
    "audit.checkpoint": MAINTENANCE_QUEUE,
    "maintenance.sweep": MAINTENANCE_QUEUE,
    "maintenance.prune": MAINTENANCE_QUEUE,
    "maintenance.verify": MAINTENANCE_QUEUE,
}

TRANSPORT_OPTIONS: Final[dict[str, object]] = {
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "socket_timeout": 30,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 25,
    # redis-py tries again whatever failed, not timeouts alone, behind kombu's back: a subscription
    # whose server died was made anew unseen, and the worker's loop then read it for ever.
    "retry_on_timeout": False,
    "global_keyprefix": "mithridate:",
}
"""Measured in facts/services, section 1b: with kombu's defaults a lost worker's job waits 95 s."""

_PRODUCER: Final[dict[str, object]] = {"socket_timeout": 5}
"""Who sends waits for no message, and has the outbox to fall back on."""


class CeleryJobQueue:
    """Publishes ids. Sync, since kombu is; callers on an event loop use a thread."""

    def __init__(
        self, *, broker_url: str, visibility_timeout_seconds: int, ca_path: Path | None = None
    ) -> None:
        broker = celery_broker(broker_url, ca_path=ca_path)
        self._celery = Celery("producer", broker=broker.url, set_as_current=False)
        self._celery.conf.update(
            broker_use_ssl=broker.ssl,
            task_serializer="json",
            accept_content=["json"],
            task_ignore_result=True,
            broker_transport_options={
                **TRANSPORT_OPTIONS,
                **_PRODUCER,
                **broker.transport_options,
                "visibility_timeout": visibility_timeout_seconds,
            },
            task_publish_retry_policy={
                "max_retries": 1,
                "interval_start": 0,
                "interval_step": 0.2,
                "interval_max": 0.2,
            },
        )

    def enqueue(self, name: JobName, subject_id: str) -> None:
        try:
            self._celery.send_task(name, args=[subject_id], queue=ROUTES[name], ignore_result=True)
        except OperationalError as exc:
            raise TransientError(f"broker did not accept {name!r}") from exc

    def ping(self) -> None:
        try:
            with self._celery.connection_for_write() as connection:
                connection.ensure_connection(max_retries=0, timeout=2)
        except OperationalError as exc:
            raise TransientError("broker does not answer") from exc
