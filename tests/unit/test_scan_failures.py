"""A detector that fails did not look: the document is held, whatever the failure was."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from defences.trust.policy import DEFAULT_POLICY, load_policy
from domain.documents import Document
from domain.errors import DetectorUnavailableError
from domain.scanning import Detector, Finding, FindingLevel
from domain.trust import CoarseReason, Verdict
from ingest.scan import scan
from tests.builders import EPOCH, make_document

POLICY = load_policy(DEFAULT_POLICY.read_text())


class _Quiet:
    version = "1"

    def __init__(self, name: str, found: Sequence[Finding] = ()) -> None:
        self.name = name
        self._found = found

    def scan(self, document: Document) -> Sequence[Finding]:
        return self._found


class _Failing:
    name = "citations"
    version = "1"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def scan(self, document: Document) -> Sequence[Finding]:
        raise self._error


OTHERS = [
    _Quiet(name)
    for name in (
        "hidden-text",
        "injected-instructions",
        "near-duplicate",
        "personal-data",
        "secrets",
    )
]


@pytest.mark.parametrize(
    "error",
    [
        DetectorUnavailableError("no model"),
        TimeoutError(),
        ValueError("the text says otherwise"),
        RecursionError(),
        MemoryError(),
        UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogate"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_failing_detector_holds_the_document(error: Exception) -> None:
    document = make_document("A lamp.")

    report = scan(document, [*OTHERS, _Failing(error)])
    assessment = POLICY.assess(report, document.provenance, now=EPOCH)

    assert report.unavailable == {"citations"}
    assert (assessment.verdict, assessment.reason) == (Verdict.QUARANTINE, CoarseReason.HOLD)
    assert assessment.decisive == "unavailable:citations"


def test_a_failing_detector_hides_nothing_that_the_others_found() -> None:
    found = Finding(
        rule="near-duplicate.denied", risk=0.9, level=FindingLevel.HOSTILE, message="found"
    )
    document = make_document("A lamp.")
    failing, finding = _Failing(OSError()), _Quiet("near-duplicate", [found])
    detectors: list[Detector] = [failing, finding, *OTHERS[:2], OTHERS[3]]

    report = scan(document, detectors)

    assert report.findings == (found,)
    assert POLICY.assess(report, document.provenance, now=EPOCH).decisive.startswith("hard:")
