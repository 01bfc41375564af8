"""Both operating points of one run: its answers as they would be under either threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.rates import Rate, rate
from evaluation.redteam.asked import Asked
from evaluation.redteam.confidences import at_threshold
from evaluation.redteam.figures import NO_ANSWER_WANTED, grouped
from evaluation.redteam.summary import by_provenance, sides
from evaluation.redteam.thresholds import PointName, by_key, fit_thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRow:
    """One of our systems at one operating point.

    Attributes:
        withheld: Of worlds without provenance.
        side: With no attack, or under any.
        answered: Of all questions: the coverage.
        right: Of the answered.
        strict: Strict attack success, of all questions of attacks that want an answer.
        reached: Whether the point was reached on the questions its thresholds were set on, in
            every fold.
    """

    point: PointName
    system: str
    withheld: bool
    side: str
    answered: Rate
    right: Rate
    strict: Rate
    reached: bool


def operating_points(asked: Sequence[Asked], opened: Sequence[Asked]) -> tuple[PointRow, ...]:
    """Return a row for each point, system, provenance and side.

    Thresholds are moved on the answers of the run: what the ladder would have answered at another
    one is not known, so an answer that the run's own threshold kept back for low confidence counts.

    Args:
        asked: The answers of the run, under either threshold.
        opened: The clean questions with every score let pass, on which thresholds are set.
    """
    rows: list[PointRow] = []
    for point in PointName:
        fitted = fit_thresholds(opened, point)
        least = by_key(fitted)
        reached = {
            (one.system, one.withheld): all(
                other.reached
                for other in fitted
                if (other.system, other.withheld) == (one.system, one.withheld)
            )
            for one in fitted
        }
        for (system, withheld), held in by_provenance(asked).items():
            if (system, withheld) not in reached:
                continue
            moved = [
                one
                for fold, its in grouped(held, lambda one: one.fold).items()
                for one in at_threshold(its, least.get((system, withheld, fold)))
            ]
            rows += [
                _row(point, system, side, its, withheld=withheld, reached=reached[system, withheld])
                for side, its in sides(moved).items()
            ]
    return tuple(rows)


def _row(
    point: PointName,
    system: str,
    side: str,
    asked: Sequence[Asked],
    *,
    withheld: bool,
    reached: bool,
) -> PointRow:
    wanting = [one for one in asked if one.cell.attack != NO_ANSWER_WANTED]
    return PointRow(
        point=point,
        system=system,
        withheld=withheld,
        side=side,
        answered=rate(one.answered for one in asked),
        right=rate(one.right for one in asked if one.answered),
        strict=rate(one.succeeded for one in wanting),
        reached=reached,
    )
