"""What the gauges of alerts and of waiting say: read off the ledger when they are scraped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from prometheus_client import CollectorRegistry, Gauge

from domain.documents import TenantId
from domain.errors import NotFoundError
from domain.ledger import Ledger
from domain.monitoring import WebhookId

_MOST_DUE: Final = 1_000
_MOST_REVIEWS: Final = 200


class AlertGauges:
    """Every gateway says the same: take the greatest, never the sum."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._firing = Gauge(
            "mithridate_alerts_firing",
            "Alerts that fire, told or not, by name and severity",
            ["name", "severity"],
            registry=registry,
        )
        self._due = Gauge(
            "mithridate_deliveries_due",
            "Deliveries whose time has come, at most 1000: they leave soon unless receivers fail",
            registry=registry,
        )
        self._disabled = Gauge(
            "mithridate_webhooks_disabled",
            "Receivers that get nothing more because they answered 410",
            registry=registry,
        )
        self._reviews = Gauge(
            "mithridate_reviews_open",
            "Questions of alerts that wait for a reviewer, at most 200 a tenant",
            registry=registry,
        )
        self._waiting = Gauge(
            "mithridate_document_waiting_seconds",
            "Age of the oldest document without a verdict; 0 where there is none",
            registry=registry,
        )

    async def read(self, ledger: Ledger, tenants: Sequence[TenantId], *, now: datetime) -> None:
        """Set the gauges.

        Raises:
            TransientError: The ledger did not answer.
        """
        firing: Counter[tuple[str, str]] = Counter()
        disabled: set[WebhookId] = set()
        reviews = 0
        for tenant_id in tenants:
            for one in await ledger.alerts.standing(tenant_id):
                if one.firing:
                    firing[one.alert.name, one.alert.severity.value] += 1
            hooks = await ledger.webhooks.list(tenant_id)
            disabled |= {hook.id for hook in hooks if hook.disabled_at is not None}
            reviews += len(await ledger.reviews.open(tenant_id, limit=_MOST_REVIEWS))
        self._firing.clear()
        for (name, severity), count in firing.items():
            self._firing.labels(name, severity).set(count)
        self._due.set(len(await ledger.webhooks.due(now=now, limit=_MOST_DUE)))
        self._disabled.set(len(disabled))
        self._reviews.set(reviews)
        self._waiting.set(await _longest_wait(ledger, now=now))


async def _longest_wait(ledger: Ledger, *, now: datetime) -> float:
    oldest = await ledger.documents.undecided(received_before=now, limit=1)
    try:
        received = [(await ledger.documents.find(each)).received_at for each in oldest]
    except NotFoundError:  # deleted between the two
        return 0.0
    return max(((now - each).total_seconds() for each in received), default=0.0)
