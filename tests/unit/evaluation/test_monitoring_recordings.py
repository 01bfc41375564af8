"""Recordings are what they say: seeded, in order, clean before the attack; and scores are counted right."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks.monitors.__main__ import code, measure, rate_bound, share_bounds
from evaluation.monitoring.recordings import record
from evaluation.monitoring.scenarios import POISONED, Kind
from evaluation.monitoring.scoring import score
from monitors.records import read_lines

KINDS: tuple[Kind, ...] = ("clean", *POISONED)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_recording_and_another_seed_another(kind: Kind) -> None:
    assert record(kind, 3) == record(kind, 3)
    assert record(kind, 3).lines != record(kind, 4).lines


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0])
def test_lines_can_be_read_and_are_in_order(kind: Kind, seed: int) -> None:
    recording = record(kind, seed)

    sightings = list(read_lines(recording.text().splitlines()))

    assert [seen.at for seen in sightings] == sorted(seen.at for seen in sightings)
    assert len({seen.question_id for seen in sightings}) == len(sightings)
    assert {3, 4, 5, 6, 7, 8, 9, 10, 11} >= {len(seen.evidence) for seen in sightings}


@pytest.mark.parametrize("kind", [kind for kind in POISONED if kind != "ramp"])
def test_nothing_is_planted_before_the_attack(kind: Kind) -> None:
    recording = record(kind, 5)
    sightings = list(read_lines(recording.text().splitlines()))
    assert recording.t0 is not None

    early = [seen for seen in sightings if seen.at < recording.t0]
    struck = [seen for seen in sightings if seen.question_id in recording.affected]

    assert len(early) >= 25
    assert len(struck) >= 10
    assert not any("_p" in one.document for seen in early for one in seen.evidence)
    assert all(any("_p" in one.document for one in seen.evidence) for seen in struck)


@pytest.mark.parametrize("kind", POISONED)
@pytest.mark.parametrize("seed", [2_001])
def test_an_attack_of_each_kind_and_world_is_told(kind: Kind, seed: int) -> None:
    scored = score(record(kind, seed))

    assert scored.delay is not None
    assert scored.first is not None


def test_affected_questions_are_struck_ones_and_both_are_counted() -> None:
    recording = record("spike", 2_004)
    scored = score(recording)

    assert set(recording.affected) < set(recording.struck)
    assert scored.delay is not None
    assert scored.struck is not None
    assert scored.struck >= scored.delay >= 1


def test_a_measurement_goes_on_where_it_stopped(tmp_path: Path) -> None:
    counts: dict[Kind, int] = {"spike": 2, "flip": 1}
    kept = tmp_path / "measured.jsonl"
    nothing = measure(counts, kept, until=0.0)

    whole = measure(counts, kept, until=math.inf)
    lines = kept.read_text(encoding="ascii")
    again = measure(counts, kept, until=0.0)
    kept.write_text(lines.replace(code(), "another"), encoding="ascii")

    assert nothing == {"spike": [], "flip": []}
    assert [len(scores) for scores in whole.values()] == [2, 1]
    assert again == whole
    assert measure(counts, kept, until=0.0) == nothing


def test_clean_recordings_are_nearly_always_quiet() -> None:
    scores = [score(record("clean", seed)) for seed in range(2_000, 2_003)]

    questions = sum(one.questions for one in scores)
    assert questions > 300
    assert sum(len(one.false) for one in scores) <= 1 + questions / 1_000


def test_exact_bounds_are_those_of_the_tables() -> None:
    low, high = share_bounds(190, 200)

    assert (round(low, 4), round(high, 4)) == (0.91, 0.9758)
    assert share_bounds(200, 200)[1] == 1.0
    assert rate_bound(0, 1.0) == pytest.approx(2.9957, abs=1e-4)
    assert rate_bound(3, 1.0) == pytest.approx(7.7537, abs=1e-4)
