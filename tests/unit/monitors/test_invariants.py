from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import Connection

from backends.ledger.engine import Database
from backends.ledger.records import record_row
from backends.ledger.schema import documents as documents_table
from backends.ledger.sql import SqlLedger
from backends.ledger.statements import insert_rows
from backends.ledger.transitions import received
from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from backends.memory.vectors import InMemoryVectorStore
from domain.audit import AuditKeys, SealedEntry
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus, TenantId
from domain.ledger import DocumentFilter, DocumentLedger, DocumentRecord, Journal, Ledger, Page
from domain.monitoring import Alert, AlertStatus, MonitorState, Severity, TopicId
from domain.retrieval import VectorRecord
from domain.trust import CoarseReason, Verdict
from monitors.index_checks import SETTLED_FOR, SHARE
from monitors.invariants import BROKEN, Invariant, InvariantMonitor
from tests.ledger_rows import NOW, OTHER_TENANT, REVIEWER, settlement, upload
from tests.ledgers import AUDIT_KEY, migrated_sqlite, sqlite_url
from tests.vector_stores import record

__all__ = ["migrated_sqlite", "sqlite_url"]

pytestmark = pytest.mark.anyio

LATER = NOW + timedelta(minutes=30)


@pytest.fixture
def ledger() -> Ledger:
    return InMemoryLedger(clock=ManualClock(NOW), ids=SequentialIds(), audit_key=AUDIT_KEY)


@pytest.fixture
def vectors() -> InMemoryVectorStore:
    return InMemoryVectorStore()


