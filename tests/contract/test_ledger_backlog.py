"""What every ledger says of what waits for its scan, and in which lane it is queued."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.documents import DEFAULT_TENANT, DocumentId
from domain.ledger import Backlog, Ledger
from tests.ledger_rows import NOW, OTHER_TENANT, REVIEWER, later, settled, upload

pytestmark = pytest.mark.anyio


async def test_what_waits_is_counted_by_tenant_with_the_age_of_its_oldest(ledger: Ledger) -> None:
    for name, seconds in (("two", 20), ("one", 10)):
        await ledger.documents.receive(upload(name, received_at=later(seconds)), claim=None)
    await ledger.documents.begin_attempt(DocumentId("doc_one"))
    await ledger.documents.receive(
        upload("theirs", tenant_id=OTHER_TENANT, received_at=later(5)), claim=None
    )
    await settled(ledger, upload("done", received_at=later(1)))
    await ledger.documents.receive(upload("gone", received_at=later(2)), claim=None)
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_gone"), actor=REVIEWER, at=NOW)

    assert await ledger.documents.backlog() == {
        DEFAULT_TENANT: Backlog(waiting=2, oldest_received_at=later(10)),
        OTHER_TENANT: Backlog(waiting=1, oldest_received_at=later(5)),
    }


async def test_where_nothing_waits_nobody_is_named(ledger: Ledger) -> None:
    await settled(ledger, upload("done"))

    assert await ledger.documents.backlog() == {}


async def test_a_bulk_upload_has_a_lane_of_its_own(ledger: Ledger) -> None:
    single = await ledger.documents.receive(upload("one"), claim=None)
    bulk = await ledger.documents.receive(replace(upload("two"), bulk=True), claim=None)

    entries = await ledger.outbox.pending(limit=9)

    assert [(entry.name, entry.subject_id) for entry in entries] == [
        ("documents.ingest", single.record.id),
        ("documents.ingest-bulk", bulk.record.id),
    ]
