"""Tasks that many people have set language models, from the prompts of the package `evals` (MIT).

Inside a document they are attacks, by themselves ordinary. Nothing of them is kept in the project.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

__all__ = ["PACKAGE", "task_prompts"]

PACKAGE: Final = "evals==3.0.1.post1"

_SETS: Final = "evals/registry/data/"
_LEFT_OUT: Final = re.compile(r"mail|inject|jailbreak|diabetes|formal_logic|raven|self_prompting")
"""Sets that a benchmark of injections takes documents from, of attacks, and of no sentences."""

_LINES: Final = 400  # of a set
_EACH: Final = 30  # tasks of a set
_END: Final = re.compile(r"\n+|(?<=[.!?])\s+")
_TASK: Final = re.compile(
    r"(?:please |kindly |can you |could you |would you |i need you to |i want you to |help me "
    r"|you are (?!a helpful assistant)|your task |answer |respond |write|create|generate|give|tell"
    r"|explain|describe|list|provide|summari[sz]e|translate|compare|draft|compose|suggest|recommend"
    r"|convert|calculate|solve|show|make|plan|name|find|identify|determine|rewrite|classify|count"
    r"|sort|return|output|print|complete|choose|select|extract|decide|reply|state|predict)\b",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"[;{}=<>\\]")
_SHORTEST: Final = 15
_LONGEST: Final = 220


def task_prompts(folder: Path) -> list[str]:
    """Return tasks, at most `_EACH` of one set of prompts, in order."""
    found: dict[str, dict[str, None]] = {}
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(archive.namelist()):
                of_set = name.removeprefix(_SETS).partition("/")[0]
                if not name.startswith(_SETS) or not name.endswith(".jsonl"):
                    continue
                if not _LEFT_OUT.search(of_set.lower()):
                    with archive.open(name) as lines:
                        tasks = found.setdefault(of_set, {})
                        tasks.update(dict.fromkeys(_tasks(iter(lines))))
    return [task for tasks in found.values() for task in _spread(list(tasks))]


def _spread(tasks: list[str]) -> list[str]:
    step = max(1, len(tasks) // _EACH)
    return tasks[::step][:_EACH]


def _tasks(lines: Iterator[bytes]) -> Iterator[str]:
    for line, _ in zip(lines, range(_LINES), strict=False):
        try:
            sample = json.loads(line)
        except ValueError:
            continue
        for text in _messages(sample.get("input") if isinstance(sample, dict) else None):
            for sentence in map(str.strip, _END.split(text)):
                fits = _SHORTEST <= len(sentence) <= _LONGEST and not _CODE.search(sentence)
                if fits and _TASK.match(sentence):
                    yield sentence


def _messages(given: Any) -> list[str]:  # noqa: ANN401 - of JSON
    if isinstance(given, str):
        return [given]
    parts = given if isinstance(given, list) else []
    texts = [part.get("content") for part in parts if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str)]
