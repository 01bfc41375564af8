from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.documents import DEFAULT_TENANT, DocumentId
from domain.ledger import Ledger
from domain.monitoring import Alert
from domain.trust import CoarseReason, Verdict
from monitors.ingestion import BURST, UNAVAILABLE, IngestionMonitor
from tests.ledger_rows import ALICE, NOW, settlement, upload

pytestmark = pytest.mark.anyio

SOON = NOW + timedelta(minutes=5)


@pytest.fixture
def ledger() -> Ledger:
    return InMemoryLedger(clock=ManualClock(NOW), ids=SequentialIds())


async def add(
    ledger: Ledger,
    count: int,
    *,
    verdict: Verdict = Verdict.ADMIT,
    family: str | None = None,
    prefix: str = "d",
    blind: frozenset[str] = frozenset(),
) -> None:
    for number in range(count):
        name = f"{prefix}{number}"
        await ledger.documents.receive(upload(name, origin=ALICE), claim=None)
        document_id = DocumentId(f"doc_{name}")
        await ledger.documents.begin_attempt(document_id)
        held = verdict is not Verdict.ADMIT
        settled = settlement(
            document_id,
            verdict=verdict,
            reason=CoarseReason.CONTENT if held else CoarseReason.CLEAN,
            family_id=None if held else family or f"fam_{name}",
        )
        assert settled.report is not None
        settled = replace(settled, report=replace(settled.report, unavailable=blind))
        assert await ledger.documents.settle(document_id, settled)


async def evaluate(ledger: Ledger, *, after: timedelta = timedelta(0)) -> Sequence[Alert]:
    monitor = IngestionMonitor(ledger.documents, ledger.alerts, ids=SequentialIds())
    return await monitor.evaluate(DEFAULT_TENANT, now=SOON + after)


async def test_many_held_documents_of_one_origin_alert_once_and_resolve(ledger: Ledger) -> None:
    await add(ledger, 12, verdict=Verdict.QUARANTINE)

    (alert,) = await evaluate(ledger)
    again = await evaluate(ledger)
    (resolved,) = await evaluate(ledger, after=timedelta(hours=2))

    assert alert.labels == {"monitor": BURST, "origin": f"{ALICE.kind.value}:{ALICE.id}"}
    assert alert.annotations["held"] == "12"
    assert again == []
    assert resolved.id == alert.id


async def test_many_alike_documents_alert(ledger: Ledger) -> None:
    await add(ledger, 25, family="fam_one")

    (alert,) = await evaluate(ledger)

    assert alert.annotations["alike"] == "25"


async def test_a_large_honest_batch_is_no_burst(ledger: Ledger) -> None:
    await add(ledger, 40)
    await add(ledger, 10, verdict=Verdict.QUARANTINE, prefix="h")

    assert await evaluate(ledger) == []


async def test_a_few_held_documents_are_no_burst(ledger: Ledger) -> None:
    await add(ledger, 9, verdict=Verdict.REJECT)

    assert await evaluate(ledger) == []


async def test_a_detector_that_missed_scans_is_named(ledger: Ledger) -> None:
    await add(ledger, 3, blind=frozenset({"citations"}))

    (alert,) = await evaluate(ledger)

    assert alert.labels == {"monitor": UNAVAILABLE, "detector": "citations"}


async def test_one_missed_scan_is_no_alert(ledger: Ledger) -> None:
    await add(ledger, 1, blind=frozenset({"citations"}))
    await add(ledger, 5, prefix="e")

    assert await evaluate(ledger) == []
