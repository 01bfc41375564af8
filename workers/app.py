"""The Celery application: settings measured in facts/services, tasks in `workers.tasks`."""

from __future__ import annotations

from celery import Celery, signals
from kombu.entity import Queue

from backends.jobs_celery import MAINTENANCE_QUEUE, ROUTES, TRANSPORT_OPTIONS
from backends.redis_clients import celery_broker
from runtime.logging import configure_logging
from runtime.settings import Settings
from workers.process import open_process, shut_process
from workers.tasks import register
from workers.tasks.periodic import SCHEDULED, periods


def create_celery(settings: Settings, *, broker_url: str) -> Celery:
    """Build the application that `mithridate worker` runs."""
    broker = celery_broker(broker_url, ca_path=settings.queue.ca_path)
    app = Celery("mithridate", broker=broker.url, set_as_current=False)
    app.conf.update(
        broker_use_ssl=broker.ssl,
        task_serializer="json",
        accept_content=["json"],
        result_accept_content=["json"],
        task_ignore_result=True,  # the ledger is the result store
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_soft_time_limit=settings.worker.soft_time_limit_seconds,
        task_time_limit=settings.worker.time_limit_seconds,
        task_queues=[Queue(name) for name in sorted(set(ROUTES.values()))],
        task_default_queue=MAINTENANCE_QUEUE,
        task_routes={name: {"queue": queue} for name, queue in ROUTES.items()},
        worker_prefetch_multiplier=1,
        worker_cancel_long_running_tasks_on_connection_loss=True,
        worker_soft_shutdown_timeout=10,
        worker_enable_soft_shutdown_on_idle=True,
        worker_max_tasks_per_child=500,
        worker_max_memory_per_child=1_500_000,
        # Four seconds if it is not said: on a busy machine a new process is killed before it is up,
        # and the one after it too.
        worker_proc_alive_timeout=120.0,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_send_task_events=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            **TRANSPORT_OPTIONS,
            **broker.transport_options,
            "visibility_timeout": settings.queue.visibility_timeout_seconds,
        },
        beat_schedule=_schedule(settings),
        timezone="UTC",
    )
    register(app, settings)
    _own_processes(settings, broker_url)
    return app


def _schedule(settings: Settings) -> dict[str, dict[str, object]]:
    """Periodic jobs. Every worker schedules them, and the first to beat runs them."""
    return {
        name: {
            "task": name,
            "schedule": seconds,
            "args": [SCHEDULED],
            # One that nobody took in time is stale: the next one does its work.
            "options": {"expires": max(10.0, 2 * seconds), "queue": ROUTES[name]},
        }
        for name, seconds in periods(settings).items()
    }


def _own_processes(settings: Settings, broker_url: str) -> None:
    """Give each pool process services and an event loop of its own, made after the fork."""

    def opened(**_: object) -> None:
        configure_logging(settings.logging)
        open_process(settings, broker_url=broker_url)

    def shut(**_: object) -> None:
        shut_process()

    signals.worker_process_init.connect(opened, weak=False)
    signals.worker_process_shutdown.connect(shut, weak=False)
