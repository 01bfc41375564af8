"""What the workers' Celery application is set to, where a default was found to hang or to lose."""

from __future__ import annotations

from pathlib import Path

from runtime.settings import Settings
from workers.app import create_celery


def test_no_worker_subscribes_to_commands(tmp_path: Path) -> None:
    """A subscription is read in the worker's own loop, which then waits for a broker that died."""
    app = create_celery(Settings(data_dir=tmp_path), broker_url="redis://127.0.0.1:9/0")

    assert app.conf.worker_enable_remote_control is False
    assert app.conf.worker_send_task_events is False
