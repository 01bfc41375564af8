"""An origin's tier changes after its documents came in: votes follow in the same step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from domain.answering import PartitionMode
from domain.documents import DEFAULT_TENANT, OriginKind, OriginRef
from domain.ledger import DocumentRecord
from ingest.admission import Admission, ChunkOptions
from ingest.regrouping import Regrouping
from tests.world import ACTOR, World, build_world

pytestmark = pytest.mark.anyio

MALLORY = OriginRef(kind=OriginKind.UPLOADER, id="mallory")
HOUSE = OriginRef(kind=OriginKind.PUBLISHER, id="house")
PARTNER = OriginRef(kind=OriginKind.CONNECTOR, id="partner")

TEXT = """# Returns of the Orlan pump

Customers of the Orlan pump may send it back within 30 days of delivery, unused and in its box. The
returns desk answers within two working days and pays the postage of every parcel that is sent back
from inside the country. A refund reaches the account of the customer within ten days after the
parcel has arrived, and a pump that was opened is credited at eighty percent of its price. Spare
parts, filters and hoses are excluded from returns once their seal has been broken by the customer.
"""
COPY = TEXT + "\nPublished by the house.\n"
CONTRARY = TEXT.replace("30 days", "90 days")
QUESTION = "How long may customers send the Orlan pump back?"


async def _present(world: World, record: DocumentRecord) -> DocumentRecord:
    return await world.ledger.documents.get(DEFAULT_TENANT, record.id)


async def _revoke(world: World, ref: OriginRef) -> None:
    await world.origins.revoke(DEFAULT_TENANT, ref, reason="stolen key", actor=ACTOR)


async def test_a_copy_uploaded_first_loses_its_vote_when_the_original_is_vouched_for(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path)
    copy = await world.upload(TEXT, origin=MALLORY)
    original = await world.upload(COPY, origin=HOUSE)
    assert (copy.voting, original.voting) == (True, False)

    await world.establish(HOUSE)

    assert (await _present(world, original)).voting
    assert not (await _present(world, copy)).voting
    answer = await world.ask(QUESTION)
    assert answer.mode is PartitionMode.ISOLATED
    assert [source.origin for source in answer.sources] == [HOUSE]


async def test_a_revoked_origin_no_longer_holds_the_vote_of_who_repeats_its_text(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path)
    for ref in (PARTNER, HOUSE):
        await world.establish(ref)
    first = await world.upload(TEXT, origin=PARTNER)
    second = await world.upload(COPY, origin=HOUSE)
    assert (first.voting, second.voting) == (True, False)

    await _revoke(world, PARTNER)

    assert (await _present(world, second)).voting
    assert not (await _present(world, first)).voting
    answer = await world.ask(QUESTION)
    assert [source.origin for source in answer.sources] == [HOUSE]


async def test_two_origins_vouched_for_late_that_contradict_each_other_are_both_heard(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path)
    documents = [
        await world.upload(text, origin=ref)
        for text, ref in ((TEXT, MALLORY), (COPY, HOUSE), (CONTRARY, PARTNER))
    ]
    if (await _present(world, documents[2])).voting:  # held for a person: release it first
        pytest.fail("the contradiction should have joined voteless or been held")

    for ref in (HOUSE, PARTNER):
        await world.establish(ref)

    assert [(await _present(world, one)).voting for one in documents] == [False, True, True]


async def test_two_origins_vouched_for_late_with_one_text_have_one_vote(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    documents = [
        await world.upload(text, origin=ref) for text, ref in ((TEXT, HOUSE), (COPY, PARTNER))
    ]

    for ref in (HOUSE, PARTNER):
        await world.establish(ref)

    assert [(await _present(world, one)).voting for one in documents] == [True, False]


class _RevokingEmbedder:
    """Embeds as usual; an administrator revokes the uploader's origin while it does."""

    def __init__(self, world: World, ref: OriginRef) -> None:
        self._world = world
        self._ref = ref
        self.version = world.embedder.version
        self.dimensions = world.embedder.dimensions

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        await _revoke(self._world, self._ref)
        return await self._world.embedder.embed(texts)


async def test_a_document_indexed_while_its_origin_is_revoked_ends_in_the_pool(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path)
    await world.establish(HOUSE)
    await world.establish(PARTNER)
    record = await world.upload(TEXT, origin=PARTNER)
    admission = Admission(
        vectors=world.vectors,
        embedder=_RevokingEmbedder(world, PARTNER),
        documents=world.ledger.documents,
        origins=world.ledger.origins,
        regrouping=Regrouping(
            documents=world.ledger.documents,
            origins=world.ledger.origins,
            vectors=world.vectors,
            blobs=world.blobs,
            index=world.near_duplicates,
        ),
        options=ChunkOptions(),
    )
    seen = await world.ingest.examine_again(record)

    await admission.index(
        seen.document, record=record, findings=(), trust=0.5, at=world.clock.now()
    )

    answer = await world.ask(QUESTION)
    assert answer.retrieved
    assert not any(hit.origin.established for hit in answer.retrieved)


@pytest.mark.parametrize("reviewed", [False, True], ids=["established", "reviewed"])
async def test_who_is_vouched_for_late_is_trusted_like_who_was_before(
    tmp_path: Path, reviewed: bool
) -> None:
    world = await build_world(tmp_path)
    late = await world.upload(TEXT, origin=HOUSE)
    await world.establish(PARTNER, reviewed=reviewed)
    early = await world.upload("# Hoses\n\nA hose of the Orlan pump is 3 m long.", origin=PARTNER)
    assert late.trust is not None
    assert early.trust is not None

    await world.establish(HOUSE, reviewed=reviewed)
    answer = await world.ask(QUESTION)

    assert late.trust < early.trust
    assert (await _present(world, late)).trust == pytest.approx(early.trust)
    trusts = {hit.trust for hit in answer.retrieved if hit.chunk.document_id == late.id}
    assert list(trusts) == [pytest.approx(early.trust)]


async def test_a_revoked_origin_is_trusted_like_any_uploader(tmp_path: Path) -> None:
    world = await build_world(tmp_path)
    before = await world.upload(TEXT, origin=HOUSE)
    await world.establish(HOUSE)

    await _revoke(world, HOUSE)

    assert (await _present(world, before)).trust == pytest.approx(before.trust)
