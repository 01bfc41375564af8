from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PATIENCE_SECONDS = 60.0

SUPERVISE = """
import sys
from gateway.cli.supervisor import Child, Supervisor
from runtime.settings import Settings

folder, *names = sys.argv[1:]
program = (
    "import os, pathlib, signal, sys, time\\n"
    "folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]\\n"
    "def stop(*_):\\n"
    "    with (folder / 'stopped').open('a') as file: file.write(name + '\\\\n')\\n"
    "    sys.exit(0)\\n"
    "signal.signal(signal.SIGTERM, stop)\\n"
    "with (folder / name).open('a') as file: file.write(str(os.getpid()) + '\\\\n')\\n"
    "while True: time.sleep(0.05)\\n"
)
children = [
    Child(name=name, command=[sys.executable, "-c", program, folder, name]) for name in names
]
supervisor = Supervisor(
    children, broker=None, settings=Settings(data_dir=folder), on_ready=lambda url: None
)
sys.exit(supervisor.run())
"""


class Supervised:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MITHRIDATE_")}
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SUPERVISE, str(folder), "first", "second"],
                stdout=log,
                stderr=subprocess.DEVNULL,
                env=environment,
            )

    def pids(self, name: str) -> list[int]:
        file = self.folder / name
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        return [int(line) for line in text.splitlines()]

    def until(self, met: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not met():
            assert time.monotonic() < deadline, "it did not come to pass"
            time.sleep(0.02)


@pytest.fixture
def supervised(tmp_path: Path) -> Iterator[Supervised]:
    running = Supervised(tmp_path)
    try:
        running.until(lambda: bool(running.pids("first") and running.pids("second")))
        yield running
    finally:
        running.process.kill()
        running.process.wait()
        for pid in (*running.pids("first"), *running.pids("second")):
            if _runs(pid):
                os.kill(pid, signal.SIGKILL)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_child_that_dies_is_started_again(supervised: Supervised) -> None:
    os.kill(supervised.pids("second")[0], signal.SIGKILL)

    supervised.until(lambda: len(supervised.pids("second")) == 2)

    assert len(supervised.pids("first")) == 1
    assert supervised.process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_children_are_stopped_in_the_order_given(
    supervised: Supervised, number: signal.Signals
) -> None:
    supervised.process.send_signal(number)

    code = supervised.process.wait(timeout=PATIENCE_SECONDS)

    assert code == 0
    assert "stopping" in (supervised.folder / "log").read_text(encoding="utf-8")
    assert (supervised.folder / "stopped").read_text(encoding="utf-8").split() == [
        "first",
        "second",
    ]
    assert not _runs(supervised.pids("first")[0])
    assert not _runs(supervised.pids("second")[0])
