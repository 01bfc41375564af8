"""The way of a question: what opens a short one, what closes it, and what is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from defences.answering.questions import read_question
from defences.answering.routing import barred, choose_way, one_subset, survey
from domain.answering import (
    AnswerWarning,
    Draft,
    EvidenceSubset,
    Outcome,
    PartitionMode,
    Question,
)
from domain.documents import Tier
from domain.retrieval import ScoredChunk
from domain.routing import Route, RouteReason
from gateway.query.extractive import ExtractiveDrafter
from gateway.query.options import QueryOptions
from tests.answer_builders import make_chunk, make_origin
from tests.fakes.question_path import QuestionPath, WordEmbedder

pytestmark = pytest.mark.anyio

FACT = "How many months does the warranty of the Verrin pump last?"
WHY = "Why does the Verrin pump rattle?"


def passage(
    origin: str, *, tier: Tier = Tier.ESTABLISHED, words: int = 30, similarity: float = 0.6
) -> ScoredChunk:
    document = f"{origin}-{words}-{similarity}"
    return make_chunk(
        " ".join(["word"] * words),
        document=document,
        origin=make_origin(origin, tier),
        similarity=similarity,
    )


SEATS = (passage("maker"), passage("dealer"))


@pytest.mark.parametrize(
    ("chunks", "mode", "min_tolerance", "reason"),
    [
        (SEATS, PartitionMode.ISOLATED, 0, None),
        (SEATS, PartitionMode.RANDOM, 0, RouteReason.PARTITION),
        (SEATS, PartitionMode.ISOLATED, 1, RouteReason.TOLERANCE),
        ((), PartitionMode.ISOLATED, 0, RouteReason.NOT_ESTABLISHED),
        ((passage("a", tier=Tier.POOL),), PartitionMode.ISOLATED, 0, RouteReason.NOT_ESTABLISHED),
        ((*SEATS, passage("a", tier=Tier.POOL)), PartitionMode.ISOLATED, 0, RouteReason.POOL),
        (
            (*SEATS, passage("a", tier=Tier.POOL, similarity=0.1)),
            PartitionMode.ISOLATED,
            0,
            None,
        ),
        (
            tuple(passage(name) for name in "abcd"),
            PartitionMode.ISOLATED,
            0,
            RouteReason.MANY_SEATS,
        ),
        (
            (*SEATS, passage("law", tier=Tier.REVIEWED)),
            PartitionMode.ISOLATED,
            0,
            RouteReason.TIERS,
        ),
    ],
)
def test_what_bars_a_short_way(
    chunks: Sequence[ScoredChunk],
    mode: PartitionMode,
    min_tolerance: int,
    reason: RouteReason | None,
) -> None:
    assert barred(survey(chunks), mode=mode, min_tolerance=min_tolerance) is reason


@pytest.mark.parametrize(
    ("question", "words", "alike", "route", "reason", "m"),
    [
        (FACT, 300, True, Route.FACTOID, RouteReason.FACTOID, 1),
        (FACT, 30, True, Route.FACTOID, RouteReason.FACTOID, 1),
        (FACT, 30, False, Route.LONG, RouteReason.CONFLICT, 5),
        (WHY, 30, True, Route.STANDARD, RouteReason.SHORT_CONTEXT, 1),
        (WHY, 200, True, Route.LONG, RouteReason.CLEAR, 3),
        (WHY, 30, False, Route.LONG, RouteReason.CONFLICT, 5),
        ("Is the Verrin pump sealed?", 30, True, Route.STANDARD, RouteReason.SHORT_CONTEXT, 1),
        ("Which pumps are not sealed?", 200, True, Route.LONG, RouteReason.CLEAR, 3),
    ],
)
def test_the_way_goes_by_the_question_and_by_what_there_is_to_read(
    question: str, words: int, alike: bool, route: Route, reason: RouteReason, m: int
) -> None:
    chunks = [
        passage(origin, words=words, similarity=0.6 - 0.01 * at)
        for at in range(3)
        for origin in ("maker", "dealer")
    ]

    way = choose_way(read_question(question), survey(chunks), m=5, k=5, alike=alike, why_not=None)

    assert (way.route, way.reason, way.m) == (route, reason, m)


def test_a_seat_with_one_weak_passage_has_its_place_in_the_one_draft() -> None:
    strong = [passage("maker", similarity=0.9 - 0.01 * at) for at in range(5)]
    found = survey([*strong, passage("dealer", similarity=0.3)])

    subset = one_subset(found, k=3)

    assert subset.seats == ("publisher:dealer", "publisher:maker")
    assert len(subset.chunks) == 3


def test_more_seats_than_places_are_refused() -> None:
    with pytest.raises(ValueError, match="4 seats"):
        one_subset(survey([passage(name) for name in "abcd"]), k=3)


@dataclass(slots=True)
class Counting:
    """The extractive drafter, and what it was asked for."""

    asked: list[EvidenceSubset] = field(default_factory=list)
    version: str = "counting"

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        self.asked.append(subset)
        return await ExtractiveDrafter(WordEmbedder()).draft(question, subset)


class Lowest:
    """A calibrator that is sure of everything."""

    version, tau = "sure", 0.5

    def predict(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.full_like(scores, 0.99)


async def path(
    *texts: str, drafter: Counting, watch_share: float | None = 0.0, large: Counting | None = None
) -> QuestionPath:
    made = QuestionPath(
        drafter=drafter,
        watch_share=watch_share,
        large_model=large,
        options=QueryOptions(tau=0.02),
    )
    for number, text in enumerate(texts):
        await made.publish(f"origin-{number}", text)
    return made


AGREED = (
    "The warranty of the Verrin pump does last 36 months.",
    "The warranty of the Verrin pump is 36 months long.",
)


async def test_a_plain_fact_on_which_seats_agree_is_drafted_once() -> None:
    drafter = Counting()
    questions = await path(*AGREED, drafter=drafter)

    result = await questions.ask(FACT)

    assert (result.route, result.m, len(drafter.asked)) == (Route.FACTOID, 1, 1)
    assert set(drafter.asked[0].seats) == {"publisher:origin-0", "publisher:origin-1"}
    assert result.answer is not None
    assert AnswerWarning.SINGLE_SEAT in result.warnings
    assert result.tolerance is not None
    assert result.tolerance.answer == 0
    assert "route=factoid" in result.configuration
    assert not result.cacheable


async def test_seats_that_contradict_each_other_all_draft() -> None:
    drafter = Counting()
    questions = await path(
        AGREED[0], "The warranty of the Verrin pump is 9 months long.", drafter=drafter
    )

    result = await questions.ask(FACT)

    assert (result.route, result.route_reason) == (Route.LONG, RouteReason.CONFLICT)
    assert len(drafter.asked) >= 2


async def test_a_pooled_upload_sends_the_question_the_long_way() -> None:
    drafter = Counting()
    questions = await path(*AGREED, drafter=drafter)
    await questions.publish("stranger", "The warranty lasts 36 months.", tier=Tier.POOL)

    result = await questions.ask(FACT)

    assert (result.route, result.route_reason) == (Route.LONG, RouteReason.POOL)


async def test_a_required_tolerance_sends_the_question_the_long_way() -> None:
    questions = await path(*AGREED, drafter=Counting())

    result = await questions.ask(FACT, min_tolerance=1)

    assert result.route_reason is RouteReason.TOLERANCE


async def test_a_short_context_is_read_by_the_large_model_at_once() -> None:
    small, large = Counting(), Counting()
    questions = await path(
        "The Verrin pump does rattle because its bearing is dry.",
        "The Verrin pump does rattle when the bearing is dry.",
        drafter=small,
        large=large,
    )

    result = await questions.ask(WHY)

    assert result.route is Route.STANDARD
    assert (len(small.asked), len(large.asked)) == (0, 1)


async def test_what_the_short_way_cannot_settle_goes_the_long_one() -> None:
    drafter = Counting()
    questions = await path(*AGREED, drafter=drafter)
    questions.options = replace(questions.options, tau=0.999)

    result = await questions.ask(FACT)

    assert (result.route, result.route_reason) == (Route.LONG, RouteReason.UNSETTLED)
    assert result.outcome is Outcome.ABSTAIN
    assert len(drafter.asked) > 1


async def test_where_only_the_long_way_is_calibrated_it_is_taken() -> None:
    questions = await path(*AGREED, drafter=Counting())
    long = questions.pipeline().configuration(PartitionMode.ISOLATED, m=5, k=5)
    questions.calibrators = {long: Lowest()}

    refused = await questions.ask(FACT)
    short = questions.pipeline().configuration(
        PartitionMode.ISOLATED, m=1, k=3, route=Route.FACTOID
    )
    questions.calibrators = {long: Lowest(), short: Lowest()}
    taken = await questions.ask(FACT)

    assert (refused.route, refused.route_reason) == (Route.LONG, RouteReason.UNCALIBRATED)
    assert taken.route is Route.FACTOID
    assert taken.calibration_version == "sure"


async def test_a_share_of_short_questions_is_drafted_by_every_seat_for_the_monitors() -> None:
    questions = await path(*AGREED, drafter=Counting(), watch_share=0.5)

    reasons = [(await questions.ask(FACT, id=f"q-{number}")).route_reason for number in range(40)]

    assert set(reasons) == {RouteReason.FACTOID, RouteReason.WATCHED}


async def test_without_routing_nothing_goes_a_short_way() -> None:
    questions = await path(*AGREED, drafter=Counting(), watch_share=None)

    result = await questions.ask(FACT)

    assert (result.route, result.route_reason, result.m) == (Route.LONG, RouteReason.OFF, 5)


async def test_two_drafts_are_three_where_the_pool_speaks() -> None:
    alone = await path(*AGREED, drafter=Counting(), watch_share=None)
    mixed = await path(*AGREED, drafter=Counting(), watch_share=None)
    await mixed.publish("stranger", "The warranty lasts 36 months.", tier=Tier.POOL)

    assert (await alone.ask(FACT, m=2)).m == 2
    assert (await mixed.ask(FACT, m=2)).m == 3
