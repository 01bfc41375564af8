"""Steps that stop half way, run side by side or are flooded leave no vector and no vote behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from backends.memory.vectors import InMemoryVectorStore
from domain.documents import (
    DEFAULT_TENANT,
    DocumentId,
    DocumentStatus,
    OriginKind,
    OriginRef,
    TenantId,
)
from domain.errors import NotFoundError, TransientError
from domain.ledger import DecisionAction
from domain.retrieval import VectorStore
from ingest.admission import Admission, ChunkOptions
from ingest.neighbours import MAX_NEIGHBOURS, NeighbourLookup, text_key
from ingest.regrouping import Regrouping
from ingest.review import ReviewDesk
from ingest.turns import Turns
from ingest.versions import VersionLookup
from runtime.scanning import build_policy
from runtime.settings import Settings
from tests.integration.test_origin_changes import COPY, HOUSE, MALLORY, PARTNER, QUESTION, TEXT
from tests.world import ACTOR, World, build_world

pytestmark = pytest.mark.anyio


class _FailingVectors(InMemoryVectorStore):
    """An index that does not answer deletions for a while."""

    down = False

    async def delete_document(self, document_id: DocumentId, *, tenant_id: TenantId) -> int:
        if self.down:
            raise TransientError("the index does not answer")
        return await super().delete_document(document_id, tenant_id=tenant_id)


def _neighbours(world: World) -> NeighbourLookup:
    return NeighbourLookup(
        index=world.near_duplicates,
        documents=world.ledger.documents,
        origins=world.ledger.origins,
        blobs=world.blobs,
    )


def _admission(world: World, vectors: VectorStore) -> Admission:
    return Admission(
        vectors=vectors,
        embedder=world.embedder,
        documents=world.ledger.documents,
        origins=world.ledger.origins,
        regrouping=Regrouping(
            documents=world.ledger.documents,
            origins=world.ledger.origins,
            vectors=vectors,
            blobs=world.blobs,
            index=world.near_duplicates,
        ),
        options=ChunkOptions(),
    )


def _desk(world: World, admission: Admission, folder: Path) -> ReviewDesk:
    return ReviewDesk(
        ledger=world.ledger,
        blobs=world.blobs,
        pipeline=world.ingest,
        neighbours=_neighbours(world),
        admission=admission,
        policy=build_policy(Settings(data_dir=folder)),
        versions=VersionLookup(
            lifecycle=world.ledger.lifecycle, blobs=world.blobs, clock=world.clock
        ),
        turns=Turns(lock=None, clock=world.clock),
        clock=world.clock,
    )


async def test_a_reviewed_document_whose_scan_died_after_indexing_silences_nobody(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path)
    await world.establish(HOUSE)
    await world.establish(PARTNER, reviewed=True)
    older = await world.upload(TEXT, origin=HOUSE)
    newer = await world.receive(COPY.encode(), origin=PARTNER)
    begun = await world.ledger.documents.begin_attempt(newer)
    assert begun is not None
    seen = await world.ingest.examine_again(begun)
    admission = _admission(world, world.vectors)
    await admission.index(seen.document, record=begun, findings=(), trust=0.9, at=world.clock.now())
    assert not (await world.ledger.documents.find(older.id)).voting

    await world.ingest.give_up(newer)

    assert (await world.ledger.documents.find(newer)).status is DocumentStatus.QUARANTINED
    assert (await world.ledger.documents.find(older.id)).voting
    assert {hit.chunk.document_id for hit in (await world.ask(QUESTION)).retrieved} == {older.id}


async def test_a_deletion_that_the_index_does_not_take_is_not_promised(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    record = await world.upload(TEXT, origin=MALLORY)
    vectors = _FailingVectors()
    vectors.down = True
    desk = _desk(world, _admission(world, vectors), tmp_path)

    with pytest.raises(TransientError):
        await desk.delete(DEFAULT_TENANT, record.id, actor=ACTOR)

    assert (await world.ledger.documents.find(record.id)).status is DocumentStatus.ADMITTED


async def test_a_deletion_that_stopped_after_the_ledger_is_finished_by_the_next(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path)
    record = await world.upload(TEXT, origin=MALLORY)
    await world.ledger.documents.delete(
        DEFAULT_TENANT, record.id, actor=ACTOR, at=world.clock.now()
    )

    with pytest.raises(NotFoundError):
        await world.review.delete(DEFAULT_TENANT, record.id, actor=ACTOR)

    assert not (await world.ask(QUESTION)).retrieved
    with pytest.raises(NotFoundError):
        await world.blobs.get(DEFAULT_TENANT, text_key(record.id))


class _ReleasingVectors(InMemoryVectorStore):
    """Another reviewer releases the document right after it was taken out."""

    release: ReviewDesk | None = None

    async def delete_document(self, document_id: DocumentId, *, tenant_id: TenantId) -> int:
        removed = await super().delete_document(document_id, tenant_id=tenant_id)
        desk, self.release = self.release, None
        if desk is not None:
            await desk.decide(
                tenant_id,
                document_id,
                action=DecisionAction.RELEASE,
                reason="looks fine",
                actor="another reviewer",
            )
        return removed


async def test_a_rejection_wins_over_a_release_of_the_same_moment(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    vectors = _ReleasingVectors()
    desk = _desk(world, _admission(world, vectors), tmp_path)
    held = await world.receive(TEXT.encode(), origin=MALLORY)
    await world.ledger.documents.begin_attempt(held)
    await world.ingest.give_up(held)
    vectors.release = desk

    await desk.decide(
        DEFAULT_TENANT, held, action=DecisionAction.REJECT, reason="an attack", actor=ACTOR
    )

    entries = await world.ledger.journal.entries(DEFAULT_TENANT, object_id=held)
    assert [entry.action for entry in entries[:2]] == [
        "document.rejected-by-review",
        "document.released",
    ]
    assert (await world.ledger.documents.find(held)).status is DocumentStatus.REJECTED
    assert not await vectors.document_ids(tenant_id=DEFAULT_TENANT)


async def test_a_flood_of_closer_copies_hides_no_established_text(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    await world.establish(HOUSE)
    original = await world.receive(COPY.encode(), origin=HOUSE)
    lookup = _neighbours(world)
    await world.blobs.put(DEFAULT_TENANT, text_key(original), COPY.encode())
    await lookup.look_up(DEFAULT_TENANT, original, COPY)
    for number in range(MAX_NEIGHBOURS + 5):
        account = OriginRef(kind=OriginKind.UPLOADER, id=f"account-{number}")
        copy = await world.receive(TEXT.encode(), origin=account)
        await world.blobs.put(DEFAULT_TENANT, text_key(copy), TEXT.encode())
        await lookup.look_up(DEFAULT_TENANT, copy, TEXT)

    found = (await lookup.look_up(DEFAULT_TENANT, None, TEXT)).neighbours

    assert original in {one.document_id for one in found}
    assert len(found) <= 2 * MAX_NEIGHBOURS
