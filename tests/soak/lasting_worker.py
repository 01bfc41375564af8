"""`mithridate worker`, whose pool processes are never replaced: what grows in one is seen to grow."""

from __future__ import annotations

from celery import Celery

from runtime.settings import Settings
from workers import app

ENDLESS = {"worker_max_tasks_per_child": None, "worker_max_memory_per_child": None}

if __name__ == "__main__":
    from gateway.cli.processes import run_worker
    from runtime.settings import load_settings

    create = app.create_celery

    def create_endless(settings: Settings, *, broker_url: str) -> Celery:
        made = create(settings, broker_url=broker_url)
        made.conf.update(ENDLESS)
        return made

    setattr(app, "create_celery", create_endless)  # noqa: B010 - the command has no such option
    raise SystemExit(run_worker(load_settings(), supervised=True))
