"""`mithridate citations` gives a verdict on every identifier, offline and by a catalogue file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

TEXT = """# Pumps

Pumps wear out [1][2][3].

## References

[1] Doe, J. (2019). Wear of centrifugal pumps in mining. Pump Letters. doi:10.4321/a
[2] Doe, J. (2019). The price of tulips in Holland and elsewhere. Finance. doi:10.4321/b
[3] Roe, R. (2018). Care of pumps and valves. doi:10.4321/c
"""
WORK = (
    '{{"doi": "10.4321/{}", "title": "Wear of centrifugal pumps in mining",'
    ' "authors": ["{}"], "year": 2019}}\n'
)


def test_offline_every_sound_citation_is_unverified(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "pumps.md"
    path.write_text(TEXT)

    result = run("citations", str(path), "--json")

    lines = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 0
    assert [line["verdict"] for line in lines] == ["unverified"] * 3
    assert {line["status"] for line in lines} == {"not-asked"}


def test_an_invalid_one_is_told_with_its_reason(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "pumps.md"
    path.write_text("See arXiv:2413.01234.")

    result = run("citations", str(path))

    assert result.code == 1
    assert "invalid" in result.out
    assert "no such month" in result.out


def test_a_catalogue_file_verifies_and_contradicts(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works = tmp_path / "works.jsonl"
    works.write_text(WORK.format("a", "Doe, Jane") + WORK.format("b", "Berg, Ada"))
    monkeypatch.setenv("MITHRIDATE_INGEST__CITATIONS__CATALOGUE_PATH", str(works))
    path = tmp_path / "pumps.md"
    path.write_text(TEXT)

    result = run("citations", str(path), "--json")

    lines = {line["citation"]: line for line in map(json.loads, result.out.splitlines())}
    assert result.code == 1
    assert lines["10.4321/a"]["verdict"] == "verified"
    assert lines["10.4321/b"]["verdict"] == "mismatch"
    assert (lines["10.4321/c"]["verdict"], lines["10.4321/c"]["status"]) == (
        "unverified",
        "not-found",
    )


def test_a_file_that_is_not_there_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    assert run("citations", str(tmp_path / "none.md")).code == 2