class TamperedJournal:
    """A journal of which one entry was rewritten in the database."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def __getattr__(self, name: str) -> object:
        return getattr(self._journal, name)

    async def sealed(self, *, after: int, limit: int) -> Sequence[SealedEntry]:
        entries = await self._journal.sealed(after=after, limit=limit)
        return [
            replace(each, entry=replace(each.entry, actor="nobody"))
            if each.entry.seq == 2
            else each
            for each in entries
        ]


def chunk(document: str) -> VectorRecord:
    return record(f"{document}/0", tenant=DEFAULT_TENANT)


async def settle(ledger: Ledger, name: str, verdict: Verdict = Verdict.ADMIT) -> DocumentId:
    await ledger.documents.receive(upload(name), claim=None)
    document_id = DocumentId(f"doc_{name}")
    await ledger.documents.begin_attempt(document_id)
    held = verdict is not Verdict.ADMIT
    reason = CoarseReason.CONTENT if held else CoarseReason.CLEAN
    family = None if held else f"fam_{name}"
    settled = settlement(document_id, verdict=verdict, reason=reason, family_id=family)
    assert await ledger.documents.settle(document_id, settled)
    return document_id


async def evaluate(
    ledger: Ledger,
    vectors: InMemoryVectorStore,
    *,
    after: timedelta = timedelta(minutes=30),
    journal: Journal | None = None,
    documents: DocumentLedger | None = None,
    share: int = SHARE,
    ids: SequentialIds | None = None,
) -> Sequence[Alert]:
    monitor = InvariantMonitor(
        documents=documents or ledger.documents,
        journal=journal or ledger.journal,
        alerts=ledger.alerts,
        states=ledger.observations,
        vectors=vectors,
        audit_keys=AuditKeys(current=AUDIT_KEY),
        ids=ids or SequentialIds(),
        share=share,
    )
    return await monitor.evaluate(DEFAULT_TENANT, now=NOW + after)


async def test_what_agrees_alerts_nobody(ledger: Ledger, vectors: InMemoryVectorStore) -> None:
    await vectors.upsert([chunk(await settle(ledger, "good"))])
    await settle(ledger, "bad", Verdict.QUARANTINE)
    await ledger.documents.receive(upload("waiting"), claim=None)

    assert await evaluate(ledger, vectors) == []


@pytest.mark.parametrize("verdict", [Verdict.QUARANTINE, Verdict.REJECT])
async def test_vectors_of_what_is_not_admitted_alert_until_they_are_gone(
    ledger: Ledger, vectors: InMemoryVectorStore, verdict: Verdict
) -> None:
    held = await settle(ledger, "held", verdict)
    await vectors.upsert([chunk(held)])

    (alert,) = await evaluate(ledger, vectors)
    again = await evaluate(ledger, vectors)
    await vectors.delete_document(held, tenant_id=DEFAULT_TENANT)
    (ended,) = await evaluate(ledger, vectors)

    assert alert.labels == {"monitor": BROKEN, "invariant": Invariant.NOT_ADMITTED.value}
    assert alert.annotations == {"documents": "1", "first": held}
    assert alert.severity is Severity.CRITICAL
    assert again == []
    assert (ended.id, ended.status) == (alert.id, AlertStatus.RESOLVED)


async def test_vectors_of_what_was_deleted_or_never_known_alert(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    gone = await settle(ledger, "gone")
    await ledger.documents.delete(DEFAULT_TENANT, gone, actor=REVIEWER, at=NOW)
    await vectors.upsert([chunk(gone), chunk("doc_of_nobody")])

    (alert,) = await evaluate(ledger, vectors)

    assert alert.annotations == {"documents": "2", "first": f"{gone}, doc_of_nobody"}


async def test_an_admitted_document_without_vectors_alerts(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    admitted = await settle(ledger, "lost")

    (alert,) = await evaluate(ledger, vectors)

    assert alert.labels["invariant"] == Invariant.NOT_INDEXED.value
    assert alert.annotations["first"] == admitted


async def test_what_was_decided_just_now_is_on_its_way(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    lost = await settle(ledger, "lost")
    decided = (await ledger.documents.find(lost)).decided_at
    assert decided is not None

    soon = await evaluate(ledger, vectors, after=decided - NOW + SETTLED_FOR / 2)
    late = await evaluate(ledger, vectors, after=decided - NOW + SETTLED_FOR * 2)

    assert soon == []
    assert [alert.labels["invariant"] for alert in late] == [Invariant.NOT_INDEXED.value]


async def test_vectors_of_a_scan_under_way_are_no_defect(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    await ledger.documents.receive(upload("scanned"), claim=None)
    await ledger.documents.begin_attempt(DocumentId("doc_scanned"))
    await vectors.upsert([chunk("doc_scanned")])

    assert await evaluate(ledger, vectors) == []


async def test_a_document_that_waits_too_long_for_its_verdict_alerts(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    await ledger.documents.receive(upload("waiting"), claim=None)
    theirs = replace(upload("theirs"), tenant_id=OTHER_TENANT)
    await ledger.documents.receive(theirs, claim=None)

    (alert,) = await evaluate(ledger, vectors, after=timedelta(hours=2))

    assert alert.labels["invariant"] == Invariant.OVERDUE.value
    assert alert.annotations == {"documents": "1", "first": "doc_waiting"}
    assert alert.severity is Severity.WARNING


async def test_an_audit_log_that_was_rewritten_alerts(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    for name in ("one", "two", "three"):
        await vectors.upsert([chunk(await settle(ledger, name))])
    tampered = TamperedJournal(ledger.journal)

    (alert,) = await evaluate(ledger, vectors, journal=tampered)  # type: ignore[arg-type]

    assert alert.labels["invariant"] == Invariant.AUDIT_LOG.value
    assert alert.annotations == {"entry": "2"}


class CountingDocuments:
    """Counts the rows that are read of a ledger of documents."""

    def __init__(self, documents: DocumentLedger) -> None:
        self._documents = documents
        self.rows = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._documents, name)

    async def list(
        self, tenant_id: TenantId, filter: DocumentFilter, *, cursor: str | None, limit: int
    ) -> Page[DocumentRecord]:
        page = await self._documents.list(tenant_id, filter, cursor=cursor, limit=limit)
        self.rows += len(page.items)
        return page

    async def records(
        self, tenant_id: TenantId, document_ids: Sequence[DocumentId]
    ) -> Mapping[DocumentId, DocumentRecord]:
        found = await self._documents.records(tenant_id, document_ids)
        self.rows += len(found)
        return found


class CountingJournal:
    """Counts the entries that are read."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.rows = 0

    async def sealed(self, *, after: int, limit: int) -> Sequence[SealedEntry]:
        entries = await self._journal.sealed(after=after, limit=limit)
        self.rows += len(entries)
        return entries


def seed(connection: Connection, names: Sequence[str]) -> None:
    """Write admitted documents, all at once."""
    rows = []
    for name in names:
        record = replace(
            received(upload(name)),
            status=DocumentStatus.ADMITTED,
            decided_at=NOW,
            admitted_at=NOW,
        )
        rows.append(record_row(record, touched_at=NOW))
    insert_rows(connection, documents_table, rows)


