"""The product's own processes on a folder of their own, and how much CPU each has used."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import httpx

from backends.broker_embedded import EmbeddedBroker

PATIENCE_SECONDS: Final = 300.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")

SETTINGS: Final[Mapping[str, str]] = {
    "MITHRIDATE_SERVER__PORT": "0",
    "MITHRIDATE_LOGGING__LEVEL": "warning",
    # What is measured is the path of an upload, not its limits.
    "MITHRIDATE_ACCESS__REQUESTS_PER_MINUTE": "10000000",
    "MITHRIDATE_QUEUE__MAX_WAITING": "10000000",
    "MITHRIDATE_QUEUE__MAX_WAITING_OF_TENANT": "10000000",
}


class Installation:
    """One data folder, with processes that are started and stopped one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("MITHRIDATE_")},
            **SETTINGS,
            "MITHRIDATE_DATA_DIR": str(folder),
        }

    @contextlib.contextmanager
    def running(self, *command: str, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run `mithridate <command>` until the block is left, then stop it as an operator does."""
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "gateway.cli", *command],
            env={**self.environment, **settings},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=120)

    @property
    def url(self) -> str:
        url: str = json.loads((self.folder / "server.json").read_text())["url"]
        return url

    @property
    def authorization(self) -> str:
        return f"Bearer {(self.folder / 'admin.key').read_text().strip()}"

    @property
    def broker_url(self) -> str:
        return EmbeddedBroker(self.folder / "broker").url

    def ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", timeout=20).is_success
        except (FileNotFoundError, ValueError, httpx.HTTPError):
            return False


def until(look: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not look():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {PATIENCE_SECONDS:g} s for {what}")
        time.sleep(0.05)


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process and all its descendants have used so far."""
    children: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
        # Its own, and that of children which ended and were waited for.
        used[int(entry.name)] = sum(map(int, fields[11:15])) / _TICKS
    total, queue = 0.0, [pid]
    while queue:
        each = queue.pop()
        total += used.get(each, 0.0)
        queue += children.get(each, [])
    return total


def resident_bytes(pid: int) -> int:
    """Return the resident memory of one process; 0 where it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
