"""Column types that mean the same in SQLite and PostgreSQL, and give domain types back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from sqlalchemy import BigInteger, Dialect, Text
from sqlalchemy.types import TypeDecorator
from typing_extensions import override

from backends.ledger.cursors import from_microseconds, to_microseconds
from backends.ledger.transitions import require_storable

E = TypeVar("E", bound=StrEnum)


class Utc(TypeDecorator[datetime]):
    """An aware moment as microseconds since 1970: exact, and ordered as numbers are."""

    impl = BigInteger
    cache_ok = True

    @override
    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else to_microseconds(value)

    @override
    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else from_microseconds(value)


class PlainText(TypeDecorator[str]):
    """Text as given. What one of the databases could not store is an `InputError` in all."""

    impl = Text
    cache_ok = True

    @override
    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is not None:
            require_storable(value)
        return value


class Choice(TypeDecorator[E], Generic[E]):
    """A member of `kind`, stored as its value."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: type[E]) -> None:
        super().__init__()
        self.kind = kind

    @override
    def process_bind_param(self, value: E | None, dialect: Dialect) -> str | None:
        return None if value is None else value.value

    @override
    def process_result_value(self, value: str | None, dialect: Dialect) -> E | None:
        return None if value is None else self.kind(value)


class StringMapping(TypeDecorator[Mapping[str, str]]):
    impl = Text
    cache_ok = True

    @override
    def process_bind_param(self, value: Mapping[str, str] | None, dialect: Dialect) -> str | None:
        return None if value is None else to_json(dict(value))

    @override
    def process_result_value(self, value: str | None, dialect: Dialect) -> Mapping[str, str] | None:
        if value is None:
            return None
        content: dict[str, str] = json.loads(value)
        return content


class StringSet(TypeDecorator[frozenset[str]]):
    impl = Text
    cache_ok = True

    @override
    def process_bind_param(self, value: frozenset[str] | None, dialect: Dialect) -> str | None:
        return None if value is None else to_json(sorted(str(item) for item in value))

    @override
    def process_result_value(self, value: str | None, dialect: Dialect) -> frozenset[str] | None:
        return None if value is None else frozenset(json.loads(value))


def to_json(value: object) -> str:
    """Return compact ASCII JSON, so that no character in it can trouble a database."""
    return json.dumps(value, separators=(",", ":"))
