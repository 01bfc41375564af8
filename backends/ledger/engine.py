"""One database, its connections and its transactions.

Bodies of transactions are plain functions of a `Connection`: they can be run again after a lock,
share one commit with others, and call each other. They do nothing but talk to the database.

A body runs in one thread, from its first statement to the commit. An asynchronous driver changes
threads for every statement instead: aiosqlite took two to three times the CPU time, measured on
`DocumentLedger.receive` (9 ms against 4) and `get` (3.5 ms against 1), Python 3.11 under load.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final, Generic, Protocol, TypeVar

import sqlalchemy
from sqlalchemy import URL, Connection, Engine, NullPool, Pool, QueuePool, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    SQLAlchemyError,
    StatementError,
)

from domain.audit import AuditKey
from domain.errors import ConfigurationError, ConflictError, MithridateError, TransientError

R = TypeVar("R")

BUSY_TIMEOUT_MS: Final = 30_000
"""SQLite's waiting for a lock is unfair: 5 s run out under four writers (facts/services.md, 4)."""
LOCK_RETRIES: Final = 3
MAX_GROUP: Final = 16
"""Writes that share a commit. Bounds how long other processes wait for this one."""
ANSWER_SECONDS: Final = 30.0
READERS: Final = 3
POSTGRES_WRITERS: Final = 4

_READS: Final = "mithridate_reads"
_AUDIT_KEY: Final = "mithridate_audit_key"
_SQLITE_LOCKED: Final = frozenset({5, 6})
"""SQLITE_BUSY and SQLITE_LOCKED; the high bits of an extended code say why."""
_SQLITE_PRIMARY_CODE: Final = 0xFF
_POSTGRES_RETRYABLE: Final = frozenset({"40001", "40P01", "55P03"})
"""Serialisation failure, deadlock, lock not available."""


class _Cursor(Protocol):
    def execute(self, statement: str, /) -> object: ...
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
            return parsed.set(drivername="sqlite+pysqlite")
        case "postgresql":
            return parsed.set(drivername="postgresql+psycopg")
        case other:
            raise ConfigurationError(f"database must be sqlite or postgresql, got {other!r}")


def create_engine(
    url: URL, *, pooled: bool = True, statement_seconds: float | None = None
) -> Engine:
    """Return an engine that has not connected yet: use it on one side of a fork.

    In PostgreSQL no statement takes longer than `statement_seconds`, whatever the server does. A
    transaction of SQLite begins as IMMEDIATE, so that a writer waits for its turn at the start
    and never fails half-way, unless the connection's options say that it only reads.
    """
    pool: type[Pool] = QueuePool if pooled else NullPool
    if url.get_backend_name() != "sqlite":
        checked = {"pool_pre_ping": True} if pooled else {}
        engine = sqlalchemy.create_engine(url, hide_parameters=True, poolclass=pool, **checked)
        if statement_seconds is not None:
            from backends.ledger.patience import limit_statements

            limit_statements(engine, seconds=statement_seconds)
        return engine
    engine = sqlalchemy.create_engine(
        url,
        hide_parameters=True,
        poolclass=pool,
        # The driver would begin transactions by itself, but too late, and none for DDL.
        connect_args={"isolation_level": None, "timeout": BUSY_TIMEOUT_MS / 1000},
    )
    event.listen(engine, "connect", _connected)
    event.listen(engine, "begin", _begin)
    return engine


def reading(engine: Engine) -> Engine:
    """Return the engine whose transactions are of one snapshot; in SQLite they wait for no writer.

    A transaction of it may write, if nobody else writes meanwhile.
    """
    if engine.dialect.name == "sqlite":
        return engine.execution_options(**{_READS: True})
    return engine.execution_options(isolation_level="REPEATABLE READ")


def _connected(connection: _DriverConnection, _record: object) -> None:
    """Set what SQLite forgets between connections. WAL it remembers: `migrating` sets that."""
    cursor = connection.cursor()
    for pragma in (
        f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}",
        "PRAGMA synchronous=NORMAL",
        "PRAGMA foreign_keys=ON",
    ):
        cursor.execute(pragma)
    cursor.close()


