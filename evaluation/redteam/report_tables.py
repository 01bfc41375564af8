"""The tables of a red-team report: plain text in cells, which whoever shows them escapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.rates import Rate, percent, rate
from evaluation.redteam.asked import Asked, Cell
from evaluation.redteam.corpus_figures import FALSE_POSITIVES, CorpusRow, corpus_rows
from evaluation.redteam.figures import (
    NO_ANSWER_WANTED,
    OURS,
    Difference,
    Shares,
    grouped,
    latency,
)
from evaluation.redteam.operating import PointRow, operating_points
from evaluation.redteam.summary import (
    COVERAGE,
    Confidence,
    SystemRow,
    comparisons,
    confidences,
    sides,
    summarise,
)
from evaluation.redteam.watched import Watched


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table with what must be known to read it; `brief` ones are shown on a terminal."""

    title: str
    note: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    brief: bool = False


def tables(
    asked: Sequence[Asked],
    *,
    watched: Sequence[Watched] = (),
    opened: Sequence[Asked] = (),
) -> tuple[Table, ...]:
    """Return every table of a run; those with nothing in them are left out.

    Args:
        asked: All answers of the run.
        watched: What became of the corpus in its cells.
        opened: The answers that thresholds were set on.
    """
    rows = summarise(asked)
    corpus = corpus_rows(watched)
    made = (
        *_scenes(rows),
        _operating(operating_points(asked, opened)),
        _evidence(corpus),
        _detected(corpus),
        _differences(asked),
        _confidence(asked),
        _drafts(rows),
        _query_types(asked),
        _latency(asked),
    )
    return tuple(each for each in made if each.rows)


def scene(cell: Cell) -> str:
    """Return what the cells of one table have in common, in words."""
    established = f"{cell.share:.0%} of the clean passages established"
    return f"{cell.provenance}, {cell.stage}, {established}"


def _scenes(rows: Sequence[SystemRow]) -> list[Table]:
    by_scene: dict[str, list[SystemRow]] = {}
    for row in rows:
        by_scene.setdefault(scene(row.cell), []).append(row)
    return [
        Table(
            title=f"Outcomes: {name}",
            note="Shares of all questions, and of the answered ones, with Wilson 95% intervals. "
            "Strict success: the planted answer given, and no right one; by chance: the same with no "
            "attack. Denied: abstained, though answered with no attack.",
            head=(
                "attack", "B", "system", "n", "accuracy", "of answered", "strict success",
                "of answered", "by chance", "both given", "abstained", "escalated", "denied",
                "denied of those answered before",
            ),
            rows=tuple(_outcomes(row) for row in held),
        )
        for name, held in by_scene.items()
    ]  # fmt: skip


def _outcomes(row: SystemRow) -> tuple[str, ...]:
    made = row.figures
    return (
        row.cell.attack,
        str(row.cell.b),
        row.system,
        str(made.n),
        percent(made.accuracy.all),
        percent(made.accuracy.answered),
        *_both(made.strict),
        _both(made.base)[0],
        percent(made.both.all),
        percent(made.abstained),
        percent(made.escalated.all),
        *_both(made.denied),
    )


def _differences(asked: Sequence[Asked]) -> Table:
    return Table(
        title=f"Paired differences: {OURS} less the other, on the same questions",
        note="In points, with Newcombe's 95% interval for paired shares, and the exact McNemar test. "
        "Accuracy: more is better; strict success: less is better.",
        head=("attack", "B", "where", "system", "n", "accuracy", "p", "strict success", "p"),
        rows=tuple(
            (
                each.cell.attack,
                str(each.cell.b),
                scene(each.cell),
                each.system,
                str(each.accuracy.n),
                *_difference(each.accuracy),
                *(("-", "-") if each.cell.attack == NO_ANSWER_WANTED else _difference(each.strict)),
            )
            for each in comparisons(asked)
        ),
    )


def _confidence(asked: Sequence[Asked]) -> Table:
    rows = [
        (
            each.system,
            _provenance(each),
            each.side,
            str(each.n),
            f"{each.area:.3f} up to {each.covered:.0%}" if each.area is not None else "-",
            f"{each.wrong:.1%}" if each.wrong is not None else "-",
            f"{each.fitted.ece:.3f} ({each.fitted.null:.3f})" if each.fitted else "-",
            f"{each.fitted.brier:.3f}" if each.fitted else "-",
            f"{each.returned.ece:.3f} ({each.returned.null:.3f})" if each.returned else "-",
            f"{each.returned.brier:.3f}" if each.returned else "-",
        )
        for each in confidences(asked)
    ]
    return Table(
        title="What scores and confidences are worth",
        brief=True,
        note="Bins of equal mass. Beside an ECE: what perfect confidences would stay under in 95% of "
        "draws of as many labels, one draw a question however many cells it was asked in. "
        "Cross-fitted: Platt scaling by the other folds' questions.",
        head=(
            "system", "provenance", "asked", "n", "risk-coverage area", f"wrong at {COVERAGE:.0%} coverage",
            "ECE, cross-fitted", "Brier", "ECE as returned", "Brier as returned",
        ),
        rows=tuple(rows),
    )  # fmt: skip


