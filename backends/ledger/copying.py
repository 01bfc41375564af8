"""Copies all rows of one ledger into another, of SQLite or PostgreSQL, and compares the two.

The source is read in one snapshot. The target takes a table in one transaction, so that it has a
table whole or not at all: what was broken off is repeated table by table, and what is there already
is passed over. Which ledger a target belongs to is told by its journal, which is copied first: a
chain that begins like the source's can be of no other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Table, delete, false, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from backends.ledger.engine import create_engine, parse_url, reading, translate
from backends.ledger.migrating import migrate
from backends.ledger.schema import journal, metadata
from domain.errors import ConflictError, PermanentError

_BATCH: Final = 1_000
_MODULUS: Final = 1 << 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many rows a table has, and a digest of them that does not depend on their order."""

    rows: int
    digest: str


def copy_ledger(
    source_url: str, target_url: str, *, told: Callable[[str, int], None]
) -> Mapping[str, Tally]:
    """Copy every table and compare it; both schemas are brought up to date first.

    Args:
        source_url: Read in one snapshot; what is written meanwhile is not copied.
        target_url: Empty, or what an earlier call left.
        told: Called with each table and its rows once it is there.

    Returns:
        What the target has now, by table.

    Raises:
        ConflictError: The target has rows of another ledger, or went on since it was copied.
        PermanentError: A table differs after it was copied.
        TransientError: A database did not answer.
    """
    migrate(source_url)
    migrate(target_url)
    with _connected(source_url) as source, _connected(target_url) as target:
        with target.begin():
            _require_kin(source, target)
        expected = {}
        for table in (journal, *(each for each in metadata.sorted_tables if each is not journal)):
            expected[table.name] = tally(source, table)
            _copy_table(source, target, table, expected[table.name])
            told(table.name, expected[table.name].rows)
        return expected


def tallies(url: str) -> Mapping[str, Tally]:
    """Return what each table of a ledger has.

    Raises:
        TransientError: The database did not answer.
    """
    with _connected(url) as connection:
        return {table.name: tally(connection, table) for table in metadata.sorted_tables}


def tally(connection: Connection, table: Table[Any]) -> Tally:
    rows = total = 0
    for row in _rows(connection, table):
        rows += 1
        digest = hashlib.sha256(_canonical(row)).digest()
        total = (total + int.from_bytes(digest, "big")) % _MODULUS
    return Tally(rows=rows, digest=f"{total:064x}")


def _copy_table(source: Connection, target: Connection, table: Table[Any], expected: Tally) -> None:
    with target.begin():
        if tally(target, table) == expected:
            return
    with target.begin():
        if table is journal:
            _append(source, target)
        else:
            _replace(source, target, table)
        found = tally(target, table)
        if found != expected:
            raise PermanentError(
                f"table {table.name!r} has {found.rows} rows after the copy and should have "
                f"{expected.rows} of the same content"
            )


def _append(source: Connection, target: Connection) -> None:
    """Copy the entries that the target does not have: its triggers let nothing else happen."""
    last = target.execute(select(func.max(journal.c.seq))).scalar() or 0
    newer = select(journal).where(journal.c.seq > last).order_by(journal.c.seq)
    for batch in _batches(
        iter(source.execute(newer, execution_options={"yield_per": _BATCH}).mappings())
    ):
        target.execute(insert(journal), batch)


def _replace(source: Connection, target: Connection, table: Table[Any]) -> None:
    for child in metadata.sorted_tables:
        # Rows of an earlier call that refer to these: their own turn comes, and fills them again.
        if any(key.column.table is table for key in child.foreign_keys):
            target.execute(delete(child))
    target.execute(delete(table))
    for batch in _batches(_rows(source, table)):
        target.execute(insert(table), batch)
    if target.dialect.name == "postgresql":
        _continue_numbers(target, table)


def _continue_numbers(target: Connection, table: Table[Any]) -> None:
    """Let PostgreSQL's sequence go on after the rows, whose numbers were given elsewhere."""
    column = table.autoincrement_column
    if column is None:
        return
    sequence = func.pg_get_serial_sequence(table.name, column.name)
    last = select(func.max(column)).scalar_subquery()
    target.execute(select(func.setval(sequence, func.coalesce(last, 0) + 1, false())))


def _require_kin(source: Connection, target: Connection) -> None:
    last = target.execute(
        select(journal.c.seq, journal.c.hash).order_by(journal.c.seq.desc()).limit(1)
    ).first()
    if last is None:
        for table in metadata.sorted_tables:
            if target.execute(select(table).limit(1)).first() is not None:
                raise ConflictError("the target's ledger has rows and no journal: it is no copy")
        return
    same = source.execute(select(journal.c.hash).where(journal.c.seq == last.seq)).scalar()
    if same != last.hash:
        raise ConflictError(
            "the target's ledger is another installation's, or was used since it was copied: "
            "nothing was changed"
        )


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    """Give a connection whose reading, until something is written, is of one snapshot."""
    engine = reading(create_engine(parse_url(url), pooled=False))
    try:
        with engine.connect() as connection:
            yield connection
    except SQLAlchemyError as exc:
        raise translate(exc) from exc
    finally:
        engine.dispose()


def _rows(connection: Connection, table: Table[Any]) -> Iterator[RowMapping]:
    found = connection.execute(select(table), execution_options={"yield_per": _BATCH})
    yield from found.mappings()


def _batches(rows: Iterator[RowMapping]) -> Iterator[Sequence[Mapping[str, object]]]:
    batch: list[Mapping[str, object]] = []
    for row in rows:
        batch.append(dict(row))
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _canonical(row: RowMapping) -> bytes:
    return json.dumps(list(row.values()), sort_keys=True, default=_plain).encode()


def _plain(value: object) -> object:
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, frozenset):
        return sorted(str(item) for item in value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"a ledger's row holds a {type(value).__name__}")
