from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")

FOLLOWER = """
import os, pathlib, sys, time
from gateway.cli.orphans import die_with_parent
die_with_parent(int(sys.argv[2]))
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
time.sleep(120)
"""
PARENT = """
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", sys.argv[1], sys.argv[2], str(os.getpid())])
time.sleep(120)
"""


def test_a_process_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with subprocess.Popen([sys.executable, "-c", PARENT, FOLLOWER, str(file)]) as parent:
        follower = _pid_in(file)

        parent.send_signal(signal.SIGKILL)

    _until_gone(follower)


def test_a_process_whose_parent_has_ended_does_not_begin() -> None:
    ended = subprocess.run([sys.executable, "-c", FOLLOWER, os.devnull, "1"], check=False)

    assert ended.returncode == 0


def test_a_process_whose_parent_runs_goes_on() -> None:
    program = "import os; from gateway.cli.orphans import die_with_parent as f; f(os.getppid())"

    ended = subprocess.run(
        [sys.executable, "-c", f"{program}; print('on')"], check=True, capture_output=True
    )

    assert ended.stdout == b"on\n"


def _pid_in(file: Path) -> int:
    for _ in range(600):
        if file.exists() and (text := file.read_text(encoding="utf-8")):
            return int(text)
        time.sleep(0.05)
    raise AssertionError("it did not start")


def _until_gone(pid: int) -> None:
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("it still runs")
