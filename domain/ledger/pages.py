"""One page of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """`next_cursor` is opaque; None on the last page."""

    items: tuple[T, ...]
    next_cursor: str | None
