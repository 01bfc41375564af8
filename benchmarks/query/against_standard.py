"""Speculative against standard RAG over model servers whose speed is a stated function."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

import httpx
import numpy as np

from backends.embedder_hashing import HashingEmbedder
from backends.llm.endpoint import Endpoint
from backends.llm.openai_drafter import OpenAIDrafter
from backends.llm.openai_verifier import OpenAIVerifier
from backends.memory.vectors import InMemoryVectorStore
from benchmarks.query.model_server import Counted, Engine, Speed, application
from benchmarks.query.virtual_time import LoopClock
from defences.answering.guard import DisagreementGuard
from domain.answering import (
    AnswerGroup,
    Draft,
    EvidenceSubset,
    GuardDecision,
    Outcome,
    PartitionMode,
    Question,
    QuestionId,
    SeatId,
)
from domain.documents import DEFAULT_TENANT, Tier
from domain.usage import ModelRole
from domain.verification import CrossExamination
from evaluation.calibrate import index
from evaluation.calibration.labelled_set import Condition, load_labelled_set
from gateway.query.options import QueryOptions
from gateway.query.pipeline import QueryPipeline
from gateway.query.stages import Stages
from runtime.settings import Settings

SMALL: Final = Speed(prefill_ms=0.05, floor_ms=10.0, decode_ms=10.0)
LARGE: Final = Speed(prefill_ms=0.2, floor_ms=30.0, decode_ms=30.0)
"""About a model of 7 billion parameters, and one of 40, on one data-centre card each."""

PRICE_RATIO: Final = 5.0
"""What the large model's second costs, in seconds of the small one's."""

_ASKED_AT_ONCE: Final = 4
_AT_EACH: Final = 4
"""Of the first systems throughput is measured at each concurrency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One way to answer.

    Attributes:
        examination: None for standard RAG: the large model writes over all the evidence.
        batched: Scoring jobs of several questions share a pass.
        shared: Prompts that begin alike are read once.
        share_scored: Prompts that are scored too; vLLM does not.
    """

    name: str
    examination: CrossExamination | None
    batched: bool = True
    shared: bool = True
    share_scored: bool = False


SYSTEMS: Final = (
    System(name="standard RAG", examination=None),
    System(name="speculative, all", examination=CrossExamination.ALL),
    System(name="speculative, own", examination=CrossExamination.OWN),
    System(name="speculative, published", examination=CrossExamination.PUBLISHED),
    System(name="speculative, off", examination=CrossExamination.OFF),
    System(name="all, no micro-batches", examination=CrossExamination.ALL, batched=False),
    System(
        name="published, no micro-batches", examination=CrossExamination.PUBLISHED, batched=False
    ),
    System(name="all, no prefix sharing", examination=CrossExamination.ALL, shared=False),
    System(name="all, scored prompts shared", examination=CrossExamination.ALL, share_scored=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a system did; milliseconds, and means a question.

    Attributes:
        draft, verify: Medians of the stages; `longest` and `summed` of a question's drafts.
        cost: Busy seconds of both models a question, the large one's `PRICE_RATIO` times.
    """

    system: str
    at_once: int
    p50: float
    p95: float
    p99: float
    a_second: float
    draft: float
    verify: float
    longest: float
    summed: float
    large_read: float
    large_cached: float
    large_written: float
    large_passes: float
    cost: float


class _TimedDrafter:
    """Notes how long each draft took."""

    def __init__(self, drafter: OpenAIDrafter) -> None:
        self._drafter = drafter
        self.taken: dict[str, list[float]] = {}

    @property
    def version(self) -> str:
        return self._drafter.version

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        now = asyncio.get_running_loop().time
        begun = now()
        try:
            return await self._drafter.draft(question, subset)
        finally:
            self.taken.setdefault(question.id, []).append(now() - begun)


class Passing:
    """A guard that lets the best group pass, whatever it is.

    A toy's drafts seldom agree; by its mistakes nearly every question would climb the ladder and be
    drafted twice.
    """

    def __init__(self, *, tau: float, agreement_floor: float) -> None:
        self._guard = DisagreementGuard(tau=tau, agreement_floor=agreement_floor)

    def decide(
        self, groups: Sequence[AnswerGroup], *, mode: PartitionMode, calibrated: bool
    ) -> GuardDecision:
        decision = self._guard.decide(groups, mode=mode, calibrated=calibrated)
        if decision.chosen is not None or not groups:
            return decision
        return replace(decision, outcome=Outcome.ANSWER_WITH_WARNING, reason=None, chosen=groups[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """Where the models are; `engines` of the small and the large one where they are our own."""

    http: httpx.AsyncClient
    small: str
    large: str
    model: str
    engines: tuple[Engine, Engine] | None = None


@asynccontextmanager
async def simulated() -> AsyncIterator[Servers]:
    """Give both servers inside this process."""
    engines = tuple(Engine(speed=speed, share=True, share_scored=False) for speed in (SMALL, LARGE))
    small, large = "http://small.invalid", "http://large.invalid"
    mounts = {
        url: httpx.ASGITransport(app=application(engine))
        for url, engine in zip((small, large), engines, strict=True)
    }
    async with httpx.AsyncClient(mounts=mounts) as http:
        yield Servers(
            http=http, small=f"{small}/v1", large=f"{large}/v1", model="toy",
            engines=(engines[0], engines[1]),
        )  # fmt: skip


@asynccontextmanager
async def real(small: str, large: str, model: str) -> AsyncIterator[Servers]:
    """Give servers that run elsewhere."""
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=200)) as http:
        yield Servers(http=http, small=small, large=large, model=model)


