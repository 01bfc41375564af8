"""Fits and reports the calibration of the configuration in force (Law 12).

The whole question path runs over a labelled set, in memory and without calibration; what the guard
would compare, the score of the group it would answer with, is labelled right or wrong, one label a
question. `mithridate calibrate fit` writes the artefacts, `calibrate report` shows how the ones in
force do on the split that no curve was fitted to.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

import httpx
import numpy as np
from numpy.typing import NDArray

from backends.clock import SystemClock
from backends.memory.vectors import InMemoryVectorStore
from defences.answering.calibration import (
    CalibrationError,
    ReliabilityBin,
    brier_score,
    calibration_error,
    reliability,
)
from defences.answering.calibration_artefact import CalibrationArtefact, Labels, fit_artefact
from defences.answering.calibration_drift import canary_fault
from defences.trust.policy import WeightedTrustPolicy
from domain.answering import AnswerResult, Calibrator, Outcome, PartitionMode, Question, QuestionId
from domain.documents import (
    DEFAULT_TENANT,
    Document,
    DocumentId,
    MetadataField,
    Origin,
    Provenance,
)
from domain.retrieval import Embedder, FamilyId, VectorRecord, VectorStore
from evaluation.calibration.labelled_set import (
    LabelledDocument,
    LabelledQuestion,
    LabelledSet,
    Split,
    is_right,
    load_labelled_set,
)
from evaluation.clean_report import clean_report
from gateway.query.pipeline import QueryPipeline
from ingest.admission import embedded_text
from ingest.chunking import chunk
from ingest.normalise import build_document
from ingest.parsers.inline import InlineParser
from runtime.answering import SHIPPED_ARTEFACTS, build_query, load_calibrators, short_ways
from runtime.scanning import build_policy
from runtime.settings import Settings
from runtime.storage import build_embedder

PRECISION: Final = 0.9
"""Share that must be right among what is answered: the promise of tau."""

_SECRET: Final = sha256(b"calibration").digest()
"""Fixed, so that a fit can be repeated: who shares a subset must not change between runs."""

_EMBED_BATCH: Final = 64

Progress = Callable[[int, int], None]
"""Called with questions done and questions in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledScore:
    """What the guard would have compared for one question; None where no draft stands."""

    question: LabelledQuestion
    score: float
    right: bool
    confidence: float
    outcome: Outcome
    configuration: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport:
    """How the calibration in force does on the questions of the tau split, which no curve has seen.

    Attributes:
        labels: Questions with an answer to label, of `questions` asked.
        answered, right: With outcome `answer`, `answer-with-warning` or `escalated`.
        brier_before, ece_before, bins_before: Of the group scores as they are, for comparison.
    """

    configuration: str
    version: str | None
    tau: float
    questions: int
    labels: int
    answered: int
    right: int
    brier: float
    ece: float
    bins: tuple[ReliabilityBin, ...]
    brier_before: float
    ece_before: float
    bins_before: tuple[ReliabilityBin, ...]