def _begin(connection: Connection) -> None:
    reads = connection.get_execution_options().get(_READS, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def audit_key_of(connection: Connection) -> AuditKey | None:
    """Return what seals the entries that this connection writes."""
    key: AuditKey | None = connection.get_execution_options().get(_AUDIT_KEY)
    return key


class _Write(Generic[R]):
    """A write in the queue, and what became of it in the attempt that counts."""

    def __init__(self, body: Callable[[Connection], R]) -> None:
        self.future: Future[R] = Future()
        self._body = body
        self._outcome: Callable[[], R] | None = None

    def run(self, connection: Connection) -> None:
        result = self._body(connection)
        self._outcome = lambda: result

    def fail(self, error: Exception) -> None:
        def outcome() -> R:
            raise error

        self._outcome = outcome

    def tell(self) -> None:
        """Hand the outcome to the caller."""
        if self._outcome is None:
            raise AssertionError("a write is told of after it was run or failed")
        try:
            self.future.set_result(self._outcome())
        except Exception as exc:
            self.future.set_exception(exc)


class Database:
    """Runs bodies in transactions. Errors of the database leave as ours, wrapped once.

    Threads and connections come with the first use. A caller that gives up waiting does not stop a
    transaction that has begun.
    """

    def __init__(
        self,
        url: str,
        *,
        audit_key: AuditKey | None = None,
        timeout_seconds: float = ANSWER_SECONDS,
    ) -> None:
        """Take the database at `url`.

        Args:
            url: Of SQLite or PostgreSQL.
            audit_key: Seals the entries of its journal.
            timeout_seconds: How long a caller waits; a statement of PostgreSQL too.
        """
        engine = create_engine(parse_url(url), statement_seconds=timeout_seconds)
        self._engine = engine.execution_options(**{_AUDIT_KEY: audit_key})
        self._timeout_seconds = timeout_seconds
        self._reader = self._engine.execution_options(**{_READS: True})
        self._grouped = self._engine.dialect.name == "sqlite"
        self._queue: deque[_Write[Any]] = deque()
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="ledger-reader")
        self._writers = ThreadPoolExecutor(
            1 if self._grouped else POSTGRES_WRITERS, thread_name_prefix="ledger-writer"
        )

    async def read(self, body: Callable[[Connection], R]) -> R:
        """Run `body` in a transaction of one snapshot, which it must not write in.

        Raises:
            TransientError: The database did not answer, or not in time.
        """
        return await self._told(self._readers.submit(_attempt, self._reader, body))

    async def write(self, body: Callable[[Connection], R]) -> R:
        """Run `body` in a transaction and return after the commit; what it raises rolls it back.

        In SQLite, which has one writer at a time anyway, writes that wait for each other share a
        commit, each behind a savepoint of its own.

        Raises:
            TransientError: The database did not answer, or was locked for too long. What was begun
                may still be committed.
            ConflictError: A row with that id is there already.
        """
        if not self._grouped:
            return await self._told(self._writers.submit(_attempt, self._engine, body))
        write = _Write(body)
        self._queue.append(write)
        self._writers.submit(self._write_group)
        return await self._told(write.future)

    async def close(self) -> None:
        """Let begun transactions end, then close every connection."""
        for threads in (self._writers, self._readers):
            await asyncio.to_thread(threads.shutdown)
        self._engine.dispose()

    async def _told(self, outcome: Future[R]) -> R:
        """Wait for what a thread makes of a body; one that no thread has begun is dropped."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await asyncio.wrap_future(outcome)
        except TimeoutError as exc:
            raise TransientError(
                f"the ledger's database did not answer within {self._timeout_seconds:g} seconds"
            ) from exc

    def _write_group(self) -> None:
        """Take what waits. Called once a write: later calls often find nothing left."""
        waiting = [self._queue.popleft() for _ in range(min(MAX_GROUP, len(self._queue)))]
        group = [write for write in waiting if write.future.set_running_or_notify_cancel()]
        if not group:
            return
        try:
            _attempt(self._engine, partial(_run, group))
        except Exception as exc:  # the edge of the thread: each caller must hear of it
            for write in group:
                write.fail(exc)
        for write in group:
            write.tell()


def _run(group: list[_Write[Any]], connection: Connection) -> None:
    """Run each body behind a savepoint: one that fails undoes itself and nobody else's."""
    if len(group) == 1:
        group[0].run(connection)
        return
    for write in group:
        try:
            with connection.begin_nested():
                write.run(connection)
        except SQLAlchemyError as exc:
            if _is_locked(exc):
                raise
            write.fail(_caused(translate(exc), exc))
        except Exception as exc:  # whatever a body raises is its caller's alone
            write.fail(exc)


def _attempt(engine: Engine, body: Callable[[Connection], R]) -> R:
    for attempt in range(LOCK_RETRIES + 1):
        try:
            with engine.begin() as connection:
                return body(connection)
        except SQLAlchemyError as exc:
            if attempt == LOCK_RETRIES or not _is_locked(exc):
                raise translate(exc) from exc
    raise AssertionError("the last attempt returns or raises")


def _is_locked(error: SQLAlchemyError) -> bool:
    original = error.orig if isinstance(error, DBAPIError) else None
    code = getattr(original, "sqlite_errorcode", None)
    if code is not None:
        return (code & _SQLITE_PRIMARY_CODE) in _SQLITE_LOCKED
    return getattr(original, "sqlstate", None) in _POSTGRES_RETRYABLE


def _caused(error: MithridateError, cause: Exception) -> MithridateError:
    error.__cause__ = cause
    return error


def translate(error: SQLAlchemyError) -> MithridateError:
    """Return our error for one of the library's, named by kind: its text may hold values."""
    if isinstance(error, IntegrityError):
        return ConflictError("the ledger has a row with that id already")
    if isinstance(error, StatementError) and isinstance(error.orig, MithridateError):
        return error.orig
    return TransientError(f"the ledger's database did not answer: {type(error).__name__}")
