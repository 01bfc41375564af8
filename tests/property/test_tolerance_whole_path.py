"""Law 10 over the whole question path: documents of t seats are replaced, and models side with them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from backends.memory.clock import ManualClock
from backends.memory.vectors import InMemoryVectorStore
from domain.answering import (
    AbstainReason,
    AnswerResult,
    AnswerWarning,
    Draft,
    EvidenceSubset,
    Outcome,
    PartitionMode,
    Question,
    QuestionId,
    Quote,
    ToleranceNote,
)
from domain.documents import DEFAULT_TENANT, Chunk, ChunkId, DocumentId, Span, Tier
from domain.retrieval import FamilyId, VectorRecord
from gateway.query.options import QueryOptions, Wishes
from gateway.query.pipeline import QueryPipeline
from tests.answer_builders import make_origin
from tests.builders import EPOCH

WARRANTY = "How long is the warranty?"
TRUE, OTHER, LIES = "36 months", "9 months", ("5 months", "7 months", "11 months", "13 months")
CEILING, LEAST = 1.0, 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """What a drafter makes of a document; `answer` None: nothing."""

    answer: str | None
    probability: float
    hostile: bool = False
    supports: str | None = None
    """Of a hostile one: the answer that its evidence bears out; it denies all others."""
    tentative: bool = False


class SameDirection:
    """Everything is about one thing: answers are told apart by their figures alone."""

    dimensions = 2
    version = "same"

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))


@dataclass(slots=True)
class Models:
    """Drafter and verifier. One hostile document in a subset decides what its draft says."""

    says: dict[DocumentId, Say] = field(default_factory=dict)
    version: str = "models"

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        del question
        spoken = [(hit, self.says[hit.chunk.document_id]) for hit in subset.chunks]
        hit, say = next((each for each in spoken if each[1].hostile), spoken[0])
        if say.answer is None:
            return Draft(
                subset=subset, answer="", rationale="", quotes=(), probability=1.0, abstained=True
            )
        quote = Quote(
            document_id=hit.chunk.document_id,
            origin=hit.origin.ref,
            text=hit.chunk.text,
            span=hit.chunk.span,
            trust=hit.trust,
        )
        return Draft(
            subset=subset,
            answer=say.answer,
            rationale=hit.chunk.text,
            quotes=(quote,),
            probability=say.probability,
            tentative=say.tentative,
        )

    async def score(
        self, question: Question, drafts: Sequence[Draft], evidence: Sequence[EvidenceSubset | None]
    ) -> NDArray[np.float64]:
        del question
        return np.array([[self._likelihood(d, subset) for subset in evidence] for d in drafts])

    def _likelihood(self, draft: Draft, subset: EvidenceSubset | None) -> float:
        if subset is None:
            return -2.0
        if subset is draft.subset:
            return -0.01
        says = [self.says[hit.chunk.document_id] for hit in subset.chunks]
        hostile = next((say for say in says if say.hostile), None)
        borne_out = hostile.supports if hostile else says[0].answer
        return -0.01 if borne_out == draft.answer else -3.5


@dataclass(slots=True)
class Path:
    """A question path over documents that can be replaced."""

    models: Models = field(default_factory=Models)
    vectors: InMemoryVectorStore = field(default_factory=lambda: InMemoryVectorStore(dimensions=2))
    held: dict[str, list[DocumentId]] = field(default_factory=dict)

    async def publish(self, seat: str, say: Say, *, tier: Tier = Tier.ESTABLISHED) -> None:
        held = self.held.setdefault(seat, [])
        document = DocumentId(f"{seat}-{len(held)}-{len(self.models.says)}")
        held.append(document)
        text = f"The warranty is {say.answer}." if say.answer else "Opening hours are listed here."
        self.models.says[document] = say
        similarity = 0.8 - 0.01 * int(seat.rpartition("-")[2] or 0)
        vector = np.array([similarity, np.sqrt(1 - similarity**2)], dtype=np.float32)
        await self.vectors.upsert(
            [
                VectorRecord(
                    chunk=Chunk(
                        id=ChunkId(f"{document}:0"),
                        document_id=document,
                        ordinal=0,
                        span=Span(0, len(text)),
                        text=text,
                    ),
                    tenant_id=DEFAULT_TENANT,
                    origin=make_origin(seat, tier),
                    family_id=FamilyId(document),
                    vector=vector / np.linalg.norm(vector),
                    trust=0.7 if tier is Tier.POOL else 0.95,
                    admitted_at=EPOCH,
                )
            ]
        )

    async def withdraw(self, seat: str) -> int:
        gone = self.held.pop(seat, [])
        for document in gone:
            await self.vectors.delete_document(document, tenant_id=DEFAULT_TENANT)
        return len(gone)

    async def replace(self, seat: str, say: Say | None, *, tier: Tier = Tier.ESTABLISHED) -> None:
        for _ in range(await self.withdraw(seat)):
            if say is not None:
                await self.publish(seat, say, tier=tier)

    async def ask(self, options: QueryOptions, **asked: int | PartitionMode) -> AnswerResult:
        pipeline = QueryPipeline(
            embedder=SameDirection(),
            vectors=self.vectors,
            drafter=self.models,
            verifier=self.models,
            calibrators={},
            clock=ManualClock(),
            secret=b"secret",
            options=options,
        )
        question = Question(id=QuestionId("q"), tenant_id=DEFAULT_TENANT, text=WARRANTY)
        return await pipeline.answer(question, Wishes(**asked))  # type: ignore[arg-type]


OPTIONS = st.builds(
    QueryOptions,
    m=st.sampled_from([3, 5, 8]),
    tau=st.sampled_from([0.2, 0.4, 0.6]),
    agreement_floor=st.just(0.3),
    lift_bound=st.sampled_from([0.1, 0.5]),
    plain_seat=st.sampled_from([False, False, True]),
)

HONEST = st.builds(
    Say,
    answer=st.sampled_from([TRUE, TRUE, TRUE, TRUE, OTHER, None]),
    probability=st.sampled_from([0.4, 0.9, 0.99]),
    tentative=st.sampled_from([False, False, True]),
)

ANSWERS = st.sampled_from([TRUE, OTHER, *LIES])
HOSTILE = st.builds(
    Say,
    answer=st.one_of(st.just(LIES[0]), ANSWERS, st.none()),
    probability=st.sampled_from([CEILING, CEILING, LEAST]),
    hostile=st.just(True),
    supports=st.sampled_from([LIES[0], OTHER, None]),
    tentative=st.booleans(),
)


async def attacked(
    seats: Mapping[str, Sequence[Say]],
    pooled: Sequence[Say],
    options: QueryOptions,
    turned: Mapping[str, Say | None],
    pool_says: Say,
) -> AnswerResult:
    path = Path()
    for seat, says in seats.items():
        for say in says:
            await path.publish(seat, say)
    for number, say in enumerate(pooled):
        await path.publish(f"account-{number}", say, tier=Tier.POOL)
    for seat, hostile in turned.items():
        await path.replace(seat, hostile)
    if turned or pool_says.hostile:
        for number in range(len(pooled)):
            await path.replace(f"account-{number}", pool_says, tier=Tier.POOL)
    return await path.ask(options)


@settings(deadline=None, max_examples=60)
@given(
    says=st.lists(HONEST, min_size=1, max_size=7),
    pooled=st.lists(HONEST, max_size=2),
    options=OPTIONS,
    data=st.data(),
)
def test_replacing_the_documents_of_so_many_seats_does_no_more_than_the_numbers_say(
    says: list[Say], pooled: list[Say], options: QueryOptions, data: st.DataObject
) -> None:
    seats = {f"seat-{number}": [say] for number, say in enumerate(says)}
    quiet = Say(answer=None, probability=1.0)
    before = asyncio.run(attacked(seats, pooled, options, {}, quiet))
    assume(before.tolerance is not None)
    assert before.tolerance is not None
    # A seat whose subset is its own can also leave: nobody else's evidence moves.
    may_leave = len(seats) <= options.m - 1

    for count, must_answer in (
        (before.tolerance.answer, False),
        (before.tolerance.abstention, True),
    ):
        if count == 0:
            continue  # promises nothing
        turned = data.draw(st.permutations(sorted(seats)))[:count]
        acts: dict[str, Say | None] = {}
        for seat in turned:
            acts[seat] = data.draw(st.one_of(HOSTILE, st.none()) if may_leave else HOSTILE)
        after = asyncio.run(attacked(seats, pooled, options, acts, data.draw(HOSTILE)))

        assert after.answer in ({before.answer} if must_answer else {before.answer, None})


def run_with(count: int, **asked: int | PartitionMode) -> AnswerResult:
    async def run() -> AnswerResult:
        path = Path()
        for number in range(count):
            await path.publish(f"seat-{number}", Say(answer=TRUE, probability=0.99))
        return await path.ask(QueryOptions(m=8, tau=0.3), **asked)

    return asyncio.run(run())


def test_one_seat_more_than_tolerated_does_change_the_answer() -> None:
    seats = {f"seat-{number}": [Say(answer=TRUE, probability=0.99)] for number in range(5)}
    options = QueryOptions(m=8, tau=0.3)
    lie = Say(answer=LIES[0], probability=CEILING, hostile=True, supports=LIES[0])
    quiet = Say(answer=None, probability=1.0)
    before = asyncio.run(attacked(seats, [], options, {}, quiet))
    assert before.tolerance is not None

    changed = [
        asyncio.run(attacked(seats, [], options, dict.fromkeys(turned, lie), lie)).answer
        for turned in itertools.combinations(seats, before.tolerance.answer + 1)
    ]

    assert before.tolerance.answer == 2
    assert LIES[0] in changed


def test_an_answer_that_fewer_seats_could_change_than_required_is_withheld() -> None:
    enough = run_with(3, min_tolerance=1)
    withheld = run_with(3, min_tolerance=2)

    assert enough.answer == TRUE
    assert (withheld.outcome, withheld.answer) == (Outcome.ABSTAIN, None)
    assert withheld.reason is AbstainReason.TOLERANCE
    assert withheld.tolerance is not None
    assert withheld.tolerance.answer == 1


def test_a_single_origin_is_answered_and_says_so_and_meets_no_requirement() -> None:
    alone = run_with(1)

    assert alone.tolerance is not None
    assert (alone.tolerance.answer, alone.tolerance.abstention) == (0, 0)
    assert alone.tolerance.note is ToleranceNote.SINGLE_ORIGIN
    assert run_with(1, min_tolerance=1).reason is AbstainReason.TOLERANCE


def test_a_comparison_mode_carries_no_tolerance_and_a_warning() -> None:
    for mode in (PartitionMode.MULTI_PERSPECTIVE, PartitionMode.ROUND_ROBIN, PartitionMode.RANDOM):
        result = run_with(4, partition=mode)

        assert result.mode is mode
        assert result.tolerance is None
        assert result.outcome is Outcome.ANSWER_WITH_WARNING
        assert AnswerWarning.NOT_ISOLATED in result.warnings
        assert run_with(4, partition=mode, min_tolerance=1).reason is AbstainReason.TOLERANCE
