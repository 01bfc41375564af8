"""A lock between processes of one host, by `flock` on a file."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from domain.errors import TransientError

_FIRST_PAUSE_SECONDS: Final = 0.002
_LONGEST_PAUSE_SECONDS: Final = 0.05


@asynccontextmanager
async def exclusive(path: Path, *, timeout_seconds: float) -> AsyncIterator[None]:
    """Hold the lock. The kernel gives it back when the holder dies, however it dies.

    Asks again with growing pauses instead of blocking a thread, so that waiting can be cancelled
    and any number may wait. Not fair. The folder is made if it is missing.

    Raises:
        TransientError: Others held it all the time, or the file cannot be opened.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as exc:
        raise TransientError(f"lock file {path.name!r}: {exc.strerror}") from exc
    try:
        await _acquire(descriptor, timeout_seconds)
        yield
    finally:
        os.close(descriptor)


async def _acquire(descriptor: int, timeout_seconds: float) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_seconds
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            if loop.time() >= deadline:
                raise TransientError(
                    f"the write lock was held by others for {timeout_seconds} s"
                ) from exc
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
        else:
            return
