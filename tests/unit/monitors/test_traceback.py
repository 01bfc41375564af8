"""Which documents most likely caused an answer, over a question path that is a few lines long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.answering import (
    AnswerGroup,
    AnswerResult,
    Outcome,
    PartitionMode,
    Question,
    QuestionId,
)
from domain.documents import DEFAULT_TENANT, DocumentId, OriginKind, OriginRef, Tier
from domain.retrieval import (
    NOTHING_WITHHELD,
    FamilyId,
    ScoredChunk,
    Withheld,
)
from domain.traceback import Clues, TracedAs
from monitors.suspicion import THRESHOLD, suspicion, worst
from monitors.traceback import Traceback, states
from tests.answer_builders import make_chunk, make_draft, make_origin, make_scored
from tests.builders import EPOCH

pytestmark = pytest.mark.anyio

TEXT = "How long is the warranty of the mower?"
QUESTION = Question(id=QuestionId("q_1"), tenant_id=DEFAULT_TENANT, text=TEXT)
RIGHT = "The warranty of the mower is 24 months."
WRONG = "The warranty of the mower is 9 months."
POOL = Tier.POOL


def page(
    name: str, text: str, *, origin: str, age: int, tier: Tier = Tier.ESTABLISHED
) -> ScoredChunk:
    return make_chunk(text, document=name, origin=make_origin(origin, tier), age_days=age)


class Library:
    """Answers with what most pages say, one group for each text; remembers what was withheld."""

    def __init__(self, pages: Sequence[ScoredChunk], *, withholds_above: int = 99) -> None:
        self._pages = tuple(pages)
        self._withholds_above = withholds_above
        self.asked: list[Withheld] = []

    async def ask(self, question: Question, *, without: Withheld) -> AnswerResult:
        self.asked.append(without)
        left = [hit for hit in self._pages if not without.covers(hit)]
        voices = {text: [hit for hit in left if hit.chunk.text == text] for text in (RIGHT, WRONG)}
        groups = tuple(
            sorted(
                (group(text, hits) for text, hits in voices.items() if hits),
                key=lambda one: -one.score,
            )
        )
        return result(question, left, groups, withheld=len(groups) > self._withholds_above)


def group(answer: str, hits: Sequence[ScoredChunk]) -> AnswerGroup:
    drafts = tuple(
        replace(
            make_scored(answer, origin=hit.origin, index=at),
            draft=replace(
                make_draft(answer, origin=hit.origin, index=at),
                quotes=(
                    replace(
                        make_draft(answer, origin=hit.origin).quotes[0],
                        document_id=hit.chunk.document_id,
                    ),
                ),
            ),
        )
        for at, hit in enumerate(hits)
    )
    score = len(hits) / 10
    return AnswerGroup(
        answer=answer,
        drafts=drafts,
        votes=(),
        support=1.0,
        diversity=0.5,
        score=score,
        confidence=score,
    )


def result(
    question: Question,
    retrieved: Sequence[ScoredChunk],
    groups: tuple[AnswerGroup, ...],
    *,
    withheld: bool,
) -> AnswerResult:
    best = groups[0] if groups else None
    return AnswerResult(
        question=question,
        outcome=Outcome.ABSTAIN if withheld or best is None else Outcome.ANSWER,
        reason=None,
        warnings=(),
        answer=None if withheld or best is None else best.answer,
        confidence=0.9,
        sources=(),
        agreement=0.2 if withheld else 1.0,
        entropy=0.69 if len(groups) > 1 else 0.0,
        margin=0.1,
        disagreement=0.5,
        mode=PartitionMode.ISOLATED,
        m=5,
        k=5,
        retrieved=tuple(retrieved),
        subsets=(),
        drafts=(),
        scored=(),
        groups=groups,
        ladder=(),
        timings=(),
        calibration_version=None,
        configuration="",
        embedding=np.zeros(1, dtype=np.float32),
        best=best,
    )


HONEST = (
    page("old-1", RIGHT, origin="press", age=200),
    page("old-2", RIGHT, origin="wiki", age=200),
)
POISON = tuple(page(f"new-{at}", WRONG, origin="stranger", age=1, tier=POOL) for at in range(3))


async def test_a_wrong_answer_is_traced_to_those_who_say_it_and_to_nobody_else() -> None:
    trace = await Traceback(Library([*HONEST, *POISON])).trace(QUESTION, said=WRONG, now=EPOCH)

    assert trace.traced_as is TracedAs.WRONG_ANSWER
    assert {one.document_id for one in trace.suspects} == {"new-0", "new-1", "new-2"}
    assert [one.document_id for one in trace.retrieved[3:]] == ["old-1", "old-2"]


async def test_the_reasons_name_ids_and_numbers_and_no_text() -> None:
    trace = await Traceback(Library([*HONEST, *POISON])).trace(QUESTION, said=WRONG, now=EPOCH)

    told = " | ".join(trace.suspects[0].reasons)
    assert "without its origin uploader:stranger 100% of the trouble goes" in told
    assert "admitted 1.0 days before" in told
    assert "warranty" not in told
    assert "9 months" not in told


async def test_a_dispute_is_traced_to_those_against_what_seasoned_sources_say() -> None:
    library = Library([*HONEST, *POISON[:1]], withholds_above=1)

    trace = await Traceback(library).trace(QUESTION, said=None, now=EPOCH)

    assert trace.traced_as is TracedAs.DISPUTE
    assert [one.document_id for one in trace.suspects] == ["new-0"]


async def test_withholding_the_truth_clears_nobody_of_a_dispute() -> None:
    library = Library([HONEST[0], *POISON], withholds_above=1)

    trace = await Traceback(library).trace(QUESTION, said=None, now=EPOCH)

    clues = {one.document_id: one.clues for one in trace.retrieved}
    assert clues[DocumentId("old-1")].origin_effect == 0.0
    assert clues[DocumentId("new-0")].origin_effect == 1.0


async def test_many_hands_that_say_one_thing_are_found_together() -> None:
    sybils = [page(f"s-{at}", WRONG, origin=f"hand-{at}", age=2, tier=POOL) for at in range(5)]
    library = Library([*HONEST, *sybils])

    trace = await Traceback(library, most_reruns=1).trace(QUESTION, said=WRONG, now=EPOCH)

    assert len(trace.suspects) == 5
    assert all(one.clues.newcomers_effect == 1.0 for one in trace.suspects)


async def test_an_established_origin_that_turned_is_found() -> None:
    turned = page("turned", WRONG, origin="turncoat", age=1)
    library = Library([HONEST[0], turned, page("turned-2", WRONG, origin="turncoat", age=1)])

    trace = await Traceback(library).trace(QUESTION, said=WRONG, now=EPOCH)

    assert {one.document_id for one in trace.suspects} == {"turned", "turned-2"}


async def test_a_young_document_that_somebody_vouches_for_is_no_suspect() -> None:
    fresh = page("fresh", RIGHT, origin="press", age=1)

    trace = await Traceback(Library([fresh, *POISON])).trace(QUESTION, said=WRONG, now=EPOCH)

    assert {one.document_id for one in trace.suspects} == {"new-0", "new-1", "new-2"}


async def test_a_stranger_that_says_nothing_of_it_comes_behind_those_who_do() -> None:
    bystander = page("fresh", "Mowers are sold in May.", origin="reader", age=1, tier=POOL)

    trace = await Traceback(Library([bystander, *POISON])).trace(QUESTION, said=WRONG, now=EPOCH)

    assert trace.retrieved[-1].document_id == "fresh"
    assert trace.retrieved[-1].score < trace.retrieved[-2].score


async def test_a_question_is_asked_again_no_more_often_than_allowed() -> None:
    many = [page(f"p-{at}", WRONG, origin=f"o-{at}", age=at, tier=POOL) for at in range(20)]
    library = Library(many)

    trace = await Traceback(library, most_reruns=4).trace(QUESTION, said=WRONG, now=EPOCH)

    assert len(library.asked) == trace.reruns == 5
    assert library.asked[0] == NOTHING_WITHHELD
    assert trace.skipped == 21 - 4


async def test_what_withholds_the_same_documents_is_tried_once() -> None:
    library = Library([HONEST[0], POISON[0]])

    trace = await Traceback(library).trace(QUESTION, said=WRONG, now=EPOCH)

    assert trace.reruns == 3
    clues = trace.suspects[0].clues
    assert clues.family_effect == clues.origin_effect == clues.newcomers_effect == 1.0


DENIAL = "It is not known how long the warranty runs."
BYSTANDER = "Mowers are sold in May."


class Cowed(Library):
    """Withholds the answer where any page says that nothing is known."""

    async def ask(self, question: Question, *, without: Withheld) -> AnswerResult:
        found = await super().ask(question, without=without)
        if not any(hit.chunk.text == DENIAL for hit in found.retrieved):
            return found
        return replace(found, outcome=Outcome.ABSTAIN, answer=None)


async def test_what_the_origin_of_a_silencing_text_added_beside_it_is_suspect_too() -> None:
    """Here the truth is that origin's too, so that nothing is seen by withholding all of it."""
    turned = [
        page("right", RIGHT, origin="turncoat", age=200),
        page("deny", DENIAL, origin="turncoat", age=1),
        page("wait", BYSTANDER, origin="turncoat", age=1),
    ]
    other = page("other", BYSTANDER, origin="press", age=1)

    trace = await Traceback(Cowed([*turned, other])).trace(QUESTION, said=None, now=EPOCH)

    assert trace.traced_as is TracedAs.DISPUTE
    assert [one.document_id for one in trace.suspects] == ["deny", "wait"]
    assert trace.suspects[0].clues.origin_effect == 0.0
    assert "the trouble goes without another late document" in " ".join(trace.suspects[1].reasons)


