"""What reviewers called right becomes rows to tune a drafter on, and nothing else does."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.answering import Outcome, QuestionId
from domain.documents import DEFAULT_TENANT, DocumentId
from domain.feedback import Feedback, FeedbackVerdict
from domain.ledger import QuestionRecord
from evaluation.finetune_drafter import read_reviewed
from evaluation.reviewed_answers import UNKNOWN, reviewed_answers, write
from gateway.http.models_questions import TraceModel
from tests.fakes.question_path import QuestionPath
from tests.ledger_rows import observation

pytestmark = pytest.mark.anyio

AT = datetime(2026, 11, 1, tzinfo=UTC)
QUESTION = "How long does the pump warranty last?"
FACT = "The pump warranty lasts 24 months from the date of purchase."
RIGHT, WRONG = FeedbackVerdict.RIGHT, FeedbackVerdict.WRONG


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def path() -> QuestionPath:
    made = QuestionPath()
    await made.publish("maker", FACT)
    await made.publish("shop", f"Our terms. {FACT}")
    return made


async def asked(
    path: QuestionPath, ledger: InMemoryLedger, *, verdict: FeedbackVerdict, label: bool = True
) -> TraceModel:
    result = await path.ask(QUESTION)
    trace = TraceModel.of_result(result, asked_at=AT)
    await ledger.questions.add(
        QuestionRecord(
            id=QuestionId("q"),
            tenant_id=DEFAULT_TENANT,
            principal="uploader:asker",
            asked_at=AT,
            outcome=result.outcome,
            trace=trace.model_dump_json(),
        ),
        replace(observation("q"), outcome=result.outcome),
    )
    await ledger.feedback.give(
        Feedback(
            question_id=QuestionId("q"),
            tenant_id=DEFAULT_TENANT,
            author="uploader:reviewer",
            verdict=verdict,
            answer=None,
            comment=None,
            label=label,
            given_at=AT,
        )
    )
    return trace


def new_ledger() -> InMemoryLedger:
    return InMemoryLedger(clock=ManualClock(AT), ids=SequentialIds())


async def test_an_answer_called_right_is_a_row_that_the_recipe_reads(
    path: QuestionPath, tmp_path: Path
) -> None:
    ledger = new_ledger()
    trace = await asked(path, ledger, verdict=RIGHT)

    found = await reviewed_answers(ledger, path.pipeline(), DEFAULT_TENANT)
    out = tmp_path / "reviewed.jsonl"
    write(found.rows * 5, out)

    (row,) = found.rows
    assert trace.outcome is not Outcome.ABSTAIN
    assert (row.question, row.answer) == (QUESTION, trace.answer)
    assert any(FACT in text for text in row.documents)
    assert "24 months" in row.quotes[0]
    assert read_reviewed(out)[0].documents == row.documents
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert json.loads(out.read_text().splitlines()[0])["answer"] == row.answer


@pytest.mark.parametrize(("verdict", "label"), [(WRONG, True), (RIGHT, False)])
async def test_what_was_called_wrong_or_only_proposed_is_none(
    path: QuestionPath, verdict: FeedbackVerdict, *, label: bool
) -> None:
    ledger = new_ledger()
    await asked(path, ledger, verdict=verdict, label=label)

    found = await reviewed_answers(ledger, path.pipeline(), DEFAULT_TENANT)

    assert (found.rows, found.gone) == ((), 0)


async def test_an_answer_whose_evidence_was_withdrawn_is_none(path: QuestionPath) -> None:
    ledger = new_ledger()
    trace = await asked(path, ledger, verdict=RIGHT)
    for subset in trace.subsets:
        for hit in subset.evidence:
            await path.vectors.delete_document(DocumentId(hit.document), tenant_id=DEFAULT_TENANT)

    found = await reviewed_answers(ledger, path.pipeline(), DEFAULT_TENANT)

    assert (found.rows, found.gone) == ((), 1)


async def test_an_abstention_called_right_teaches_to_abstain() -> None:
    path, ledger = QuestionPath(), new_ledger()
    await path.publish("maker", "The pump comes in blue and in red.")
    trace = await asked(path, ledger, verdict=RIGHT)

    found = await reviewed_answers(ledger, path.pipeline(), DEFAULT_TENANT)

    (row,) = found.rows
    assert trace.answer is None
    assert (row.answer, row.quotes) == (UNKNOWN, ())
