"""What every `DocumentLedger` and `Outbox` must do. Add a ledger in `tests.ledgers`."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from backends.memory.clock import START, ManualClock
from domain.documents import (
    DEFAULT_TENANT,
    DocumentId,
    DocumentStatus,
    OriginKind,
    OriginRef,
    Span,
)
from domain.errors import (
    ConflictError,
    IdempotencyMismatchError,
    InputError,
    NotFoundError,
    ScanUnderWayError,
)
from domain.ledger import DecisionAction, DocumentFilter, Ledger, StoredAssessment
from domain.retrieval import FamilyId
from domain.trust import CoarseReason, Verdict
from tests.ledger_rows import (
    ALICE,
    NOW,
    OTHER_TENANT,
    PRESS,
    REVIEWER,
    claim,
    finding,
    known_by,
    later,
    settled,
    settlement,
    upload,
)

pytestmark = pytest.mark.anyio

EVERYTHING = DocumentFilter()


async def actions(ledger: Ledger, object_id: str) -> list[str]:
    """Return the journal's actions on one object, oldest first."""
    entries = await ledger.journal.entries(DEFAULT_TENANT, object_id=object_id)
    return [entry.action for entry in reversed(entries)]


async def test_a_received_document_is_found_as_it_was_given(ledger: Ledger) -> None:
    new = upload()

    receipt = await ledger.documents.receive(new, claim=None)

    record = receipt.record
    assert receipt.created
    assert record == await ledger.documents.get(DEFAULT_TENANT, new.id)
    assert record == await ledger.documents.find(new.id)
    assert record.status is DocumentStatus.RECEIVED
    assert record.attempts == 0
    assert record.verdict is None
    for name in ("origin", "sha256", "size_bytes", "media_type", "file_name", "title", "labels"):
        assert getattr(record, name) == getattr(new, name)
    assert (record.source_uri, record.received_at) == (new.source_uri, NOW)


async def test_receiving_queues_one_job_and_tells_the_journal(ledger: Ledger) -> None:
    new = upload()

    await ledger.documents.receive(new, claim=None)

    (entry,) = await ledger.outbox.pending(limit=10)
    assert (entry.name, entry.subject_id, entry.created_at) == ("documents.ingest", new.id, NOW)
    (told,) = await ledger.journal.entries(DEFAULT_TENANT)
    assert (told.action, told.actor, told.object_id) == ("document.received", new.actor, new.id)
    assert told.facts["sha256"] == new.sha256


async def test_the_same_bytes_of_the_same_origin_are_one_document(ledger: Ledger) -> None:
    first = await ledger.documents.receive(upload("one", content="x"), claim=None)

    second = await ledger.documents.receive(upload("two", content="x"), claim=None)

    assert not second.created
    assert second.record == first.record
    assert len(await ledger.outbox.pending(limit=10)) == 1
    assert not await ledger.journal.entries(DEFAULT_TENANT, object_id="doc_two")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(upload("two", content="x", origin=PRESS), id="other-origin"),
        pytest.param(
            upload("two", content="x", origin=OriginRef(kind=OriginKind.CONNECTOR, id="alice")),
            id="other-kind-of-origin",
        ),
        pytest.param(upload("two", content="x", tenant_id=OTHER_TENANT), id="other-tenant"),
        pytest.param(upload("two", content="y"), id="other-bytes"),
    ],
)
async def test_a_document_that_differs_in_one_of_them_is_another(
    ledger: Ledger, other: object
) -> None:
    await ledger.documents.receive(upload("one", content="x"), claim=None)

    receipt = await ledger.documents.receive(other, claim=None)  # type: ignore[arg-type]

    assert receipt.created
    assert receipt.record.id == "doc_two"


@pytest.mark.parametrize("verdict", list(Verdict))
async def test_a_known_document_stays_known_whatever_its_verdict(
    ledger: Ledger, verdict: Verdict
) -> None:
    known = await settled(ledger, upload("one", content="x"), verdict=verdict)

    receipt = await ledger.documents.receive(upload("two", content="x"), claim=None)

    assert not receipt.created
    assert receipt.record == known


async def test_after_a_deletion_the_same_bytes_make_a_new_document(ledger: Ledger) -> None:
    await ledger.documents.receive(upload("one", content="x"), claim=None)
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_one"), actor=REVIEWER, at=NOW)

    receipt = await ledger.documents.receive(upload("two", content="x"), claim=None)

    assert receipt.created
    assert receipt.record.id == "doc_two"


