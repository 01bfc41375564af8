"""Transactions: waiting for locks, sharing commits, and what callers get to hear."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from backends.ledger.engine import Database
from domain.errors import ConflictError, InputError, NotFoundError, TransientError

pytestmark = pytest.mark.anyio

INSERT = text("INSERT INTO t VALUES (:id)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "engine.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    connection.close()
    return path


def insert(number: int, connection: Connection) -> int:
    connection.execute(INSERT, {"id": number})
    return number


def read_all(connection: Connection) -> list[int]:
    return [row.id for row in connection.execute(text("SELECT id FROM t ORDER BY id"))]


async def test_a_write_waits_for_a_writer_in_another_process(path: Path) -> None:
    database = Database(f"sqlite:///{path}")
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO t VALUES (1)")
    release = threading.Timer(0.3, other.execute, ["COMMIT"])

    release.start()
    await database.write(partial(insert, 2))
    found = await database.read(read_all)

    release.join()
    other.close()
    await database.close()
    assert found == [1, 2]


async def test_a_reader_is_not_kept_waiting_by_a_writer(path: Path) -> None:
    database = Database(f"sqlite:///{path}")
    await database.write(partial(insert, 1))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO t VALUES (2)")

    found = await asyncio.wait_for(database.read(read_all), timeout=10)

    other.execute("ROLLBACK")
    other.close()
    await database.close()
    assert found == [1]


async def test_a_lock_that_lasts_is_a_failed_dependency_and_a_short_one_is_tried_again(
    path: Path,
) -> None:
    database = Database(f"sqlite:///{path}")
    attempts = 0

    def locked_twice(connection: Connection) -> int:
        nonlocal attempts
        attempts += 1
        if attempts <= 2:
            _raise_busy(path)
        return insert(attempts, connection)

    result = await database.write(locked_twice)
    with pytest.raises(TransientError):
        await database.write(lambda connection: _raise_busy(path))

    found = await database.read(read_all)
    await database.close()
    assert result == 3
    assert found == [3]


async def test_writes_that_wait_share_commits_and_all_are_there(path: Path) -> None:
    database = Database(f"sqlite:///{path}")

    results = await asyncio.gather(
        *(database.write(partial(insert, number)) for number in range(100))
    )

    found = await database.read(read_all)
    await database.close()
    assert results == list(range(100))
    assert found == list(range(100))


async def test_each_caller_hears_of_its_own_failure_alone(path: Path) -> None:
    database = Database(f"sqlite:///{path}")
    failures = {1: InputError("one"), 2: NotFoundError("two"), 3: KeyError("three")}

    def body(number: int, connection: Connection) -> int:
        insert(number, connection)
        if number in failures:
            raise failures[number]
        return insert(number + 100 if number != 4 else 0, connection)

    results = await asyncio.gather(
        *(database.write(partial(body, number)) for number in range(7)),
        return_exceptions=True,
    )

    found = await database.read(read_all)
    await database.close()
    assert results[1:4] == [failures[1], failures[2], failures[3]]
    assert isinstance(results[4], ConflictError)
    assert [results[0], *results[5:]] == [100, 105, 106]
    assert found == [0, 5, 6, 100, 105, 106]


async def test_a_caller_that_gives_up_stops_nobody_elses_write(path: Path) -> None:
    database = Database(f"sqlite:///{path}")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    begun = asyncio.create_task(database.write(partial(insert, 1)))
    waiting = asyncio.create_task(database.write(partial(insert, 2)))
    last = asyncio.create_task(database.write(partial(insert, 3)))
    await asyncio.wait([waiting], timeout=0.2)

    waiting.cancel()
    other.execute("COMMIT")
    await last

    found = await database.read(read_all)
    other.close()
    await database.close()
    assert begun.done()
    assert waiting.cancelled()
    assert {1, 3} <= set(found)


async def test_errors_name_no_value(path: Path) -> None:
    database = Database(f"sqlite:///{path}")

    with pytest.raises(TransientError) as caught:
        await database.write(
            lambda connection: connection.execute(
                text("INSERT INTO missing VALUES (:v)"), {"v": "a secret passage"}
            )
        )

    await database.close()
    shown = f"{caught.value} {caught.value.__cause__}"
    assert "a secret passage" not in shown


async def test_one_database_serves_one_event_loop_after_another(path: Path) -> None:
    database = Database(f"sqlite:///{path}")

    def in_a_loop_of_its_own(number: int) -> int:
        return asyncio.run(database.write(partial(insert, number)))

    results = [await asyncio.to_thread(in_a_loop_of_its_own, number) for number in range(3)]

    await database.close()
    assert results == [0, 1, 2]


def _raise_busy(path: Path) -> int:
    """Raise the driver's own error for a lock, wrapped as SQLAlchemy wraps it."""
    holder = sqlite3.connect(path, isolation_level=None)
    waiter = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        waiter.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as exc:
        raise OperationalError("BEGIN IMMEDIATE", None, exc) from exc
    finally:
        waiter.close()
        holder.close()
    raise AssertionError("the body that calls this holds the lock")
