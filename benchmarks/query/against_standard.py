"""Speculative against standard RAG over model servers whose speed is a stated function."""

from __future__ import annotations

import asyncio
import random
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import httpx
import numpy as np

from backends.clock import SystemClock
from backends.embedder_hashing import HashingEmbedder
from backends.llm.endpoint import Endpoint
from backends.llm.openai_drafter import OpenAIDrafter
from backends.llm.openai_verifier import OpenAIVerifier
from backends.memory.vectors import InMemoryVectorStore
from benchmarks.query.model_server import Counted, Speed
from domain.answering import Draft, EvidenceSubset, Question, QuestionId, SeatId
from domain.documents import DEFAULT_TENANT, Tier
from domain.verification import CrossExamination
from evaluation.calibrate import index
from evaluation.calibration.labelled_set import Condition, load_labelled_set
from gateway.query.options import QueryOptions
from gateway.query.pipeline import QueryPipeline
from runtime.settings import Settings

SMALL: Final = Speed(prefill_ms=0.05, floor_ms=10.0, decode_ms=10.0)
LARGE: Final = Speed(prefill_ms=0.2, floor_ms=30.0, decode_ms=30.0)
"""About a model of 7 billion parameters, and one of 40, on one data-centre card each."""

PRICE_RATIO: Final = 5.0
"""What the large model's second costs, in seconds of the small one's."""

_ASKED_AT_ONCE: Final = 4
_AT_EACH: Final = 2
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
    System(name="speculative, off", examination=CrossExamination.OFF),
    System(name="all, no micro-batches", examination=CrossExamination.ALL, batched=False),
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
        begun = time.monotonic()
        try:
            return await self._drafter.draft(question, subset)
        finally:
            self.taken.setdefault(question.id, []).append(time.monotonic() - begun)


@dataclass(frozen=True, slots=True)
class Servers:
    """Where the models are; `counts` False where a server does not tell what it did."""

    small: str
    large: str
    model: str
    counts: bool


@contextmanager
def simulated() -> Iterator[Servers]:
    """Start both servers in processes of their own, and end them."""
    ports = [_free_port(), _free_port()]
    started = [
        subprocess.Popen(  # noqa: S603 - our own module
            [
                sys.executable, "-m", "benchmarks.query.model_server", "--port", str(port),
                "--prefill-ms", str(speed.prefill_ms), "--floor-ms", str(speed.floor_ms),
                "--decode-ms", str(speed.decode_ms),
            ]
        )
        for port, speed in zip(ports, (SMALL, LARGE), strict=True)
    ]  # fmt: skip
    small, large = (f"http://127.0.0.1:{port}/v1" for port in ports)
    try:
        for url in (small, large):
            _await_ready(url)
        yield Servers(small=small, large=large, model="toy", counts=True)
    finally:
        for one in started:
            one.terminate()
        for one in started:
            one.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_ready(url: str) -> None:
    for _ in range(600):
        try:
            if httpx.get(f"{url}/models").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise TimeoutError("the model server did not start")


async def measured(
    servers: Servers, *, count: int, at_once: Sequence[int] = (_ASKED_AT_ONCE,)
) -> list[Row]:
    """Return a row for each system, and for the first two one for each concurrency."""
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
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=200)) as http:
        return [await _row(system, servers, http, vectors, asked, many) for system, many in wanted]


async def _row(
    system: System,
    servers: Servers,
    http: httpx.AsyncClient,
    vectors: InMemoryVectorStore,
    asked: Sequence[Question],
    at_once: int,
) -> Row:
    large = Endpoint(client=http, base_url=servers.large, model=servers.model, concurrency=64)
    small = Endpoint(client=http, base_url=servers.small, model=servers.model, concurrency=64)
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
        calibrators={}, clock=SystemClock(), secret=b"benchmark",
        options=QueryOptions(
            m=5, k=2, cross_examination=system.examination or CrossExamination.OFF
        ),
    )  # fmt: skip
    if servers.counts:
        await _share(http, servers, system)
    stages: list[tuple[float, float]] = []
    latencies: list[float] = []
    turn = asyncio.Semaphore(at_once)

    async def ask(question: Question) -> None:
        async with turn:
            begun = time.monotonic()
            if system.examination is None:
                await _standard(query, standard, question)
            else:
                result = await query.answer(question)
                laps = {one.stage: one.seconds for one in result.timings}
                stages.append((laps.get("draft", 0.0), laps.get("verify", 0.0)))
            latencies.append(time.monotonic() - begun)

    begun = time.monotonic()
    await asyncio.gather(*(ask(question) for question in asked))
    whole = time.monotonic() - begun
    counted = (Counted(), Counted())
    if servers.counts:
        counted = (await _counted(http, servers.small), await _counted(http, servers.large))
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


async def _share(http: httpx.AsyncClient, servers: Servers, system: System) -> None:
    wanted = {"share": system.shared, "share_scored": system.share_scored}
    for url in (servers.small, servers.large):
        await http.post(url.removesuffix("/v1") + "/sharing", json=wanted)
        await _counted(http, url)


async def _counted(http: httpx.AsyncClient, url: str) -> Counted:
    reply = await http.post(url.removesuffix("/v1") + "/counted")
    return Counted(**reply.json())


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
