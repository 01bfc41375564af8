"""Which drafter and verifier, by one setting each, and the calibration that fits them."""

from __future__ import annotations

import contextlib
import random
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx

from defences.answering.calibration_artefact import CalibrationArtefact
from domain.answering import Calibrator, Drafter, PartitionMode, Refiner, Verifier
from domain.clock import Clock
from domain.decomposition import Decomposer
from domain.errors import ConfigurationError, TransientError
from domain.retrieval import ChunkSearch, Embedder, Reranker
from domain.stages import UNOBSERVED, StageObserver
from domain.usage import ModelRole
from domain.verification import LatencyClass
from domain.web import WebEvidence
from gateway.query.evidence_verifier import EvidenceVerifier
from gateway.query.extractive import ExtractiveDrafter
from gateway.query.guarded_topics import GuardedTopic
from gateway.query.multi_hop import RuleDecomposer
from gateway.query.options import QueryOptions
from gateway.query.pipeline import QueryPipeline
from gateway.query.routing import Routing
from gateway.query.sentence_vectors import SentenceVectors
from gateway.query.stages import Stages
from runtime.model_sections import EndpointSettings, LocalModelSettings
from runtime.settings import Settings

if TYPE_CHECKING:
    from backends.llm.endpoint import Endpoint
    from backends.llm.local import LocalModel

_VERIFIER_CALLS: Final = 8
"""Calls of the verifier's endpoint at once; each carries up to 16 prompts."""

SHIPPED_ARTEFACTS: Final = Path(__file__).parent / "artefacts"
"""Calibrations of the embedded default, made by `mithridate calibrate fit`."""


async def build_query(
    settings: Settings,
    *,
    embedder: Embedder,
    vectors: ChunkSearch,
    clock: Clock,
    secret: bytes,
    http: httpx.AsyncClient,
    calibrators: Mapping[str, Calibrator] | None = None,
    web: WebEvidence | None = None,
    stages: Stages | None = None,
    batches: StageObserver = UNOBSERVED,
) -> QueryPipeline:
    """Build the question path.

    Args:
        settings: The configuration in force.
        embedder: Of questions and answers; the one that made the index.
        vectors: Where admitted chunks are.
        clock: For timings and the day of the partition's key.
        secret: Of this installation.
        http: For model endpoints.
        calibrators: By configuration; None reads the shipped or configured artefacts.
        web: Asked where the documents do not answer; None: nobody.
        stages: What judges drafts; None: all there is. For measuring what a part is worth.
        batches: Is told of the verifier's batches.

    Raises:
        ConfigurationError: An artefact is malformed, or an endpoint is not fully set.
    """
    answering = settings.answering
    # One cache for all three: the verifier reads the sentences that the drafter read, and the
    # drafter the question that the pipeline embedded.
    sentences = SentenceVectors.over(embedder)
    return QueryPipeline(
        embedder=sentences,
        vectors=vectors,
        drafter=build_drafter(settings, embedder=sentences, http=http),
        verifier=await build_verifier(settings, embedder=sentences, http=http, batches=batches),
        large_model=build_large_model(settings, http=http),
        refiner=build_refiner(settings, http=http),
        calibrators=load_calibrators(answering.calibration_path or SHIPPED_ARTEFACTS)
        if calibrators is None
        else calibrators,
        clock=clock,
        secret=secret,
        reranker=build_reranker(settings, http=http),
        web=web,
        stages=stages,
        routing=build_routing(settings, embedder=sentences),
        options=query_options(settings),
    )


def query_options(settings: Settings) -> QueryOptions:
    """Return how questions are answered by these settings."""
    answering = settings.answering
    return QueryOptions(
        m=answering.m,
        k=answering.k,
        established_limit=settings.retrieval.established_limit,
        pool_limit=settings.retrieval.pool_limit,
        per_origin=settings.retrieval.per_origin,
        min_trust=settings.retrieval.min_trust,
        lift_bound=answering.lift_bound,
        cross_examination=answering.cross_examination,
        cross_examinations=answering.cross_examinations,
        partition=PartitionMode(answering.partition),
        plain_seat=answering.plain_seat,
        min_tolerance=settings.guard.min_tolerance,
        topics=guarded_topics(settings),
        tau=settings.guard.tau,
        agreement_floor=settings.guard.agreement_floor,
        pool_alone=settings.guard.pool_alone,
        timeout_seconds=answering.timeout_seconds,
        deadlines={
            each: answering.latency.of(each).deadline_seconds or answering.timeout_seconds
            for each in LatencyClass
        },
    )


