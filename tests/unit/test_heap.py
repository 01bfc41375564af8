"""A full collection does not look through what stood there at the start."""

from __future__ import annotations

import gc
import weakref

from runtime.heap import settled_heap


class Node:
    def __init__(self) -> None:
        self.itself = self


def test_what_is_alive_at_the_start_is_left_out_until_the_end() -> None:
    standing: list[list[int]] = [[] for _ in range(1_000)]

    with settled_heap():
        inside = {id(one) for one in gc.get_objects()}
        frozen = gc.get_freeze_count()
    after = {id(one) for one in gc.get_objects()}

    assert frozen >= len(standing)
    assert not inside & {id(one) for one in standing}
    assert {id(one) for one in standing} <= after
    assert gc.get_freeze_count() == 0


def test_what_is_made_later_is_collected_as_ever() -> None:
    with settled_heap():
        made = weakref.ref(Node())  # refers to itself: only a collection frees it
        gc.collect()

        assert made() is None
