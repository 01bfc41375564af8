"""What a run asks: profiles of cells and systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.errors import InputError
from evaluation.redteam.asked import Cell
from evaluation.redteam.attacks import ATTACKS
from evaluation.redteam.figures import NO_ATTACK
from evaluation.redteam.provenance import ProvenanceMode
from evaluation.redteam.world import Stage

HEADLINE: Final = (
    "mithridate",
    "mithridate-decomposed",
    "speculative-rag",
    "standard-rag",
    "robustrag",
    "trustrag",
)
SYSTEMS: Final = (
    "mithridate",
    "mithridate-decomposed",
    "mithridate-no-provenance",
    "mithridate-without-families",
    "mithridate-without-origins",
    "mithridate-without-quotas",
    "mithridate-without-evidence-check",
    "mithridate-without-cross-examination",
    "mithridate-without-calibration",
    "mithridate-without-weights",
    "mithridate-without-guard",
    "speculative-rag",
    "speculative-rag-random",
    "standard-rag",
    "no-retrieval",
    "majority-vote",
    "robustrag",
    "trustrag",
    "ragdefender",
)

SCANNED: Final = (
    "poisonedrag",
    "injection",
    "injection-hidden",
    "injection-quoted",
    "fake-citation",
    "replacement",
    "delete-and-reupload",
)
"""Attacks that the default profile also sends through the scan."""

HEAVY: Final = {"crowding": 5}
"""Questions that an attack with hundreds of texts is tried on, outside the full profile."""

_USUAL: Final = (ProvenanceMode.ONE_NEW, ProvenanceMode.SYBIL, ProvenanceMode.NONE)
_SWEPT: Final = ("poisonedrag", "corruptrag", "disagreement")
_SHARES: Final = (1.0, 0.5, 0.0)
_B: Final = 3
_ALL_B: Final = (1, 3, 5)
_QUICK: Final = ("poisonedrag", "corruptrag", "injection", "denial")
_QUICK_QUESTIONS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`questions`: the most of each cell, by attack; an attack that is not named has no limit."""

    cells: tuple[Cell, ...]
    systems: tuple[str, ...]
    questions: int | None
    heavy: bool

    def most(self, attack: str) -> int | None:
        """Return how many questions an attack is tried on; None: all."""
        return self.questions if self.heavy else HEAVY.get(attack, self.questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the caller asks for; empty: what the profile has."""

    attacks: tuple[str, ...] = ()
    provenance: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    b: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()


def plan(profile: str, choice: Choice) -> Plan:
    """Return what to ask; each set of cells with the same provenance and stage has a clean one.

    Raises:
        InputError: A name is unknown; says which there are.
    """
    _known("attack", choice.attacks, tuple(ATTACKS))
    _known("provenance", choice.provenance, tuple(ProvenanceMode))
    _known("stage", choice.stages, tuple(Stage))
    _known("system", choice.systems, SYSTEMS)
    _known("profile", (profile,), tuple(_PROFILES))
    cells = _chosen(choice) if choice.attacks or choice.provenance or choice.stages else None
    found = list(cells if cells is not None else _PROFILES[profile]())
    if choice.b:
        found = [_with_b(cell, b) for cell in found for b in choice.b]
    if choice.shares:
        found = [_with_share(cell, share) for cell in found for share in choice.shares]
    systems = choice.systems or (SYSTEMS if profile == "full" else HEADLINE)
    return Plan(
        cells=tuple(dict.fromkeys([clean for cell in found for clean in (_clean(cell), cell)])),
        systems=systems,
        questions=_QUICK_QUESTIONS if profile == "quick" else None,
        heavy=profile == "full",
    )


def _chosen(choice: Choice) -> list[Cell]:
    modes = choice.provenance or tuple(_USUAL)
    stages = choice.stages or (Stage.QUERY_ONLY,)
    return [
        _cell(attack, mode, stage)
        for stage in stages
        for mode in modes
        for attack in choice.attacks or ATTACKS
    ]


def _quick() -> list[Cell]:
    modes = (ProvenanceMode.ONE_NEW, ProvenanceMode.NONE)
    return [_cell(attack, mode, Stage.QUERY_ONLY) for mode in modes for attack in _QUICK]


def _default() -> list[Cell]:
    usual = [_cell(attack, mode, Stage.QUERY_ONLY) for mode in _USUAL for attack in ATTACKS]
    scanned = [
        _cell(attack, ProvenanceMode.ONE_NEW, Stage.INGEST_QUERY)
        for attack in (NO_ATTACK, *SCANNED)
    ]
    return [*usual, *scanned]


def _full() -> list[Cell]:
    everything = [
        _cell(attack, mode, stage, b=b)
        for stage in Stage
        for mode in ProvenanceMode
        for attack in ATTACKS
        for b in _ALL_B
    ]
    sweep = [
        _cell(attack, ProvenanceMode.ONE_NEW, Stage.QUERY_ONLY, share=share)
        for share in _SHARES
        for attack in _SWEPT
    ]
    return [*everything, *sweep]


_PROFILES: Final = {"quick": _quick, "default": _default, "full": _full}
PROFILES: Final = tuple(_PROFILES)


def _cell(attack: str, mode: str, stage: str, *, b: int = _B, share: float = 1.0) -> Cell:
    return Cell(
        attack=attack,
        b=0 if attack == NO_ATTACK else b,
        provenance=str(mode),
        stage=str(stage),
        share=share,
    )


def _clean(cell: Cell) -> Cell:
    return Cell(
        attack=NO_ATTACK, b=0, provenance=cell.provenance, stage=cell.stage, share=cell.share
    )


def _with_b(cell: Cell, b: int) -> Cell:
    return _cell(cell.attack, cell.provenance, cell.stage, b=b, share=cell.share)


def _with_share(cell: Cell, share: float) -> Cell:
    return _cell(cell.attack, cell.provenance, cell.stage, b=cell.b or _B, share=share)


def _known(kind: str, asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            raise InputError(f"{kind} {name!r} is unknown: {', '.join(known)}")
