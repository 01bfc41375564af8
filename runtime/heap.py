"""The heap of our processes: in few pieces, and what stands at the start is not looked through again."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

ARENAS: Final = 2
"""In 1,500 writes to LanceDB, whose threads are some thirty, the heap grew from 58 to 69 MB after the
first 200; with as many arenas as the library takes by default (eight a core), from 72 to 99 MB after
800 (docs/production.md, Memory)."""

_M_ARENA_MAX: Final = -8
"""Of glibc's malloc.h."""


def bound_arenas(most: int = ARENAS) -> bool:
    """Let all threads of this process, and of those it forks, allocate from a few heaps.

    A thread takes a heap of its own by default, and what one frees another cannot use: a process of
    many threads that come and go grows for long. Returns False where the allocator knows no such
    bound (it is glibc's alone), and nothing changes.
    """
    with suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, most))
    return False


@contextmanager
def settled_heap() -> Iterator[None]:
    """Leave what is alive now out of garbage collections until the end.

    Modules, models and indexes are hundreds of thousands of objects that live as long as the process.
    A full collection looks at each of them, and falls due in the middle of some question: that was
    0.25 to 0.3 s of processor time for one question in forty (docs/benchmarks/query.md). What is made
    later is collected as ever, and what is frozen is still freed when nothing refers to it.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
