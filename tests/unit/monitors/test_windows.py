from __future__ import annotations

import itertools

from monitors.windows import Window, read, window_of
from tests.unit.monitors.streams import observe


def numbers(window: Window) -> list[int]:
    return [int(reading.question_id.removeprefix("q_")) for reading in window.readings]


def test_the_window_holds_the_latest_readings_oldest_first() -> None:
    window = window_of([observe(number, 0.0) for number in range(6)], size=4)

    assert numbers(window) == [2, 3, 4, 5]


def test_a_repeat_by_one_principal_counts_once_and_with_its_latest_reading() -> None:
    asked = [observe(0, 1.0, key="k"), observe(1, 0.0), observe(2, 0.5, key="k")]

    window = window_of(asked, size=4)

    assert numbers(window) == [1, 2]
    assert window.readings[-1].disagreement == 0.5


def test_the_same_question_by_another_principal_counts_again() -> None:
    asked = [observe(0, 1.0, key="k"), observe(1, 1.0, key="k", principal="key:b")]

    window = window_of(asked, size=4)

    assert numbers(window) == [0, 1]


def test_principal_and_key_cannot_be_cut_elsewhere_to_look_alike() -> None:
    first = read(observe(0, 0.0, principal="a", key="bc"))
    second = read(observe(0, 0.0, principal="ab", key="c"))

    assert first is not None
    assert second is not None
    assert first.asker != second.asker


def test_fewer_than_two_voters_do_not_count() -> None:
    window = window_of([observe(0, 0.0, seats=0), observe(1, 0.0, seats=1)], size=4)

    assert window.readings == ()


def test_a_repeat_pushes_nothing_out_and_is_not_fresh() -> None:
    window = window_of([observe(number, 0.0, key=f"{number % 4}") for number in range(4)], size=4)
    repeat = read(observe(4, 1.0, key="0"))
    assert repeat is not None

    push = window.push(repeat)

    assert (push.fresh, push.left) == (False, None)
    assert numbers(push.window) == [1, 2, 3, 4]


def test_one_that_comes_late_takes_its_place_by_time() -> None:
    window = window_of([observe(0, 0.0), observe(2, 0.0)], size=4)
    late = read(observe(1, 0.0))
    assert late is not None

    push = window.push(late)

    assert push.fresh
    assert numbers(push.window) == [0, 1, 2]


def test_one_older_than_a_full_window_changes_nothing() -> None:
    window = window_of([observe(number, 0.0) for number in range(1, 5)], size=4)
    late = read(observe(0, 1.0))
    assert late is not None

    push = window.push(late)

    assert push.window == window
    assert (push.fresh, push.left) == (False, None)


def test_a_late_repeat_does_not_replace_a_later_one() -> None:
    window = window_of([observe(5, 0.25, key="k")], size=4)
    late = read(observe(1, 1.0, key="k"))
    assert late is not None

    push = window.push(late)

    assert numbers(push.window) == [5]


def test_equal_times_are_ordered_by_id_whatever_the_order_of_arrival() -> None:
    asked = [observe(number, number / 4, seconds=0.0) for number in range(4)]

    windows = {window_of(order, size=3).readings for order in itertools.permutations(asked)}

    assert len(windows) == 1
    assert numbers(window_of(asked, size=3)) == [1, 2, 3]
