"""Judges many sources in order, in this process or in several; none of them can stop the others."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from domain.documents import MetadataField
from domain.errors import DocumentUnreadableError, TransientError, UnsupportedMediaTypeError
from gateway.cli.scan_sources import NOT_READ, Source

if TYPE_CHECKING:
    from runtime.scanning import Judged, Scanner
    from runtime.settings import Settings

UNSUPPORTED: Final = "parsing.unsupported-type"
FAILED: Final = "parsing.failed"
KILLED: Final = "parsing.worker-killed"

_AHEAD: Final = 8
"""Documents read ahead for each process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """A source as judged, or why it could not be."""

    source: Source
    judged: Judged | None
    problem: tuple[str, str] | None = None


class LocalScan:
    """Judges one source at a time, on one event loop."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._runner = asyncio.Runner()

    def scan(self, source: Source) -> Scanned:
        """Judge; whatever a document brings about becomes its problem.

        Raises:
            TransientError: This machine, not the document, is at fault.
        """
        if source.problem is not None:
            return _unread(source, *source.problem)
        name = source.file_name
        metadata = [MetadataField(name="file_name", value=name)] if name else []
        try:
            judged = self._runner.run(
                self._scanner.judge(source.content, file_name=name, metadata=metadata)
            )
        except UnsupportedMediaTypeError as exc:
            return _unread(source, UNSUPPORTED, str(exc))
        except DocumentUnreadableError as exc:
            return _unread(source, NOT_READ, str(exc))
        except TransientError:
            raise
        except Exception as exc:  # the outermost edge: a fault of ours must not pass a document
            return _unread(source, FAILED, f"scanning failed: {type(exc).__name__}")
        return Scanned(source=source, judged=judged)

    def close(self) -> None:
        self._runner.close()


def scan_all(sources: Iterator[Source], settings: Settings, *, jobs: int) -> Iterator[Scanned]:
    """Yield the sources as judged, in order, each as soon as it and those before it are."""
    if jobs > 1:
        yield from _scan_in_pool(sources, settings, jobs)
        return
    from runtime.scanning import build_scanner

    local = LocalScan(build_scanner(settings))
    try:
        for source in sources:
            yield local.scan(source)
    finally:
        local.close()


def _scan_in_pool(sources: Iterator[Source], settings: Settings, jobs: int) -> Iterator[Scanned]:
    pool = _Pool(settings, jobs)
    try:
        for source in sources:
            pool.submit(source)
            if pool.waiting >= jobs * _AHEAD:
                yield pool.next()
        while pool.waiting:
            yield pool.next()
    finally:
        pool.close()


class _Pool:
    """Processes that may be killed by what they scan: the one at fault is found and told."""

    def __init__(self, settings: Settings, jobs: int) -> None:
        self._settings = settings
        self._jobs = jobs
        self._executor = _executor(settings, jobs)
        self._pending: deque[tuple[Source, Future[Scanned] | None]] = deque()

    @property
    def waiting(self) -> int:
        return len(self._pending)

    def submit(self, source: Source) -> None:
        self._pending.append((source, self._try(source)))

    def next(self) -> Scanned:
        """Return the oldest, waiting for it."""
        source, future = self._pending.popleft()
        if future is not None:
            try:
                return future.result()
            except BrokenProcessPool:
                pass
        # Which document killed a process nobody says: this one is scanned alone, the others anew.
        alone = self._alone(source)
        self._executor.shutdown(cancel_futures=True)
        self._executor = _executor(self._settings, self._jobs)
        self._pending = deque((other, self._try(other)) for other, _ in self._pending)
        return alone

    def close(self) -> None:
        self._executor.shutdown(cancel_futures=True)

    def _try(self, source: Source) -> Future[Scanned] | None:
        try:
            return self._executor.submit(_scan_in_child, source)
        except BrokenProcessPool:
            return None

    def _alone(self, source: Source) -> Scanned:
        with _executor(self._settings, 1) as executor:
            try:
                return executor.submit(_scan_in_child, source).result()
            except BrokenProcessPool:
                return _unread(source, KILLED, "scanning stopped its process")


def _executor(settings: Settings, jobs: int) -> ProcessPoolExecutor:
    # Spawned: a fork would copy the locks of threads that are not there.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_open_child, initargs=(settings,)
    )


_CHILD: list[LocalScan] = []
"""What a pool process owns; filled in the process itself."""


def _open_child(settings: Settings) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends us
    from runtime.scanning import build_scanner

    _CHILD[:] = [LocalScan(build_scanner(settings))]


def _scan_in_child(source: Source) -> Scanned:
    return _CHILD[0].scan(source)


def _unread(source: Source, rule: str, message: str) -> Scanned:
    return Scanned(source=source, judged=None, problem=(rule, message))
