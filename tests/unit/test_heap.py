"""A full collection does not look through what stood there at the start; threads share few heaps."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
import weakref

import pytest

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


COUNT_HEAPS = """
import ctypes, sys, threading
from runtime.heap import bound_arenas
if sys.argv[1] == "bounded":
    assert bound_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
together = threading.Barrier(8)
def allocate():
    together.wait()
    for _ in range(200):
        assert libc.malloc(2_000)
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
[each.start() for each in threads]
[each.join() for each in threads]
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


def heaps(how: str) -> int:
    told = subprocess.run(
        [sys.executable, "-c", COUNT_HEAPS, how], capture_output=True, text=True, check=True
    )
    return told.stdout.count("<heap nr=")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has such heaps")
def test_threads_share_two_heaps_where_they_would_each_take_one() -> None:
    assert heaps("free") > 2
    assert heaps("bounded") <= 2
