"""A scratch installation in memory: what is planted for one question, among all clean passages."""

from __future__ import annotations

import copy
import gc
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import FunctionType, ModuleType, NoneType
from typing import Final

import numpy as np

from backends.memory.blobs import InMemoryBlobStore
from backends.memory.clock import SequentialIds
from backends.memory.ledger import InMemoryLedger
from backends.memory.near_duplicates import InMemoryNearDuplicateIndex
from defences.retrieval.families import FamilyDecision
from defences.retrieval.shingles import SCHEME
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus, OriginRef
from domain.ledger import DocumentRecord, NewDocument, Settlement
from domain.retrieval import Embedder
from domain.scanning import Detector
from evaluation.clean_report import clean_report
from evaluation.redteam.attacks.planted import Planted
from evaluation.redteam.provenance import (
    ESTABLISHED_ATTACKER,
    Passage,
    ProvenanceMode,
    hands,
    passages_of,
)
from evaluation.redteam.rows import Row
from evaluation.redteam.stores import ScratchVectors
from ingest.originals import store_original
from ingest.parsers.inline import InlineParser
from runtime.ingestion import Ingestion, build_ingestion
from runtime.settings import Settings

NOW: Final = datetime(2026, 11, 1, 12, tzinfo=UTC)
"""When every question is asked."""

CLEAN_DAYS: Final = 200.0
"""How long before that the clean passages came."""

_ACTOR: Final = "red team"
_ATOMS: Final = (str, bytes, int, float, NoneType)
_PARAMETERS: Final = "__dataclass_params__"
_LEDGER_START: Final = timedelta(days=2000)


class Stage(StrEnum):
    """Where the attack has to pass."""

    QUERY_ONLY = "query-only"
    """Straight into the index: nothing is scanned, all is admitted, families are told apart."""
    INGEST_QUERY = "ingest+query"
    """The scan first, clean passages included; what is held is not in the index."""


