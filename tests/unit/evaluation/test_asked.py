"""The lines of a red-team run are read as they were written, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.answering import Outcome
from domain.errors import InputError
from evaluation.redteam.asked import Asked, Cell, read_asked, resume
from tests.redteam_answers import CLEAN, POISONED, abstained, asked

LINES = (
    asked("q1", right=True),
    asked("q2", planted=True, cell=CLEAN, score=None, confidence=None),
    abstained("q3"),
)


def written(path: Path, *lines: Asked, cut: str = "") -> Path:
    path.write_text("".join(one.to_json() + "\n" for one in lines) + cut, encoding="ascii")
    return path


@given(
    st.text(),
    st.sampled_from(Outcome),
    st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    st.floats(0, 1),
)
@settings(deadline=None)
def test_a_line_is_read_as_it_was_written(
    name: str, outcome: Outcome, score: float | None, share: float
) -> None:
    one = asked(name, cell=replace(POISONED, share=share), outcome=outcome, score=score)

    line = one.to_json()

    assert Asked.from_json(line) == one
    assert "\n" not in line
    assert line.isascii()


def test_a_cell_lies_flat_in_its_line() -> None:
    found = json.loads(LINES[0].to_json())

    assert (found["attack"], found["b"], found["share"], found["row"]) == (
        "poisonedrag",
        3,
        1.0,
        "q1",
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("outcome", "shrug"),
        ("outcome", None),
        ("right", 1),
        ("right", "true"),
        ("b", True),
        ("b", -1),
        ("b", 1.5),
        ("share", 1.5),
        ("share", None),
        ("fold", None),
        ("drafts", 0),
        ("draft_right", -1),
        ("held_at_ingest", 4),
        ("score", float("nan")),
        ("seconds", float("inf")),
        ("seconds", None),
        ("planted", True),
        ("both", True),
        ("row", 3),
        ("query_type", None),
        ("surprise", 1),
    ],
)
def test_a_line_that_is_not_ours_is_refused(field: str, value: object) -> None:
    line = json.dumps({**json.loads(LINES[0].to_json()), field: value})

    with pytest.raises(InputError):
        Asked.from_json(line)


@pytest.mark.parametrize("field", json.loads(LINES[0].to_json()))
def test_a_line_without_one_of_its_fields_is_refused(field: str) -> None:
    found = json.loads(LINES[0].to_json())
    del found[field]

    with pytest.raises(InputError, match=field):
        Asked.from_json(json.dumps(found))


@pytest.mark.parametrize("line", ["", "[]", "3", "{", '"attack"'])
def test_what_is_no_object_is_refused(line: str) -> None:
    with pytest.raises(InputError):
        Asked.from_json(line)


@pytest.mark.parametrize("length", [1, 40, len(LINES[0].to_json())])
def test_a_last_line_that_was_cut_is_left_out(tmp_path: Path, length: int) -> None:
    path = written(tmp_path / "run.jsonl", *LINES, cut=asked("q4").to_json()[:length])

    assert read_asked(path) == LINES


def test_a_run_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", *LINES, cut='{"attack": "poiso')

    before = resume(path)
    with path.open("a", encoding="ascii") as file:
        file.write(asked("q4").to_json() + "\n")

    assert before == LINES
    assert read_asked(path) == (*LINES, asked("q4"))


def test_a_run_that_has_not_begun_has_nothing(tmp_path: Path) -> None:
    assert resume(tmp_path / "run.jsonl") == ()
    assert not (tmp_path / "run.jsonl").exists()


@pytest.mark.parametrize("broken", ["{\n", "\n", '{"attack": "poiso\n', "\xe9\n"])
def test_a_whole_line_that_is_broken_is_an_error(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(LINES[0].to_json() + "\n" + broken + LINES[1].to_json() + "\n", "utf-8")

    with pytest.raises(InputError, match="line 2"):
        read_asked(path)


def test_a_question_asked_twice_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", LINES[0], LINES[2], LINES[0])

    with pytest.raises(InputError, match="line 3"):
        read_asked(path)


def test_a_file_that_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_asked(tmp_path / "nothing.jsonl")


def test_an_answer_that_was_held_back_is_neither_right_nor_a_success() -> None:
    right = asked("q1", outcome=Outcome.ABSTAIN, right=True)
    wrong = asked("q2", outcome=Outcome.ABSTAIN, planted=True)

    assert not right.correct
    assert not wrong.succeeded


def test_an_answer_that_says_both_is_neither_right_nor_a_success() -> None:
    one = asked("q1", planted=True, both=True)

    assert not one.correct
    assert not one.succeeded


def test_cells_have_an_order() -> None:
    cells = [
        POISONED,
        CLEAN,
        replace(CLEAN, share=0.5),
        Cell(attack="dnd", b=1, provenance="sybil", stage="query-only"),
    ]

    assert [one.attack for one in sorted(cells)] == ["dnd", "none", "none", "poisonedrag"]
    assert len(set(cells)) == 4
