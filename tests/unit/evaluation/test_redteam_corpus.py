"""What a run says beside its rows: the corpus, the scan, both operating points, one JSON object."""

from __future__ import annotations

import json
from dataclasses import replace

from domain.answering import Outcome
from evaluation.redteam.asked import RowId
from evaluation.redteam.corpus_figures import corpus_rows
from evaluation.redteam.markdown_report import markdown_report, with_section
from evaluation.redteam.operating import operating_points
from evaluation.redteam.output import output
from evaluation.redteam.report_tables import tables
from evaluation.redteam.thresholds import PointName
from evaluation.redteam.watched import Watched
from tests.redteam_answers import CLEAN, POISONED, asked

SCANNED = replace(POISONED, stage="ingest+query")
SCANNED_CLEAN = replace(CLEAN, stage="ingest+query")


def evidence(row: str, *, kept: int = 4, lost: int = 0) -> Watched:
    return Watched(
        cell=POISONED,
        row=RowId(row),
        chunks=4,
        chunks_kept=kept,
        unchanged=kept == 4,
        seats=3,
        seats_lost=lost,
    )


WATCHED = [
    evidence("a"),
    evidence("b", kept=2, lost=1),
    Watched(cell=SCANNED_CLEAN, row=RowId("a"), risks=tuple(at / 100 for at in range(100))),
    Watched(cell=SCANNED, row=RowId("a"), risks=(0.97, 0.985, 0.5, 1.0)),
]
OPENED = [
    asked(f"q{at}", cell=CLEAN, fold=at % 2, score=at / 60, right=at >= 24) for at in range(60)
]
RUN = [
    *OPENED,
    *(
        asked(
            f"q{at}",
            fold=at % 2,
            score=at / 60,
            right=at >= 30,
            planted=at < 12,
            outcome=Outcome.ANSWER if at >= 6 else Outcome.ABSTAIN,
            reason=None if at >= 6 else "low-confidence",
        )
        for at in range(60)
    ),
]


def test_evidence_and_seats_are_counted_over_all_questions_of_a_cell() -> None:
    (found,) = [row for row in corpus_rows(WATCHED) if row.cell == POISONED]

    assert found.unchanged is not None
    assert found.chunks is not None
    assert found.seats is not None
    assert (found.unchanged.hits, found.unchanged.total) == (1, 2)
    assert (found.chunks.hits, found.chunks.total) == (6, 8)
    assert (found.seats.hits, found.seats.total) == (5, 6)


def test_detection_allows_no_more_false_positives_than_asked_for() -> None:
    (found,) = [row for row in corpus_rows(WATCHED) if row.cell == SCANNED]

    at_one, at_five = found.detections[0.01], found.detections[0.05]
    assert (at_one.found.hits, at_one.false.hits) == (2, 1)
    assert (at_five.found.hits, at_five.false.hits) == (3, 5)


def test_precision_is_reported_beside_coverage_from_one_run() -> None:
    found = {
        (row.point, row.side): row for row in operating_points(RUN, OPENED) if not row.withheld
    }

    wide = found[PointName.COVERAGE_90, "no attack"]
    sure = found[PointName.PRECISION_90, "no attack"]
    assert wide.answered.share > sure.answered.share
    assert sure.right.share > wide.right.share


def test_one_json_object_holds_everything_and_no_nan() -> None:
    made = output(RUN, {"command": "x"}, watched=WATCHED, opened=OPENED)

    told = json.loads(json.dumps(made, allow_nan=False))
    assert {"rows", "corpus", "differences", "confidence", "operating_points", "facts"} == set(told)
    (row,) = [one for one in told["rows"] if one["attack"] == "poisonedrag"]
    assert (row["questions_unchanged"], row["established_seats_kept"]) == (1, 5)
    (scanned,) = [one for one in told["corpus"] if one["stage"] == "ingest+query"]
    assert scanned["detected_at_1_percent"] == 0.5


def test_reports_show_the_corpus_and_both_points() -> None:
    titles = {each.title for each in tables(RUN, watched=WATCHED, opened=OPENED)}

    assert {
        "Operating points",
        "What an attack leaves of the established evidence",
        "Planted texts that the scan detects",
    } <= titles


def test_a_run_takes_the_place_of_its_own_section_and_no_other() -> None:
    told = markdown_report(RUN, {"command": "one"}, level=3)
    page = with_section(with_section("", "nq", told), "hotpotqa", told)

    again = with_section(page, "nq", "### Table\n\nanew\n")

    assert again.count("\n## ") == page.count("\n## ") == 2
    assert again.index("anew") < again.index("## hotpotqa")
    assert again.count("- command: one") == 1
    assert with_section(again, "nq", "### Table\n\nanew\n") == again