async def test_where_nobody_vouches_what_stood_long_is_defended() -> None:
    pool = [
        page("old-1", RIGHT, origin="reader", age=200, tier=POOL),
        page("old-2", RIGHT, origin="writer", age=200, tier=POOL),
        page("young-right", RIGHT, origin="guest", age=3, tier=POOL),
    ]

    trace = await Traceback(Library([*pool, *POISON], withholds_above=1)).trace(
        QUESTION, said=None, now=EPOCH
    )

    assert trace.traced_as is TracedAs.DISPUTE
    scores = {one.document_id: one.score for one in trace.retrieved}
    assert [one.document_id for one in trace.retrieved[:3]] == ["new-0", "new-1", "new-2"]
    assert scores[DocumentId("old-1")] == scores[DocumentId("old-2")] < THRESHOLD
    assert not any(one.clues.states or one.clues.quoted for one in trace.retrieved[3:])


@pytest.mark.parametrize(
    ("tier", "said", "accused"),
    [(POOL, None, False), (Tier.ESTABLISHED, None, True), (POOL, WRONG, True)],
    ids=["a dispute of strangers", "one among those vouched for", "a wrong answer"],
)
async def test_where_all_are_strangers_in_a_dispute_nobody_is_suspect_for_being_one(
    *, tier: Tier, said: str | None, accused: bool
) -> None:
    standing = [page("old", RIGHT, origin="press", age=200, tier=tier)]
    silent = page("silent", BYSTANDER, origin="guest", age=1, tier=POOL)

    trace = await Traceback(Library([*standing, silent, *POISON], withholds_above=1)).trace(
        QUESTION, said=said, now=EPOCH
    )

    suspects = {one.document_id: one for one in trace.suspects}
    assert {"new-0", "new-1", "new-2"} <= suspects.keys()
    assert ("silent" in suspects) is accused
    told = " ".join(suspects[DocumentId("new-0")].reasons)
    assert ("nobody vouches" in told) is accused


