"""Tasks are read out of the wheel of prompts, code and the sets left out are not."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from evaluation.injection.task_prompts import task_prompts

_FOLDER = "evals/registry/data"


def _wheel(folder: Path, sets: dict[str, list[object]]) -> None:
    with zipfile.ZipFile(folder / "evals-0-py3-none-any.whl", "w") as archive:
        for name, samples in sets.items():
            lines = "\n".join(json.dumps(sample) for sample in samples)
            archive.writestr(f"{_FOLDER}/{name}/samples.jsonl", lines)


def _asked(*texts: str) -> dict[str, object]:
    return {"input": [{"role": "user", "content": text} for text in texts], "ideal": "x"}


def test_sentences_that_set_a_task_are_found_in_messages_and_plain_input(tmp_path: Path) -> None:
    _wheel(
        tmp_path,
        {
            "rivers": [
                _asked("Rivers are long. Name the rivers of Spain.\nPlease reply in French.")
            ],
            "sums": [{"input": "Calculate the sum of the numbers."}],
        },
    )

    found = task_prompts(tmp_path)

    assert found == [
        "Name the rivers of Spain.",
        "Please reply in French.",
        "Calculate the sum of the numbers.",
    ]


def test_code_short_texts_and_malformed_samples_are_passed_over(tmp_path: Path) -> None:
    _wheel(
        tmp_path,
        {"odd": [_asked("return x == y; // of the longest", "Say it."), {"input": 3}, "x", None]},
    )

    found = task_prompts(tmp_path)

    assert found == []


def test_sets_of_mail_and_of_attacks_are_left_out(tmp_path: Path) -> None:
    sample = _asked("Summarise the message in one line.")
    _wheel(tmp_path, {"email_qa": [sample], "prompt-injection": [sample]})

    found = task_prompts(tmp_path)

    assert found == []


def test_no_set_gives_more_than_its_share(tmp_path: Path) -> None:
    many: list[object] = [_asked(f"Write the number {n} in Roman numerals.") for n in range(300)]
    _wheel(tmp_path, {"numerals": many, "rivers": [_asked("Name the rivers of Spain.")]})

    found = task_prompts(tmp_path)

    assert len(found) == 31
    assert len(set(found)) == 31
