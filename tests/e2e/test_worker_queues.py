"""Workers that serve some queues alone: what reads uploads can be kept apart from what delivers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from redis import Redis

from backends.broker_embedded import EmbeddedBroker
from tests.e2e.stack import running_stack, until

pytestmark = [pytest.mark.integration, pytest.mark.slow]


def test_a_worker_takes_the_jobs_of_its_queues_alone(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    sweeping = {
        "MITHRIDATE_WORKER__QUEUES": '["alerts", "maintenance", "monitors"]',
        "MITHRIDATE_WORKER__ALIVE_PATH": str(alive),
    }
    with running_stack(tmp_path / "data", settings=sweeping) as stack:
        until(alive.exists, "the worker to turn")
        document_id = stack.upload("# Lamps\n\nA lamp can be returned within 45 days.\n")["id"]
        with Redis.from_url(EmbeddedBroker(stack.folder / "broker").url) as redis:
            until(
                lambda: redis.llen("mithridate:documents"),
                "the document's job to be queued",
            )
        before = stack.document(document_id)["verdict"]

        reading = {**stack.environment, "MITHRIDATE_WORKER__QUEUES": '["documents"]'}
        with subprocess.Popen([sys.executable, "-m", "gateway.cli", "worker"], env=reading) as own:
            after = stack.verdict(document_id)["verdict"]
            own.send_signal(signal.SIGTERM)

    assert (before, after) == (None, "admit")


def test_a_queue_that_nobody_fills_is_refused_before_anything_starts(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gateway.cli", "worker"],
        env={
            **os.environ,
            "MITHRIDATE_DATA_DIR": str(tmp_path / "data"),
            "MITHRIDATE_WORKER__QUEUES": '["document"]',
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 2
    assert "worker.queues" in done.stderr
    assert not (tmp_path / "data").exists()
