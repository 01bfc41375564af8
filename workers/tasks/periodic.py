"""What runs on a schedule: the sweep, the monitors and the deliveries of alerts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

import structlog
from celery import Celery

from domain.errors import DependencyError
from domain.jobs import JobName
from runtime.retention import prune
from runtime.settings import Settings
from runtime.wiring import Services
from workers.process import present_process

Job: TypeAlias = Callable[[Services], Awaitable[int]]

_FORGETTING: Final = "maintenance.forget"
_AN_HOUR: Final = 3600.0
_LEASE_SECONDS: Final = 60.0
"""Longer than a run takes; a holder that dies blocks the job for no longer than this."""
_SHARE_OF_PERIOD: Final = 0.8
"""Less than one: schedulers and clocks are not exact, and a beat too early must not be lost."""
SCHEDULED: Final = "all"
"""The argument that a scheduler sends; a job that somebody asks for carries another."""


def periods(settings: Settings) -> Mapping[JobName, float]:
    """Return how often each job runs, in seconds."""
    return {
        "maintenance.sweep": settings.queue.sweep_seconds,
        "maintenance.prune": settings.retention.prune_seconds,
        "maintenance.verify": settings.monitors.invariants_seconds,
        "monitors.evaluate": settings.monitors.evaluate_seconds,
        "alerts.deliver": settings.queue.sweep_seconds,
        "audit.checkpoint": settings.audit.checkpoint_seconds,
    }


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

    async def check_invariants(services: Services) -> int:
        changed = 0
        for tenant_id in await services.ledger.documents.tenants():
            now = services.clock.now()
            changed += len(await services.invariant_monitor.evaluate(tenant_id, now=now))
        return changed

    jobs: Mapping[JobName, Job] = {
        "maintenance.sweep": sweep,
        "maintenance.prune": prune_old,
        "maintenance.verify": check_invariants,
        "monitors.evaluate": evaluate,
        "alerts.deliver": deliver,
        "audit.checkpoint": checkpoint,
    }
    for name, period in periods(settings).items():
        app.task(_periodic(name, jobs[name], period), name=name)


def _periodic(name: str, job: Job, period: float) -> Callable[[str], None]:
    def task(subject: str) -> None:
        process = present_process()
        scheduled = period if subject == SCHEDULED else None
        process.run(run_alone(name, job, process.services, period=scheduled))

    task.__name__ = name.replace(".", "_")
    return task


async def run_alone(name: str, job: Job, services: Services, *, period: float | None) -> None:
    """Run unless another worker is running it; what fails now is tried on the next beat.

    Args:
        name: Of the job, and of its locks.
        job: Returns how much it did.
        services: What it works with.
        period: Of the schedule: once in it, however many schedulers beat. None: asked for.
    """
    log = structlog.get_logger("workers")
    try:
        # Never let go: the lease is what holds off the other schedulers' beats of this period.
        if period is not None and not await services.lock.acquire(
            f"beat:{name}", lease_seconds=period * _SHARE_OF_PERIOD
        ):
            return
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
