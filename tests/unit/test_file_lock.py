"""Turns at a lock file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from backends.file_lock import exclusive
from domain.errors import TransientError

pytestmark = pytest.mark.anyio


async def test_one_at_a_time(tmp_path: Path) -> None:
    inside, most = 0, 0

    async def enter() -> None:
        nonlocal inside, most
        async with exclusive(tmp_path / "lock", timeout_seconds=10):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(enter() for _ in range(9)))

    assert (inside, most) == (0, 1)


async def test_who_waits_too_long_is_told(tmp_path: Path) -> None:
    async with exclusive(tmp_path / "lock", timeout_seconds=10):
        with pytest.raises(TransientError, match="held by others"):
            async with exclusive(tmp_path / "lock", timeout_seconds=0):
                pass


async def test_who_is_cancelled_while_waiting_leaves_the_lock_free(tmp_path: Path) -> None:
    async def wait() -> None:
        async with exclusive(tmp_path / "lock", timeout_seconds=10):
            pass

    async with exclusive(tmp_path / "lock", timeout_seconds=10):
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    async with exclusive(tmp_path / "lock", timeout_seconds=0):
        assert waiting.cancelled()


async def test_an_error_inside_gives_the_lock_back(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        async with exclusive(tmp_path / "lock", timeout_seconds=0):
            raise RuntimeError

    async with exclusive(tmp_path / "lock", timeout_seconds=0):
        assert (tmp_path / "lock").exists()


async def test_a_folder_that_cannot_be_made_is_a_transient_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")

    with pytest.raises(TransientError):
        async with exclusive(tmp_path / "file" / "lock", timeout_seconds=0):
            pass