async def test_of_concurrent_uploads_of_the_same_bytes_one_creates(ledger: Ledger) -> None:
    uploads = [upload(f"n{number}", content="x") for number in range(20)]

    receipts = await asyncio.gather(*(ledger.documents.receive(new, claim=None) for new in uploads))

    assert [receipt.created for receipt in receipts].count(True) == 1
    assert len({receipt.record.id for receipt in receipts}) == 1
    assert len(await ledger.outbox.pending(limit=100)) == 1


async def test_the_same_claim_gets_the_same_document_again(ledger: Ledger) -> None:
    first = await ledger.documents.receive(upload("one"), claim=claim())

    again = await ledger.documents.receive(upload("two", content="other"), claim=claim())

    assert not again.created
    assert again.record == first.record
    assert len(await ledger.outbox.pending(limit=10)) == 1


async def test_a_claim_with_another_request_is_refused_and_writes_nothing(ledger: Ledger) -> None:
    await ledger.documents.receive(upload("one"), claim=claim(request_hash="h1"))

    with pytest.raises(IdempotencyMismatchError):
        await ledger.documents.receive(upload("two"), claim=claim(request_hash="h2"))

    with pytest.raises(NotFoundError):
        await ledger.documents.find(DocumentId("doc_two"))
    assert len(await ledger.outbox.pending(limit=10)) == 1


async def test_claims_of_two_keys_do_not_meet(ledger: Ledger) -> None:
    await ledger.documents.receive(upload("one"), claim=claim(key_id="key_a"))

    receipt = await ledger.documents.receive(
        upload("two"), claim=claim(key_id="key_b", request_hash="h2")
    )

    assert receipt.created


async def test_a_claim_for_known_bytes_leads_to_the_known_document(ledger: Ledger) -> None:
    known = await ledger.documents.receive(upload("one", content="x"), claim=None)
    await ledger.documents.receive(upload("two", content="x"), claim=claim())

    again = await ledger.documents.receive(upload("three", content="x"), claim=claim())

    assert not again.created
    assert again.record == known.record


async def test_a_claim_outlives_the_deletion_of_its_document(ledger: Ledger) -> None:
    await ledger.documents.receive(upload("one"), claim=claim())
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_one"), actor=REVIEWER, at=NOW)

    again = await ledger.documents.receive(upload("two"), claim=claim())

    assert not again.created
    assert again.record.status is DocumentStatus.DELETED


async def test_of_concurrent_requests_with_one_claim_one_creates(ledger: Ledger) -> None:
    uploads = [upload(f"n{number}") for number in range(12)]

    receipts = await asyncio.gather(
        *(ledger.documents.receive(new, claim=claim()) for new in uploads)
    )

    assert [receipt.created for receipt in receipts].count(True) == 1
    assert len({receipt.record.id for receipt in receipts}) == 1


@pytest.mark.parametrize("text", ["nul \x00", "half \ud83d"])
async def test_text_that_no_database_takes_is_the_uploaders_fault(
    ledger: Ledger, text: str
) -> None:
    new = upload()

    for broken in (
        replace(new, media_type=text),
        replace(new, file_name=text),
        replace(new, title=text),
        replace(new, source_uri=text),
    ):
        with pytest.raises(InputError):
            await ledger.documents.receive(broken, claim=None)

    assert not await ledger.outbox.pending(limit=1)


async def test_a_failed_write_leaves_its_neighbours_alone(ledger: Ledger) -> None:
    good = [upload(f"n{number}") for number in range(6)]
    bad = [replace(upload(f"b{number}"), title="\x00") for number in range(6)]

    results = await asyncio.gather(
        *(
            ledger.documents.receive(new, claim=None)
            for pair in zip(good, bad, strict=True)
            for new in pair
        ),
        return_exceptions=True,
    )

    assert [isinstance(result, InputError) for result in results] == [False, True] * 6
    assert len(await ledger.outbox.pending(limit=100)) == 6


