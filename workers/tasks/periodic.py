"""What runs on a schedule: the sweep, the monitors and the deliveries of alerts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from celery import Celery

from domain.errors import DependencyError
from runtime.retention import prune
from runtime.settings import Settings
from runtime.wiring import Services
from workers.process import present_process

_FORGETTING: Final = "maintenance.forget"
_AN_HOUR: Final = 3600.0
_LEASE_SECONDS: Final = 60.0
"""Longer than a run takes; a holder that dies blocks the job for no longer than this."""


def register_periodic(app: Celery, settings: Settings) -> None:
    async def sweep(services: Services) -> int:
        requeued = await services.relay.requeue_undecided(
            older_than_seconds=settings.queue.requeue_after_seconds
        )
        rescanned = await services.trust.held.rescan_due()
        resumed = await services.containment.resume()
        # The lease is never let go: it is what makes this hourly, whoever sweeps.
        if await services.lock.acquire(_FORGETTING, lease_seconds=_AN_HOUR):
            await services.trust.versions.forget_old()
        return requeued + rescanned + resumed + await services.relay.publish_pending()

    async def evaluate(services: Services) -> int:
        changed = 0
        for tenant_id in await services.ledger.documents.tenants():
            for monitor in (
                services.monitor,
                services.latency_monitor,
                services.drift_monitor,
                services.ingestion_monitor,
            ):
                changed += len(await monitor.evaluate(tenant_id, now=services.clock.now()))
        return changed

    async def deliver(services: Services) -> int:
        for tenant_id in await services.ledger.documents.tenants():
            await services.dispatcher.dispatch(tenant_id)
        return await services.deliveries.deliver_due()

    async def checkpoint(services: Services) -> int:
        return int(await services.checkpointer.checkpoint() is not None)

    async def prune_old(services: Services) -> int:
        return await prune(services.ledger.retention, settings.retention, now=services.clock.now())

    for name, job in (
        ("maintenance.sweep", sweep),
        ("maintenance.prune", prune_old),
        ("monitors.evaluate", evaluate),
        ("alerts.deliver", deliver),
        ("audit.checkpoint", checkpoint),
    ):
        app.task(_periodic(name, job), name=name)


def _periodic(name: str, job: Callable[[Services], Awaitable[int]]) -> Callable[[str], None]:
    def task(_: str) -> None:
        process = present_process()
        process.run(_alone(name, job, process.services))

    task.__name__ = name.replace(".", "_")
    return task


async def _alone(name: str, job: Callable[[Services], Awaitable[int]], services: Services) -> None:
    """Run unless another worker is running it; what fails now is tried on the next beat."""
    log = structlog.get_logger("workers")
    try:
        if not await services.lock.acquire(name, lease_seconds=_LEASE_SECONDS):
            return
        try:
            done = await job(services)
        finally:
            await services.release_quietly(name)
    except DependencyError as exc:
        log.warning("periodic_job_put_off", job=name, error=str(exc))
    else:
        if done:
            log.info("periodic_job_done", job=name, count=done)