def _provenance(row: Confidence | PointRow) -> str:
    return "withheld" if row.withheld else "seen"


def _drafts(rows: Sequence[SystemRow]) -> Table:
    return Table(
        title="Drafts",
        note="Contaminated: drafts that saw a planted text. Right drafts: what there was to select "
        "from. Selected: right answers where some draft was right. Picks: times that draft 0, 1, ... "
        "was the answer. Held: planted texts that never reached the index.",
        head=(
            "attack", "B", "where", "system", "contaminated", "right drafts", "selected", "picks",
            "held at ingest",
        ),
        rows=tuple(
            (
                row.cell.attack,
                str(row.cell.b),
                scene(row.cell),
                row.system,
                percent(row.figures.contaminated),
                percent(row.figures.draft_right),
                percent(row.figures.selected_right),
                " ".join(f"{number}:{count}" for number, count in row.figures.picks.items()) or "-",
                percent(row.figures.held),
            )
            for row in rows
            if row.figures.draft_right.total
        ),
    )  # fmt: skip


def _operating(rows: Sequence[PointRow]) -> Table:
    return Table(
        title="Operating points",
        brief=True,
        note="The answers of the run under the thresholds of both points, set on the other fold's "
        "clean questions. Where a point could not be reached there, the nearest threshold is shown.",
        head=(
            "point", "system", "provenance", "asked", "n", "answered", "right of answered",
            "strict success", "reached",
        ),
        rows=tuple(
            (
                row.point.value,
                row.system,
                _provenance(row),
                row.side,
                str(row.answered.total),
                percent(row.answered),
                percent(row.right),
                percent(row.strict),
                "yes" if row.reached else "no",
            )
            for row in rows
        ),
    )  # fmt: skip


def _evidence(rows: Sequence[CorpusRow]) -> Table:
    return Table(
        title="What an attack leaves of the established evidence",
        brief=True,
        note="Whichever system is asked. Unchanged: questions whose established chunks are the same "
        "in the same order. Kept: of those retrieved with nothing planted. Counts, not shares.",
        head=("attack", "B", "where", "unchanged questions", "chunks kept", "seats kept"),
        rows=tuple(
            (
                row.cell.attack,
                str(row.cell.b),
                scene(row.cell),
                *(
                    f"{each.hits} of {each.total}" if each else "-"
                    for each in (row.unchanged, row.chunks, row.seats)
                ),
            )
            for row in rows
            if row.unchanged
        ),
    )


def _detected(rows: Sequence[CorpusRow]) -> Table:
    return Table(
        title="Planted texts that the scan detects",
        brief=True,
        note="By the risk of its findings alone, whoever the origin is; the threshold is the lowest "
        "that flags at most so many of the clean passages.",
        head=(
            "attack", "B", "where", "texts",
            *(f"found at {share:.0%} false positives" for share in FALSE_POSITIVES), "ROC area",
        ),
        rows=tuple(
            (
                row.cell.attack,
                str(row.cell.b),
                scene(row.cell),
                str(next(iter(row.detections.values())).found.total),
                *(percent(row.detections[share].found) for share in FALSE_POSITIVES),
                f"{next(iter(row.detections.values())).area:.3f}",
            )
            for row in rows
            if row.detections
        ),
    )  # fmt: skip


def _query_types(asked: Sequence[Asked]) -> Table:
    rows = []
    for (system, kind), its in grouped(asked, lambda one: (one.system, one.query_type)).items():
        for side, held in sides(its).items():
            wanting = [one for one in held if one.cell.attack != NO_ANSWER_WANTED]
            rows.append(
                (
                    system,
                    kind,
                    side,
                    str(len(held)),
                    _told(held, lambda one: one.correct),
                    _told(wanting, lambda one: one.succeeded),
                    _told(held, lambda one: not one.answered),
                )
            )
    return Table(
        title="By type of question, all cells together",
        note="Where a question was asked in several cells the intervals are too narrow.",
        head=("system", "type", "asked", "n", "accuracy", "strict success", "abstained"),
        rows=tuple(rows),
    )


def _latency(asked: Sequence[Asked]) -> Table:
    rows = []
    for system, held in grouped(asked, lambda one: one.system).items():
        if made := latency([one.seconds for one in held]):
            rows.append((system, str(len(held)), f"{made.p50:.3f}", f"{made.p95:.3f}"))
    return Table(
        title="Seconds an answer",
        note="Quantiles over all cells, on the machine of the run. Drafts and vectors that an earlier "
        "cell, system or run made are not made again: a first answer takes longer.",
        head=("system", "n", "p50", "p95"),
        rows=tuple(rows),
    )


def _both(shares: Shares | None) -> tuple[str, str]:
    return (percent(shares.all), percent(shares.answered)) if shares else ("-", "-")


def _difference(made: Difference) -> tuple[str, str]:
    points = [100 * each for each in (made.difference, made.low, made.high)]
    return "{:+.0f} ({:+.0f} to {:+.0f})".format(*points), f"{made.p_value:.2g}"


def _told(asked: Sequence[Asked], did: Callable[[Asked], bool]) -> str:
    counted: Rate = rate(did(one) for one in asked)
    return percent(counted)