class Calendar:
    """A clock whose date is set, and whose seconds are real."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return time.perf_counter()


@dataclass(slots=True)
class World:
    """The installation as it is when one question is asked.

    Attributes:
        planted: Documents of the attacker, those that are held too.
        held: Planted documents that the scan did not admit.
        risks: What the scan made of each document, in [0, 1]; empty where nothing is scanned.
        withheld: Whether origins, age and trust are kept from every system.
    """

    calendar: Calendar
    ledger: InMemoryLedger
    blobs: InMemoryBlobStore
    vectors: ScratchVectors
    near_duplicates: InMemoryNearDuplicateIndex
    planted: set[DocumentId] = field(default_factory=set)
    held: int = 0
    risks: dict[DocumentId, float] = field(default_factory=dict)
    withheld: bool = False


def _empty() -> World:
    calendar = Calendar(NOW - _LEDGER_START)
    return World(
        calendar=calendar,
        ledger=InMemoryLedger(clock=calendar, ids=SequentialIds()),
        blobs=InMemoryBlobStore(),
        vectors=ScratchVectors(),
        near_duplicates=InMemoryNearDuplicateIndex(scheme=SCHEME),
    )


class Laboratory:
    """Builds worlds for the questions of one run; what is the same for many is built once."""

    def __init__(
        self,
        rows: Sequence[Row],
        *,
        settings: Settings,
        embedder: Embedder,
        detectors: Sequence[Detector],
    ) -> None:
        """Set up.

        Args:
            rows: All questions of the run; together their passages are the corpus.
            settings: The configuration that is attacked.
            embedder: Of chunks; should remember what it embedded.
            detectors: Of stage `ingest+query`.
        """
        self._rows = tuple(rows)
        self._settings = settings
        self._embedder = embedder
        self._detectors = tuple(detectors)
        self._by_text: dict[tuple[bool, float], Mapping[str, Passage]] = {}
        self._bases: dict[tuple[bool, Stage, float], _Base] = {}

    async def world(
        self,
        row: Row,
        planted: Sequence[Planted],
        *,
        mode: ProvenanceMode,
        stage: Stage,
        share: float = 1.0,
    ) -> World:
        """Return the installation with `planted` in it, as it is when the question is asked."""
        passages = self._passages(mode, share)
        world = (await self._base(passages, mode, stage, share)).copied()
        bench = _Bench(world, self._settings, self._embedder, self._detectors, stage)
        if mode is ProvenanceMode.HONEST_NEW:
            await bench.disown({passages[text].origin for text in row.passages})
        if mode is not ProvenanceMode.NONE:
            await bench.establish(ESTABLISHED_ATTACKER)
        origins = hands(row, planted, mode, passages)
        order = sorted(zip(planted, origins, strict=True), key=lambda one: -one[0].days_ago)
        for number, (text, origin) in enumerate(order):
            await self._plant(bench, row, text, origin, number)
        world.calendar.at = NOW
        return world

    async def clean(self, *, mode: ProvenanceMode, stage: Stage, share: float = 1.0) -> World:
        """Return the installation with nothing planted in it, to be read only."""
        return (await self._base(self._passages(mode, share), mode, stage, share)).world

    def _passages(self, mode: ProvenanceMode, share: float) -> Mapping[str, Passage]:
        """Return the clean passages by text; only mode `none` names them otherwise."""
        key = (mode is ProvenanceMode.NONE, share)
        if key not in self._by_text:
            found = passages_of(self._rows, mode, share=share)
            self._by_text[key] = {one.text: one for one in found}
        return self._by_text[key]

    async def _plant(
        self, bench: _Bench, row: Row, text: Planted, origin: OriginRef, number: int
    ) -> None:
        bench.world.calendar.at = NOW - timedelta(days=text.days_ago)
        logical = None
        if text.replaces is not None:
            replaced = row.passages[text.replaces]
            if text.before:
                await bench.delete(clean_id(replaced))
            else:
                logical = clean_id(replaced)
        await bench.plant(
            DocumentId(f"doc_{_digest(f'{row.id}:{number}:{text.text}')}"),
            text,
            origin,
            logical_id=logical,
        )

    async def _base(
        self, passages: Mapping[str, Passage], mode: ProvenanceMode, stage: Stage, share: float
    ) -> _Base:
        key = (mode is ProvenanceMode.NONE, stage, share)
        if key not in self._bases:
            world = _empty()
            world.withheld = mode is ProvenanceMode.NONE
            bench = _Bench(world, self._settings, self._embedder, self._detectors, stage)
            for passage in passages.values():
                world.calendar.at = NOW - timedelta(days=CLEAN_DAYS)
                await bench.add(passage)
            world.calendar.at = NOW
            self._bases[key] = _Base(world)
        return self._bases[key]


class _Base:
    """A world that many are copies of; what cannot change in it they share."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._shared = _unchanging(world)

    def copied(self) -> World:
        return copy.deepcopy(self.world, dict(self._shared))


def _unchanging(world: World) -> Mapping[int, object]:
    """Return, by id, the frozen values, arrays and keys of a world: most of a copy's time."""
    found: dict[int, object] = {}
    seen: set[int] = set()
    left: list[object] = [world]
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType):
            continue
        seen.add(id(one))
        if _is_fixed(one):
            found[id(one)] = one
        else:
            left.extend(gc.get_referents(one))
    return found


def _is_fixed(one: object) -> bool:
    """Whether nothing in a world writes to it: its stores replace vectors and records."""
    if isinstance(one, tuple | frozenset):
        return all(isinstance(each, _ATOMS) or _is_fixed(each) for each in one)
    return isinstance(one, np.ndarray) or (is_dataclass(one) and _frozen(type(one)))


def _frozen(kind: type) -> bool:
    return bool(getattr(kind, _PARAMETERS).frozen)


