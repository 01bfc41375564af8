"""What a run drafts, verifies and embeds with, and the systems made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

import httpx

from domain.answering import PartitionMode
from domain.scanning import Detector
from evaluation.redteam.engine import fold_of
from evaluation.redteam.figures import OURS
from evaluation.redteam.judging import MODEL_WORDS, SENTENCE_WORDS
from evaluation.redteam.kept import Keep, KeptDrafter, KeptEmbedder
from evaluation.redteam.rows import Row
from evaluation.redteam.systems.filters import RagDefender, TrustRag
from evaluation.redteam.systems.gateway import DECOMPOSED, Mithridate, Models, Part
from evaluation.redteam.systems.peers import (
    MajorityVote,
    NoRetrieval,
    RobustRag,
    SpeculativeRag,
    StandardRag,
)
from evaluation.redteam.systems.reply import System
from evaluation.redteam.world import NOW, World
from gateway.query.sentence_vectors import SentenceVectors
from runtime.answering import (
    SHIPPED_ARTEFACTS,
    build_drafter,
    build_verifier,
    load_calibrators,
    query_options,
)
from runtime.scanning import build_detectors
from runtime.settings import Settings
from runtime.storage import build_embedder

_TEXTS_KEPT: Final = 200_000
"""Texts of a run that are embedded once; at 1.5 kB each, 300 MB."""

_PREFIX: Final = "mithridate-without-"

Thresholds = Mapping[tuple[str, bool, int], float | None]


async def build_models(
    settings: Settings, http: httpx.AsyncClient, *, keep: Path | None = None
) -> Models:
    """Build the models of the settings; every text is embedded once a run.

    With a `keep` no text is embedded and no draft made that some run has there.
    """
    embedder = build_embedder(settings.embedder, http)
    kept = Keep(keep) if keep is not None else None
    if kept is not None:
        embedder = KeptEmbedder(embedder, kept)
    sentences = SentenceVectors(embedder, capacity=_TEXTS_KEPT)
    drafter = build_drafter(settings, embedder=sentences, http=http)
    return Models(
        embedder=sentences,
        drafter=KeptDrafter(drafter, kept) if kept is not None else drafter,
        verifier=await build_verifier(settings, embedder=sentences, http=http),
        calibrators=load_calibrators(settings.answering.calibration_path or SHIPPED_ARTEFACTS),
        options=query_options(settings),
    )


def scanning_detectors(settings: Settings) -> Sequence[Detector]:
    """Build the shipped detectors, which look at the world of the run's day."""

    def as_of() -> date:
        return NOW.date()

    return build_detectors(as_of=as_of, ingest=settings.ingest)


def words_of(settings: Settings) -> int:
    """Return how long an answer may be to be right."""
    return SENTENCE_WORDS if settings.drafter.backend == "extractive" else MODEL_WORDS


def is_ours(name: str) -> bool:
    """Whether a system has a threshold."""
    return name.startswith(OURS)


def with_thresholds(systems: Sequence[str]) -> tuple[str, ...]:
    """Return the systems whose thresholds a run of these needs."""
    ours = [OURS if name == DECOMPOSED else name for name in systems if is_ours(name)]
    return tuple(dict.fromkeys(ours))


def build_systems(names: Sequence[str], models: Models, thresholds: Thresholds) -> list[System]:
    """Build systems by name; `thresholds` of ours that are not in it let everything pass."""
    return [_build(name, models, thresholds) for name in names]


def _build(name: str, models: Models, thresholds: Thresholds) -> System:
    if is_ours(name):
        # Hops are held against the threshold of the whole, as in the product.
        fitted = OURS if name == DECOMPOSED else name

        def threshold(row: Row, world: World) -> float | None:
            return thresholds.get((fitted, world.withheld, fold_of(row)), 0.0)

        without = Part(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else None
        return Mithridate(
            models,
            threshold=threshold,
            without=without,
            no_provenance=name == "mithridate-no-provenance",
            decomposed=name == DECOMPOSED,
        )
    if name == "speculative-rag-random":
        return SpeculativeRag(models, mode=PartitionMode.RANDOM)
    return _PEERS[name](models)


_PEERS: Final[Mapping[str, Callable[[Models], System]]] = {
    "standard-rag": StandardRag,
    "speculative-rag": SpeculativeRag,
    "no-retrieval": NoRetrieval,
    "majority-vote": MajorityVote,
    "robustrag": RobustRag,
    "trustrag": TrustRag,
    "ragdefender": RagDefender,
}
