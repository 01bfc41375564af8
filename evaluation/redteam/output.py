"""The JSON output of a run: one object, shares in [0, 1], None where nothing was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from evaluation.redteam import corpus_figures
from evaluation.redteam.asked import Asked
from evaluation.redteam.corpus_figures import corpus_rows
from evaluation.redteam.figures import NO_ANSWER_WANTED
from evaluation.redteam.operating import PointRow, operating_points
from evaluation.redteam.summary import (
    Comparison,
    Confidence,
    comparisons,
    confidences,
    summarise,
    to_json,
)
from evaluation.redteam.watched import Watched


def output(
    asked: Sequence[Asked],
    facts: Mapping[str, str],
    *,
    watched: Sequence[Watched] = (),
    opened: Sequence[Asked] = (),
) -> dict[str, object]:
    """Return everything that a run found; `rows` has one a cell and system."""
    by_cell = {row.cell: corpus_figures.to_json(row) for row in corpus_rows(watched)}
    return {
        "rows": [{**to_json(row), **by_cell.get(row.cell, {})} for row in summarise(asked)],
        "corpus": [{**asdict(cell), **found} for cell, found in by_cell.items()],
        "differences": [_difference(each) for each in comparisons(asked)],
        "confidence": [_confidence(each) for each in confidences(asked)],
        "operating_points": [_point(each) for each in operating_points(asked, opened)],
        "facts": dict(facts),
    }


def _difference(each: Comparison) -> dict[str, object]:
    wanted = each.cell.attack != NO_ANSWER_WANTED
    return {
        **asdict(each.cell),
        "system": each.system,
        "accuracy": asdict(each.accuracy),
        "strict_asr": asdict(each.strict) if wanted else None,
    }


def _confidence(each: Confidence) -> dict[str, object]:
    return {
        "system": each.system,
        "withheld": each.withheld,
        "asked": each.side,
        "n": each.n,
        "risk_coverage_area": each.area,
        "covered": each.covered,
        "wrong_at_coverage_80": each.wrong,
        **{
            f"{name}{suffix}": getattr(made, name) if made else None
            for suffix, made in (("", each.fitted), ("_returned", each.returned))
            for name in ("ece", "null", "brier")
        },
    }


def _point(each: PointRow) -> dict[str, object]:
    return {
        "point": each.point.value,
        "system": each.system,
        "withheld": each.withheld,
        "asked": each.side,
        "n": each.answered.total,
        "coverage": each.answered.share,
        "right_of_answered": each.right.share if each.right.total else None,
        "strict_asr": each.strict.share if each.strict.total else None,
        "reached": each.reached,
    }
