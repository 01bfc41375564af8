"""Many documents of a few origins that differ in a name: the one that is asked about answers."""

from __future__ import annotations

import pytest

from domain.answering import AnswerResult, Outcome
from domain.documents import Tier
from tests.fakes.question_path import QuestionPath

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

PUMPS = {
    "Avocet": 53, "Bittern": 45, "Corvid": 51, "Fulmar": 41, "Gannet": 27, "Heron": 28, "Jackdaw": 17,
    "Lapwing": 58, "Osprey": 22, "Siskin": 34,
}  # fmt: skip
SHEETS = {
    "maker": "The {0} pump carries a warranty of {1} months from the day of delivery.",
    "dealer": "Customers who buy the {0} pump are covered by warranty for {1} months.",
    "service": "Warranty of the {0} pump: {1} months. The exchange is free of charge.",
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


async def catalogue() -> QuestionPath:
    path = QuestionPath()
    for origin, sheet in SHEETS.items():
        for name, months in PUMPS.items():
            await path.publish(origin, sheet.format(name, months), tier=Tier.ESTABLISHED)
    return path


def months(result: AnswerResult) -> str | None:
    return None if result.answer is None else result.answer.split(" months")[0].split()[-1]


@pytest.mark.parametrize("name", PUMPS)
async def test_the_sheet_that_is_asked_for_answers(name: str) -> None:
    path = await catalogue()

    result = await path.ask(f"How long is the warranty of the {name} pump?")

    assert result.outcome in {Outcome.ANSWER, Outcome.ANSWER_WITH_WARNING}
    assert months(result) == str(PUMPS[name])


@pytest.mark.parametrize("name", ["Zebra", "Albatross", "Whimbrel"])
async def test_no_sheet_answers_for_a_pump_that_has_none(name: str) -> None:
    path = await catalogue()

    result = await path.ask(f"How long is the warranty of the {name} pump?")

    assert result.outcome is Outcome.ABSTAIN
    assert result.answer is None
