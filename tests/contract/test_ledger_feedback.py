"""What every `FeedbackLedger` must do."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from domain.answering import QuestionId
from domain.documents import DEFAULT_TENANT
from domain.errors import NotFoundError
from domain.feedback import Feedback, FeedbackVerdict
from domain.ledger import Ledger
from tests.ledger_rows import OTHER_TENANT, later, observation, question

pytestmark = pytest.mark.anyio

Q1 = QuestionId("q1")


def given(author: str = "key:a", *, label: bool = False, at: datetime | None = None) -> Feedback:
    return Feedback(
        question_id=Q1,
        tenant_id=DEFAULT_TENANT,
        author=author,
        verdict=FeedbackVerdict.WRONG,
        answer="16:20 \U0001f40d",
        comment=None,
        label=label,
        given_at=at or later(1),
    )


async def test_feedback_comes_back_as_given(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), None)

    await ledger.feedback.give(given())

    assert await ledger.feedback.of_question(DEFAULT_TENANT, Q1) == [given()]


async def test_the_same_author_replaces_what_they_said(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), None)
    changed = replace(given(), verdict=FeedbackVerdict.RIGHT, answer=None, given_at=later(2))

    await ledger.feedback.give(given())
    await ledger.feedback.give(changed)

    assert await ledger.feedback.of_question(DEFAULT_TENANT, Q1) == [changed]


async def test_labels_come_before_proposals_and_the_newest_first(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), None)
    for author, label, minutes in (
        ("a", False, 9),
        ("b", True, 1),
        ("c", True, 2),
        ("d", False, 3),
    ):
        await ledger.feedback.give(given(author, label=label, at=later(minutes)))

    listed = await ledger.feedback.of_question(DEFAULT_TENANT, Q1)

    assert [one.author for one in listed] == ["c", "b", "a", "d"]


async def test_it_is_journalled_without_what_was_written(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), None)

    await ledger.feedback.give(given(label=True))

    (entry,) = await ledger.journal.entries(DEFAULT_TENANT, object_id="q1")
    assert (entry.action, entry.actor) == ("question.labelled", "key:a")
    assert entry.facts == {"verdict": "wrong"}


async def test_a_question_of_another_tenant_takes_none_and_shows_none(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), None)
    await ledger.feedback.give(given())

    with pytest.raises(NotFoundError):
        await ledger.feedback.give(replace(given(), tenant_id=OTHER_TENANT))
    with pytest.raises(NotFoundError):
        await ledger.feedback.give(replace(given(), question_id=QuestionId("q2")))

    assert list(await ledger.feedback.of_question(OTHER_TENANT, Q1)) == []


async def test_only_the_latest_label_of_an_observed_question_counts(ledger: Ledger) -> None:
    for name in ("q1", "q2"):
        seen = replace(observation(name), confidence=0.75, calibration_version="v1")
        await ledger.questions.add(question(name), seen)
    await ledger.questions.add(question("q3"), None)
    await ledger.feedback.give(given("a", label=True, at=later(1)))
    changed = replace(given("b", label=True, at=later(2)), verdict=FeedbackVerdict.RIGHT)
    await ledger.feedback.give(changed)
    await ledger.feedback.give(replace(given("c"), question_id=QuestionId("q2")))
    await ledger.feedback.give(replace(given("c", label=True), question_id=QuestionId("q3")))

    (found,) = await ledger.feedback.labelled(DEFAULT_TENANT, since=later(0), limit=10)
    after = await ledger.feedback.labelled(DEFAULT_TENANT, since=later(3), limit=10)
    elsewhere = await ledger.feedback.labelled(OTHER_TENANT, since=later(0), limit=10)

    assert (found.question_id, found.right, found.confidence) == (Q1, True, 0.75)
    assert found.calibration_version == "v1"
    assert list(after) == list(elsewhere) == []
