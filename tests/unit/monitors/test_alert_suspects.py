"""Whom an alert names, from observations alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from monitors.alert_suspects import LEAST, MOST_NAMED, alert_suspects
from monitors.sightings import Source
from tests.unit.monitors.sightings import HONEST, planted, sighting, source

BEFORE = [sighting(number) for number in range(30)]
STRUCK = [sighting(number, 0.7, evidence=(*HONEST[:2], *planted(2))) for number in range(30, 38)]
AFFECTED = {one.question_id for one in STRUCK}


def test_what_came_with_the_trouble_is_named_and_what_was_there_before_is_not() -> None:
    found = alert_suspects([*BEFORE, *STRUCK], affected=AFFECTED)

    assert [one.document_id for one in found] == ["p0", "p1"]
    assert found[0].reasons == ("young", "unestablished", "affected", "only-affected")
    assert found[0].score == 0.85


def test_whom_the_detector_accuses_counts_for_more() -> None:
    found = alert_suspects([*BEFORE, *STRUCK], affected=AFFECTED, named=["document p1"])

    assert [(one.document_id, one.score) for one in found] == [("p1", 1.0), ("p0", 0.85)]
    assert "named" in found[0].reasons


def test_an_established_origin_that_turned_is_named_where_it_is_new() -> None:
    turned = source("t", age=1.0)
    struck = [sighting(number, 0.7, evidence=(*HONEST, turned)) for number in range(30, 38)]

    found = alert_suspects([*BEFORE, *struck], affected={one.question_id for one in struck})

    assert [one.document_id for one in found] == ["t"]


def test_a_young_document_that_honest_questions_have_too_is_not_named() -> None:
    young = planted(1)
    before = [sighting(number, evidence=(*HONEST, *young)) for number in range(30)]
    struck = [sighting(number, 0.7, evidence=(*HONEST, *young)) for number in range(30, 38)]

    found = alert_suspects([*before, *struck], affected={one.question_id for one in struck})

    assert found == ()


def test_no_affected_question_leaves_nobody_to_suspect() -> None:
    assert alert_suspects(BEFORE, affected=()) == ()


SOURCES = st.builds(
    Source,
    document=st.sampled_from([f"d{number}" for number in range(20)]),
    origin=st.sampled_from(["uploader:x", "publisher:y"]),
    family=st.sampled_from(["f", "g"]),
    age_days=st.floats(0, 900),
    trust=st.floats(0, 1),
    established=st.sampled_from([True, False, None]),
)


@given(
    evidence=st.lists(st.lists(SOURCES, max_size=6), max_size=30),
    affected=st.sets(st.integers(0, 29)),
    named=st.lists(st.sampled_from(["origin uploader:x", "family f", "document d1"])),
)
def test_scores_are_ordered_and_within_their_bounds(
    evidence: list[list[Source]], affected: set[int], named: list[str]
) -> None:
    seen = [sighting(number, evidence=tuple(one)) for number, one in enumerate(evidence)]
    ids = {f"q_{number:05}" for number in affected}

    found = alert_suspects(seen, affected=ids, named=named)

    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert len(found) <= MOST_NAMED
    assert all(LEAST <= score <= 1 for score in scores)
    present = {s.document for one in seen if one.question_id in ids for s in one.evidence}
    assert {one.document_id for one in found} <= present
