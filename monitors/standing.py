"""The alerts of monitors: which fire at this moment, how one begins and how it ends."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from domain.documents import TenantId
from domain.ledger import AlertLedger, every
from domain.monitoring import Alert, AlertStatus
from monitors.events import EVENT_FIRING, EVENT_RESOLVED, payload

_PAGE: Final = 200


async def firing(alerts: AlertLedger, tenant_id: TenantId, *monitors: str) -> AsyncIterator[Alert]:
    """Return every firing alert whose label `monitor` is one of these, page by page."""
    async for alert in every(
        lambda cursor: alerts.list(tenant_id, status=AlertStatus.FIRING, cursor=cursor, limit=_PAGE)
    ):
        if alert.labels.get("monitor") in monitors:
            yield alert


async def begin(alerts: AlertLedger, alert: Alert, numbers: Mapping[str, object]) -> bool:
    """Write a firing alert and its event; return False where one like it fires already.

    Raises:
        TransientError: The ledger did not answer.
    """
    told = payload(EVENT_FIRING, alert, numbers)
    return await alerts.fire(alert, event_type=EVENT_FIRING, payload=told)


async def end(
    alerts: AlertLedger, alert: Alert, numbers: Mapping[str, object], *, at: datetime
) -> Alert | None:
    """Resolve an alert, at its start at the earliest; return None where it does not fire any more.

    Raises:
        TransientError: The ledger did not answer.
    """
    at = max(at, alert.starts_at)
    ended = replace(alert, status=AlertStatus.RESOLVED, ends_at=at)
    return await alerts.resolve(
        alert.tenant_id,
        alert.fingerprint,
        at=at,
        event_type=EVENT_RESOLVED,
        payload=payload(EVENT_RESOLVED, ended, numbers),
    )