async def test_no_tenant_sees_anothers_document(ledger: Ledger) -> None:
    mine = await settled(ledger, upload("one", content="x"))

    with pytest.raises(NotFoundError):
        await ledger.documents.get(OTHER_TENANT, mine.id)
    with pytest.raises(NotFoundError):
        await ledger.documents.stored_assessment(OTHER_TENANT, mine.id)
    with pytest.raises(NotFoundError):
        await ledger.documents.delete(OTHER_TENANT, mine.id, actor=REVIEWER, at=NOW)
    with pytest.raises(NotFoundError):
        await ledger.documents.decide(
            OTHER_TENANT,
            mine.id,
            action=DecisionAction.REJECT,
            reason="r",
            actor=REVIEWER,
            at=NOW,
        )
    with pytest.raises(NotFoundError):
        await ledger.documents.set_family(
            OTHER_TENANT, mine.id, family_id=FamilyId("f"), voting=True
        )
    page = await ledger.documents.list(OTHER_TENANT, EVERYTHING, cursor=None, limit=9)
    assert page.items == ()
    assert not await ledger.documents.records(OTHER_TENANT, [mine.id])
    assert not await ledger.documents.family(OTHER_TENANT, FamilyId(mine.id))
    assert not await ledger.documents.fingerprints(OTHER_TENANT)
    assert not await ledger.documents.fingerprints(OTHER_TENANT, [mine.id])
    assert not await ledger.documents.blob_in_use(OTHER_TENANT, mine.sha256)
    assert not await ledger.documents.count_by_status(OTHER_TENANT)
    assert not await ledger.journal.entries(OTHER_TENANT)


async def test_an_attempt_is_counted_before_the_scan(ledger: Ledger) -> None:
    await ledger.documents.receive(upload(), claim=None)

    first = await ledger.documents.begin_attempt(DocumentId("doc_one"))
    second = await ledger.documents.begin_attempt(DocumentId("doc_one"))

    assert first is not None
    assert second is not None
    assert (first.status, first.attempts) == (DocumentStatus.SCANNING, 1)
    assert (second.status, second.attempts) == (DocumentStatus.SCANNING, 2)
    assert await ledger.documents.find(DocumentId("doc_one")) == second


async def test_beside_a_scan_under_way_no_other_is_begun_or_counted(
    ledger: Ledger, clock: ManualClock
) -> None:
    document_id = (await ledger.documents.receive(upload(), claim=None)).record.id
    first = await ledger.documents.begin_attempt(document_id, lease_seconds=20)
    clock.advance(19)

    with pytest.raises(ScanUnderWayError) as refused:
        await ledger.documents.begin_attempt(document_id, lease_seconds=20)

    assert refused.value.retry_after_seconds == pytest.approx(1)
    assert await ledger.documents.find(document_id) == first


async def test_a_sign_of_life_keeps_the_lease_and_a_dead_scan_loses_it(
    ledger: Ledger, clock: ManualClock
) -> None:
    document_id = (await ledger.documents.receive(upload(), claim=None)).record.id
    await ledger.documents.begin_attempt(document_id, lease_seconds=20)
    clock.advance(15)
    extended = await ledger.documents.extend_lease(document_id, attempt=1)
    clock.advance(15)
    with pytest.raises(ScanUnderWayError):
        await ledger.documents.begin_attempt(document_id, lease_seconds=20)
    clock.advance(15)

    second = await ledger.documents.begin_attempt(document_id, lease_seconds=20)

    assert second is not None
    assert (extended, second.attempts) == (True, 2)
    assert not await ledger.documents.extend_lease(document_id, attempt=1)
    await ledger.documents.give_back(document_id, attempt=1)
    assert await ledger.documents.find(document_id) == second


async def test_an_attempt_given_back_leaves_no_lease(ledger: Ledger) -> None:
    document_id = (await ledger.documents.receive(upload(), claim=None)).record.id
    await ledger.documents.begin_attempt(document_id, lease_seconds=20)

    await ledger.documents.give_back(document_id, attempt=1)

    again = await ledger.documents.begin_attempt(document_id, lease_seconds=20)
    assert again is not None
    assert again.attempts == 1


async def test_of_jobs_that_begin_at_once_one_begins(ledger: Ledger) -> None:
    document_id = (await ledger.documents.receive(upload(), claim=None)).record.id

    begun = await asyncio.gather(
        *(ledger.documents.begin_attempt(document_id, lease_seconds=20) for _ in range(8)),
        return_exceptions=True,
    )

    assert sum(isinstance(one, ScanUnderWayError) for one in begun) == 7
    assert (await ledger.documents.find(document_id)).attempts == 1


