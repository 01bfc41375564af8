from __future__ import annotations

import re
import threading
from datetime import UTC, timedelta

import pytest

from backends.clock import SystemClock
from backends.ids import ALPHABET, LENGTH, RANDOM_BITS, RandomIds, encode
from backends.memory.clock import START, ManualClock, SequentialIds
from domain.clock import Clock, IdFactory

SHAPE = re.compile(r"doc_[0-9a-hjkmnp-tv-z]{26}")


def factories() -> list[IdFactory]:
    return [RandomIds(SystemClock()), RandomIds(ManualClock()), SequentialIds()]


@pytest.mark.parametrize("ids", factories(), ids=["system", "stopped-clock", "sequential"])
def test_ids_have_their_shape_are_unique_and_sort_by_creation(ids: IdFactory) -> None:
    made = [ids.new("doc") for _ in range(2000)]

    assert all(SHAPE.fullmatch(id) for id in made)
    assert len(set(made)) == 2000
    assert made == sorted(made)


def test_ids_of_two_moments_sort_by_them_across_processes() -> None:
    clock = ManualClock()
    first, second = RandomIds(clock), RandomIds(clock)

    pairs = []
    for _ in range(50):
        earlier = first.new("doc")
        clock.advance(0.001)
        pairs.append((earlier, second.new("doc")))

    assert all(earlier < later for earlier, later in pairs)


def test_ids_of_the_same_moment_cannot_be_told_from_each_other_in_advance() -> None:
    made = {RandomIds(ManualClock()).new("doc") for _ in range(200)}

    assert len(made) == 200


def test_threads_share_a_factory() -> None:
    ids = RandomIds(ManualClock())
    made: list[str] = []
    threads = [
        threading.Thread(target=lambda: made.extend(ids.new("x") for _ in range(500)))
        for _ in range(4)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(made)) == 2000


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0" * 26),
        (31, "0" * 25 + "z"),
        (32, "0" * 24 + "10"),
        (2**130 - 1, "z" * 26),
    ],
)
def test_numbers_are_written_in_base_32(number: int, expected: str) -> None:
    assert encode(number) == expected


def test_the_alphabet_sorts_as_numbers_do_and_the_time_fits() -> None:
    assert list(ALPHABET) == sorted(ALPHABET)
    assert len(ALPHABET) == 32
    assert LENGTH * 5 - RANDOM_BITS == 48


@pytest.mark.parametrize("clock", [SystemClock(), ManualClock()], ids=["system", "manual"])
def test_clocks_give_utc_and_never_go_back(clock: Clock) -> None:
    first, second = clock.now(), clock.now()
    earlier, later = clock.monotonic(), clock.monotonic()

    assert first.tzinfo is UTC
    assert second - first >= timedelta(0)
    assert later >= earlier


def test_a_manual_clock_moves_when_told() -> None:
    clock = ManualClock()

    moved = clock.advance(1.5)

    assert moved == clock.now() == START + timedelta(seconds=1.5)
    assert clock.monotonic() == 1.5
    with pytest.raises(ValueError, match="back"):
        clock.advance(-1)
