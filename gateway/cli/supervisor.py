"""Keeps the child processes of `mithridate up` running, and stops them in order."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

import httpx
import structlog

from backends.broker_embedded import EmbeddedBroker
from domain.errors import MithridateError
from runtime.home import ADMIN_KEY, announced_url
from runtime.settings import Settings

_POLL_SECONDS: Final = 0.25
_BROKER_SECONDS: Final = 1.0
_FIRST_BACKOFF_SECONDS: Final = 0.5
_LONGEST_BACKOFF_SECONDS: Final = 15.0
_STEADY_SECONDS: Final = 30.0
"""A child that ran this long is not in a crash loop: its next restart is quick again."""
_STOP_SECONDS: Final = 30.0


@dataclass(slots=True)
class Child:
    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    backoff: float = field(default=_FIRST_BACKOFF_SECONDS)


class Supervisor:
    def __init__(
        self, children: Sequence[Child], *, broker: EmbeddedBroker | None, settings: Settings
    ) -> None:
        self._children = list(children)
        self._broker = broker
        self._settings = settings
        self._stopping = threading.Event()
        self._log = structlog.get_logger("mithridate.up")

    def run(self) -> int:
        """Run until SIGTERM or SIGINT; return the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        try:
            if self._broker is not None:
                self._broker.ensure()
            for child in self._children:
                self._start(child)
            self._watch()
        finally:
            self._stop_children()
            if self._broker is not None:
                self._broker.stop()
        return 0

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._stopping.set()

    def _watch(self) -> None:
        announced = False
        broker_due = 0.0
        while not self._stopping.wait(_POLL_SECONDS):
            now = time.monotonic()
            if now >= broker_due:
                self._keep_broker()
                broker_due = now + _BROKER_SECONDS
            for child in self._children:
                self._keep(child, now)
            if not announced:
                announced = self._announce()

    def _keep_broker(self) -> None:
        if self._broker is None:
            return
        try:
            if self._broker.ensure():
                self._log.warning("broker_restarted")
        except MithridateError as exc:
            self._log.error("broker_down", error=str(exc))

    def _keep(self, child: Child, now: float) -> None:
        if child.process is not None and child.process.poll() is not None:
            if now - child.started_at >= _STEADY_SECONDS:
                child.backoff = _FIRST_BACKOFF_SECONDS
            self._log.warning(
                "process_ended",
                process=child.name,
                code=child.process.returncode,
                restart_in=child.backoff,
            )
            child.process = None
            child.restart_at = now + child.backoff
            child.backoff = min(_LONGEST_BACKOFF_SECONDS, child.backoff * 2)
        if child.process is None and now >= child.restart_at:
            self._start(child)

    def _start(self, child: Child) -> None:
        child.started_at = time.monotonic()
        # Own sessions: Ctrl-C reaches the supervisor alone, which stops the others in order.
        child.process = subprocess.Popen(child.command, start_new_session=True)  # noqa: S603

    def _announce(self) -> bool:
        """Say where the gateway is, once it is ready; return whether it is."""
        url = announced_url(self._settings)
        if url is None:
            return False
        try:
            ready = httpx.get(f"{url}/readyz", timeout=5).is_success
        except httpx.HTTPError:
            return False
        if ready:
            self._log.warning("ready", url=url, admin_key_file=str(self._settings.home / ADMIN_KEY))
        return ready

    def _stop_children(self) -> None:
        # In the order given: the gateway first, so that nothing new comes in.
        for child in self._children:
            process = child.process
            if process is None:
                continue
            process.terminate()
            try:
                process.wait(timeout=_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._log.warning("process_killed", process=child.name)
                process.kill()
                process.wait()