async def test_a_settled_document_has_no_lease(ledger: Ledger) -> None:
    known = await settled(ledger, upload())

    assert not await ledger.documents.extend_lease(known.id, attempt=known.attempts)


@pytest.mark.parametrize("verdict", list(Verdict))
async def test_a_decided_document_is_not_begun_again(ledger: Ledger, verdict: Verdict) -> None:
    known = await settled(ledger, upload(), verdict=verdict)

    assert await ledger.documents.begin_attempt(known.id) is None
    assert (await ledger.documents.find(known.id)).attempts == 1


async def test_a_deleted_document_is_not_begun(ledger: Ledger) -> None:
    await ledger.documents.receive(upload(), claim=None)
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_one"), actor=REVIEWER, at=NOW)

    assert await ledger.documents.begin_attempt(DocumentId("doc_one")) is None


async def test_an_unknown_document_is_not_found(ledger: Ledger) -> None:
    nobody = DocumentId("doc_nobody")

    for call in (
        ledger.documents.get(DEFAULT_TENANT, nobody),
        ledger.documents.find(nobody),
        ledger.documents.begin_attempt(nobody),
        ledger.documents.settle(nobody, settlement(nobody)),
        ledger.documents.stored_assessment(DEFAULT_TENANT, nobody),
        ledger.documents.delete(DEFAULT_TENANT, nobody, actor=REVIEWER, at=NOW),
    ):
        with pytest.raises(NotFoundError):
            await call


@pytest.mark.parametrize(
    ("verdict", "status", "action"),
    [
        (Verdict.ADMIT, DocumentStatus.ADMITTED, "document.admitted"),
        (Verdict.QUARANTINE, DocumentStatus.QUARANTINED, "document.quarantined"),
        (Verdict.REJECT, DocumentStatus.REJECTED, "document.rejected"),
    ],
)
async def test_settling_writes_the_verdict(
    ledger: Ledger, verdict: Verdict, status: DocumentStatus, action: str
) -> None:
    await ledger.documents.receive(upload(), claim=None)
    await ledger.documents.begin_attempt(DocumentId("doc_one"))
    settling = settlement(
        DocumentId("doc_one"),
        verdict=verdict,
        reason=CoarseReason.CONTENT,
        settled_at=later(5),
        voting=False,
    )

    written = await ledger.documents.settle(DocumentId("doc_one"), settling)

    record = await ledger.documents.find(DocumentId("doc_one"))
    admitted = verdict is Verdict.ADMIT
    assert written
    assert (record.status, record.verdict, record.reason) == (status, verdict, CoarseReason.CONTENT)
    assert record.trust == settling.assessment.score
    assert record.policy_version == "2026-11"
    assert (record.decided_at, record.decided_by) == (later(5), "policy")
    assert record.media_type == "text/html"
    assert record.admitted_at == (later(5) if admitted else None)
    assert record.family_id == ("doc_one" if admitted else None)
    assert record.voting is not admitted
    assert (await actions(ledger, "doc_one"))[-1] == action


async def test_only_a_document_that_is_being_scanned_can_be_settled(ledger: Ledger) -> None:
    new = upload()
    await ledger.documents.receive(new, claim=None)

    too_early = await ledger.documents.settle(new.id, settlement(new.id))
    await ledger.documents.begin_attempt(new.id)
    await ledger.documents.delete(DEFAULT_TENANT, new.id, actor=REVIEWER, at=NOW)
    too_late = await ledger.documents.settle(new.id, settlement(new.id))

    assert (too_early, too_late) == (False, False)
    assert await ledger.documents.stored_assessment(DEFAULT_TENANT, new.id) is None
    assert "document.admitted" not in await actions(ledger, new.id)


async def test_of_workers_that_scan_the_same_document_one_settles_it(ledger: Ledger) -> None:
    new = upload()
    await ledger.documents.receive(new, claim=None)
    await asyncio.gather(*(ledger.documents.begin_attempt(new.id) for _ in range(8)))

    settled_by = await asyncio.gather(
        *(
            ledger.documents.settle(new.id, settlement(new.id, findings=[finding(f"a.r{number}")]))
            for number in range(8)
        )
    )

    stored = await ledger.documents.stored_assessment(DEFAULT_TENANT, new.id)
    assert stored is not None
    assert settled_by.count(True) == 1
    assert stored.report.findings == (finding(f"a.r{settled_by.index(True)}"),)
    assert (await actions(ledger, new.id)).count("document.admitted") == 1


