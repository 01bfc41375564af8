"""Our own processor time a question over a large index, and the recall of that index.

Measured twice: with drafter and verifier served by model servers (processes of their own, whose time
is a model's), and of the embedded default, where drafting and verifying are in it. What the embedder
takes, of questions and of sentences, is taken off: it is a model's. Threads of LanceDB are counted in.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import socket
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import lancedb
import numpy as np
from numpy.typing import NDArray

from backends.clock import SystemClock
from backends.embedder_onnx import SHIPPED_MANIFEST_SHA256, OnnxEmbedder
from backends.llm.endpoint import Endpoint
from backends.llm.openai_drafter import OpenAIDrafter
from backends.llm.openai_verifier import OpenAIVerifier
from backends.vectors_lancedb import LanceDBVectorStore
from benchmarks.query.against_standard import Passing
from benchmarks.query.large_index import build
from domain.answering import Drafter, Question, QuestionId, Verifier
from domain.documents import DEFAULT_TENANT
from domain.retrieval import Embedder
from domain.stages import StageReport
from domain.usage import ModelRole
from domain.verification import CrossExamination
from evaluation.calibration.labelled_set import Condition, LabelledSet, load_labelled_set
from gateway.query.evidence_verifier import EvidenceVerifier
from gateway.query.extractive import ExtractiveDrafter
from gateway.query.options import QueryOptions
from gateway.query.pipeline import QueryPipeline
from gateway.query.sentence_vectors import SentenceVectors
from gateway.query.stages import Stages
from runtime.heap import settled_heap

PROBED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """CPU milliseconds of one stage: of a question asked first, and asked again."""

    stage: str
    cold: tuple[float, float]
    warm: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Share of the exact ten best that the index ranks among its ten best; the least of a question.

    Attributes:
        searched_ms: CPU of a search for ten without keywords, their rows read too.
        exact_ms: CPU of LanceDB's ranking by all vectors of the table, rows not read.
    """

    side: str
    rows: int
    mean: float
    least: float
    searched_ms: float
    exact_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTime:
    """Attributes as follows.

    Attributes:
        copied_seconds: CPU of making the copies that searches read.
        held_bytes: Of those copies.
        served: By cross-examination, with models served elsewhere.
        spent: Of the embedded default.
    """

    chunks: int
    questions: int
    copied_seconds: float
    held_bytes: int
    served: dict[CrossExamination, tuple[Spent, ...]]
    spent: tuple[Spent, ...]
    recall: tuple[Recall, ...]


class _Metered:
    """An embedder that notes its own processor time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.seconds = 0.0

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def version(self) -> str:
        return self._embedder.version

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        begun = time.process_time()
        try:
            return await self._embedder.embed(texts)
        finally:
            self.seconds += time.process_time() - begun


@dataclass(slots=True, kw_only=True)
class _Laps:
    """A `StageObserver` that notes the processor time of each stage, without the model's."""

    embedder: _Metered
    spent: dict[str, float] = field(default_factory=dict)
    _last: float = 0.0

    def begin(self) -> None:
        self.spent = {}
        self._last = self._now()

    def reached(self, report: StageReport) -> None:
        now = self._now()
        self.spent[report.stage] = self.spent.get(report.stage, 0.0) + now - self._last
        self._last = now

    def _now(self) -> float:
        return time.process_time() - self.embedder.seconds