class _Bench:
    """Puts documents into one world by the product's own path."""

    def __init__(
        self,
        world: World,
        settings: Settings,
        embedder: Embedder,
        detectors: Sequence[Detector],
        stage: Stage,
    ) -> None:
        self.world = world
        self._scans = stage is Stage.INGEST_QUERY
        self._ingestion: Ingestion = build_ingestion(
            settings,
            ledger=world.ledger,
            blobs=world.blobs,
            vectors=world.vectors,
            embedder=embedder,
            near_duplicates=world.near_duplicates,
            clock=world.calendar,
            detectors=detectors if self._scans else (),
            parser=InlineParser(max_text_chars=settings.ingest.parser.max_text_chars),
        )

    async def add(self, passage: Passage) -> None:
        """Add a clean passage; its logical id is its document id."""
        if passage.established:
            await self.establish(passage.origin)
        name = clean_id(passage.text)
        await self._take(
            name, passage.text.encode(), passage.origin, media_type="text/plain", logical_id=name
        )

    async def plant(
        self, name: DocumentId, text: Planted, origin: OriginRef, *, logical_id: str | None
    ) -> None:
        record = await self._take(
            name,
            text.text.encode("utf-8", "replace"),
            origin,
            media_type=text.media_type,
            title=text.title,
            logical_id=logical_id,
        )
        if not text.honest:
            self.world.planted.add(record.id)
            self.world.held += record.status is not DocumentStatus.ADMITTED

    async def establish(self, origin: OriginRef) -> None:
        ledger, at = self.world.ledger.origins, self.world.calendar.now()
        await ledger.add(DEFAULT_TENANT, origin.kind, origin.id, actor=_ACTOR, at=at)
        if not (await ledger.get(DEFAULT_TENANT, origin)).established:
            await ledger.establish(
                DEFAULT_TENANT, origin, reviewed=False, reason="red team", actor=_ACTOR, at=at
            )

    async def disown(self, origins: set[OriginRef]) -> None:
        for origin in sorted(origins, key=str):
            if (await self.world.ledger.origins.get(DEFAULT_TENANT, origin)).established:
                await self._ingestion.origins.revoke(
                    DEFAULT_TENANT, origin, reason="red team", actor=_ACTOR
                )

    async def delete(self, name: DocumentId) -> None:
        await self._ingestion.review.delete(DEFAULT_TENANT, name, actor=_ACTOR)

    async def _take(
        self,
        name: DocumentId,
        content: bytes,
        origin: OriginRef,
        *,
        media_type: str,
        title: str = "",
        logical_id: str | None = None,
    ) -> DocumentRecord:
        documents = self.world.ledger.documents
        new = NewDocument(
            id=name,
            tenant_id=DEFAULT_TENANT,
            origin=origin,
            sha256=hashlib.sha256(content).hexdigest(),
            size_bytes=len(content),
            media_type=media_type,
            file_name=None,
            title=title or None,
            source_uri=None,
            labels={},
            received_at=self.world.calendar.now(),
            actor=_ACTOR,
            logical_id=logical_id,
        )
        receipt = await store_original(
            new, content, claim=None, blobs=self.world.blobs, documents=documents
        )
        if not receipt.created:
            return receipt.record
        if self._scans:
            await self._ingestion.pipeline.ingest(name)
            scanned = await documents.stored_assessment(DEFAULT_TENANT, name)
            if scanned is not None:
                self.world.risks[name] = scanned.assessment.risk
        else:
            await self._admit(name)
        return await documents.get(DEFAULT_TENANT, name)

    async def _admit(self, name: DocumentId) -> None:
        """Index a document unscanned, under the family that it belongs to."""
        documents = self.world.ledger.documents
        record = await documents.begin_attempt(name)
        if record is None:
            raise RuntimeError(f"document {name!r} is not waiting")
        seen = await self._ingestion.pipeline.examine_again(record)
        policy = self._ingestion.trust.policy
        clean = clean_report(name, policy)
        admitted = policy.assess(clean, seen.document.provenance, now=self.world.calendar.now())

        async def write(family: FamilyDecision, at: datetime) -> None:
            await documents.settle(
                name,
                Settlement(
                    assessment=admitted,
                    report=clean,
                    media_type=seen.document.media_type,
                    fingerprint=seen.fingerprint,
                    settled_at=at,
                    family_id=family.family_id,
                    voting=family.voting,
                    mark=seen.mark,
                ),
            )

        await self._ingestion.pipeline.admit_in_turn(
            record, seen, trust=admitted.score, write=write
        )


def clean_id(text: str) -> DocumentId:
    """Name the document of a clean passage; no name tells whose it is."""
    return DocumentId(f"doc_{_digest(text)}")


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=10).hexdigest()
