"""How the traceback is counted."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from domain.documents import DocumentId, OriginKind, OriginRef
from domain.errors import InputError
from domain.retrieval import FamilyId
from domain.traceback import Clues
from evaluation.traceback import ALERT, WRONG, Affected, Mark, cells, choose, figures, report

CLUES = Clues(
    document_id=DocumentId("doc"),
    origin=OriginRef(kind=OriginKind.UPLOADER, id="u"),
    family_id=FamilyId("doc"),
    established=True,
    age_days=300.0,
    trust=1.0,
    quoted=False,
    states=False,
)
HONEST = Mark(planted=False, clues=CLUES)
YOUNG = Mark(planted=False, clues=replace(CLUES, age_days=1.0))
PLANTED = Mark(planted=True, clues=replace(CLUES, age_days=1.0, established=False, quoted=True))
MISSED = Mark(planted=True, clues=CLUES)


def affected(*marks: Mark, kind: str = WRONG) -> Affected:
    return Affected(
        attack="poisonedrag",
        b=3,
        provenance="one-new",
        row="q",
        kind=kind,
        reruns=9,
        marks=marks,
    )


def test_documents_are_counted_over_all_questions() -> None:
    counted = figures([affected(PLANTED, HONEST, YOUNG), affected(MISSED, HONEST)], 0.4)

    assert (counted.questions, counted.recall.hits, counted.recall.total) == (2, 1, 2)
    assert (counted.wronged.hits, counted.wronged.total) == (0, 3)


def test_the_threshold_is_the_middle_of_those_that_find_most_and_wrong_few() -> None:
    found = [affected(PLANTED, YOUNG, *[HONEST] * 30)]

    threshold = choose(found)

    assert figures(found, threshold).recall.hits == 1
    assert figures(found, threshold).wronged.share <= 0.05
    assert threshold < PLANTED.score


def test_where_every_threshold_wrongs_too_many_none_is_chosen() -> None:
    worst = Mark(planted=False, clues=replace(PLANTED.clues, family_effect=1.0, named=True))

    with pytest.raises(InputError):
        choose([affected(worst)])


def test_a_line_gives_back_what_was_written() -> None:
    one = affected(PLANTED, HONEST, kind=ALERT)

    assert Affected.from_json(json.dumps(asdict(one))) == one


def test_the_report_parts_alerts_from_wrong_answers() -> None:
    told = report("rows", [affected(PLANTED), affected(HONEST, kind=ALERT)], 0.4)

    assert "2 affected questions, 1 with a planted document retrieved." in told
    assert "| kind: alert | 1 | none retrieved |" in told
    assert "| kind: wrong answer | 1 | 1 of 1 (100.0%) |" in told


def test_each_size_and_the_flood_are_measured() -> None:
    asked = {(cell.attack, cell.b) for cell in cells()}

    assert {("poisonedrag", 1), ("poisonedrag", 3), ("poisonedrag", 5), ("flood", 1)} <= asked