async def test_a_report_comes_back_exactly_as_it_was_settled(ledger: Ledger) -> None:
    new = upload()
    findings = [
        finding("hidden-text.zero-width"),
        finding("injection.imperative", span=None, locator="page 3"),
        finding("hidden-text.zero-width", span=Span(0, 0)),
    ]
    settling = settlement(new.id, verdict=Verdict.QUARANTINE, findings=findings)
    await ledger.documents.receive(new, claim=None)
    await ledger.documents.begin_attempt(new.id)

    await ledger.documents.settle(new.id, settling)

    assert settling.report is not None
    assert await ledger.documents.stored_assessment(DEFAULT_TENANT, new.id) == StoredAssessment(
        report=settling.report, assessment=settling.assessment
    )


async def test_there_is_no_report_before_the_scan_or_where_parsing_failed(ledger: Ledger) -> None:
    await ledger.documents.receive(upload("one"), claim=None)
    unread = await settled(
        ledger,
        upload("two"),
        verdict=Verdict.QUARANTINE,
        reason=CoarseReason.UNREADABLE,
        read=False,
    )

    reports = [
        await ledger.documents.stored_assessment(DEFAULT_TENANT, DocumentId(document_id))
        for document_id in ("doc_one", "doc_two")
    ]

    assert reports == [None, None]
    assert (unread.reason, unread.media_type) == (CoarseReason.UNREADABLE, "text/markdown")


async def test_a_person_releases_what_was_quarantined(ledger: Ledger) -> None:
    held = await settled(ledger, upload(), verdict=Verdict.QUARANTINE)

    record = await ledger.documents.decide(
        DEFAULT_TENANT,
        held.id,
        action=DecisionAction.RELEASE,
        reason="quotes an attack",
        actor=REVIEWER,
        at=later(60),
        family_id=FamilyId("doc_other"),
        voting=False,
        trust=0.9,
    )

    assert record == await ledger.documents.find(held.id)
    assert (record.status, record.verdict) == (DocumentStatus.ADMITTED, Verdict.ADMIT)
    assert (record.reason, record.trust) == (CoarseReason.REVIEW, 0.9)
    assert (record.decided_by, record.decided_at) == (REVIEWER, later(60))
    assert (record.admitted_at, record.family_id) == (later(60), "doc_other")
    assert not record.voting
    told = (await ledger.journal.entries(DEFAULT_TENANT, object_id=held.id))[0]
    assert (told.action, told.actor) == ("document.released", REVIEWER)
    assert (told.reason, told.at) == ("quotes an attack", later(60))


async def test_a_decision_about_what_another_has_decided_since_is_refused(ledger: Ledger) -> None:
    held = await settled(ledger, upload(), verdict=Verdict.QUARANTINE)
    rejected = await ledger.documents.decide(
        DEFAULT_TENANT,
        held.id,
        action=DecisionAction.REJECT,
        reason="planted",
        actor=REVIEWER,
        at=later(1),
    )

    with pytest.raises(ConflictError):
        await ledger.documents.decide(
            DEFAULT_TENANT,
            held.id,
            action=DecisionAction.RELEASE,
            reason="looked fine",
            actor="another",
            at=later(2),
            family_id=FamilyId(held.id),
            seen=held,
        )

    assert await ledger.documents.find(held.id) == rejected
    released = await ledger.documents.decide(
        DEFAULT_TENANT,
        held.id,
        action=DecisionAction.RELEASE,
        reason="is fine",
        actor="another",
        at=later(3),
        family_id=FamilyId(held.id),
        seen=rejected,
    )
    assert released.status is DocumentStatus.ADMITTED


async def test_a_rejection_withdraws_and_a_release_undoes_it(ledger: Ledger) -> None:
    document = await settled(ledger, upload())

    rejected = await ledger.documents.decide(
        DEFAULT_TENANT,
        document.id,
        action=DecisionAction.REJECT,
        reason="planted",
        actor=REVIEWER,
        at=later(1),
        trust=0.1,
    )
    released = await ledger.documents.decide(
        DEFAULT_TENANT,
        document.id,
        action=DecisionAction.RELEASE,
        reason="was not",
        actor=REVIEWER,
        at=later(2),
        family_id=FamilyId(document.id),
    )

    assert (rejected.status, rejected.trust) == (DocumentStatus.REJECTED, document.trust)
    assert (rejected.admitted_at, rejected.family_id, rejected.voting) == (None, None, True)
    assert (released.status, released.trust) == (DocumentStatus.ADMITTED, document.trust)
    assert released.family_id == FamilyId(document.id)
    assert (await actions(ledger, document.id))[-2:] == [
        "document.rejected-by-review",
        "document.released",
    ]