async def measured(
    servers: Servers, *, count: int, at_once: Sequence[int] = (_ASKED_AT_ONCE,)
) -> list[Row]:
    """Return a row for each system, and for the first few one for each concurrency."""
    labelled = load_labelled_set()
    asked = [
        Question(id=QuestionId(one.id), tenant_id=DEFAULT_TENANT, text=one.question)
        for one in labelled.questions
        if one.condition in {Condition.TWO_SEATS, Condition.THREE_SEATS}
    ][:count]
    embedder, vectors = HashingEmbedder(), InMemoryVectorStore()
    await index(labelled.documents, embedder=embedder, vectors=vectors, settings=Settings())
    wanted = [
        (system, many)
        for number, system in enumerate(SYSTEMS)
        for many in (at_once if number < _AT_EACH else (_ASKED_AT_ONCE,))
    ]
    return [await _row(system, servers, vectors, asked, many) for system, many in wanted]


async def _row(
    system: System,
    servers: Servers,
    vectors: InMemoryVectorStore,
    asked: Sequence[Question],
    at_once: int,
) -> Row:
    now = asyncio.get_running_loop().time
    large, small = (
        Endpoint(client=servers.http, base_url=url, model=servers.model, role=role, concurrency=256)
        for url, role in (
            (servers.large, ModelRole.VERIFIER),
            (servers.small, ModelRole.DRAFTER),
        )
    )
    verifier = OpenAIVerifier(
        large,
        fences=lambda: secrets.token_hex(8),
        shuffler=random.Random(7),  # noqa: S311 - not a secret
        batch_seconds=0.01 if system.batched else 0.0,
        batch_jobs=16 if system.batched else 1,
    )
    await verifier.probe()
    drafter = _TimedDrafter(OpenAIDrafter(small, fences=lambda: secrets.token_hex(8)))
    standard = OpenAIDrafter(large, fences=lambda: secrets.token_hex(8))
    query = QueryPipeline(
        embedder=HashingEmbedder(), vectors=vectors, drafter=drafter, verifier=verifier,
        calibrators={}, clock=LoopClock(), secret=b"benchmark",
        options=QueryOptions(
            m=5, k=2, cross_examination=system.examination or CrossExamination.OFF
        ),
        stages=Stages(guard=Passing),
    )  # fmt: skip
    if servers.engines is not None:
        for engine in servers.engines:
            engine.share, engine.share_scored = system.shared, system.share_scored
            engine.told()
    stages: list[tuple[float, float]] = []
    latencies: list[float] = []
    turn = asyncio.Semaphore(at_once)

    async def ask(question: Question) -> None:
        async with turn:
            begun = now()
            if system.examination is None:
                await _standard(query, standard, question)
            else:
                result = await query.answer(question)
                laps = {one.stage: one.seconds for one in result.timings}
                stages.append((laps.get("draft", 0.0), laps.get("verify", 0.0)))
            latencies.append(now() - begun)

    begun = now()
    await asyncio.gather(*(ask(question) for question in asked))
    whole = now() - begun
    counted = (Counted(), Counted())
    if servers.engines is not None:
        counted = (servers.engines[0].told(), servers.engines[1].told())
    return _summary(system, at_once, latencies, stages, drafter, counted, whole)


async def _standard(query: QueryPipeline, drafter: OpenAIDrafter, question: Question) -> None:
    """Let the large model read the ten best passages of established origins and answer."""
    hits = [
        hit
        for hit in await query.evidence(question.text, tenant_id=question.tenant_id)
        if hit.origin.established
    ][:10]
    if hits:
        seats = tuple(dict.fromkeys(SeatId(str(hit.origin.ref)) for hit in hits))
        subset = EvidenceSubset(index=0, seats=seats, tier=Tier.ESTABLISHED, chunks=tuple(hits))
        await drafter.draft(question, subset)


def _summary(
    system: System,
    at_once: int,
    latencies: Sequence[float],
    stages: Sequence[tuple[float, float]],
    drafter: _TimedDrafter,
    counted: tuple[Counted, Counted],
    whole: float,
) -> Row:
    asked = len(latencies)
    small, large = counted
    taken = list(drafter.taken.values()) or [[0.0]]
    p50, p95, p99 = (float(value) for value in np.percentile(latencies, [50, 95, 99]) * 1e3)
    drafts, verified = zip(*(stages or [(0.0, 0.0)]), strict=True)
    return Row(
        system=system.name,
        at_once=at_once,
        p50=p50,
        p95=p95,
        p99=p99,
        a_second=asked / whole,
        draft=float(np.median(drafts)) * 1e3,
        verify=float(np.median(verified)) * 1e3,
        longest=float(np.median([max(one) for one in taken])) * 1e3,
        summed=float(np.median([sum(one) for one in taken])) * 1e3,
        large_read=large.prompt_tokens / asked,
        large_cached=large.cached_tokens / asked,
        large_written=large.written_tokens / asked,
        large_passes=large.passes / asked,
        cost=(busy(small, SMALL) + PRICE_RATIO * busy(large, LARGE)) / asked,
    )


def busy(counted: Counted, speed: Speed) -> float:
    """Return seconds of work by the stated function: tokens read that were not cached, and written.

    Passes below the floor are counted by their tokens: side by side they share the weights.
    """
    read = counted.prompt_tokens - counted.cached_tokens
    return (read * speed.prefill_ms + counted.written_tokens * speed.decode_ms) / 1e3
