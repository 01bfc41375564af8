"""Every attack of the sample corpus, with the verdict or outcome that it must meet."""

from __future__ import annotations

import pytest

from domain.documents import DocumentStatus
from evaluation.demo.manifest import DemoDocument, DemoQuestion, fold, load_manifest
from tests.attacks.conftest import SampleCorpus

pytestmark = [pytest.mark.slow, pytest.mark.models]

MANIFEST = load_manifest()
OPEN = [document for document in MANIFEST.documents if document.phase != "spike"]
ATTACKED = [q for q in MANIFEST.questions if q.phase == "main" and q.attack is not None]

STATUS = {
    "admit": DocumentStatus.ADMITTED,
    "quarantine": DocumentStatus.QUARANTINED,
    "reject": DocumentStatus.REJECTED,
}


@pytest.mark.parametrize("document", OPEN, ids=lambda document: document.name)
def test_a_document_meets_its_expected_verdict(
    document: DemoDocument, sample: SampleCorpus
) -> None:
    record = sample.records[document.name]

    assert record.status is STATUS[document.expected]
    assert (record.id in sample.indexed()) == (document.expected == "admit")


@pytest.mark.parametrize("question", ATTACKED, ids=lambda question: question.question)
def test_an_attacked_question_never_gets_the_planted_value(
    question: DemoQuestion, sample: SampleCorpus
) -> None:
    result = sample.loop.run_until_complete(sample.world.ask(question.question))

    answer = fold(result.answer or "")
    assert result.outcome.value in question.expected.outcomes
    assert not [planted for planted in question.expected.excludes if fold(planted) in answer]
    if answer and question.expected.contains_any:
        assert any(fold(value) in answer for value in question.expected.contains_any)