@pytest.mark.parametrize(
    ("status", "action"),
    [
        (DocumentStatus.RECEIVED, DecisionAction.RELEASE),
        (DocumentStatus.RECEIVED, DecisionAction.REJECT),
        (DocumentStatus.SCANNING, DecisionAction.RELEASE),
        (DocumentStatus.SCANNING, DecisionAction.REJECT),
        (DocumentStatus.DELETED, DecisionAction.RELEASE),
        (DocumentStatus.DELETED, DecisionAction.REJECT),
        (DocumentStatus.ADMITTED, DecisionAction.RELEASE),
        (DocumentStatus.REJECTED, DecisionAction.REJECT),
    ],
)
async def test_what_cannot_be_decided_is_a_conflict_and_stays_as_it_is(
    ledger: Ledger, status: DocumentStatus, action: DecisionAction
) -> None:
    new = upload()
    await ledger.documents.receive(new, claim=None)
    if status is not DocumentStatus.RECEIVED:
        await ledger.documents.begin_attempt(new.id)
    if status is DocumentStatus.DELETED:
        await ledger.documents.delete(DEFAULT_TENANT, new.id, actor=REVIEWER, at=NOW)
    if status in (DocumentStatus.ADMITTED, DocumentStatus.REJECTED):
        verdict = Verdict.ADMIT if status is DocumentStatus.ADMITTED else Verdict.REJECT
        await ledger.documents.settle(new.id, settlement(new.id, verdict=verdict))
    before = await ledger.documents.find(new.id)
    told = await actions(ledger, new.id)

    with pytest.raises(ConflictError):
        await ledger.documents.decide(
            DEFAULT_TENANT, new.id, action=action, reason="r", actor=REVIEWER, at=later(9)
        )

    assert before.status is status
    assert await ledger.documents.find(new.id) == before
    assert await actions(ledger, new.id) == told


async def test_deleting_forgets_all_text_and_keeps_the_journal(ledger: Ledger) -> None:
    document = await settled(
        ledger,
        upload(),
        findings=[finding("hidden-text.zero-width")],
        fingerprint=known_by([0, 1, 2, 3]),
    )

    record = await ledger.documents.delete(DEFAULT_TENANT, document.id, actor=REVIEWER, at=later(1))

    assert record == await ledger.documents.get(DEFAULT_TENANT, document.id)
    assert record.status is DocumentStatus.DELETED
    assert (record.title, record.file_name, record.source_uri) == (None, None, None)
    assert record.labels == {}
    assert await ledger.documents.stored_assessment(DEFAULT_TENANT, document.id) is None
    assert not await ledger.documents.fingerprints(DEFAULT_TENANT)
    by_rule = DocumentFilter(status=DocumentStatus.DELETED, rule="hidden-text")
    page = await ledger.documents.list(DEFAULT_TENANT, by_rule, cursor=None, limit=9)
    assert page.items == ()
    assert await actions(ledger, document.id) == [
        "document.received",
        "document.admitted",
        "document.deleted",
    ]


async def test_a_document_is_deleted_once(ledger: Ledger) -> None:
    await ledger.documents.receive(upload(), claim=None)
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_one"), actor=REVIEWER, at=NOW)

    with pytest.raises(NotFoundError):
        await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_one"), actor=REVIEWER, at=NOW)


async def test_bytes_are_in_use_until_their_last_document_is_deleted(ledger: Ledger) -> None:
    documents = [
        (await ledger.documents.receive(upload(name, content="x", origin=origin), claim=None))
        for name, origin in (("one", ALICE), ("two", PRESS))
    ]
    sha256 = documents[0].record.sha256

    in_use = [await ledger.documents.blob_in_use(DEFAULT_TENANT, sha256)]
    for receipt in documents:
        await ledger.documents.delete(DEFAULT_TENANT, receipt.record.id, actor=REVIEWER, at=NOW)
        in_use.append(await ledger.documents.blob_in_use(DEFAULT_TENANT, sha256))

    assert in_use == [True, True, False]
    assert not await ledger.documents.blob_in_use(DEFAULT_TENANT, "0" * 64)


