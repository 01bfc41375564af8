"""One database, its connections and its transactions.

Bodies of transactions are plain functions of a `Connection`: they can be run again after a lock,
share one transaction with others, and call each other. They do nothing but talk to the database.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy import URL, Connection, Engine, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    SQLAlchemyError,
    StatementError,
)
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from domain.errors import ConfigurationError, ConflictError, MithridateError, TransientError

R = TypeVar("R")

BUSY_TIMEOUT_MS: Final = 30_000
"""SQLite's waiting for a lock is unfair: 5 s run out under four writers (facts/services.md, 4)."""
LOCK_RETRIES: Final = 3
MAX_GROUP: Final = 16
"""Writes that share a commit. Bounds how long other processes wait for this one."""
POOL_SIZE: Final = 4
SQLITE_ARGUMENTS: Final = {"isolation_level": None, "timeout": BUSY_TIMEOUT_MS / 1000}
"""No transaction that the driver begins by itself: it would begin it too late, and not for DDL."""

_READS: Final = "mithridate_reads"
_SQLITE_LOCKED: Final = frozenset({5, 6})
"""SQLITE_BUSY and SQLITE_LOCKED; the high bits of an extended code say why."""
_SQLITE_PRIMARY_CODE: Final = 0xFF
_POSTGRES_RETRYABLE: Final = frozenset({"40001", "40P01", "55P03"})


class _Cursor(Protocol):
    def execute(self, statement: str) -> object: ...
    def close(self) -> object: ...


class _DriverConnection(Protocol):
    def cursor(self) -> _Cursor: ...


def parse_url(url: str) -> URL:
    """Return the URL with its driver named.

    Raises:
        ConfigurationError: Not a URL of SQLite or PostgreSQL. The message never holds the URL,
            which may carry a password.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as exc:
        raise ConfigurationError("database URL cannot be parsed") from exc
    match parsed.get_backend_name():
        case "sqlite":
            if parsed.database in (None, "", ":memory:"):
                raise ConfigurationError("database URL of SQLite names no file")
            return parsed.set(drivername="sqlite+aiosqlite")
        case "postgresql":
            return parsed.set(drivername="postgresql+psycopg")
        case other:
            raise ConfigurationError(f"database must be sqlite or postgresql, got {other!r}")


def create_engine(url: str) -> AsyncEngine:
    """Return an engine that has not connected yet: make it after a fork, use it in one event loop.

    A transaction of SQLite begins as IMMEDIATE, so that a writer waits for its turn at the start
    and never fails half-way, unless the engine's options say that it only reads.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_async_engine(
            parsed, hide_parameters=True, pool_size=POOL_SIZE, max_overflow=2, pool_pre_ping=True
        )
    engine = create_async_engine(
        parsed,
        hide_parameters=True,
        pool_size=POOL_SIZE,
        max_overflow=0,
        connect_args=SQLITE_ARGUMENTS,
    )
    prepare_sqlite(engine.sync_engine)
    return engine


def prepare_sqlite(engine: Engine) -> None:
    """Make transactions of an engine for SQLite, opened with `SQLITE_ARGUMENTS`, real ones."""
    event.listen(engine, "connect", _connected)
    event.listen(engine, "begin", _begin)


def _connected(connection: _DriverConnection, _record: object) -> None:
    """Set what SQLite forgets between connections; the wait comes first, as WAL needs a lock."""
    cursor = connection.cursor()
    for pragma in (
        f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}",
        "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=NORMAL",
        "PRAGMA foreign_keys=ON",
    ):
        cursor.execute(pragma)
    cursor.close()


def _begin(connection: Connection) -> None:
    reads = connection.get_execution_options().get(_READS, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


@dataclass(slots=True, eq=False)
class _Write:
    """A queued write. `result` is what its body returned, in the attempt that was committed."""

    body: Callable[[Connection], Any]
    done: asyncio.Future[None]
    result: Any = None
    failure: Exception | None = None


class Database:
    """Runs bodies in transactions. Errors of the database leave as ours, wrapped once."""

    def __init__(self, url: str) -> None:
        self._engine = create_engine(url)
        self._reader = self._engine.execution_options(**{_READS: True})
        self._grouped = self._engine.dialect.name == "sqlite"
        self._queue: deque[_Write] = deque()
        self._writer: asyncio.Task[None] | None = None

    async def read(self, body: Callable[[Connection], R]) -> R:
        """Run `body` in a transaction of one snapshot, which it must not write in.

        Raises:
            TransientError: The database did not answer.
        """
        return await self._attempt(self._reader, body)

    async def write(self, body: Callable[[Connection], R]) -> R:
        """Run `body` in a transaction and return after the commit; what it raises rolls it back.

        In SQLite, which has one writer at a time anyway, writes that wait for each other share a
        commit, each behind a savepoint of its own; a caller that gives up does not stop its write.

        Raises:
            TransientError: The database did not answer, or was locked for too long.
            ConflictError: A row with that id is there already.
        """
        if not self._grouped:
            return await self._attempt(self._engine, body)
        write = _Write(body=body, done=asyncio.get_running_loop().create_future())
        self._queue.append(write)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._drain(), name="ledger-writer")
        await asyncio.shield(write.done)
        if write.failure is not None:
            raise write.failure
        result: R = write.result
        return result

    async def close(self) -> None:
        if self._writer is not None:
            await self._writer
        await self._engine.dispose()

    async def _drain(self) -> None:
        while self._queue:
            group = [self._queue.popleft() for _ in range(min(MAX_GROUP, len(self._queue)))]
            try:
                await self._attempt(self._engine, partial(_run, group))
            except MithridateError as exc:
                for write in group:
                    write.failure = exc
            finally:
                for write in group:
                    write.done.set_result(None)

    async def _attempt(self, engine: AsyncEngine, body: Callable[[Connection], R]) -> R:
        for attempt in range(LOCK_RETRIES + 1):
            try:
                async with engine.begin() as connection:
                    return await connection.run_sync(body)
            except SQLAlchemyError as exc:
                if attempt == LOCK_RETRIES or not _is_locked(exc):
                    raise translate(exc) from exc
        raise AssertionError("the last attempt returns or raises")


def _run(group: list[_Write], connection: Connection) -> None:
    """Run each body behind a savepoint: one that fails undoes itself and nobody else's."""
    if len(group) == 1:
        group[0].result = group[0].body(connection)
        return
    for write in group:
        write.failure = None
        try:
            with connection.begin_nested():
                write.result = write.body(connection)
        except MithridateError as exc:
            write.failure = exc
        except SQLAlchemyError as exc:
            if _is_locked(exc):
                raise
            write.failure = translate(exc)
            write.failure.__cause__ = exc


def _is_locked(error: SQLAlchemyError) -> bool:
    original = error.orig if isinstance(error, DBAPIError) else None
    code = getattr(original, "sqlite_errorcode", None)
    if code is not None:
        return (code & _SQLITE_PRIMARY_CODE) in _SQLITE_LOCKED
    return getattr(original, "sqlstate", None) in _POSTGRES_RETRYABLE


def translate(error: SQLAlchemyError) -> MithridateError:
    """Return our error for one of the library's, named by kind: its text may hold values."""
    if isinstance(error, IntegrityError):
        return ConflictError("the ledger has a row with that id already")
    if isinstance(error, StatementError) and isinstance(error.orig, MithridateError):
        return error.orig
    return TransientError(f"the ledger's database did not answer: {type(error).__name__}")
