from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.home import SERVER_FILE, announced, announced_url
from runtime.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


def test_a_gateway_is_announced_for_as_long_as_it_runs(settings: Settings) -> None:
    with announced(settings, url="http://127.0.0.1:1234"):
        file = settings.home / SERVER_FILE
        assert announced_url(settings) == "http://127.0.0.1:1234"
        assert json.loads(file.read_text(encoding="utf-8"))["pid"] == os.getpid()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600

    assert announced_url(settings) is None


def test_the_next_gateways_announcement_is_left_alone(settings: Settings) -> None:
    with announced(settings, url="http://127.0.0.1:1234"):
        other = json.dumps({"url": "http://127.0.0.1:5678", "pid": os.getppid()})
        (settings.home / SERVER_FILE).write_text(other, encoding="utf-8")

    assert announced_url(settings) == "http://127.0.0.1:5678"


def test_a_gateway_that_was_killed_is_no_longer_announced(settings: Settings) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    left = json.dumps({"url": "http://127.0.0.1:5678", "pid": ended.pid})
    (settings.home / SERVER_FILE).write_text(left, encoding="utf-8")

    assert announced_url(settings) is None


@pytest.mark.parametrize(
    "left", ["", "nonsense", "[]", "{}", '{"url": 3, "pid": 1}', '{"url": "http://x", "pid": -1}']
)
def test_a_damaged_announcement_is_none(settings: Settings, left: str) -> None:
    (settings.home / SERVER_FILE).write_text(left, encoding="utf-8")

    assert announced_url(settings) is None
