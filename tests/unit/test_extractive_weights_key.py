"""Calibrations are keyed by the weights themselves, not by a number that somebody must raise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gateway.query.extractive_weights import ExtractiveWeights
from runtime.answering import SHIPPED_ARTEFACTS
from tests.world import build_world

SHIPPED = ExtractiveWeights.shipped()


def test_any_other_weight_is_another_key() -> None:
    changed = [
        replace(SHIPPED, ranking=SHIPPED.ranking + 0.01),
        replace(SHIPPED, probability=SHIPPED.probability * 1.01),
        replace(SHIPPED, abstain_below=SHIPPED.abstain_below + 0.001),
        replace(SHIPPED, tentative_below=SHIPPED.tentative_below + 0.001),
    ]

    assert len({SHIPPED.digest, *(one.digest for one in changed)}) == 5


def test_what_a_fit_is_called_changes_no_key() -> None:
    assert replace(SHIPPED, version="renamed").digest == SHIPPED.digest


def test_written_and_read_weights_have_one_key() -> None:
    unrounded = replace(SHIPPED, ranking=SHIPPED.ranking + 1e-9)

    assert ExtractiveWeights.from_json(unrounded.to_json()).digest == unrounded.digest


def test_the_shipped_calibrations_are_of_the_shipped_weights() -> None:
    for path in SHIPPED_ARTEFACTS.glob("*.json"):
        assert f"drafter=extractive-3:{SHIPPED.digest}:" in path.read_text(encoding="utf-8")


@pytest.mark.anyio
async def test_the_product_finds_its_calibration(tmp_path: Path) -> None:
    world = await build_world(tmp_path)

    assert world.query.calibrated()
