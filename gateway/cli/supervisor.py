"""Keeps the child processes of `mithridate up` running, and stops them in order."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

import httpx
import structlog

from backends.broker_embedded import EmbeddedBroker
from domain.errors import MithridateError
from runtime.home import announced_url
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
    """Starts the children in the order given, keeps them running, stops them in that order.

    Args:
        children: What to run, the gateway first.
        broker: The embedded broker, started before them and stopped after them.
        settings: The configuration in force.
        on_ready: Called once with the gateway's URL, when its dependencies all answer.
    """

    def __init__(
        self,
        children: Sequence[Child],
        *,
        broker: EmbeddedBroker | None,
        settings: Settings,
        on_ready: Callable[[str], None],
    ) -> None:
        self._children = list(children)
        self._broker = broker
        self._settings = settings
        self._on_ready = on_ready
        # A plain flag: setting an Event in a signal handler can lock against its own thread.
        self._stopping = False
        self._log = structlog.get_logger("mithridate.up")

    def run(self) -> int:
        """Run until SIGTERM, SIGINT or SIGHUP; return the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)
        try:
            if self._broker is not None:
                self._broker.ensure()
            for child in self._children:
                self._start(child)
            self._watch()
        finally:
            # It can take a scan's length: whoever pressed Ctrl-C is told that it was heard.
            self._log.info("stopping", processes=[child.name for child in self._children])
            self._stop_children()
            if self._broker is not None:
                self._broker.stop()
        return 0

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._stopping = True

    def _watch(self) -> None:
        announced = False
        broker_due = 0.0
        while not self._stopping:
            time.sleep(_POLL_SECONDS)
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
        # By the first child, the gateway: another one may run on the same data folder.
        process = self._children[0].process
        url = announced_url(self._settings, by=process.pid) if process is not None else None
        if url is None:
            return False
        try:
            ready = httpx.get(f"{url}/readyz", timeout=15, trust_env=False).is_success
        except httpx.HTTPError:
            return False
        if ready:
            self._on_ready(url)
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