def guarded_topics(settings: Settings) -> tuple[GuardedTopic, ...]:
    """Return the topics that require a tolerance.

    Raises:
        ConfigurationError: A phrase of one has no content word.
    """
    try:
        return tuple(
            GuardedTopic(name=one.name, about=one.about, min_tolerance=one.min_tolerance)
            for one in settings.guard.topics
        )
    except ValueError as exc:
        raise ConfigurationError(f"guard.topics: {exc}") from exc


def build_decomposer(settings: Settings, *, http: httpx.AsyncClient) -> Decomposer | None:
    """Build what splits questions that need several answers; None where it is off.

    Raises:
        ConfigurationError: The verifier's endpoint is not fully set.
    """
    if settings.answering.multi_hop == "off":
        return None
    if settings.answering.multi_hop == "rules" or settings.verifier.backend != "openai":
        return RuleDecomposer()
    from backends.llm.openai_decomposer import OpenAIDecomposer

    endpoint = _large_endpoint(settings, http)
    return RuleDecomposer(OpenAIDecomposer(endpoint))


def model_urls(settings: Settings) -> Mapping[str, tuple[str, ...]]:
    """Return the servers of each part that is an endpoint."""
    parts = {
        "embedder": (settings.embedder.backend, settings.embedder.endpoint),
        "drafter": (settings.drafter.backend, settings.drafter.endpoint),
        "verifier": (settings.verifier.backend, settings.verifier.endpoint),
        "reranker": (settings.reranker.backend, settings.reranker.endpoint),
    }
    return {
        role: tuple(dict.fromkeys((endpoint.url, *endpoint.more_urls)))
        for role, (backend, endpoint) in parts.items()
        if backend in {"openai", "http"} and endpoint.url is not None
    }


