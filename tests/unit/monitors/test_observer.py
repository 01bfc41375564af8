from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from defences.answering.disagreement import monitored_disagreement
from domain.answering import (
    POOL_SEAT,
    AnswerGroup,
    AnswerResult,
    Draft,
    EvidenceSubset,
    Outcome,
    PartitionMode,
    Question,
    QuestionId,
    Quote,
    ScoredDraft,
    SeatId,
    SeatVote,
)
from domain.documents import (
    DEFAULT_TENANT,
    Chunk,
    ChunkId,
    DocumentId,
    Origin,
    OriginKind,
    Tier,
)
from domain.ledger import Ledger
from domain.monitoring import Observation
from domain.retrieval import FamilyId, ScoredChunk
from domain.text import Span
from monitors.observer import Observer, count_voters, normal_form
from monitors.topic_words import question_key
from tests.builders import EPOCH

pytestmark = pytest.mark.anyio

QUESTION = "How long is the warranty of the mower?"
PRESS = Origin(kind=OriginKind.PUBLISHER, id="press", established=True)
WIKI = Origin(kind=OriginKind.CONNECTOR, id="wiki", established=False)


def chunk(document: str, origin: Origin = PRESS, *, family: str | None = None) -> ScoredChunk:
    return ScoredChunk(
        chunk=Chunk(
            id=ChunkId(f"{document}/0"),
            document_id=DocumentId(document),
            ordinal=0,
            span=Span(0, 10),
            text="Document text that nobody may see.",
        ),
        origin=origin,
        family_id=FamilyId(family or document),
        vector=np.array([1.0, 0.0], dtype=np.float32),
        similarity=0.9,
        trust=0.75,
        admitted_at=EPOCH - timedelta(days=3),
    )


def drafted(answer: str, hit: ScoredChunk, seat: SeatId) -> ScoredDraft:
    subset = EvidenceSubset(
        index=0,
        seats=(seat,),
        tier=Tier.ESTABLISHED if hit.origin.established else Tier.POOL,
        chunks=(hit,),
    )
    quote = Quote(
        document_id=hit.chunk.document_id,
        origin=hit.origin.ref,
        text=answer,
        span=Span(0, 10),
        trust=hit.trust,
    )
    draft = Draft(subset=subset, answer=answer, rationale="", quotes=(quote,), probability=0.9)
    return ScoredDraft(
        draft=draft,
        faithfulness=0.9,
        unconditional=0.1,
        corroboration=0.0,
        raw=0.8,
        trust=hit.trust,
        seats=(seat,),
    )


def group(answer: str, *drafts: ScoredDraft, shares: dict[str, float]) -> AnswerGroup:
    return AnswerGroup(
        answer=answer,
        drafts=drafts,
        votes=tuple(
            SeatVote(seat=SeatId(seat), established=True, reviewed=False, share=share)
            for seat, share in shares.items()
        ),
        support=1.0,
        diversity=0.5,
        score=0.4,
        confidence=0.8,
    )


def result(*groups: AnswerGroup, retrieved: tuple[ScoredChunk, ...] = ()) -> AnswerResult:
    return AnswerResult(
        question=Question(id=QuestionId("q_1"), tenant_id=DEFAULT_TENANT, text=QUESTION),
        outcome=Outcome.ANSWER,
        reason=None,
        warnings=(),
        answer=groups[0].answer if groups else None,
        confidence=0.8,
        sources=(),
        agreement=0.5,
        entropy=0.6,
        margin=0.2,
        disagreement=monitored_disagreement(groups),
        mode=PartitionMode.ISOLATED,
        m=5,
        k=4,
        retrieved=retrieved,
        subsets=(),
        drafts=(),
        scored=(),
        groups=groups,
        ladder=(),
        timings=(),
        calibration_version="cal-1",
        configuration="extractive",
        embedding=np.array([1.0, 0.0], dtype=np.float32),
        best=groups[0] if groups else None,
    )


@pytest.fixture
def ledger() -> Ledger:
    return InMemoryLedger(clock=ManualClock(), ids=SequentialIds())


async def observe(ledger: Ledger, answered: AnswerResult) -> Observation:
    observer = Observer(ledger.observations, ids=SequentialIds())
    return await observer.observe(answered, principal="key:k1", observed_at=EPOCH)


