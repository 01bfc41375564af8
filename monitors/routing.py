"""Says what the lifecycle decides: to every receiver, once, whoever dispatches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from domain.alerting import SilenceLedger, Standing
from domain.clock import Clock
from domain.documents import TenantId
from domain.ledger import AlertLedger
from monitors.events import specific_type
from monitors.lifecycle import LifecycleOptions, Notice, NoticeKind, plan
from monitors.reviewing import ReviewSampler

_ROUNDS: Final = 3
"""Of planning: an alert that began and ended between two dispatches is told of in two notices."""


class AlertDispatcher:
    """Brings what receivers were told in step with the alerts of a tenant.

    What is said is written in one transaction with what is to be delivered. A crash before it loses
    nothing, since the next dispatch comes to the same notices; of two dispatchers at once, one
    writes and the other is refused.
    """

    def __init__(
        self,
        alerts: AlertLedger,
        silences: SilenceLedger,
        *,
        clock: Clock,
        options: LifecycleOptions | None = None,
        reviews: ReviewSampler | None = None,
        public_url: str | None = None,
    ) -> None:
        self._alerts = alerts
        self._silences = silences
        self._clock = clock
        self._options = options or LifecycleOptions()
        self._reviews = reviews
        self._public_url = public_url

    async def dispatch(self, tenant_id: TenantId) -> int:
        """Give the notices that are due; return how many.

        Raises:
            TransientError: The ledger did not answer; the rest is done by the next call.
        """
        given = 0
        for _ in range(_ROUNDS):
            now = self._clock.now()
            notices = plan(
                await self._alerts.standing(tenant_id),
                await self._silences.active(tenant_id, now=now),
                now=now,
                options=self._options,
            )
            if not notices:
                break
            for notice in notices:
                # Before it is told: who is told finds the questions in the queue.
                await self._queue_questions(notice, now)
                written = await self._alerts.notify(
                    tenant_id, notice.steps, events=self._events(notice), at=now
                )
                given += written and notice.kind is not NoticeKind.UNSAID
        return given

    async def _queue_questions(self, notice: Notice, now: datetime) -> None:
        if self._reviews is not None and notice.kind is NoticeKind.FIRING:
            for one in notice.told:
                await self._reviews.take(one.alert, now=now)

    def _events(self, notice: Notice) -> Mapping[str, str]:
        """Return the payloads by type, the general type first."""
        if notice.kind is NoticeKind.UNSAID:
            return {}
        first = notice.told[0]
        ended = notice.kind is NoticeKind.RESOLVED
        event = first.ended if ended and first.ended is not None else first.began
        content = json.loads(event.payload)
        data = {**_listed(first), "name": first.alert.name, **content.get("data", {})}
        content["data"] = data
        if notice.kind is NoticeKind.REMINDER:
            data["reminder"] = first.notices
        if len(notice.told) > 1:
            data["count"] = len(notice.told)
            data["alerts"] = [_listed(one) for one in notice.told]
        if self._public_url is not None:
            data["url"] = f"{self._public_url.rstrip('/')}/v1/alerts/{first.alert.id}"
        specific = specific_type(first.alert, ended=ended)
        types = (event.type,) if specific is None else (event.type, specific)
        return {
            each: json.dumps({**content, "type": each}, separators=(",", ":"), allow_nan=False)
            for each in types
        }


def _listed(one: Standing) -> Mapping[str, object]:
    alert = one.alert
    return {
        "id": alert.id,
        "fingerprint": alert.fingerprint,
        "severity": alert.severity,
        "status": alert.status,
        "labels": dict(alert.labels),
        "starts_at": alert.starts_at.isoformat(),
        "ends_at": None if alert.ends_at is None else alert.ends_at.isoformat(),
    }
