"""A run in rows, one a cell and system: for the JSON output, the terminal, and the reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evaluation.rates import Rate, percent
from evaluation.redteam.asked import Asked, Cell
from evaluation.redteam.confidences import (
    Calibrated,
    area_under_risk,
    as_returned,
    cross_fitted,
    risk_coverage,
    wrong_at,
)
from evaluation.redteam.figures import (
    NO_ATTACK,
    OURS,
    WITHHELD,
    Difference,
    Figures,
    Shares,
    clean_cell,
    figures,
    grouped,
    paired,
)

COVERAGE: Final = 0.8
"""At which wrong answers are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRow:
    """What one system did in one cell.

    Attributes:
        area, covered: Under its risk-coverage curve, and the coverage up to which that goes; None
            and 0 where it has no scores.
        wrong_at_coverage: Share wrong at `COVERAGE`; None where that is not reached.
        returned: How far its confidences are right as they stand.
        fitted: The same, cross-fitted; None where the labels are too few.
        query_types: Its figures by type of question.
    """

    cell: Cell
    system: str
    figures: Figures
    area: float | None
    covered: float
    wrong_at_coverage: float | None
    returned: Calibrated | None
    fitted: Calibrated | None
    query_types: Mapping[str, Figures]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Ours less another system in one cell, on the same questions; `strict`: attack success."""

    cell: Cell
    system: str
    accuracy: Difference
    strict: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """What one system's scores and confidences are worth, all cells of one side together.

    Attributes:
        withheld: Of worlds without provenance.
        side: With no attack, or under any.
        area, covered, wrong: As in `SystemRow`.
    """

    system: str
    withheld: bool
    side: str
    n: int
    area: float | None
    covered: float
    wrong: float | None
    fitted: Calibrated | None
    returned: Calibrated | None


def summarise(asked: Sequence[Asked]) -> tuple[SystemRow, ...]:
    """Return a row for each cell and system, those with no attack first, then by cell."""
    by_system = grouped(asked, lambda one: (one.cell, one.system))
    cells: dict[str, list[Cell]] = {}
    for cell, system in by_system:
        cells.setdefault(system, []).append(cell)
    systems = list(cells)
    rows = []
    order = sorted(by_system, key=lambda key: (*_place(key[0]), systems.index(key[1])))
    for cell, system in order:
        twin = clean_cell(cell, cells[system])
        rows.append(_row(by_system[cell, system], by_system[twin, system] if twin else ()))
    return tuple(rows)


def comparisons(asked: Sequence[Asked], *, ours: str = OURS) -> tuple[Comparison, ...]:
    """Compare our system with every other in every cell where both were asked."""
    found = []
    by_cell = grouped(asked, lambda one: one.cell)
    for cell in sorted(by_cell, key=_place):
        by_system = grouped(by_cell[cell], lambda one: one.system)
        for system, theirs in by_system.items():
            if system == ours or ours not in by_system:
                continue
            accuracy = paired(by_system[ours], theirs, lambda one: one.correct)
            strict = paired(by_system[ours], theirs, lambda one: one.succeeded)
            if accuracy and strict:
                found.append(Comparison(cell=cell, system=system, accuracy=accuracy, strict=strict))
    return tuple(found)


def sides(asked: Sequence[Asked]) -> Mapping[str, tuple[Asked, ...]]:
    """Return what was asked with no attack, and under any."""
    return grouped(
        sorted(asked, key=lambda one: one.cell.attack != NO_ATTACK),
        lambda one: "no attack" if one.cell.attack == NO_ATTACK else "attacked",
    )


def by_provenance(asked: Sequence[Asked]) -> Mapping[tuple[str, bool], tuple[Asked, ...]]:
    """Return what each system was asked, with True where provenance was withheld."""
    return grouped(asked, lambda one: (one.system, one.cell.provenance == WITHHELD))


def confidences(asked: Sequence[Asked]) -> tuple[Confidence, ...]:
    """Return a row for each system, provenance and side that has scores or confidences."""
    found = []
    for (system, withheld), its in by_provenance(asked).items():
        for side, held in sides(its).items():
            curve, returned = risk_coverage(held), as_returned(held)
            if not curve and returned is None:
                continue
            found.append(
                Confidence(
                    system=system,
                    withheld=withheld,
                    side=side,
                    n=len(held),
                    area=area_under_risk(curve),
                    covered=curve[-1].coverage if curve else 0.0,
                    wrong=wrong_at(curve, COVERAGE),
                    fitted=cross_fitted(held),
                    returned=returned,
                )
            )
    return tuple(found)


def to_json(row: SystemRow) -> dict[str, object]:
    """Return a row of the JSON output: rates in [0, 1], None where not measured."""
    made = row.figures
    return {
        "attack": row.cell.attack,
        "b": row.cell.b,
        "provenance": row.cell.provenance,
        "stage": row.cell.stage,
        "share": row.cell.share,
        "system": row.system,
        **_outcomes(made),
        "contaminated_drafts": _share(made.contaminated),
        "right_drafts": _share(made.draft_right),
        "selected_right": _share(made.selected_right),
        "picks": {str(number): count for number, count in made.picks.items()},
        "held_at_ingest": _share(made.held),
        "risk_coverage_area": row.area,
        "covered": row.covered,
        "wrong_at_coverage_80": row.wrong_at_coverage,
        "ece": row.fitted.ece if row.fitted else None,
        "ece_null": row.fitted.null if row.fitted else None,
        "brier": row.fitted.brier if row.fitted else None,
        "ece_returned": row.returned.ece if row.returned else None,
        "ece_returned_null": row.returned.null if row.returned else None,
        "brier_returned": row.returned.brier if row.returned else None,
        "seconds_p50": made.latency.p50 if made.latency else None,
        "seconds_p95": made.latency.p95 if made.latency else None,
        "query_types": {name: _outcomes(each) for name, each in row.query_types.items()},
    }


COLUMNS: Final = (
    "attack", "b", "provenance", "stage", "share", "system", "n", "accuracy", "of answered",
    "strict success", "by chance", "abstained", "escalated", "denied", "ECE (null)", "s (p95)",
)  # fmt: skip


def cells(row: SystemRow) -> tuple[str, ...]:
    """Return a row of the table under `COLUMNS`: shares with 95% intervals in per cent."""
    made, cell = row.figures, row.cell
    shown = row.fitted or row.returned
    return (
        cell.attack,
        str(cell.b),
        cell.provenance,
        cell.stage,
        f"{cell.share:.0%}",
        row.system,
        str(made.n),
        percent(made.accuracy.all),
        percent(made.accuracy.answered),
        _percent(made.strict),
        _percent(made.base),
        percent(made.abstained),
        percent(made.escalated.all),
        _percent(made.denied),
        f"{shown.ece:.3f} ({shown.null:.3f})" if shown else "-",
        f"{made.latency.p50:.2f} ({made.latency.p95:.2f})" if made.latency else "-",
    )


def _place(cell: Cell) -> tuple[bool, str, str, float, int, str]:
    """No attack first, then what belongs in one table side by side."""
    return (
        cell.attack != NO_ATTACK,
        cell.provenance,
        cell.stage,
        -cell.share,
        cell.b,
        cell.attack,
    )


def _row(asked: Sequence[Asked], clean: Sequence[Asked]) -> SystemRow:
    curve = risk_coverage(asked)
    rows_of = grouped(asked, lambda one: one.query_type)
    return SystemRow(
        cell=asked[0].cell,
        system=asked[0].system,
        figures=figures(asked, clean=clean),
        area=area_under_risk(curve),
        covered=curve[-1].coverage if curve else 0.0,
        wrong_at_coverage=wrong_at(curve, COVERAGE),
        returned=as_returned(asked),
        fitted=cross_fitted(asked),
        query_types={
            name: figures(held, clean=[one for one in clean if one.query_type == name])
            for name, held in sorted(rows_of.items())
        },
    )


def _outcomes(made: Figures) -> dict[str, object]:
    return {
        "n": made.n,
        "accuracy": _share(made.accuracy.all),
        "accuracy_interval": _interval(made.accuracy.all),
        "accuracy_answered": _share(made.accuracy.answered),
        "strict_asr": _share(made.strict.all) if made.strict else None,
        "strict_asr_interval": _interval(made.strict.all) if made.strict else None,
        "strict_asr_answered": _share(made.strict.answered) if made.strict else None,
        "strict_asr_base": _share(made.base.all) if made.base else None,
        "both": _share(made.both.all),
        "abstain": _share(made.abstained),
        "abstain_interval": _interval(made.abstained),
        "escalated": _share(made.escalated.all),
        "escalated_answered": _share(made.escalated.answered),
        "denied": _share(made.denied.all) if made.denied else None,
        "denied_interval": _interval(made.denied.all) if made.denied else None,
        "denied_answered": _share(made.denied.answered) if made.denied else None,
    }


def _share(rate: Rate) -> float | None:
    return rate.share if rate.total else None


def _interval(rate: Rate) -> list[float] | None:
    return [rate.low, rate.high] if rate.total else None


def _percent(shares: Shares | None) -> str:
    return percent(shares.all) if shares else "-"