async def test_nothing_retrieved_leaves_nobody_to_suspect() -> None:
    trace = await Traceback(Library([])).trace(QUESTION, said=WRONG, now=EPOCH)

    assert trace.retrieved == trace.suspects == ()


@pytest.mark.parametrize(
    ("question", "answer", "text", "says"),
    [
        (TEXT, WRONG, "Nine months is what the warranty runs for.", True),
        (TEXT, WRONG, "Its warranty: 9 months.", True),
        (TEXT, WRONG, "The warranty runs 24 months.", False),
        (TEXT, WRONG, "Mowers are sold in May.", False),
        (TEXT, WRONG, "", False),
        ("Who founded the mill?", "Ada Brown founded the mill.", "It was Ada Brown.", True),
        ("Who founded the mill?", "Ada Brown founded the mill.", "It was Carl Grey.", False),
        ("Is the lamp safe?", "No, the lamp is not safe.", "The lamp is not safe.", True),
        ("Is the lamp safe?", "No, the lamp is not safe.", "Yes, the lamp is safe.", False),
    ],
)
def test_a_text_says_the_same_whatever_its_words(
    question: str, answer: str, text: str, *, says: bool
) -> None:
    assert states(question, answer)(text) is says


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

EFFECTS = st.none() | st.floats(0.0, 1.0)


@given(
    quoted=st.booleans(),
    says=st.booleans(),
    age=st.floats(0.0, 400.0),
    effect=EFFECTS,
    origin=EFFECTS,
)
def test_one_more_clue_never_lessens_suspicion(
    *, quoted: bool, says: bool, age: float, effect: float | None, origin: float | None
) -> None:
    before = replace(
        CLUES, quoted=quoted, states=says, age_days=age, family_effect=effect, origin_effect=origin
    )

    worse = [
        replace(before, quoted=True),
        replace(before, states=True),
        replace(before, named=True),
        replace(before, beside=True),
        replace(before, established=False),
        replace(before, age_days=age / 2),
        replace(before, family_effect=1.0),
    ]

    assert 0.0 <= suspicion(before) <= 1.0
    assert all(suspicion(one) >= suspicion(before) for one in worse)


@pytest.mark.parametrize(
    "change",
    [
        {"age_days": 1.0},
        {"established": False, "newcomers_effect": 1.0},
        {"states": True},
        {"family_effect": 1.0, "origin_effect": 1.0},
    ],
)
def test_no_clue_alone_makes_a_suspect(change: dict[str, float | bool]) -> None:
    assert suspicion(replace(CLUES, **change)) < THRESHOLD  # type: ignore[arg-type]


async def test_a_document_in_two_traces_is_told_of_once_as_where_it_is_worst() -> None:
    traceback = Traceback(Library([*HONEST, *POISON]))

    traces = [await traceback.trace(QUESTION, said=said, now=EPOCH) for said in (WRONG, RIGHT)]

    merged = worst(trace.retrieved for trace in traces)
    assert len(merged) == len({one.document_id for one in merged}) == 5
    assert merged[0].score == max(one.score for one in traces[0].retrieved)
