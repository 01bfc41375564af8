"""Law 15: after a decision about a document no kept answer cites it, however asking and writing mix."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from backends.memory.answer_cache import InMemoryAnswerCache, InMemoryEvidenceStamps
from backends.memory.clock import ManualClock
from backends.memory.vectors import InMemoryVectorStore
from backends.stamped_vectors import StampedVectorStore
from domain.documents import DEFAULT_TENANT, DocumentId, Tier
from gateway.query.pipeline import QueryPipeline
from runtime.answer_cache import KeptAnswers
from runtime.answering_sections import AnsweringSettings
from runtime.settings import Settings
from tests.answer_builders import make_origin
from tests.fakes.question_path import DIMENSIONS, QuestionPath

QUESTION = "How many months does the warranty of the Verrin pump last?"
ORIGINS = ("maker", "dealer", "press")
ASKED = {"text": QUESTION}


@dataclass(slots=True)
class Desk:
    """Documents that come and go, and an asker whose answers are kept."""

    stamps: InMemoryEvidenceStamps = field(default_factory=InMemoryEvidenceStamps)
    path: QuestionPath = field(init=False)
    answers: KeptAnswers = field(init=False)
    query: QueryPipeline = field(init=False)
    admitted: list[DocumentId] = field(default_factory=list)
    hits: int = 0

    def __post_init__(self) -> None:
        store = StampedVectorStore(InMemoryVectorStore(dimensions=DIMENSIONS), self.stamps)
        self.path = QuestionPath(vectors=store)
        self.query = self.path.pipeline()
        self.answers = KeptAnswers(
            InMemoryAnswerCache(clock=ManualClock()),
            self.stamps,
            query=self.query,
            settings=Settings(answering=AnsweringSettings(cache_seconds=60)),
        )

    async def admit(self, number: int) -> None:
        origin = ORIGINS[number % len(ORIGINS)]
        tier = Tier.POOL if number % 4 == 3 else Tier.ESTABLISHED
        months = 36 if number % 5 else 9
        await self.path.publish(
            origin, f"The warranty of the Verrin pump does last {months} months.", tier=tier
        )
        self.admitted.append(DocumentId(f"{origin}-{self.path.published}"))

    async def withdraw(self, number: int) -> None:
        if self.admitted:
            gone = self.admitted.pop(number % len(self.admitted))
            await self.path.vectors.delete_document(gone, tenant_id=DEFAULT_TENANT)

    async def change_origin(self, number: int) -> None:
        origin = make_origin(ORIGINS[number % len(ORIGINS)], Tier.REVIEWED)
        await self.path.vectors.set_origin(origin, tenant_id=DEFAULT_TENANT)

    async def begin(self) -> str | None:
        return await self.answers.key(DEFAULT_TENANT, ASKED)

    async def finish(self, key: str | None, cited: list[DocumentId]) -> None:
        await self.answers.keep(DEFAULT_TENANT, key, json.dumps(cited).encode())

    async def cited(self) -> list[DocumentId]:
        result = await self.path.ask(QUESTION)
        return sorted({source.document_id for source in result.sources})

    async def ask(self) -> list[DocumentId]:
        """Ask as a door does; return the documents that the answer cites."""
        key = await self.begin()
        kept = await self.answers.find(DEFAULT_TENANT, key)
        if kept is not None:
            self.hits += 1
            again: list[DocumentId] = json.loads(kept)
            return again
        found = await self.cited()
        await self.finish(key, found)
        return found


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["admit", "admit", "withdraw", "withdraw", "origin", "ask", "ask", "slow"]),
        st.integers(0, 19),
    ),
    min_size=4,
    max_size=14,
)


@settings(deadline=None, max_examples=25)
@given(ACTS)
def test_the_next_answer_after_a_decision_never_cites_what_was_withdrawn(
    acts: list[tuple[str, int]],
) -> None:
    async def run() -> None:
        desk = Desk()
        # questions under way: the key and the documents that were retrieved, not kept yet
        slow: list[tuple[str | None, list[DocumentId]]] = []
        for act, number in acts:
            match act:
                case "admit":
                    await desk.admit(number)
                case "withdraw":
                    await desk.withdraw(number)
                case "origin":
                    await desk.change_origin(number)
                case "slow":
                    key = await desk.begin()
                    slow.append((key, await desk.cited()))
                case _:
                    cited = await desk.ask()
                    assert set(cited) <= set(desk.admitted)
                    assert cited == await desk.cited()
            if slow and number % 3 == 0:
                await desk.finish(*slow.pop())
        for key, found in slow:
            await desk.finish(key, found)
        cited = await desk.ask()
        assert set(cited) <= set(desk.admitted)
        assert cited == await desk.cited()

    asyncio.run(run())


def test_an_answer_begun_while_a_document_is_withdrawn_is_not_kept() -> None:
    async def run() -> None:
        desk = Desk()
        await desk.admit(1)
        token = await desk.stamps.begin(DEFAULT_TENANT)
        during = await desk.begin()
        await desk.finish(during, await desk.cited())
        await desk.withdraw(0)
        await desk.stamps.end(DEFAULT_TENANT, token)

        assert during is None
        assert await desk.ask() == []
        assert desk.hits == 0

    asyncio.run(run())


def test_the_same_question_of_the_same_evidence_is_answered_again() -> None:
    async def run() -> None:
        desk = Desk()
        await desk.admit(1)

        assert await desk.ask() == await desk.ask() == await desk.ask()
        assert desk.hits == 2

    asyncio.run(run())
