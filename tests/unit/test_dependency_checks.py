"""A dependency that fails in a way of its own fails its check, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from backends.memory.vectors import InMemoryVectorStore
from gateway.cli import diagnosis
from runtime.settings import Settings
from runtime.storage import close_vectors

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("error", [RuntimeError("secret"), OSError(5, "secret"), KeyError("k")])
async def test_an_error_of_a_library_is_a_failed_check_without_its_message(
    error: Exception,
) -> None:
    async def check() -> str:
        raise error

    found = await diagnosis._try("index", check, "mend it")

    assert (found.state, found.detail, found.mend) == ("failed", type(error).__name__, "mend it")


def test_a_data_folder_that_cannot_be_read_is_told_of(tmp_path: Path) -> None:
    home = tmp_path / "data"
    home.mkdir(mode=0o700)
    (home / "ledger.db").mkdir()  # where a file should be

    checks = {check.name: check for check in diagnosis.diagnose(Settings(data_dir=home))}

    assert checks["database"].state == "failed"


class _Connected(InMemoryVectorStore):
    closed = False

    async def close(self) -> None:
        self.closed = True


async def test_a_store_with_connections_is_closed_and_one_without_is_left() -> None:
    connected = _Connected()

    await close_vectors(connected)
    await close_vectors(InMemoryVectorStore())

    assert connected.closed
