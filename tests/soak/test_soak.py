"""Uploads, questions and deletions for minutes on end: nothing is lost and no process grows.

Runs where `MITHRIDATE_TEST_SOAK_SECONDS` is set; `make soak` sets 600.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from benchmarks.load.pages import varied_page
from benchmarks.load.processes import resident_bytes
from tests.e2e.stack import Stack, running_stack, until
from tests.e2e.test_failures import verdicts

SECONDS: Final = float(os.environ.get("MITHRIDATE_TEST_SOAK_SECONDS", "0"))
KEPT: Final = 20
"""Documents that stay; older ones are deleted, so that the corpus itself does not grow."""
WARM_SHARE: Final = 0.3
"""Of the time: models and caches are loaded by then."""
ALLOWED_GROWTH: Final = 1.15
SLACK_BYTES: Final = 40_000_000
"""Allocators and caches breathe by so much: a short soak is no finer than that."""

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.timeout(SECONDS * 2 + 600),
    pytest.mark.skipif(not SECONDS, reason="MITHRIDATE_TEST_SOAK_SECONDS is not set"),
]

Sizes = dict[str, list[tuple[float, int]]]


def sample(stack: Stack, sizes: Sizes) -> None:
    """Note how much memory each kind of process has, its largest one standing for all."""
    for name, needle in (
        ("gateway", "gateway.cli serve"),
        ("worker", "gateway.cli worker"),
        ("broker", "valkey-server"),
        ("supervisor", "gateway.cli up"),
    ):
        largest = max(map(resident_bytes, stack.pids(needle)), default=0)
        sizes.setdefault(name, []).append((time.monotonic(), largest))


def grown(samples: Sequence[tuple[float, int]], began: float) -> tuple[float, float]:
    """Return the median size after the warm-up, and that of the last third."""
    after = [size for at, size in samples if at - began >= SECONDS * WARM_SHARE]
    third = max(1, len(after) // 3)
    return median(after[:third]), median(after[-third:])


def work(stack: Stack, began: float) -> tuple[list[str], Sizes]:
    sizes: Sizes = {}
    ids: list[str] = []
    number = 0
    while time.monotonic() - began < SECONDS:
        ids.append(stack.upload(varied_page(number), name=f"page-{number}.md")["id"])
        line = varied_page(number // 2).split("\n\n")[1].split(". ")[number % 20]
        asked = stack.client.post(
            "/v1/questions", json={"question": f"Is it so that {line}, as page {number} says?"}
        )
        assert asked.status_code == 200, asked.text
        if number >= KEPT:
            old = ids[number - KEPT]
            stack.verdict(old)
            assert stack.client.delete(f"/v1/documents/{old}").status_code == 204
        if number % 5 == 0:
            sample(stack, sizes)
        number += 1
    return ids, sizes


def test_for_minutes_nothing_is_lost_and_memory_is_flat(tmp_path: Path) -> None:
    with running_stack(tmp_path / "data") as stack:
        began = time.monotonic()
        ids, sizes = work(stack, began)
        until(
            lambda: all(stack.document(each)["verdict"] for each in ids[-KEPT:]),
            "the last verdicts",
        )
        told = [verdicts(stack, each) for each in ids]

    assert told == [1] * len(ids)
    assert len(ids) > SECONDS / 10
    growth = {name: grown(samples, began) for name, samples in sizes.items()}
    print(report(growth, len(ids)))  # noqa: T201 - what `make soak` is run for
    assert {name for name, (first, last) in growth.items() if over(first, last)} == set()


def over(first: float, last: float) -> bool:
    return last > max(first * ALLOWED_GROWTH, first + SLACK_BYTES)


def report(growth: Mapping[str, tuple[float, float]], documents: int) -> str:
    lines = [
        f"{name}: {first / 1e6:.0f} MB after warm-up, {last / 1e6:.0f} MB at the end"
        for name, (first, last) in growth.items()
    ]
    return "\n".join((f"{documents} documents in {SECONDS:g} s", *lines))
