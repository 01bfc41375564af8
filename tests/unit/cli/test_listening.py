"""What a second start, or a start beside somebody else's server, is told."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.home import announced
from runtime.settings import Settings
from tests.unit.cli.conftest import Run


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield int(other.getsockname()[1])


@pytest.mark.parametrize("command", ["up", "serve"])
def test_a_taken_port_ends_the_start_at_once(run: Run, taken: int, command: str) -> None:
    ran = run(command, environment={"MITHRIDATE_SERVER__PORT": str(taken)})

    assert ran.code == 3
    assert ran.out == ""
    assert f"cannot listen on 127.0.0.1, port {taken}: Address already in use" in ran.err
    assert "MITHRIDATE_SERVER__PORT" in ran.err
    assert "Traceback" not in ran.err


def test_a_second_start_on_one_data_folder_says_that_the_first_runs(
    run: Run, tmp_path: Path, taken: int
) -> None:
    url = f"http://127.0.0.1:{taken}"
    (tmp_path / "data").mkdir(mode=0o700)

    with announced(Settings(data_dir=tmp_path / "data"), url=url):
        ran = run("up", environment={"MITHRIDATE_SERVER__PORT": str(taken)})

    assert ran.code == 3
    assert f"runs at {url} already" in ran.err


def test_an_address_of_another_machine_ends_the_start(run: Run) -> None:
    ran = run("up", environment={"MITHRIDATE_SERVER__HOST": "203.0.113.7"})

    assert ran.code == 3
    assert "cannot listen on 203.0.113.7" in ran.err
