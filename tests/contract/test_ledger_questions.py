"""What every `QuestionLedger` must do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.answering import Outcome, QuestionId
from domain.documents import DEFAULT_TENANT
from domain.errors import ConflictError, NotFoundError
from domain.ledger import Ledger
from domain.monitoring import TopicId
from tests.ledger_rows import OTHER_TENANT, later, observation, question

pytestmark = pytest.mark.anyio


async def test_a_question_comes_back_with_its_trace(ledger: Ledger) -> None:
    record = replace(question(), trace='{"answer": "naïve \U0001f40d"}')

    await ledger.questions.add(record, None)

    assert await ledger.questions.get(DEFAULT_TENANT, record.id) == record


async def test_question_and_observation_are_written_together(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), observation("q1"))

    assert await ledger.questions.get(DEFAULT_TENANT, QuestionId("q1")) == question("q1")
    window = await ledger.observations.window(DEFAULT_TENANT, TopicId("t1"), limit=9)
    assert window == [observation("q1")]


async def test_a_question_that_cannot_be_written_leaves_no_observation(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), None)

    with pytest.raises(ConflictError):
        await ledger.questions.add(question("q1"), observation("q1"))

    assert not await ledger.observations.window(DEFAULT_TENANT, TopicId("t1"), limit=9)


async def test_a_question_of_another_tenant_is_not_found(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), None)

    with pytest.raises(NotFoundError):
        await ledger.questions.get(OTHER_TENANT, QuestionId("q1"))
    with pytest.raises(NotFoundError):
        await ledger.questions.get(DEFAULT_TENANT, QuestionId("q2"))


async def test_questions_are_listed_newest_first_by_outcome_and_page(ledger: Ledger) -> None:
    for number in range(5):
        outcome = Outcome.ABSTAIN if number % 2 == 0 else Outcome.ANSWER
        record = replace(question(f"q{number}"), asked_at=later(number), outcome=outcome)
        await ledger.questions.add(record, None)

    first = await ledger.questions.list(
        DEFAULT_TENANT, outcome=Outcome.ABSTAIN, cursor=None, limit=2
    )
    second = await ledger.questions.list(
        DEFAULT_TENANT, outcome=Outcome.ABSTAIN, cursor=first.next_cursor, limit=2
    )

    assert [record.id for record in first.items] == ["q4", "q2"]
    assert [record.id for record in second.items] == ["q0"]
    assert second.next_cursor is None


async def test_questions_of_another_tenant_are_not_listed(ledger: Ledger) -> None:
    await ledger.questions.add(question("q1"), None)

    page = await ledger.questions.list(OTHER_TENANT, outcome=None, cursor=None, limit=9)

    assert page.items == ()


async def test_who_was_given_an_answer_again_is_found_by_the_answer(ledger: Ledger) -> None:
    kept = QuestionId("q1")
    asked = {"q5": later(5), "q3": later(3), "q4": later(4)}
    await ledger.questions.add(question("q1"), None)
    for name, at in asked.items():
        await ledger.questions.add(replace(question(name), asked_at=at, again_of=kept), None)
    other = replace(question("q6", tenant_id=OTHER_TENANT), again_of=kept)
    await ledger.questions.add(other, None)
    await ledger.questions.add(replace(question("q7"), again_of=QuestionId("q2")), None)

    found = await ledger.questions.given_again(DEFAULT_TENANT, {kept}, until=None)
    early = await ledger.questions.given_again(DEFAULT_TENANT, {kept}, until=later(4))
    of_nothing = await ledger.questions.given_again(DEFAULT_TENANT, (), until=None)
    repeat = await ledger.questions.get(DEFAULT_TENANT, QuestionId("q3"))

    assert (found, early, of_nothing) == (["q3", "q4", "q5"], ["q3", "q4"], [])
    assert repeat.again_of == kept


async def test_answers_given_again_are_found_for_many_at_once(ledger: Ledger) -> None:
    many = [QuestionId(f"q{number:04}") for number in range(1_100)]
    for place in (0, 600, 1_099):
        again = replace(question(f"r{place}"), again_of=many[place])
        await ledger.questions.add(again, None)

    found = await ledger.questions.given_again(DEFAULT_TENANT, many, until=None)

    assert found == ["r0", "r1099", "r600"]