async def test_what_waits_for_a_verdict_is_found_oldest_first(ledger: Ledger) -> None:
    for name, seconds in (("three", 30), ("one", 10), ("two", 20), ("new", 99)):
        await ledger.documents.receive(upload(name, received_at=later(seconds)), claim=None)
    await settled(ledger, upload("done", received_at=later(5)))
    await ledger.documents.receive(upload("gone", received_at=later(6)), claim=None)
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_gone"), actor=REVIEWER, at=NOW)

    found = await ledger.documents.undecided(received_before=later(50), limit=2)
    every = await ledger.documents.undecided(received_before=later(50), limit=9)

    assert found == ["doc_one", "doc_two"]
    assert every == ["doc_one", "doc_two", "doc_three"]


async def test_what_was_queued_or_begun_again_is_not_swept_at_once(
    ledger: Ledger, clock: ManualClock
) -> None:
    for name in ("queued", "begun", "left"):
        await ledger.documents.receive(upload(name, received_at=START), claim=None)
    now = clock.advance(3600)
    await ledger.outbox.add("documents.ingest", "doc_queued", at=now)
    await ledger.documents.begin_attempt(DocumentId("doc_begun"))

    at_once = await ledger.documents.undecided(received_before=now, limit=9)
    after_a_while = await ledger.documents.undecided(received_before=clock.advance(1), limit=9)

    assert at_once == ["doc_left"]
    assert sorted(after_a_while) == ["doc_begun", "doc_left", "doc_queued"]


async def test_records_are_returned_by_id_without_the_deleted(ledger: Ledger) -> None:
    kept = await ledger.documents.receive(upload("one"), claim=None)
    await ledger.documents.receive(upload("two"), claim=None)
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_two"), actor=REVIEWER, at=NOW)
    many = [DocumentId(f"doc_{number}") for number in range(1200)]

    found = await ledger.documents.records(
        DEFAULT_TENANT, [*many, DocumentId("doc_one"), DocumentId("doc_two")]
    )

    assert found == {"doc_one": kept.record}
    assert await ledger.documents.records(DEFAULT_TENANT, []) == {}


async def test_a_family_lists_its_admitted_members_earliest_first(ledger: Ledger) -> None:
    await settled(ledger, upload("late"), settled_at=later(9), family_id="doc_early")
    await settled(ledger, upload("early"), settled_at=later(1), family_id="doc_early")
    await settled(ledger, upload("stranger"))
    rejected = await settled(ledger, upload("rejected"), verdict=Verdict.REJECT)
    await ledger.documents.set_family(
        DEFAULT_TENANT, rejected.id, family_id=FamilyId("doc_early"), voting=False
    )

    members = await ledger.documents.family(DEFAULT_TENANT, FamilyId("doc_early"))

    assert [member.id for member in members] == ["doc_early", "doc_late"]


async def test_a_document_moves_to_another_family(ledger: Ledger) -> None:
    document = await settled(ledger, upload())

    await ledger.documents.set_family(
        DEFAULT_TENANT, document.id, family_id=FamilyId("doc_centre"), voting=False
    )

    moved = await ledger.documents.find(document.id)
    assert (moved.family_id, moved.voting) == ("doc_centre", False)


async def test_fingerprints_come_back_bit_for_bit(ledger: Ledger) -> None:
    values = [0, 1, 2**31, 2**32 - 1]
    document = await settled(ledger, upload("one"), fingerprint=known_by(values, values))
    short = await settled(ledger, upload("short"), fingerprint=known_by(None))
    await settled(ledger, upload("nothing"), fingerprint=None)

    found = await ledger.documents.fingerprints(DEFAULT_TENANT)

    assert found.keys() == {document.id, short.id}
    one = found[document.id].fingerprint
    assert one.signature is not None
    assert one.signature.dtype == one.passages.dtype == np.uint32
    assert one.signature.tolist() == values
    assert one.passages.tolist() == [0, 1]  # of one window in four: those an index stores
    assert (one.exact, one.sampled, one.kept) == (b"0123456789abcdef", 2, 2)
    assert one.scheme == "v0"
    assert found[short.id].fingerprint.signature is None
    assert found[document.id].origin == document.origin


