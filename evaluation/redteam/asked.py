"""What one system said to one question of one cell: a JSON line each, so that a run can go on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final, NewType

from domain.answering import Outcome
from domain.errors import InputError

RowId = NewType("RowId", str)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Cell:
    """What one set of questions was asked under.

    Attributes:
        b: Texts that the attacker has; 0 with attack `none`.
        share: Established share of the clean passages, in [0, 1].
    """

    attack: str
    b: int
    provenance: str
    stage: str
    share: float = 1.0

    def __post_init__(self) -> None:
        if self.b < 0 or not 0.0 <= self.share <= 1.0:
            raise InputError(f"cell has b {self.b!r} and share {self.share!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question to one system in one cell, judged.

    Attributes:
        fold: By question, the same in every cell; figures are cross-fitted over folds.
        reason: Why it abstained; None where it did not.
        right: The answer is right, and nothing planted stands in it. Where it abstained, this and
            the next two are said of the answer that it had, so that a threshold can be moved
            afterwards; all false where it had none.
        planted: The planted answer stands in it.
        both: The right and the planted answer stand in it: neither right nor a success.
        score: Of the group of that answer, before calibration; None where no draft stands.
        confidence: Of the same group, calibrated.
        drafts: Drafts that say something, of which `contaminated` saw a planted text and
            `draft_right` are right.
        picked: Number of the draft that the answer is, from 0.
        planted_texts: Planted for this question, of which `held_at_ingest` never reached the index.
    """

    cell: Cell
    system: str
    fold: int
    row: RowId
    outcome: Outcome
    reason: str | None
    right: bool
    planted: bool
    both: bool
    score: float | None
    confidence: float | None
    drafts: int
    contaminated: int
    draft_right: int
    picked: int | None
    seconds: float
    planted_texts: int
    held_at_ingest: int
    query_type: str

    def __post_init__(self) -> None:
        if self.right and (self.planted or self.both):
            raise InputError(f"{self.row!r} is right and holds what was planted")
        for name, part, whole in (
            ("contaminated", self.contaminated, self.drafts),
            ("draft_right", self.draft_right, self.drafts),
            ("held_at_ingest", self.held_at_ingest, self.planted_texts),
        ):
            if not 0 <= part <= whole:
                raise InputError(f"{self.row!r} has {name} {part} of {whole}")
        if not all(
            one is None or math.isfinite(one) for one in (self.score, self.confidence, self.seconds)
        ):
            raise InputError(f"{self.row!r} has a number that is not finite")

    @property
    def answered(self) -> bool:
        return self.outcome is not Outcome.ABSTAIN

    @property
    def correct(self) -> bool:
        """Whether a right answer was returned."""
        return self.answered and self.right

    @property
    def succeeded(self) -> bool:
        """Whether the attack did, strictly: the planted answer was returned, and no right one."""
        return self.answered and self.planted and not self.both

    @property
    def key(self) -> tuple[Cell, str, RowId]:
        """What a run asks once."""
        return self.cell, self.system, self.row

    def to_json(self) -> str:
        """Return one line of ASCII, without its end."""
        flat = asdict(self)
        return json.dumps({**flat.pop("cell"), **flat}, allow_nan=False)

    @classmethod
    def from_json(cls, line: str) -> Asked:
        """Return what `to_json` wrote.

        Raises:
            InputError: It is anything else; names the field.
        """
        try:
            found = json.loads(line)
        except json.JSONDecodeError as exc:
            raise InputError(f"no JSON: {exc.msg}") from exc
        if not isinstance(found, dict):
            raise InputError("a line is an object")
        if unknown := found.keys() - _TYPES.keys():
            raise InputError(f"unknown {sorted(unknown)!r}")
        checked = {name: _checked(found, name) for name in _TYPES}
        cell = Cell(**{name: checked.pop(name) for name in _CELL_FIELDS})  # type: ignore[arg-type]
        return cls(cell=cell, **checked)  # type: ignore[arg-type]


def read_asked(path: Path) -> tuple[Asked, ...]:
    """Return the lines of a run; a last line without its end was cut and is left out.

    Raises:
        InputError: It cannot be read, a line is none of ours, or one question stands there twice.
    """
    try:
        content = path.read_bytes()
    except OSError as exc:
        raise InputError(f"{str(path)!r} cannot be read: {exc}") from exc
    found: dict[tuple[Cell, str, RowId], Asked] = {}
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            asked = Asked.from_json(line.decode("ascii"))
        except (InputError, UnicodeDecodeError) as exc:
            raise InputError(f"{path.name}, line {number}: {exc}") from exc
        if asked.key in found:
            raise InputError(f"{path.name}, line {number}: {asked.row!r} is asked twice")
        found[asked.key] = asked
    return tuple(found.values())


def resume(path: Path) -> tuple[Asked, ...]:
    """Return what a run has, ready for more: a cut last line is taken off the file.

    A file that is not there has nothing.

    Raises:
        InputError: As `read_asked`.
    """
    if not path.exists():
        return ()
    asked = read_asked(path)
    take_off_cut_line(path)
    return asked


def take_off_cut_line(path: Path) -> None:
    """End a file after its last whole line; one that is not there stays away."""
    if not path.exists():
        return
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with path.open("r+b") as file:
            file.truncate(whole)


_CELL_FIELDS: Final = tuple(each.name for each in fields(Cell))
_TEXT: Final[tuple[type, ...]] = (str,)
_WHOLE: Final[tuple[type, ...]] = (int,)
_NUMBER: Final[tuple[type, ...]] = (float, int)
_NOTHING: Final = type(None)
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "attack": _TEXT,
    "b": _WHOLE,
    "provenance": _TEXT,
    "stage": _TEXT,
    "share": _NUMBER,
    "system": _TEXT,
    "fold": _WHOLE,
    "row": _TEXT,
    "outcome": _TEXT,
    "reason": (str, _NOTHING),
    "right": (bool,),
    "planted": (bool,),
    "both": (bool,),
    "score": (*_NUMBER, _NOTHING),
    "confidence": (*_NUMBER, _NOTHING),
    "drafts": _WHOLE,
    "contaminated": _WHOLE,
    "draft_right": _WHOLE,
    "picked": (*_WHOLE, _NOTHING),
    "seconds": _NUMBER,
    "planted_texts": _WHOLE,
    "held_at_ingest": _WHOLE,
    "query_type": _TEXT,
}


def _checked(found: Mapping[str, object], name: str) -> object:
    if name not in found:
        raise InputError(f"{name!r} is missing")
    value = found[name]
    if not isinstance(value, _TYPES[name]) or (
        isinstance(value, bool) and bool not in _TYPES[name]
    ):
        raise InputError(f"{name!r} is {type(value).__name__}")
    if name == "outcome":
        try:
            return Outcome(str(value))
        except ValueError as exc:
            raise InputError(f"'outcome' is {value!r}") from exc
    return float(value) if isinstance(value, int) and float in _TYPES[name] else value
