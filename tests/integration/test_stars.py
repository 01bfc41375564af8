# ruff: noqa: S311 - seeded on purpose
"""Families in the stores are at every moment the stars that the admitted documents form (Law 3)."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from backends.embedder_hashing import HashingEmbedder
from backends.memory.blobs import InMemoryBlobStore
from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from backends.memory.near_duplicates import InMemoryNearDuplicateIndex
from backends.memory.vectors import InMemoryVectorStore
from defences.retrieval.families import Member, deal
from defences.retrieval.shingles import SCHEME, fingerprint
from domain.documents import (
    DEFAULT_TENANT,
    Document,
    DocumentId,
    DocumentStatus,
    OriginKind,
    OriginRef,
    OverlapKind,
)
from domain.ledger import DocumentFilter, DocumentRecord
from domain.retrieval import FamilyId
from ingest.admission import Admission, ChunkOptions
from ingest.neighbours import NeighbourLookup, text_key
from ingest.regrouping import Regrouping, member_of
from tests.builders import make_document
from tests.ledger_rows import settlement, upload

pytestmark = pytest.mark.anyio

ORIGINS = [OriginRef(kind=OriginKind.UPLOADER, id=name) for name in "abcde"]
WORDS = [f"w{n}" for n in range(700)]
WINDOW, STEP = 200, 25
ACTOR = "test"


def text(place: int) -> str:
    """Return a text that is near those at one or two steps (.78, .60) and no further (.45)."""
    return " ".join(WORDS[place * STEP : place * STEP + WINDOW])


class Shelf:
    """Documents that come, go, and change sides, placed by the parts that the pipeline uses."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.ledger = InMemoryLedger(clock=self.clock, ids=SequentialIds())
        self.blobs = InMemoryBlobStore()
        self.vectors = InMemoryVectorStore()
        index = InMemoryNearDuplicateIndex(scheme=SCHEME)
        documents, origins = self.ledger.documents, self.ledger.origins
        self.lookup = NeighbourLookup(
            index=index, documents=documents, origins=origins, blobs=self.blobs
        )
        self.regrouping = Regrouping(
            documents=documents,
            origins=origins,
            vectors=self.vectors,
            blobs=self.blobs,
            index=index,
        )
        self.admission = Admission(
            vectors=self.vectors,
            embedder=HashingEmbedder(),
            documents=documents,
            origins=origins,
            regrouping=self.regrouping,
            options=ChunkOptions(),
        )

    async def put(self, name: str, place: int, ref: OriginRef) -> None:
        await self.write(name, text(place), ref)

    async def write(self, name: str, content: str, ref: OriginRef) -> Document:
        self.clock.advance(1.0)
        new = replace(upload(name), origin=ref)
        await self.ledger.documents.receive(new, claim=None)
        record = await self.ledger.documents.begin_attempt(new.id)
        assert record is not None
        await self.blobs.put(DEFAULT_TENANT, text_key(new.id), content.encode())
        seen = await self.lookup.look_up(DEFAULT_TENANT, new.id, content, origin=ref)
        origin = await self.ledger.origins.get(DEFAULT_TENANT, ref)
        document = replace(make_document(content, origin=origin), id=new.id)
        at = self.clock.now()
        family = await self.admission.index(
            seen.around(document), record=record, findings=(), trust=0.5, at=at
        )
        settled = settlement(new.id, fingerprint=seen.fingerprint, settled_at=at)
        await self.ledger.documents.settle(
            new.id, replace(settled, family_id=family.family_id, voting=family.voting)
        )
        return seen.around(document)

    async def take(self, record: DocumentRecord) -> None:
        await self.admission.withdraw(record)
        gone = await self.ledger.documents.delete(
            DEFAULT_TENANT, record.id, actor=ACTOR, at=self.clock.now()
        )
        await self.lookup.follow(gone)

    async def turn(self, ref: OriginRef) -> None:
        """Establish an origin, or revoke it."""
        origins = self.ledger.origins
        await origins.add(DEFAULT_TENANT, ref.kind, ref.id, actor=ACTOR, at=self.clock.now())
        known = await origins.get(DEFAULT_TENANT, ref)
        if known.established:
            known = await origins.revoke(
                DEFAULT_TENANT, ref, reason="r", actor=ACTOR, at=self.clock.now()
            )
        else:
            known = await origins.establish(
                DEFAULT_TENANT, ref, reviewed=False, reason="r", actor=ACTOR, at=self.clock.now()
            )
        await self.vectors.set_origin(known, tenant_id=DEFAULT_TENANT)
        await self.regrouping.regroup(DEFAULT_TENANT, ref)

    async def admitted(self) -> list[DocumentRecord]:
        wanted = DocumentFilter(status=DocumentStatus.ADMITTED)
        page = await self.ledger.documents.list(DEFAULT_TENANT, wanted, cursor=None, limit=200)
        return list(page.items)

    async def stars(self) -> dict[DocumentId, tuple[str, bool]]:
        """Return the families that the documents form by themselves."""
        members = [
            replace(await member_of(record, self.ledger.origins), family_id=None)
            for record in await self.admitted()
        ]
        known = await self.ledger.documents.fingerprints(DEFAULT_TENANT)

        def seen(centre: Member, member: Member) -> Member:
            one, other = known[centre.document_id], known[member.document_id]
            alike = np.mean(one.fingerprint.signature == other.fingerprint.signature)
            return replace(centre, similarity=float(alike))

        return {one: (d.family_id, d.voting) for one, d in deal(members, seen).items()}


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_comes_goes_and_changes_sides_the_families_are_the_stars(seed: int) -> None:
    draw = random.Random(seed)
    shelf = Shelf()

    for number in range(40):
        admitted = await shelf.admitted()
        action = draw.choices(["put", "take", "turn"], [6, 3, 1])[0]
        if action == "take" and admitted:
            await shelf.take(draw.choice(admitted))
        elif action == "turn":
            await shelf.turn(draw.choice(ORIGINS))
        else:
            await shelf.put(f"{number:02}", draw.randrange(12), draw.choice(ORIGINS))

        stored = {one.id: (str(one.family_id), one.voting) for one in await shelf.admitted()}
        assert stored == await shelf.stars()


