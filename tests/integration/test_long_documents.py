"""A document that is too much for the index is held for a person, with nothing left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.documents import DEFAULT_TENANT, DocumentStatus, OriginKind, OriginRef
from domain.errors import DocumentUnreadableError
from domain.ledger import DecisionAction
from domain.trust import CoarseReason
from ingest.pipeline import TOO_LARGE_RULE
from runtime.ingest_sections import IngestSettings
from runtime.settings import Settings
from tests.world import ACTOR, World, build_world

pytestmark = pytest.mark.anyio

WRITER = OriginRef(kind=OriginKind.UPLOADER, id="writer")
MOST = 4


async def _world(folder: Path) -> World:
    return await build_world(
        folder, settings=Settings(data_dir=folder, ingest=IngestSettings(max_chunks=MOST))
    )


def _page(sections: int) -> str:
    return "\n".join(f"# Part {n}\n\nRoom {n} keeps ropes.\n" for n in range(sections))


async def test_a_document_of_as_many_chunks_as_allowed_is_indexed(tmp_path: Path) -> None:
    world = await _world(tmp_path)

    record = await world.upload(_page(MOST), origin=WRITER)

    assert record.status is DocumentStatus.ADMITTED
    assert await world.vectors.holds(record.id, tenant_id=DEFAULT_TENANT)


async def test_one_of_more_is_quarantined_and_says_why(tmp_path: Path) -> None:
    world = await _world(tmp_path)

    record = await world.upload(_page(MOST + 1), origin=WRITER)

    assert (record.status, record.reason) == (DocumentStatus.QUARANTINED, CoarseReason.UNREADABLE)
    stored = await world.assessment(record.id)
    [finding] = [one for one in stored.report.findings if one.rule == TOO_LARGE_RULE]
    assert str(MOST) in finding.message
    assert TOO_LARGE_RULE in {one.rule for one in stored.assessment.contributions}
    assert not await world.vectors.holds(record.id, tenant_id=DEFAULT_TENANT)


async def test_a_release_of_one_is_refused_with_the_reason(tmp_path: Path) -> None:
    world = await _world(tmp_path)
    record = await world.upload(_page(MOST + 1), origin=WRITER)

    with pytest.raises(DocumentUnreadableError, match=str(MOST)):
        await world.review.decide(
            DEFAULT_TENANT,
            record.id,
            action=DecisionAction.RELEASE,
            reason="looks fine",
            actor=ACTOR,
        )

    present = await world.ledger.documents.find(record.id)
    assert present.status is DocumentStatus.QUARANTINED
    assert not await world.vectors.document_ids(tenant_id=DEFAULT_TENANT)
