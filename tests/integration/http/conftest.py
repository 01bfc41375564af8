from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from backends.memory.clock import START
from domain.scanning import Detector
from runtime.scanning import build_detectors
from tests.http_services import Gateway, open_gateway
from tests.ledgers import ledger_url, migrated_sqlite, sqlite_url

__all__ = ["ledger_url", "migrated_sqlite", "sqlite_url"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Of the session, since what tests share lives on its event loop."""
    return "asyncio"


@pytest.fixture(scope="session")
def detectors() -> Sequence[Detector]:
    """The shipped detectors, made once: they hold nothing of what they scan."""
    return build_detectors(as_of=START.date())


@pytest.fixture
async def gateway(
    tmp_path: Path, detectors: Sequence[Detector], anyio_backend: str
) -> AsyncIterator[Gateway]:
    """One of its own, for a test that counts what it holds."""
    async with open_gateway(tmp_path, detectors=detectors) as served:
        yield served


@pytest.fixture(scope="session")
async def shared(
    tmp_path_factory: pytest.TempPathFactory, detectors: Sequence[Detector], anyio_backend: str
) -> AsyncIterator[Gateway]:
    """One for all tests that look at single answers."""
    folder = tmp_path_factory.mktemp("shared")
    async with open_gateway(folder, detectors=detectors) as served:
        yield served