async def test_the_index_asks_no_ledger_which_family_a_chunk_is_of() -> None:
    shelf = Shelf()
    await shelf.turn(ORIGINS[0])
    for number, ref in enumerate([ORIGINS[1], ORIGINS[0], ORIGINS[2]]):
        await shelf.put(str(number), 0, ref)

    vector = (await HashingEmbedder().embed([text(0)]))[0]
    hits = await shelf.vectors.search(
        vector, text(0), tenant_id=DEFAULT_TENANT, established=True, limit=9, per_origin=9
    )

    assert {hit.family_id for hit in hits} == {"doc_1"}
    assert {hit.chunk.document_id for hit in hits} == {"doc_1"}


@pytest.mark.parametrize("vouched", [True, False], ids=["established", "pool"])
@pytest.mark.parametrize("longer_first", [True, False], ids=["longer first", "shorter first"])
async def test_containment_merges_no_families(vouched: bool, longer_first: bool) -> None:
    shelf = Shelf()
    if vouched:
        await shelf.turn(ORIGINS[0])
        await shelf.turn(ORIGINS[1])
    short, long = " ".join(WORDS[:100]), " ".join(WORDS[:600])
    first, second = (long, short) if longer_first else (short, long)

    await shelf.write("first", first, ORIGINS[0])
    seen = await shelf.write("second", second, ORIGINS[1])

    kind = OverlapKind.WITHIN if longer_first else OverlapKind.HOLDS
    assert [each.kind for each in seen.overlaps] == [kind]
    assert seen.neighbours == ()
    assert all(one.voting and one.family_id == FamilyId(one.id) for one in await shelf.admitted())


async def test_a_notice_that_documents_share_makes_no_family() -> None:
    shelf = Shelf()
    await shelf.turn(ORIGINS[0])
    notice = " ".join(f"clause{n}" for n in range(60))

    for number, place in enumerate((0, 9, 18)):
        own = " ".join(WORDS[place * STEP : place * STEP + WINDOW])
        await shelf.write(str(number), f"{notice} {own} {notice}", ORIGINS[number])

    assert [one.voting for one in await shelf.admitted()] == [True, True, True]


def test_texts_at_one_and_two_steps_are_near_and_no_others() -> None:
    made = [fingerprint(text(place)) for place in range(4)]
    signatures = [
        each.signature for each in made if each is not None and each.signature is not None
    ]

    alike = [float(np.mean(signatures[0] == other)) for other in signatures]

    assert len(signatures) == 4
    assert alike[1] > alike[2] >= 0.5 > alike[3]
