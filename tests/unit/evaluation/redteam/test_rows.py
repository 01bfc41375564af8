"""Rows of a set: what is taken, and what is refused with the line it stands on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from domain.errors import InputError
from evaluation.redteam.rows import read_rows

GOOD = {
    "id": "one",
    "question": "how many doors?",
    "correct": "3",
    "incorrect": "4",
    "clean_passages": ["It has 3 doors."],
}


def written(folder: Path, *rows: object) -> Path:
    path = folder / "set.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_a_row_keeps_its_attack_texts_aliases_and_origins(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            **GOOD,
            "correct_aliases": ["three"],
            "clean_origins": ["handbook"],
            "poisonedrag": ["It has 4 doors."],
        },
    )

    (row,) = read_rows(path)

    assert row.aliases == ("three",)
    assert row.origins == ("handbook",)
    assert row.texts == {"poisonedrag": ("It has 4 doors.",)}


def test_an_id_is_made_of_the_question_where_there_is_none(tmp_path: Path) -> None:
    rows = [{**GOOD, "id": None} for _ in range(1)]
    del rows[0]["id"]

    (row,) = read_rows(written(tmp_path, *rows))

    assert row.id.startswith("q-")


def test_a_limit_reads_no_further(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD, "no object at all")

    assert len(read_rows(path, limit=1)) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question": ""}, "'question'"),
        ({"correct": None}, "'correct'"),
        ({"incorrect": ["4"]}, "'incorrect'"),
        ({"clean_passages": []}, "'clean_passages'"),
        ({"clean_passages": [1]}, "'clean_passages'"),
        ({"clean_origins": ["a", "b"]}, "2 'clean_origins'"),
        ({"flood": {"a": 1}}, "'flood'"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    path = written(tmp_path, {**GOOD, "id": "first"}, {**GOOD, **change})

    with pytest.raises(InputError, match="line 2") as refused:
        read_rows(path)

    assert said in str(refused.value)


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two rows"):
        read_rows(written(tmp_path, GOOD, GOOD))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"{", b"\xff\xfe"])
def test_a_file_without_questions_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(content)

    with pytest.raises(InputError):
        read_rows(path)