async def test_a_round_over_ten_thousand_documents_is_bounded_and_rounds_find_all(
    sqlite_url: str, vectors: InMemoryVectorStore
) -> None:
    share, many = 2_000, 10_000
    names = [f"{n:05}" for n in range(many)]
    ids = [DocumentId(f"doc_{name}") for name in names]
    database = Database(sqlite_url, audit_key=AUDIT_KEY, timeout_seconds=120)
    await database.write(partial(seed, names=names))
    ledger = SqlLedger(sqlite_url, clock=ManualClock(NOW), ids=SequentialIds(), audit_key=AUDIT_KEY)
    lost, kept = ids[many // 2], ids[many // 3]
    await vectors.upsert([chunk(each) for each in ids if each != lost])
    await ledger.documents.delete(DEFAULT_TENANT, kept, actor=REVIEWER, at=NOW)

    read: list[int] = []
    told: list[Alert] = []
    alert_ids = SequentialIds()
    for _ in range(many // share + 1):
        documents = CountingDocuments(ledger.documents)
        told += await evaluate(
            ledger,
            vectors,
            documents=documents,  # type: ignore[arg-type]
            share=share,
            ids=alert_ids,
        )
        read.append(documents.rows)
    await ledger.close()
    await database.close()

    # A round: the newest page, a share of the ledger and one of the index.
    assert max(read) <= 2 * share + 200
    assert {(alert.labels["invariant"], alert.annotations["first"]) for alert in told} == {
        (Invariant.NOT_INDEXED.value, lost),
        (Invariant.NOT_ADMITTED.value, kept),
    }
    assert {alert.status for alert in told} == {AlertStatus.FIRING}


async def test_what_was_found_is_looked_at_in_every_round_until_it_is_mended(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    ids = [await settle(ledger, f"{n:04}") for n in range(450)]
    await vectors.upsert([chunk(each) for each in ids if each != ids[0]])

    fired = [await evaluate(ledger, vectors, share=200) for _ in range(4)]
    await vectors.upsert([chunk(ids[0])])
    (ended,) = await evaluate(ledger, vectors, share=200)

    (alert,) = [each for changed in fired for each in changed]
    assert alert.annotations["first"] == ids[0]
    assert (ended.id, ended.status) == (alert.id, AlertStatus.RESOLVED)


async def test_an_entry_that_is_rewritten_later_is_found_in_a_later_round(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    await vectors.upsert([chunk(await settle(ledger, f"{n}")) for n in range(8)])

    counting = CountingJournal(ledger.journal)
    sound = [
        await evaluate(ledger, vectors, share=2, journal=counting)  # type: ignore[arg-type]
        for _ in range(2)
    ]
    tampered = TamperedJournal(ledger.journal)
    later = [
        await evaluate(ledger, vectors, share=2, journal=tampered)  # type: ignore[arg-type]
        for _ in range(4)
    ]

    (alert,) = [each for changed in later for each in changed]
    assert sound == [[], []]
    assert counting.rows == 4 * 2 + 1 + 4 * 2  # the second begins with the last one's last
    assert alert.annotations == {"entry": "2"}


async def test_the_entry_a_round_ended_with_may_not_change_before_the_next(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    await vectors.upsert([chunk(await settle(ledger, f"{n}")) for n in range(8)])
    await evaluate(ledger, vectors, share=2)
    kept = await ledger.observations.monitor_state(DEFAULT_TENANT, TopicId(""), "invariants")
    assert kept is not None
    forged = replace(kept, state=kept.state.replace('"hash": "', '"hash": "0'), version=1)
    await ledger.observations.save_monitor_state(forged)

    (alert,) = await evaluate(ledger, vectors, share=2)

    assert alert.labels["invariant"] == Invariant.AUDIT_LOG.value
    assert alert.annotations == {"entry": "8"}


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "[]",
        '{"cursor": null}',
        '{"cursor": 7, "after": "", "suspects": [], "seq": 0, "hash": ""}',
        '{"cursor": null, "after": "", "suspects": [], "seq": -1, "hash": ""}',
        '{"cursor": "none-of-ours", "after": "", "suspects": [], "seq": 0, "hash": ""}',
    ],
)
async def test_what_was_kept_and_cannot_be_read_begins_anew_and_is_kept_anew(
    ledger: Ledger, vectors: InMemoryVectorStore, kept: str
) -> None:
    missing = await settle(ledger, "missing")
    await ledger.observations.save_monitor_state(
        MonitorState(
            tenant_id=DEFAULT_TENANT,
            topic_id=TopicId(""),
            monitor="invariants",
            state=kept,
            version=1,
        )
    )

    (alert,) = await evaluate(ledger, vectors)
    state = await ledger.observations.monitor_state(DEFAULT_TENANT, TopicId(""), "invariants")

    assert alert.annotations == {"documents": "1", "first": missing}
    assert state is not None
    assert json.loads(state.state)["suspects"] == [missing]


async def test_a_decision_of_tomorrow_by_a_clock_that_was_wrong_is_looked_at(
    ledger: Ledger, vectors: InMemoryVectorStore
) -> None:
    missing = await settle(ledger, "missing")

    (alert,) = await evaluate(ledger, vectors, after=timedelta(days=-1))

    assert alert.annotations == {"documents": "1", "first": missing}
