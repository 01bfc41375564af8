"""The operating point of each of our systems: set on clean questions of the other fold."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from evaluation.redteam.asked import Asked, Cell
from evaluation.redteam.confidences import coverage_point, precision_point
from evaluation.redteam.engine import FOLDS
from evaluation.redteam.figures import NO_ATTACK
from evaluation.redteam.provenance import ProvenanceMode
from evaluation.redteam.world import Stage

OPEN: Final = 0.0
"""The threshold under which scores are collected: everything with a score passes it."""


class PointName(StrEnum):
    """How often is asked to be right, or how often to answer."""

    COVERAGE_90 = "coverage-90"
    """One in ten clean questions abstains."""
    PRECISION_90 = "precision-90"
    """At least nine in ten answers to clean questions are right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """Least score of an answer to the questions of a fold; None: none is good enough.

    Attributes:
        withheld: Of worlds without provenance, where scores are of another make.
        asked, answered, right: Of the clean questions of the other folds, at this threshold.
        reached: Whether what the point's name says holds on them.
    """

    system: str
    withheld: bool
    fold: int
    score: float | None
    asked: int
    answered: int
    right: int
    reached: bool


def clean_cells() -> tuple[Cell, ...]:
    """Return the cells in which thresholds are set."""
    return tuple(
        Cell(attack=NO_ATTACK, b=0, provenance=str(mode), stage=str(Stage.QUERY_ONLY))
        for mode in (ProvenanceMode.ONE_NEW, ProvenanceMode.NONE)
    )


def fit_thresholds(asked: Sequence[Asked], point: PointName) -> tuple[Threshold, ...]:
    """Set a threshold a system, provenance and fold, on the other folds' questions.

    Args:
        asked: Answers in `clean_cells()` with every score let pass.
    """
    by_system: defaultdict[tuple[str, bool], list[Asked]] = defaultdict(list)
    for one in asked:
        withheld = one.cell.provenance == ProvenanceMode.NONE
        by_system[one.system, withheld].append(one)
    found: list[Threshold] = []
    for (system, withheld), held in sorted(by_system.items()):
        # With one question there is no other fold to set anything on.
        single = len({one.fold for one in held}) == 1
        for fold in range(FOLDS):
            others = [_answered(one) for one in held if one.fold != fold or single]
            fitted = (
                coverage_point(others)
                if point is PointName.COVERAGE_90
                else precision_point(others)
            )
            found.append(
                Threshold(
                    system=system,
                    withheld=withheld,
                    fold=fold,
                    score=fitted.threshold,
                    asked=fitted.asked,
                    answered=fitted.answered,
                    right=fitted.right,
                    reached=fitted.reached,
                )
            )
    return tuple(found)


def _answered(one: Asked) -> Asked:
    """Return an abstention without its score: it abstains under every threshold."""
    return one if one.answered else replace(one, score=None)


def write_thresholds(path: Path, thresholds: Sequence[Threshold]) -> None:
    path.write_text(json.dumps([asdict(one) for one in thresholds], indent=2), encoding="utf-8")


def by_key(thresholds: Sequence[Threshold]) -> Mapping[tuple[str, bool, int], float | None]:
    """Return least scores by system, whether provenance is withheld, and fold."""
    return {(one.system, one.withheld, one.fold): one.score for one in thresholds}
