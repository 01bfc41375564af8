"""Inserts, made once each: to build a statement anew costs more than to run it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Insert, Table, insert, text
from sqlalchemy.dialects import postgresql, sqlite

Rows = Mapping[str, object] | Sequence[Mapping[str, object]]


def insert_rows(connection: Connection, table: Table[Any], rows: Rows) -> None:
    """Insert one row or several of the same columns; none is no error."""
    if rows:
        connection.execute(_insert(table), rows)


def insert_new(
    connection: Connection,
    table: Table[Any],
    row: Mapping[str, object],
    *,
    unique: tuple[str, ...],
    among: str | None = None,
) -> bool:
    """Insert a row unless one with the same `unique` columns is there; return whether it did.

    Of concurrent transactions one inserts, the others wait for it and then see its row. `unique`
    are the columns of a unique index, `among` is its condition where it is a partial one.
    """
    statement = _insert_new(connection.dialect.name, table, unique, among)
    return connection.execute(statement, row).first() is not None


@cache
def _insert(table: Table[Any]) -> Insert:
    return insert(table)


@cache
def _insert_new(
    dialect: str, table: Table[Any], unique: tuple[str, ...], among: str | None
) -> Insert:
    make = postgresql.insert if dialect == "postgresql" else sqlite.insert
    return (
        make(table)
        .on_conflict_do_nothing(
            index_elements=unique, index_where=None if among is None else text(among)
        )
        .returning(*table.primary_key.columns)
    )
