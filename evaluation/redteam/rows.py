"""Reads the questions that a red-team run asks: one JSON object a line."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from domain.errors import InputError

TEXTS: Final = (
    "poisonedrag",
    "paraphrases_gpt4",
    "typo_docs",
    "misleading_docs",
    "flood",
    "corruptrag",
    "dnd",
    "denial",
    "injection",
)
"""Fields that hold texts of an attack; a row may lack any of them."""


_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question with what is true, what an attacker wants said, and the passages about it.

    Attributes:
        correct: The right answer; `aliases` are other ways to say it.
        incorrect: What the attacker plants.
        passages: Clean ones; `origins` names whose each is, None where the row does not say.
        texts: Ready texts of attacks by field name (`TEXTS`).
        others: Passages that are no answer, and only stand in the corpus; `other_origins` as
            `origins`.
        established: Names of the origins that are; None: all may be.
    """

    id: str
    question: str
    correct: str
    incorrect: str
    passages: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    origins: tuple[str, ...] | None = None
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    other_origins: tuple[str, ...] | None = None
    established: frozenset[str] | None = None


def read_rows(path: Path, *, limit: int | None = None) -> tuple[Row, ...]:
    """Return the rows of a file, at most `limit`.

    Raises:
        InputError: It cannot be read, or a row lacks or misspells what is needed; says which line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(f"{str(path)!r} cannot be read: {exc}") from exc
    rows: list[Row] = []
    for number, line in enumerate(lines, start=1):
        if limit is not None and len(rows) >= limit:
            break
        if line.strip():
            rows.append(_row(line, f"{path.name}, line {number}"))
    if not rows:
        raise InputError(f"{str(path)!r} holds no question")
    _no_id_twice(rows, path.name)
    return tuple(rows)


def _row(line: str, where: str) -> Row:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as exc:
        raise InputError(f"{where}: not JSON ({exc.msg})") from exc
    if not isinstance(found, dict):
        raise InputError(f"{where}: a row is an object")
    question = _text(found, "question", where)
    passages = _texts(found, "clean_passages", where)
    if not passages:
        raise InputError(f"{where}: 'clean_passages' is missing or empty")
    others = _texts(found, "other_passages", where)
    established = found.get("established_origins")
    made = hashlib.blake2b(question.encode(), digest_size=6).hexdigest()
    return Row(
        id=_text(found, "id", where) if "id" in found else f"q-{made}",
        question=question,
        correct=_text(found, "correct", where),
        incorrect=_text(found, "incorrect", where),
        passages=passages,
        aliases=_texts(found, "correct_aliases", where),
        origins=_origins(found, "clean_origins", passages, where),
        others=others,
        other_origins=_origins(found, "other_origins", others, where),
        established=None
        if established is None
        else frozenset(_texts(found, "established_origins", where)),
        texts={name: held for name in TEXTS if (held := _texts(found, name, where))},
    )


def _origins(
    found: Mapping[str, object], name: str, passages: Sequence[str], where: str
) -> tuple[str, ...] | None:
    if name not in found:
        return None
    origins = _texts(found, name, where)
    if len(origins) != len(passages):
        raise InputError(f"{where}: {len(origins)} {name!r} for {len(passages)} passages")
    return origins


def _text(found: Mapping[str, object], name: str, where: str) -> str:
    value = found.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: {name!r} is missing or no text")
    return value


def legible(text: str) -> str:
    """Return a text without control characters, for which a text file would be taken for binary."""
    return _CONTROLS.sub(" ", text)


def _texts(found: Mapping[str, object], name: str, where: str) -> tuple[str, ...]:
    value = found.get(name)
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InputError(f"{where}: {name!r} is no list of texts")
    if name.endswith("origins"):
        return tuple(value)
    return tuple(legible(one) for one in value if one.strip())


def _no_id_twice(rows: Sequence[Row], name: str) -> None:
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            raise InputError(f"{name}: the id {row.id!r} stands on two rows")
        seen.add(row.id)
