from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.documents import DEFAULT_TENANT, DocumentId, OriginKind, OriginRef, TenantId
from domain.ledger import Ledger
from domain.monitoring import Alert, Topic, TopicId
from domain.retrieval import Embedder
from domain.trust import CoarseReason, Verdict
from monitors.ingestion import BURST, UNAVAILABLE, IngestionMonitor
from monitors.upload_topics import MOST_READ, UploadTopics
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
    origins: Sequence[OriginRef] = (ALICE,),
    verdict: Verdict = Verdict.ADMIT,
    family: str | None = None,
    prefix: str = "d",
    blind: frozenset[str] = frozenset(),
) -> None:
    for number in range(count):
        name = f"{prefix}{number}"
        await ledger.documents.receive(
            upload(name, origin=origins[number % len(origins)]), claim=None
        )
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


async def evaluate(
    ledger: Ledger, *, after: timedelta = timedelta(0), topics: UploadTopics | None = None
) -> Sequence[Alert]:
    monitor = IngestionMonitor(ledger.documents, ledger.alerts, ids=SequentialIds(), topics=topics)
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


CROWD = [OriginRef(kind=OriginKind.UPLOADER, id=f"crowd{number}") for number in range(12)]


class Compass:
    """Texts about pumps point one way, all others another."""

    dimensions = 2
    version = "compass"

    def __init__(self) -> None:
        self.read = 0

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.read += len(texts)
        return np.array([[1, 0] if "pump" in text else [0, 1] for text in texts], dtype=np.float32)


async def topics_of(ledger: Ledger, embedder: Embedder, *, about: str) -> UploadTopics:
    """Topics of a tenant that asks about pumps alone, where all uploads say `about`."""
    topic = Topic(
        id=TopicId("top_pumps"),
        tenant_id=DEFAULT_TENANT,
        centroid=np.array([1, 0], dtype=np.float32),
        size=40,
        terms=("pump",),
        created_at=NOW,
    )
    assert await ledger.observations.save_topic(topic)

    async def read(tenant_id: TenantId, document_id: DocumentId) -> str | None:
        return about

    return UploadTopics(
        observations=ledger.observations, embedder=embedder, read=read, similarity=0.48
    )


async def test_what_many_origins_upload_on_a_topic_and_is_held_is_a_burst(ledger: Ledger) -> None:
    await add(ledger, 12, verdict=Verdict.QUARANTINE, origins=CROWD)
    topics = await topics_of(ledger, Compass(), about="the pump")

    (alert,) = await evaluate(ledger, topics=topics)
    again = await evaluate(ledger, topics=topics)
    (resolved,) = await evaluate(ledger, topics=topics, after=timedelta(hours=2))

    assert alert.labels == {"monitor": BURST, "topic": "top_pumps"}
    assert alert.annotations["held"] == "12"
    assert again == []
    assert resolved.id == alert.id


async def test_alike_documents_of_many_origins_on_a_topic_are_a_burst(ledger: Ledger) -> None:
    await add(ledger, 25, family="fam_one", origins=CROWD)

    (alert,) = await evaluate(ledger, topics=await topics_of(ledger, Compass(), about="the pump"))

    assert alert.labels["topic"] == "top_pumps"
    assert alert.annotations["alike"] == "25"


async def test_what_nobody_asks_about_is_no_topic_s_burst(ledger: Ledger) -> None:
    await add(ledger, 12, verdict=Verdict.QUARANTINE, origins=CROWD)

    assert not await evaluate(ledger, topics=await topics_of(ledger, Compass(), about="the lamp"))


async def test_the_burst_of_one_origin_is_told_once_as_its_own(ledger: Ledger) -> None:
    await add(ledger, 12, verdict=Verdict.QUARANTINE)

    (alert,) = await evaluate(ledger, topics=await topics_of(ledger, Compass(), about="the pump"))

    assert "origin" in alert.labels


async def test_few_documents_are_read_and_each_once(ledger: Ledger) -> None:
    compass = Compass()
    await add(ledger, 60, verdict=Verdict.QUARANTINE, origins=CROWD)
    topics = await topics_of(ledger, compass, about="the pump")

    await evaluate(ledger, topics=topics)
    await evaluate(ledger, topics=topics)

    assert compass.read == MOST_READ


async def test_without_a_burst_nothing_is_read(ledger: Ledger) -> None:
    compass = Compass()
    await add(ledger, 9, verdict=Verdict.QUARANTINE, origins=CROWD)

    assert not await evaluate(ledger, topics=await topics_of(ledger, compass, about="the pump"))
    assert compass.read == 0