async def test_fingerprints_of_some_documents_are_read_alone(ledger: Ledger) -> None:
    one = await settled(ledger, upload("one"), fingerprint=known_by([1]))
    await settled(ledger, upload("other"), fingerprint=known_by([2]))

    found = await ledger.documents.fingerprints(DEFAULT_TENANT, [one.id, DocumentId("unknown")])

    assert found.keys() == {one.id}
    assert await ledger.documents.fingerprints(DEFAULT_TENANT, []) == {}


@pytest.mark.parametrize("verdict", [Verdict.QUARANTINE, Verdict.REJECT])
async def test_a_text_that_was_turned_away_stays_known_after_its_deletion(
    ledger: Ledger, verdict: Verdict
) -> None:
    held = await settled(ledger, upload("held"), verdict=verdict, fingerprint=known_by([1]))
    kept = await settled(ledger, upload("kept"), fingerprint=known_by([2]))
    before = await ledger.documents.fingerprints(DEFAULT_TENANT)

    for document in (held, kept):
        await ledger.documents.delete(DEFAULT_TENANT, document.id, actor=REVIEWER, at=later(1))
    after = await ledger.documents.fingerprints(DEFAULT_TENANT)

    assert {one: known.denied for one, known in before.items()} == {held.id: True, kept.id: False}
    assert {one: known.denied for one, known in after.items()} == {held.id: True}


async def test_tenants_and_counts_cover_all_documents(ledger: Ledger) -> None:
    await settled(ledger, upload("one"))
    await ledger.documents.receive(upload("two"), claim=None)
    await ledger.documents.receive(upload("three"), claim=None)
    await ledger.documents.receive(upload("far", tenant_id=OTHER_TENANT), claim=None)

    counts = await ledger.documents.count_by_status(DEFAULT_TENANT)

    assert counts == {DocumentStatus.ADMITTED: 1, DocumentStatus.RECEIVED: 2}
    assert await ledger.documents.tenants() == [DEFAULT_TENANT, OTHER_TENANT]


async def test_published_entries_are_not_pending(ledger: Ledger) -> None:
    await ledger.documents.receive(upload(), claim=None)
    await ledger.outbox.add("monitors.evaluate", "default", at=later(1))
    await ledger.outbox.add("maintenance.sweep", "default", at=later(2))
    first, second, third = await ledger.outbox.pending(limit=10)

    await ledger.outbox.mark_published([second.id], at=later(3))
    await ledger.outbox.mark_published([], at=later(3))

    assert [entry.name for entry in (first, second, third)] == [
        "documents.ingest",
        "monitors.evaluate",
        "maintenance.sweep",
    ]
    assert await ledger.outbox.pending(limit=10) == [first, third]
    assert await ledger.outbox.pending(limit=1) == [first]


async def test_the_journal_numbers_its_entries_and_limits_them(ledger: Ledger) -> None:
    for number in range(4):
        await ledger.journal.append(
            tenant_id=DEFAULT_TENANT,
            at=later(-number),
            actor=REVIEWER,
            action="settings.changed",
            object_kind="setting",
            object_id=f"s{number % 2}",
            reason=f"reason {number}",
            facts={"value": str(number)},
        )

    latest = await ledger.journal.entries(DEFAULT_TENANT, limit=3)
    of_one = await ledger.journal.entries(DEFAULT_TENANT, object_id="s0")

    assert [entry.facts["value"] for entry in latest] == ["3", "2", "1"]
    assert latest[0].seq > latest[1].seq > latest[2].seq
    assert latest[0].at == later(-3)
    assert [entry.reason for entry in of_one] == ["reason 2", "reason 0"]


async def test_an_attempt_that_is_given_back_does_not_count(ledger: Ledger) -> None:
    await ledger.documents.receive(upload(), claim=None)
    await ledger.documents.begin_attempt(DocumentId("doc_one"))

    await ledger.documents.give_back(DocumentId("doc_one"))

    found = await ledger.documents.find(DocumentId("doc_one"))
    assert (found.status, found.attempts) == (DocumentStatus.RECEIVED, 0)


async def test_a_settled_document_is_not_given_back(ledger: Ledger) -> None:
    known = await settled(ledger, upload())

    await ledger.documents.give_back(known.id)

    assert await ledger.documents.find(known.id) == known