def fit(
    settings: Settings,
    *,
    out: Path,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> tuple[tuple[Path, CalibrationArtefact], ...]:
    """Fit one artefact a partition mode, and one a short way where those are on, into `out`.

    A short way that too few questions take, or take rightly and wrongly, is left without: it is
    then not taken where the long one is calibrated.

    Raises:
        InputError: The labelled set is malformed, or has too few labels.
    """
    return asyncio.run(_fit(settings, out, load_labelled_set(directory), progress))


def report(
    settings: Settings, *, directory: Path | None = None, progress: Progress | None = None
) -> CalibrationReport:
    """Ask the tau split under the calibration in force."""
    return asyncio.run(_report(settings, load_labelled_set(directory), progress))


async def _fit(
    settings: Settings, out: Path, labelled: LabelledSet, progress: Progress | None
) -> tuple[tuple[Path, CalibrationArtefact], ...]:
    written: list[tuple[Path, CalibrationArtefact]] = []
    long_only = _routed(settings, "off")
    in_force = load_calibrators(settings.answering.calibration_path or SHIPPED_ARTEFACTS)
    async with httpx.AsyncClient() as http:
        for mode in (PartitionMode.ISOLATED, PartitionMode.NO_PROVENANCE):
            query = await _prepared(long_only, labelled, http, mode=mode, calibrators={})
            by_split = {
                split: _labels(await ask(query, labelled.in_split(split), progress))
                for split in Split
            }
            artefact = fit_artefact(
                fit=by_split[Split.FIT],
                held_out=by_split[Split.TEST],
                tau_split=by_split[Split.TAU],
                configuration=query.configuration(
                    mode, m=settings.answering.m, k=settings.answering.k
                ),
                precision=PRECISION,
            )
            refuse_worse(artefact, in_force, by_split[Split.TEST])
            written.append((out / f"{mode.value}.json", artefact))
        if short_ways(settings):
            written += await _fit_short_ways(settings, out, labelled, http, progress)
    for path, artefact in written:
        path.write_text(artefact.to_json(), encoding="utf-8")
    return tuple(written)


def refuse_worse(
    artefact: CalibrationArtefact, in_force: Mapping[str, Calibrator], canaries: Labels
) -> None:
    """Hold a refit against what serves the same configuration, on labels that chose the kind of calibrator at most.

    Raises:
        CalibrationError: Its Brier score or the share right among answered is worse.
    """
    before = in_force.get(artefact.configuration)
    if before is None:
        return
    fault = canary_fault(
        before.predict(canaries.scores),
        artefact.calibrator().predict(canaries.scores),
        canaries.right,
        tau_before=before.tau,
        tau_after=artefact.tau,
    )
    if fault is not None:
        raise CalibrationError(f"the refit is worse than what is in force: {fault}")


async def _fit_short_ways(
    settings: Settings,
    out: Path,
    labelled: LabelledSet,
    http: httpx.AsyncClient,
    progress: Progress | None,
) -> list[tuple[Path, CalibrationArtefact]]:
    """Ask with short ways open and nothing calibrated, so that each question takes its own."""
    query = await _prepared(
        _routed(settings, "on"), labelled, http, mode=PartitionMode.ISOLATED, calibrators={}
    )
    asked = {split: await ask(query, labelled.in_split(split), progress) for split in Split}
    m, k = settings.answering.m, settings.answering.k
    long = query.configuration(PartitionMode.ISOLATED, m=m, k=k)
    others = {one.configuration for scores in asked.values() for one in scores} - {long}
    fitted = []
    for number, configuration in enumerate(sorted(others)):
        taken = {
            split: _labels([one for one in scores if one.configuration == configuration])
            for split, scores in asked.items()
        }
        with contextlib.suppress(CalibrationError):
            artefact = fit_artefact(
                fit=taken[Split.FIT],
                held_out=taken[Split.TEST],
                tau_split=taken[Split.TAU],
                configuration=configuration,
                precision=PRECISION,
            )
            fitted.append((out / f"isolated-way-{number}.json", artefact))
    return fitted


def _routed(settings: Settings, routes: Literal["on", "off"]) -> Settings:
    answering = settings.answering.model_copy(update={"routes": routes, "watch_share": 0.0})
    return settings.model_copy(update={"answering": answering})


async def _report(
    settings: Settings, labelled: LabelledSet, progress: Progress | None
) -> CalibrationReport:
    async with httpx.AsyncClient() as http:
        calibrators: Mapping[str, Calibrator] | None = None
        query = await _prepared(
            settings, labelled, http, mode=PartitionMode.ISOLATED, calibrators=calibrators
        )
        asked = labelled.in_split(Split.TAU)
        scores = await ask(query, asked, progress)
    configuration = query.configuration(
        PartitionMode.ISOLATED, m=settings.answering.m, k=settings.answering.k
    )
    calibrator = query.calibrator(configuration)
    confidences = np.array([score.confidence for score in scores])
    raw = np.array([score.score for score in scores])
    right = np.array([score.right for score in scores], dtype=np.bool_)
    answered = [score for score in scores if score.outcome is not Outcome.ABSTAIN]
    return CalibrationReport(
        configuration=configuration,
        version=calibrator.version if calibrator else None,
        tau=query.tau(calibrator),
        questions=len(asked),
        labels=len(scores),
        answered=len(answered),
        right=sum(score.right for score in answered),
        brier=brier_score(confidences, right),
        ece=calibration_error(confidences, right),
        bins=tuple(reliability(confidences, right)),
        brier_before=brier_score(raw, right),
        ece_before=calibration_error(raw, right),
        bins_before=tuple(reliability(raw, right)),
    )


async def _prepared(
    settings: Settings,
    labelled: LabelledSet,
    http: httpx.AsyncClient,
    *,
    mode: PartitionMode,
    calibrators: Mapping[str, Calibrator] | None,
) -> QueryPipeline:
    embedder = build_embedder(settings.embedder, http)
    vectors = InMemoryVectorStore()
    await index(
        labelled.documents,
        embedder=embedder,
        vectors=vectors,
        settings=settings,
        provenance=mode is PartitionMode.ISOLATED,
    )
    return await build_query(
        settings,
        embedder=embedder,
        vectors=vectors,
        clock=SystemClock(),
        secret=_SECRET,
        http=http,
        calibrators=calibrators,
    )


async def index(
    documents: Sequence[LabelledDocument],
    *,
    embedder: Embedder,
    vectors: VectorStore,
    settings: Settings,
    provenance: bool = True,
) -> None:
    """Index documents as if admitted without a finding; `provenance` False: all in the pool."""
    policy = build_policy(settings)
    parser = InlineParser(max_text_chars=settings.ingest.parser.max_text_chars)
    for labelled in documents:
        parsed = await parser.parse(
            labelled.text.encode(), claimed_media_type=labelled.media_type, file_name=None
        )
        document = build_document(
            parsed,
            id=DocumentId(labelled.id),
            tenant_id=DEFAULT_TENANT,
            sha256=sha256(labelled.text.encode()).hexdigest(),
            provenance=_provenance(labelled, provenance=provenance),
            metadata=(MetadataField(name="title", value=labelled.title),),
        )
        await _index_one(document, labelled, policy, embedder, vectors, settings)


async def _index_one(
    document: Document,
    labelled: LabelledDocument,
    policy: WeightedTrustPolicy,
    embedder: Embedder,
    vectors: VectorStore,
    settings: Settings,
) -> None:
    chunks = chunk(
        document,
        words=settings.ingest.chunk_words,
        overlap_words=settings.ingest.chunk_overlap_words,
        mentions=(),
    )
    clean = clean_report(document.id, policy)
    trust = policy.assess(clean, document.provenance, now=document.provenance.received_at).score
    embedded = await embedder.embed([embedded_text(c.heading, c.text) for c in chunks])
    await vectors.upsert(
        [
            VectorRecord(
                chunk=piece,
                tenant_id=DEFAULT_TENANT,
                origin=document.provenance.origin,
                family_id=FamilyId(document.id),
                vector=vector,
                trust=trust,
                admitted_at=document.provenance.received_at,
                title=labelled.title,
            )
            for piece, vector in zip(chunks, embedded, strict=True)
        ]
    )


def _provenance(labelled: LabelledDocument, *, provenance: bool) -> Provenance:
    published = labelled.published
    return Provenance(
        origin=Origin(
            kind=labelled.kind,
            id=labelled.origin,
            established=labelled.established and provenance,
        ),
        claimed_uri=None,
        received_at=datetime(published.year, published.month, published.day, tzinfo=UTC),
    )


async def ask(
    query: QueryPipeline, questions: Sequence[LabelledQuestion], progress: Progress | None
) -> list[LabelledScore]:
    """Ask every question; return those for which some draft stands, so that there is a label."""
    scores: list[LabelledScore] = []
    for done, labelled in enumerate(questions, start=1):
        result = await query.answer(
            Question(id=QuestionId(labelled.id), tenant_id=DEFAULT_TENANT, text=labelled.question)
        )
        score = _score(labelled, result)
        if score is not None:
            scores.append(score)
        if progress is not None:
            progress(done, len(questions))
    return scores


def _score(labelled: LabelledQuestion, result: AnswerResult) -> LabelledScore | None:
    best = result.best
    if best is None:
        return None
    return LabelledScore(
        question=labelled,
        score=best.score,
        right=is_right(best.answer, labelled),
        confidence=best.confidence,
        outcome=result.outcome,
        configuration=result.configuration,
    )


def _labels(scores: Sequence[LabelledScore]) -> Labels:
    values: NDArray[np.float64] = np.array([score.score for score in scores], dtype=np.float64)
    return Labels(scores=values, right=np.array([s.right for s in scores], dtype=np.bool_))
