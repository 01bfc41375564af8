"""Watches the slowest answers of each latency class, and keeps an alert in step with them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.clock import IdFactory
from domain.documents import TenantId
from domain.ledger import AlertLedger, ObservationLedger
from domain.monitoring import Alert, AlertId, AlertStatus, Severity
from domain.verification import LatencyClass
from monitors.events import fingerprint
from monitors.standing import begin, end, firing

NAME: Final = "latency-p99"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyOptions:
    """When answers are too slow.

    Attributes:
        budgets: Seconds that the slowest in a hundred answers of a class may take.
        window: What is looked at.
        least: Answers in it, at least: below a hundred the p99 is the slowest of all.
        most: Answers looked at, the latest.
        calm_share: Of the budget; at or below it the alert ends.
        critical: Times the budget from which the alert is critical.
    """

    budgets: Mapping[LatencyClass, float]
    window: timedelta = timedelta(minutes=10)
    least: int = 100
    most: int = 2_000
    calm_share: float = 0.9
    critical: float = 2.0


class LatencyMonitor:
    """A `Monitor` of the p99 of each class: one alert a tenant and class.

    It remembers nothing: what is in the window decides, and the alert that stands. Answers from
    the cache are no observations, and questions that failed at their deadline gave none: the
    metric `mithridate_question_deadline_missed_total` counts those.
    """

    def __init__(
        self,
        observations: ObservationLedger,
        alerts: AlertLedger,
        *,
        ids: IdFactory,
        options: LatencyOptions,
    ) -> None:
        self._observations = observations
        self._alerts = alerts
        self._ids = ids
        self._options = options

    @property
    def name(self) -> str:
        return NAME

    async def evaluate(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Alert]:
        """Return alerts that changed status.

        Raises:
            TransientError: The ledger did not answer.
        """
        options = self._options
        seen = await self._observations.latencies(
            tenant_id, since=now - options.window, limit=options.most
        )
        standing = await self._standing(tenant_id)
        changed: list[Alert] = []
        for latency_class, budget in options.budgets.items():
            seconds = [one.seconds for one in seen if one.latency_class is latency_class]
            alert = standing.get(latency_class)
            p99 = percentile(seconds, 0.99) if seconds else 0.0
            enough = len(seconds) >= options.least
            numbers = {"p99": round(p99, 4), "budget": budget, "answers": len(seconds)}
            if alert is None and enough and p99 > budget:
                made = self._alert(tenant_id, latency_class, p99, budget, len(seconds), now)
                if await begin(self._alerts, made, numbers):
                    changed.append(made)
            # nobody asked for a whole window: then nothing is too slow either
            calm = (enough or not seconds) and p99 <= budget * options.calm_share
            if alert is not None and calm:
                ended = await end(self._alerts, alert, numbers, at=now)
                changed += [] if ended is None else [ended]
        return changed

    async def _standing(self, tenant_id: TenantId) -> dict[LatencyClass, Alert]:
        return {
            LatencyClass(alert.labels["latency_class"]): alert
            async for alert in firing(self._alerts, tenant_id, NAME)
        }

    def _alert(
        self,
        tenant_id: TenantId,
        latency_class: LatencyClass,
        p99: float,
        budget: float,
        answers: int,
        now: datetime,
    ) -> Alert:
        labels = {"monitor": NAME, "latency_class": latency_class.value}
        severe = p99 > budget * self._options.critical
        return Alert(
            id=AlertId(self._ids.new("alr")),
            tenant_id=tenant_id,
            name=NAME,
            fingerprint=fingerprint(labels),
            severity=Severity.CRITICAL if severe else Severity.WARNING,
            status=AlertStatus.FIRING,
            labels=labels,
            annotations={
                "p99_seconds": f"{p99:.3f}",
                "budget_seconds": f"{budget:g}",
                "answers": str(answers),
            },
            starts_at=now,
        )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile of at least one value; `share` in (0, 1]."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