def load_calibrators(path: Path) -> Mapping[str, Calibrator]:
    """Read one artefact, or every `*.json` of a folder, by configuration.

    Raises:
        ConfigurationError: A file is not an artefact, or two are for one configuration.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    found: dict[str, Calibrator] = {}
    for file in files:
        try:
            artefact = CalibrationArtefact.from_json(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as exc:
            raise ConfigurationError(f"calibration {str(file)!r} cannot be read") from exc
        if artefact.configuration in found:
            raise ConfigurationError(f"{str(file)!r}: a second artefact for one configuration")
        found[artefact.configuration] = artefact.calibrator()
    return found


def short_ways(settings: Settings) -> bool:
    """Whether questions may go a short way.

    To see whether seats read alike costs what an extractive draft costs, so that short ways save
    nothing where that is the drafter.
    """
    chosen = settings.answering.routes
    return chosen == "on" or (chosen == "auto" and settings.drafter.backend != "extractive")


def build_routing(settings: Settings, *, embedder: Embedder) -> Routing | None:
    """Build what chooses the way of a question; None where all go the long one."""
    if not short_ways(settings):
        return None
    return Routing(reader=ExtractiveDrafter(embedder), watch_share=settings.answering.watch_share)


def build_refiner(settings: Settings, *, http: httpx.AsyncClient) -> Refiner | None:
    """Build what says an answer in one, of the verifier's endpoint; None where it is off.

    Raises:
        ConfigurationError: It is on, and the verifier is no endpoint.
    """
    if not settings.answering.refine:
        return None
    if settings.verifier.backend != "openai":
        raise ConfigurationError("answering.refine needs verifier.backend 'openai'")
    from backends.llm.openai_refiner import OpenAIRefiner

    endpoint = _large_endpoint(settings, http)
    return OpenAIRefiner(endpoint, fences=_fence)


def build_large_model(settings: Settings, *, http: httpx.AsyncClient) -> Drafter | None:
    """Build what drafts where the seats' own drafts did not settle it: the verifier's model.

    None where the verifier is no endpoint, or `answering.full_rag` is off.

    Raises:
        ConfigurationError: The endpoint is not fully set.
    """
    if not settings.answering.full_rag or settings.verifier.backend != "openai":
        return None
    from backends.llm.openai_drafter import OpenAIDrafter

    endpoint = _large_endpoint(settings, http)
    return OpenAIDrafter(endpoint, fences=_fence)


def build_drafter(settings: Settings, *, embedder: Embedder, http: httpx.AsyncClient) -> Drafter:
    """Build the drafter of the setting `drafter.backend`.

    Raises:
        ConfigurationError: An endpoint or model is not fully set, or the model not what is pinned.
    """
    chosen = settings.drafter
    if chosen.backend == "openai":
        from backends.llm.openai_drafter import OpenAIDrafter

        endpoint = build_endpoint(
            "drafter", chosen.endpoint, http, concurrency=chosen.concurrency, role=ModelRole.DRAFTER
        )
        return OpenAIDrafter(endpoint, fences=_fence)
    if chosen.backend == "local":
        from backends.llm.local import LocalDrafter

        return LocalDrafter(_local_model("drafter", chosen.local), fences=_fence)
    return ExtractiveDrafter(embedder)


def build_reranker(settings: Settings, *, http: httpx.AsyncClient) -> Reranker | None:
    """Build the reranker of the setting `reranker.backend`; None where there is none.

    Raises:
        ConfigurationError: The endpoint is not fully set.
    """
    chosen = settings.reranker
    if chosen.backend == "none":
        return None
    from backends.llm.reranker import HttpReranker

    return HttpReranker(
        build_endpoint(
            "reranker", chosen.endpoint, http, concurrency=_VERIFIER_CALLS, role=ModelRole.RERANKER
        )
    )


async def build_verifier(
    settings: Settings,
    *,
    embedder: Embedder,
    http: httpx.AsyncClient,
    batches: StageObserver = UNOBSERVED,
) -> Verifier:
    """Build the verifier of the setting `verifier.backend`, probed where it is a language model.

    An endpoint that does not answer yet is probed at the first question instead: a model server
    takes minutes to start, and documents can be taken in without it.

    Raises:
        ConfigurationError: An endpoint or model is not fully set, or the model not what is pinned.
        PermanentError: The model gives nothing that a verifier can go by.
    """
    chosen = settings.verifier
    if chosen.backend == "openai":
        from backends.llm.openai_verifier import OpenAIVerifier

        endpoint = build_endpoint(
            "verifier", chosen.endpoint, http, concurrency=_VERIFIER_CALLS, role=ModelRole.VERIFIER
        )
        verifier = OpenAIVerifier(
            endpoint,
            fences=_fence,
            shuffler=random.SystemRandom(),
            batch_seconds=chosen.batch_milliseconds / 1000.0,
            batch_jobs=chosen.batch_jobs,
            batches=batches,
        )
        with contextlib.suppress(TransientError):
            await verifier.probe()
        return verifier
    if chosen.backend == "local":
        from backends.llm.local import LocalVerifier

        local = LocalVerifier(_local_model("verifier", chosen.local), fences=_fence)
        await local.probe()
        return local
    return EvidenceVerifier(embedder)


def _large_endpoint(settings: Settings, http: httpx.AsyncClient) -> Endpoint:
    """Return the verifier's model, where it writes."""
    chosen = settings.verifier.endpoint
    return build_endpoint(
        "verifier", chosen, http, concurrency=_VERIFIER_CALLS, role=ModelRole.LARGE
    )


def build_endpoint(
    section: str,
    chosen: EndpointSettings,
    http: httpx.AsyncClient,
    *,
    concurrency: int,
    role: ModelRole,
) -> Endpoint:
    """Build the calls of a model's servers; `section` is the settings', for errors.

    Raises:
        ConfigurationError: `chosen` lacks an address or a model.
    """
    if chosen.url is None or chosen.model is None:
        raise ConfigurationError(
            f"{section}.backend is 'openai': set {section}.endpoint.url (with /v1) and "
            f"{section}.endpoint.model"
        )
    from backends.llm.endpoint import Endpoint

    return Endpoint(
        client=http,
        base_url=chosen.url,
        model=chosen.model,
        role=role,
        more_urls=chosen.more_urls,
        api_key=chosen.api_key,
        timeout_seconds=chosen.timeout_seconds,
        connect_seconds=chosen.connect_seconds,
        concurrency=concurrency,
    )


def _local_model(section: str, chosen: LocalModelSettings) -> LocalModel:
    if chosen.path is None or chosen.sha256 is None:
        raise ConfigurationError(
            f"{section}.backend is 'local': set {section}.local.path and {section}.local.sha256"
        )
    from backends.llm.llama import load_llama

    return load_llama(chosen.path, sha256=chosen.sha256, context_tokens=chosen.context_tokens)


def _fence() -> str:
    return secrets.token_hex(8)
