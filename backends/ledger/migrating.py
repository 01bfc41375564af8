"""Bringing a database's schema up to date, and saying whether it is."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from backends.ledger.engine import create_engine, parse_url, translate
from domain.errors import TransientError

SCRIPTS: Final = Path(__file__).parent / "migrations"
ADVISORY_LOCK: Final = 0x6D697468
"""PostgreSQL's lock of the migrations: `mith` in ASCII."""


def migrate(url: str) -> None:
    """Upgrade to the newest schema. Several processes may call it at once: one does the work.

    Blocks; makes the folder and file of a SQLite database that is not there yet.

    Raises:
        TransientError: The database did not answer.
    """
    move(url, "head")


def move(url: str, revision: str) -> None:
    """Upgrade to `revision` (`head` or a name), or downgrade to `base`.

    Raises:
        TransientError: The database did not answer.
    """
    _change(url, revision, command.downgrade if revision == "base" else command.upgrade)


def go_back(url: str, revision: str) -> None:
    """Downgrade to `revision`.

    Raises:
        TransientError: The database did not answer.
    """
    _change(url, revision, command.downgrade)


def _change(url: str, revision: str, change: Callable[[Config, str], None]) -> None:
    parsed = parse_url(url)
    try:
        with _locked(parsed) as connection:
            config = _config()
            config.attributes["connection"] = connection
            change(config, revision)
    except SQLAlchemyError as exc:
        raise translate(exc) from exc
    except OSError as exc:
        raise TransientError(f"database folder cannot be used: {type(exc).__name__}") from exc


def current_revision(url: str) -> str | None:
    """Return the revision the database is at; None where nothing was ever migrated.

    Raises:
        TransientError: The database did not answer.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite" and not Path(parsed.database or "").is_file():
        return None
    engine = create_engine(parsed, pooled=False)
    try:
        with engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    except SQLAlchemyError as exc:
        raise translate(exc) from exc
    finally:
        engine.dispose()


@cache
def head_revision() -> str:
    """Return the newest revision this program knows."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise AssertionError(f"no migrations in {SCRIPTS}")
    return head


def revision_of(connection: Connection) -> str | None:
    """As `current_revision`, in a transaction that is open already."""
    return MigrationContext.configure(connection).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


@contextmanager
def _locked(parsed: URL) -> Iterator[Connection]:
    """Give a connection to one process at a time."""
    if parsed.get_backend_name() == "sqlite":
        with _file_locked(parsed) as connection:
            yield connection
        return
    engine = create_engine(parsed, pooled=False)
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": ADVISORY_LOCK})
            connection.commit()
            try:
                yield connection
            finally:
                connection.rollback()
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": ADVISORY_LOCK})
                connection.commit()
    finally:
        engine.dispose()


@contextmanager
def _file_locked(parsed: URL) -> Iterator[Connection]:
    if parsed.database is None:
        raise AssertionError("parse_url lets no SQLite URL without a file pass")
    path = Path(parsed.database)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Secrets of webhooks are in it. SQLite gives its side files the mode of the database.
    path.touch(mode=0o600)
    with path.with_name(f"{path.name}.migrate.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        engine = create_engine(parsed, pooled=False)
        try:
            _keep_write_ahead_log(engine)
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()


def _keep_write_ahead_log(engine: Engine) -> None:
    """Let readers and the writer not wait for each other; the file remembers it.

    Set here and not on every connection: the change fails at once while another process is at
    work, whatever the time it may wait.
    """
    with closing(engine.raw_connection()) as connection:
        connection.cursor().execute("PRAGMA journal_mode=WAL")
