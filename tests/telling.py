"""Gives receivers the notices that are due, as a worker does."""

from __future__ import annotations

from datetime import timedelta

from backends.memory.clock import ManualClock
from domain.clock import Clock
from domain.documents import DEFAULT_TENANT, TenantId
from domain.ledger import Ledger
from monitors.lifecycle import LifecycleOptions
from monitors.routing import AlertDispatcher

AT_ONCE = LifecycleOptions(group_interval=timedelta(0))


def dispatcher(
    ledger: Ledger, *, clock: Clock | None = None, options: LifecycleOptions = AT_ONCE
) -> AlertDispatcher:
    return AlertDispatcher(
        ledger.alerts, ledger.silences, clock=clock or ManualClock(), options=options
    )


async def tell(
    ledger: Ledger, *, clock: Clock | None = None, tenant_id: TenantId = DEFAULT_TENANT
) -> int:
    return await dispatcher(ledger, clock=clock).dispatch(tenant_id)
