"""Opaque cursors of lists that run from the newest to the oldest."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from domain.errors import InputError
from domain.ledger import Page

T = TypeVar("T")

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_CURSOR_PARTS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where the last page ended: the next begins after it."""

    at: datetime
    id: str

    @property
    def key(self) -> tuple[datetime, str]:
        return (self.at, self.id)


def to_microseconds(moment: datetime) -> int:
    """Return microseconds since 1970, exactly.

    Raises:
        ValueError: `moment` is naive.
    """
    if moment.tzinfo is None:
        raise ValueError(f"moment {moment!r} has no time zone")
    return (moment - EPOCH) // _MICROSECOND


def from_microseconds(value: int) -> datetime:
    return EPOCH + value * _MICROSECOND


def encode(position: Position) -> str:
    content = json.dumps([to_microseconds(position.at), position.id], separators=(",", ":"))
    return base64.urlsafe_b64encode(content.encode()).rstrip(b"=").decode()


def decode(cursor: str) -> Position:
    """Return the position.

    Raises:
        InputError: Not a cursor of ours.
    """
    try:
        content = base64.b64decode(
            cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True
        )
        parts = json.loads(content)
        if not (
            isinstance(parts, list)
            and len(parts) == _CURSOR_PARTS
            and type(parts[0]) is int
            and isinstance(parts[1], str)
            # Our ids are; other text may be what no database takes.
            and parts[1].isascii()
            and parts[1].isprintable()
        ):
            raise InputError("cursor is not one of ours")
        return Position(at=from_microseconds(parts[0]), id=parts[1])
    except (ValueError, OverflowError, RecursionError, binascii.Error) as exc:
        raise InputError("cursor is not one of ours") from exc


def page(found: Sequence[T], *, limit: int, position: Callable[[T], Position]) -> Page[T]:
    """Make a page of `limit + 1` rows looked for: the one too many says that there is a next.

    Raises:
        InputError: `limit` is below 1.
    """
    require_limit(limit)
    items = tuple(found[:limit])
    more = len(found) > limit
    return Page(items=items, next_cursor=encode(position(items[-1])) if more else None)


def require_limit(limit: int) -> None:
    if limit < 1:
        raise InputError(f"limit must be at least 1, got {limit}")