async def own_time(folder: Path, *, chunks: int, count: int) -> OwnTime:
    """Ask `count` questions of the labelled set twice over an index of `chunks` made-up chunks."""
    labelled = load_labelled_set()
    embedder = _Metered(OnnxEmbedder(manifest_sha256=SHIPPED_MANIFEST_SHA256, threads=1))
    store = await build(folder, labelled.documents, chunks=chunks, embedder=embedder)
    asked = _questions(labelled, count)
    begun = time.process_time()
    held = await store.copy_into_memory(tenant_id=DEFAULT_TENANT)
    copied = time.process_time() - begun
    recall = [
        await _recall(folder, store, embedder, asked, established=side) for side in (True, False)
    ]
    bench = _Bench(
        store=store, embedder=embedder, asked=asked, spare=_questions(labelled, count + 1)[-1]
    )
    with settled_heap():  # as `mithridate serve` has it
        served = await _served(bench)
        vectors = SentenceVectors(embedder)
        spent = await bench.spent(
            ExtractiveDrafter(vectors), EvidenceVerifier(vectors), QueryOptions(), Stages(), vectors
        )
    return OwnTime(
        chunks=chunks,
        questions=len(asked),
        copied_seconds=copied,
        held_bytes=held,
        served=served,
        spent=spent,
        recall=tuple(recall),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """What all systems are asked, and over what; `spare` is asked first and not counted."""

    store: LanceDBVectorStore
    embedder: _Metered
    asked: Sequence[Question]
    spare: Question

    async def spent(
        self,
        drafter: Drafter,
        verifier: Verifier,
        options: QueryOptions,
        stages: Stages,
        vectors: SentenceVectors | None = None,
    ) -> tuple[Spent, ...]:
        """Ask everything twice; return each stage and the whole, the last."""
        query = QueryPipeline(
            embedder=vectors or SentenceVectors(self.embedder), vectors=self.store, drafter=drafter,
            verifier=verifier, calibrators={}, clock=SystemClock(), secret=b"benchmark",
            options=options, stages=stages,
        )  # fmt: skip
        await query.answer(self.spare)  # opens tables and connections, reads the models
        laps = _Laps(embedder=self.embedder)
        passes: list[list[dict[str, float]]] = []
        for _ in range(2):
            passes.append([])
            for question in self.asked:
                laps.begin()
                await query.answer(question, observer=laps)
                passes[-1].append(dict(laps.spent))
        names = list(dict.fromkeys(stage for one in passes[0] for stage in one))
        return (
            *(_spent(stage, passes, [stage]) for stage in names),
            _spent("whole question", passes, names),
        )


async def _served(bench: _Bench) -> dict[CrossExamination, tuple[Spent, ...]]:
    served = {}
    async with _model_server() as url, httpx.AsyncClient() as http:
        for examination in (CrossExamination.OWN, CrossExamination.ALL):
            drafter, verifier = await _clients(http, url)
            served[examination] = await bench.spent(
                drafter,
                verifier,
                QueryOptions(cross_examination=examination),
                Stages(guard=Passing),
            )
    return served


async def _clients(http: httpx.AsyncClient, url: str) -> tuple[OpenAIDrafter, OpenAIVerifier]:
    drafting, verifying = (
        Endpoint(client=http, base_url=url, model="toy", role=role)
        for role in (ModelRole.DRAFTER, ModelRole.VERIFIER)
    )
    shuffler = random.Random(7)  # noqa: S311 - not a secret
    verifier = OpenAIVerifier(verifying, fences=lambda: secrets.token_hex(8), shuffler=shuffler)
    await verifier.probe()
    return OpenAIDrafter(drafting, fences=lambda: secrets.token_hex(8)), verifier


@asynccontextmanager
async def _model_server() -> AsyncIterator[str]:
    """Run a model server in a process of its own; how long it takes is no matter here."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    speed = ("--prefill-ms", "0", "--floor-ms", "0", "--decode-ms", "0")
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.query.model_server", "--port", str(port), *speed
    )
    try:
        async with httpx.AsyncClient() as http:
            url = f"http://127.0.0.1:{port}/v1"
            while server.returncode is None:
                with contextlib.suppress(httpx.TransportError):
                    await http.get(f"{url}/models")
                    break
                await asyncio.sleep(0.1)
        yield url
    finally:
        server.terminate()
        await server.wait()


def _questions(labelled: LabelledSet, count: int) -> list[Question]:
    return [
        Question(id=QuestionId(one.id), tenant_id=DEFAULT_TENANT, text=one.question)
        for one in labelled.questions
        if one.condition in {Condition.TWO_SEATS, Condition.THREE_SEATS}
    ][:count]


def _spent(stage: str, passes: list[list[dict[str, float]]], stages: Sequence[str]) -> Spent:
    cold, warm = (
        np.percentile([1e3 * sum(one.get(each, 0.0) for each in stages) for one in made], [50, 95])
        for made in passes
    )
    return Spent(
        stage=stage,
        cold=(float(cold[0]), float(cold[1])),
        warm=(float(warm[0]), float(warm[1])),
    )


async def _recall(
    folder: Path,
    store: LanceDBVectorStore,
    embedder: Embedder,
    asked: Sequence[Question],
    *,
    established: bool,
) -> Recall:
    """Hold a search without keywords against all vectors of its side."""
    side = "established" if established else "pool"
    connection = await lancedb.connect_async(str(folder))
    (name,) = [one for one in (await connection.list_tables()).tables if one.startswith(side)]
    table = await connection.open_table(name)
    rows = await table.query().select(["chunk_id", "vector"]).to_arrow()
    held = np.stack(rows.column("vector").to_numpy(zero_copy_only=False))
    ids = rows.column("chunk_id").to_pylist()
    shares: list[float] = []
    searched = exact = 0.0
    for vector in await embedder.embed([question.text for question in asked]):
        cosines = held @ vector
        least = np.sort(cosines)[-PROBED]
        best = {ids[at] for at in np.flatnonzero(cosines >= least - 1e-6)}  # ties: any of them
        begun = time.process_time()
        found = await store.search(
            vector, "", tenant_id=DEFAULT_TENANT, established=established, limit=PROBED,
            per_origin=PROBED,
        )  # fmt: skip
        searched += time.process_time() - begun
        shares.append(sum(hit.chunk.id in best for hit in found) / PROBED)
        begun = time.process_time()
        ranking = table.query().nearest_to(vector).distance_type("dot").bypass_vector_index()
        await ranking.limit(PROBED).select(["chunk_id", "_distance"]).to_arrow()
        exact += time.process_time() - begun
    return Recall(
        side=side,
        rows=len(ids),
        mean=float(np.mean(shares)),
        least=min(shares),
        searched_ms=1e3 * searched / len(asked),
        exact_ms=1e3 * exact / len(asked),
    )
