"""Case law by eyecite: reporters that had not begun or had ended; what may exist is left alone."""

from __future__ import annotations

from datetime import date
from time import thread_time

import pytest

from backends.citations.cases_eyecite import MAX_WINDOWS, EyeciteCases
from defences.detectors.citations import CitationsDetector
from tests.builders import make_document

pytestmark = pytest.mark.slow
TODAY = date(2026, 11, 15)
FINDER = EyeciteCases()

IMPOSSIBLE = [
    "Doe v. Roe, 12 Cal. App. 4th 345 (1961)",
    "Doe v. Roe, 12 Wend. 300 (N.Y. 1999)",
    "Doe v. Roe, 3 Minn. 12 (2015)",
    "Doe v. Roe, 12 Ill. 2d 34 (2051)",
    "See 347 U.S. 483 (1954); Doe, 12 Wend. 300 (1999).",
]
POSSIBLE = [
    "Brown v. Board of Education, 347 U.S. 483 (1954)",
    "Doe v. Roe, 12 Cal. App. 4th 345 (1993)",
    "Doe v. Roe, 12 Ill. 2d 34, 36 (1957)",
    "Doe v. Roe, 12 Wend. 300",
    "See 12 Ill. 2d 34 (1957); 3 N.Y.2d 12 (1957)",
    "We sold 12 Lamps in 2019 (2051)",
    "12 May 2015 (2099)",
    "",
]


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_a_decision_of_a_reporter_that_was_not_there_is_found(text: str) -> None:
    assert [case for case in FINDER.find(text, today=TODAY) if case.fault]


@pytest.mark.parametrize("text", POSSIBLE)
def test_what_may_exist_has_no_fault(text: str) -> None:
    assert not [case for case in FINDER.find(text, today=TODAY) if case.fault]


def test_the_detector_points_at_it() -> None:
    text = "As Doe v. Roe, 12 Wend. 300 (N.Y. 1999), shows."

    (finding,) = CitationsDetector(as_of=TODAY, cases=FINDER).scan(make_document(text))

    assert finding.rule == "citations.invalid-case"
    assert finding.span is not None
    assert text[finding.span.start : finding.span.end] == "12 Wend. 300 (N.Y. 1999)"


def test_a_long_document_costs_a_bounded_time() -> None:
    text = "Doe v. Roe, 12 Wend. 300 (1835). " + ("x" * 200 + " 12 Wend. 300 (1835). ") * 3_000

    start = thread_time()
    found = FINDER.find(text, today=TODAY)

    assert thread_time() - start < 10
    assert len(found) <= 2 * MAX_WINDOWS
