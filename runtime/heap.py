"""The heap of a process that answers: what stands at the start is not looked through again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
