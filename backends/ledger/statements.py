"""The one statement that SQLAlchemy spells apart for each database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Table, text
from sqlalchemy.dialects import postgresql, sqlite


def insert_new(
    connection: Connection,
    table: Table[Any],
    values: Mapping[str, object],
    *,
    unique: Sequence[Column[Any]],
    among: str | None = None,
) -> bool:
    """Insert a row unless one with the same `unique` columns is there; return whether it did.

    Of concurrent transactions one inserts, the others wait for it and then see its row. `unique`
    are the columns of a unique index, `among` is its condition where it is a partial one.
    """
    make = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement = (
        make(table)
        .values(**values)
        .on_conflict_do_nothing(
            index_elements=unique, index_where=None if among is None else text(among)
        )
        .returning(*table.primary_key.columns)
    )
    return connection.execute(statement).first() is not None
