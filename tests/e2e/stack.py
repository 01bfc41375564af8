"""A whole Mithridate in a temporary folder: real broker, worker and gateway processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx

T = TypeVar("T")

PATIENCE_SECONDS: Final = 240.0
_POLL_SECONDS: Final = 0.1

FAST: Final[Mapping[str, str]] = {
    "MITHRIDATE_SERVER__PORT": "0",
    "MITHRIDATE_QUEUE__SWEEP_SECONDS": "1",
    "MITHRIDATE_WORKER__LEASE_SECONDS": "3",
    "MITHRIDATE_QUEUE__VISIBILITY_TIMEOUT_SECONDS": "8",
    "MITHRIDATE_QUEUE__REQUEUE_AFTER_SECONDS": "6",
    "MITHRIDATE_MONITORS__EVALUATE_SECONDS": "1",
    "MITHRIDATE_ACCESS__FAILURES_PER_MINUTE": "100000",
    "MITHRIDATE_WEBHOOKS__ALLOW_PRIVATE_NETWORKS": "true",
}
"""Periods short enough for a test; every one of them is a setting."""


class Stack:
    def __init__(self, folder: Path, *, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("MITHRIDATE_")},
            **FAST,
            **settings,
            "MITHRIDATE_DATA_DIR": str(folder),
        }
        self.log_path = folder.parent / f"{folder.name}.log"
        self._up: subprocess.Popen[bytes] | None = None

    def start(self, *, workers: int = 1) -> None:
        with self.log_path.open("ab") as log:
            self._up = subprocess.Popen(
                [sys.executable, "-m", "gateway.cli", "up", "--workers", str(workers)],
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        until(self.ready, "the stack to be ready", self.log_path)
        self.client = httpx.Client(
            base_url=self.url,
            timeout=30,
            headers={"Authorization": f"Bearer {(self.folder / 'admin.key').read_text().strip()}"},
        )

    def stop(self) -> None:
        self.client.close()
        assert self._up is not None
        self._up.send_signal(signal.SIGTERM)
        assert self._up.wait(timeout=60) == 0, self.log_path.read_text()[-3000:]

    def kill(self) -> None:
        """End whatever is left, and what started it."""
        for pid in self.pids():
            if pid != os.getpid():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if self._up is not None:
            self._up.wait()

    @property
    def url(self) -> str:
        url: str = json.loads((self.folder / "server.json").read_text())["url"]
        return url

    def log(self) -> str:
        return self.log_path.read_text()

    def cli(self, *arguments: str, expect: int = 0) -> Any:
        """Run a command with `--json`; return what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "gateway.cli", *arguments, "--json"],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == expect, done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else None

    def key(self, *scopes: str, origin: str | None = None) -> dict[str, str]:
        """Make a key; return the header that carries it."""
        arguments = ["keys", "create", "--name", "test"]
        for scope in scopes:
            arguments += ["--scope", scope]
        if origin is not None:
            arguments += ["--origin", origin]
        token = self.cli(*arguments)["token"]
        return {"Authorization": f"Bearer {token}"}

    def upload(self, text: str, *, name: str = "page.md", **options: Any) -> dict[str, Any]:
        reply = self.client.post(
            "/v1/documents",
            content=text.encode(),
            params={"file_name": name},
            headers={"Content-Type": "text/markdown", **options.get("headers", {})},
        )
        assert reply.status_code == 202, reply.text
        body: dict[str, Any] = reply.json()
        return body

    def document(self, document_id: str) -> dict[str, Any]:
        reply = self.client.get(f"/v1/documents/{document_id}")
        assert reply.status_code == 200, reply.text
        body: dict[str, Any] = reply.json()
        return body

    def verdict(self, document_id: str) -> dict[str, Any]:
        """Wait for the verdict; return the document."""

        def decided() -> dict[str, Any] | None:
            found = self.document(document_id)
            return found if found["verdict"] is not None else None

        return until(decided, f"a verdict on {document_id}", self.log_path)

    def pids(self, *needles: str) -> list[int]:
        """Return the processes of this stack whose command line holds every needle."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                environment = (entry / "environ").read_bytes().decode(errors="replace")
                place = (entry / "cwd").readlink()
            except (FileNotFoundError, PermissionError, ProcessLookupError):
                continue
            # Valkey writes its title over its environment; it runs in the broker's folder.
            ours = f"MITHRIDATE_DATA_DIR={self.folder}\0" in environment
            ours = ours or place.is_relative_to(self.folder)
            if ours and all(needle in command for needle in needles):
                found.append(int(entry.name))
        return found

    def mains(self, *needles: str) -> list[int]:
        """Return those of `pids` that none of the others started."""
        found = self.pids(*needles)
        return [pid for pid in found if parent_of(pid) not in found]

    def ready(self) -> bool:
        assert self._up is not None
        assert self._up.poll() is None, self.log_path.read_text()[-3000:]
        try:
            return httpx.get(f"{self.url}/readyz", timeout=20).status_code == 200
        except (FileNotFoundError, ValueError, httpx.HTTPError):
            return False


@contextmanager
def running_stack(
    folder: Path,
    *,
    settings: Mapping[str, str] | None = None,
    workers: int = 1,
) -> Iterator[Stack]:
    stack = Stack(folder, settings=settings or {})
    try:
        stack.start(workers=workers)
        yield stack
        stack.stop()
    finally:
        stack.kill()


def parent_of(pid: int) -> int:
    """Return the parent's process id; 0 where the process is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(stat.rpartition(")")[2].split()[1])


def until(look: Callable[[], T | None], what: str, log: Path | None = None) -> T:
    """Look again and again until there is something, for a bounded time."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(_POLL_SECONDS)
    tail = _happenings(log)[-6000:] if log is not None and log.exists() else ""
    raise AssertionError(f"waited {PATIENCE_SECONDS:g} s for {what}\n{tail}")


def _happenings(log: Path) -> str:
    """Return the log without the requests, which whoever waits makes by the hundred."""
    lines = log.read_text().splitlines(keepends=True)
    return "".join(line for line in lines if '"request_answered"' not in line)
