"""What one pool process owns: an event loop and the services that live on it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from runtime.settings import Settings
from runtime.wiring import Services, build_services

T = TypeVar("T")


@dataclass(slots=True)
class WorkerProcess:
    loop: asyncio.AbstractEventLoop
    services: Services

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to the end. If a signal (a time limit) interrupts, the work is cancelled first."""
        task = self.loop.create_task(work)
        try:
            return self.loop.run_until_complete(task)
        except BaseException:
            if not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError):
                    self.loop.run_until_complete(task)
            raise


class _Slot:
    """Holds the process's own; a module-level client made before the fork would be shared."""

    def __init__(self) -> None:
        self.process: WorkerProcess | None = None


_SLOT = _Slot()


def import_ahead(settings: Settings) -> None:
    """Import in the parent what every scan needs and takes seconds: its pool processes have it.

    Only what starts no thread. What is missing is left to whoever needs it, and says so then.
    """
    wanted = ["presidio_analyzer.predefined_recognizers"]
    if settings.vectors.backend == "lancedb":
        wanted.append("lance_namespace")  # most of lancedb, which itself starts a thread
    for name in wanted:
        with suppress(ImportError, OSError, ValueError, AttributeError):
            import_module(name)


def open_process(settings: Settings, *, broker_url: str) -> WorkerProcess:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    services = loop.run_until_complete(build_services(settings, broker_url=broker_url))
    _SLOT.process = WorkerProcess(loop=loop, services=services)
    return _SLOT.process


def present_process() -> WorkerProcess:
    """Return this process's own.

    Raises:
        RuntimeError: The pool did not run `worker_process_init`; only prefork is supported.
    """
    if _SLOT.process is None:
        raise RuntimeError("no services in this process; the worker must run the prefork pool")
    return _SLOT.process


def shut_process() -> None:
    process, _SLOT.process = _SLOT.process, None
    if process is not None:
        process.run(process.services.close())
        process.loop.close()
