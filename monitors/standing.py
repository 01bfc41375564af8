"""The alerts of monitors that fire at this moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from domain.documents import TenantId
from domain.ledger import AlertLedger
from domain.monitoring import Alert, AlertStatus

_PAGE: Final = 200


async def firing(alerts: AlertLedger, tenant_id: TenantId, *monitors: str) -> AsyncIterator[Alert]:
    """Return every firing alert whose label `monitor` is one of these, page by page."""
    cursor: str | None = None
    while True:
        page = await alerts.list(tenant_id, status=AlertStatus.FIRING, cursor=cursor, limit=_PAGE)
        for alert in page.items:
            if alert.labels.get("monitor") in monitors:
                yield alert
        cursor = page.next_cursor
        if cursor is None:
            return
