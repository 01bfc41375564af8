"""Connections to PostgreSQL that give up: a server that hangs keeps no thread of ours for ever.

The server is told how long a statement may take. One that is stopped, or cut off, cannot keep to
that, and TCP alone would wait for hours: so whoever waits at the socket looks at the clock too.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from psycopg import Connection, OperationalError
from psycopg.abc import PQGen
from sqlalchemy import Engine, event

T = TypeVar("T")

CONNECT_SECONDS: Final = 5
_GRACE_SECONDS: Final = 1.0
"""The server is to give up first: then it knows, and its locks are let go."""


class _ImpatientConnection(Connection[Any]):
    patience: float | None = None

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        try:
            return super().wait(gen, interval, self.patience if timeout is None else timeout)
        except OperationalError as exc:
            if exc.sqlstate is None:  # not the server's word: it was out of time, or is gone
                self.pgconn.finish()
            raise


def limit_statements(engine: Engine, *, seconds: float) -> None:
    """Give every new connection of the engine so long for a statement."""

    def connect(
        _dialect: object, _record: object, arguments: list[Any], options: dict[str, Any]
    ) -> _ImpatientConnection:
        connection = _ImpatientConnection.connect(
            *arguments, **{"connect_timeout": CONNECT_SECONDS, **options}
        )
        connection.patience = seconds + _GRACE_SECONDS
        connection.execute("SELECT set_config('statement_timeout', %s, false)", [f"{seconds}s"])
        connection.commit()
        return connection

    event.listen(engine, "do_connect", connect)
