"""One page of a list, and all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """`next_cursor` is opaque; None on the last page."""

    items: tuple[T, ...]
    next_cursor: str | None


async def every(page: Callable[[str | None], Awaitable[Page[T]]]) -> AsyncIterator[T]:
    """Yield the items of all pages in order; a page is asked for once those before it were taken.

    Args:
        page: Returns the page at a cursor; None is the first.
    """
    cursor: str | None = None
    while True:
        found = await page(cursor)
        for item in found.items:
            yield item
        cursor = found.next_cursor
        if cursor is None:
            return