async def test_an_observation_carries_the_numbers_of_the_trace(ledger: Ledger) -> None:
    answered = result(
        group("24 months", shares={"a": 1.0, "b": 1.0}), group("6 months", shares={"c": 1.0})
    )

    seen = await observe(ledger, answered)

    (topic,) = await ledger.observations.topics(DEFAULT_TENANT)
    assert seen.topic_id == topic.id
    assert seen.question_id == "q_1"
    assert seen.principal == "key:k1"
    assert seen.observed_at == EPOCH
    assert seen.question_key == question_key(QUESTION)
    assert seen.disagreement == pytest.approx(2 / 3)
    assert (seen.entropy, seen.agreement, seen.margin) == (0.6, 0.5, 0.2)
    assert (seen.m, seen.route, seen.calibration_version) == (5, "long", "cal-1")
    assert seen.seats == 3


async def test_an_answer_without_a_group_is_observed_too(ledger: Ledger) -> None:
    seen = await observe(ledger, replace(result(), outcome=Outcome.ABSTAIN))

    assert (seen.answer_group, seen.seats, seen.disagreement) == (None, 0, 0.0)


async def test_evidence_is_noted_once_a_document_without_its_text(ledger: Ledger) -> None:
    hits = (chunk("doc_a"), chunk("doc_b", WIKI, family="doc_a"), chunk("doc_a"))

    seen = await observe(ledger, result(retrieved=hits))

    assert [(note.document_id, note.established, note.family_id) for note in seen.evidence] == [
        ("doc_a", True, "doc_a"),
        ("doc_b", False, "doc_a"),
    ]
    assert [note.age_days for note in seen.evidence] == [3.0, 3.0]
    assert "nobody may see" not in repr(seen)


async def test_a_document_admitted_by_a_clock_that_is_ahead_has_no_negative_age(
    ledger: Ledger,
) -> None:
    hit = replace(chunk("doc_a"), admitted_at=EPOCH + timedelta(hours=1))

    seen = await observe(ledger, result(retrieved=(hit,)))

    assert seen.evidence[0].age_days == 0.0


def test_a_seat_that_splits_its_vote_is_one_voter() -> None:
    groups = [group("a", shares={"x": 0.5, "y": 1.0}), group("b", shares={"x": 0.5})]

    assert count_voters(groups) == 2


def test_where_one_seat_answered_its_families_are_the_voters() -> None:
    seat = SeatId("publisher:press")
    first = drafted("24 months", chunk("doc_a"), seat)
    second = drafted("6 months", chunk("doc_b"), seat)
    groups = [
        group("24 months", first, shares={seat: 0.5}),
        group("6 months", second, shares={seat: 0.5}),
    ]

    assert count_voters(groups) == 2
    assert monitored_disagreement(groups) == 1.0


def test_one_family_of_one_seat_is_a_single_voter() -> None:
    draft = drafted("24 months", chunk("doc_b", WIKI), POOL_SEAT)

    assert count_voters([group("24 months", draft, shares={POOL_SEAT: 1.0})]) == 1


@pytest.mark.parametrize(
    ("question", "first", "second", "same"),
    [
        (QUESTION, "The warranty lasts 24 months.", "You have 24 months of warranty.", True),
        (QUESTION, "It lasts 24 months.", "It lasts two years.", True),
        (QUESTION, "It lasts 24 months.", "It lasts 6 months.", False),
        (QUESTION, "It lasts 24 months.", "It lasts 24 days.", False),
        ("How much is the fee?", "The fee is 5 euros.", "A fee of €5 applies.", True),
        ("How much is the fee?", "The fee is 5 euros.", "The fee is 5 dollars.", False),
        ("Who is the chair?", "The chair is Ada Lovelace.", "Ada Lovelace chairs it.", True),
        ("Who is the chair?", "The chair is Ada Lovelace.", "The chair is Alan Turing.", False),
        ("Can it be returned?", "Yes, it can be returned.", "It can be returned.", True),
        ("Can it be returned?", "Yes, it can be returned.", "It cannot be returned.", False),
        ("How is it cleaned?", "Wipe it with a damp cloth.", "wipe it, with a DAMP cloth", True),
        ("How is it cleaned?", "Wipe it with a damp cloth.", "Rinse it under water.", False),
    ],
)
def test_the_normal_form_looks_past_the_wording_and_not_past_the_answer(
    question: str, first: str, second: str, same: bool
) -> None:
    assert (normal_form(question, first) == normal_form(question, second)) is same
