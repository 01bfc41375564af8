from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from backends.memory.vectors import InMemoryVectorStore
from domain.audit import AuditKeys, SealedEntry
from domain.documents import DEFAULT_TENANT, DocumentId
from domain.ledger import Journal, Ledger
from domain.monitoring import Alert, AlertStatus, Severity
from domain.retrieval import VectorRecord
from domain.trust import CoarseReason, Verdict
from monitors.invariants import BROKEN, SETTLED_FOR, Invariant, InvariantMonitor
from tests.ledger_rows import NOW, OTHER_TENANT, REVIEWER, settlement, upload
from tests.ledgers import AUDIT_KEY
from tests.vector_stores import record

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
) -> Sequence[Alert]:
    monitor = InvariantMonitor(
        documents=ledger.documents,
        journal=journal or ledger.journal,
        alerts=ledger.alerts,
        vectors=vectors,
        audit_keys=AuditKeys(current=AUDIT_KEY),
        ids=SequentialIds(),
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
