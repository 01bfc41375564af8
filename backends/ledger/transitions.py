"""How a document, an origin and a delivery may change: pure, shared by every ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from backends.ledger.entries import POLICY_ACTOR
from domain.documents import UNDECIDED, DocumentStatus, OriginKind, OriginRef, TenantId
from domain.errors import ConflictError, InputError, NotFoundError, ScanUnderWayError
from domain.ledger import DecisionAction, DocumentRecord, NewDocument, Settlement
from domain.monitoring import WEBHOOK, Alert, Delivery, Webhook
from domain.publishing import Publication
from domain.retrieval import FamilyId
from domain.trust import CoarseReason, Verdict

DENIED: Final = (DocumentStatus.QUARANTINED, DocumentStatus.REJECTED)
"""Turned away: what is known of the text outlives the document."""

STATUS_OF_VERDICT: Final[Mapping[Verdict, DocumentStatus]] = {
    Verdict.ADMIT: DocumentStatus.ADMITTED,
    Verdict.QUARANTINE: DocumentStatus.QUARANTINED,
    Verdict.REJECT: DocumentStatus.REJECTED,
}
VERDICT_OF_DECISION: Final[Mapping[DecisionAction, Verdict]] = {
    DecisionAction.RELEASE: Verdict.ADMIT,
    DecisionAction.REJECT: Verdict.REJECT,
}


def received(new: NewDocument) -> DocumentRecord:
    """Return the first record of an upload.

    Raises:
        InputError: A text that came with it can be stored by no database.
    """
    for text in (new.media_type, new.file_name, new.title, new.source_uri, new.logical_id):
        if text is not None:
            require_storable(text)
    return DocumentRecord(
        id=new.id,
        tenant_id=new.tenant_id,
        origin=new.origin,
        sha256=new.sha256,
        size_bytes=new.size_bytes,
        media_type=new.media_type,
        file_name=new.file_name,
        title=new.title,
        source_uri=new.source_uri,
        labels=dict(new.labels),
        status=DocumentStatus.RECEIVED,
        attempts=0,
        received_at=new.received_at,
        logical_id=new.logical_id,
        version=None if new.publication is None else new.publication.version,
        signature=new.signature,
    )


def require_no_lease(
    record: DocumentRecord, touched_at: datetime, *, at: datetime, lease_seconds: float
) -> None:
    """Refuse to begin beside a scan that gave a sign of life a moment ago.

    Raises:
        ScanUnderWayError: There is one.
    """
    if record.status is not DocumentStatus.SCANNING:
        return
    left = lease_seconds - (at - touched_at).total_seconds()
    # No lease is that long: the clock was set back since, and its holder may be long gone. Should
    # it live all the same, whoever comes first settles the document, and the other finds it so.
    if 0 < left <= 2 * lease_seconds:
        raise ScanUnderWayError(
            f"document {record.id!r} is being scanned", retry_after_seconds=left
        )


def is_under_way(record: DocumentRecord, attempt: int) -> bool:
    return record.status is DocumentStatus.SCANNING and record.attempts == attempt


def begun(before: DocumentRecord) -> DocumentRecord:
    return replace(before, status=DocumentStatus.SCANNING, attempts=before.attempts + 1)


def given_back(before: DocumentRecord) -> DocumentRecord:
    return replace(before, status=DocumentStatus.RECEIVED, attempts=max(0, before.attempts - 1))


def settled(before: DocumentRecord, settlement: Settlement) -> DocumentRecord:
    assessment = settlement.assessment
    admitted = assessment.verdict is Verdict.ADMIT
    return replace(
        before,
        media_type=settlement.media_type or before.media_type,
        status=STATUS_OF_VERDICT[assessment.verdict],
        verdict=assessment.verdict,
        reason=assessment.reason,
        trust=assessment.score,
        policy_version=assessment.policy_version,
        decided_at=settlement.settled_at,
        decided_by=POLICY_ACTOR,
        admitted_at=settlement.settled_at if admitted else None,
        family_id=settlement.family_id if admitted else None,
        voting=settlement.voting if admitted else True,
    )


def decided(
    before: DocumentRecord,
    *,
    action: DecisionAction,
    actor: str,
    at: datetime,
    family_id: FamilyId | None,
    voting: bool,
    trust: float | None,
    seen: DocumentRecord | None = None,
) -> DocumentRecord:
    """Return the record after a person's decision.

    Raises:
        ConflictError: Not yet scanned, deleted, already in that state, or decided since `seen`.
    """
    if before.status in UNDECIDED or before.status is DocumentStatus.DELETED:
        raise ConflictError(f"document {before.id!r} is {before.status}: nothing to decide")
    verdict = VERDICT_OF_DECISION[action]
    status = STATUS_OF_VERDICT[verdict]
    if before.status is status:
        raise ConflictError(f"document {before.id!r} is {status} already")
    if seen is not None and (seen.status, seen.decided_at) != (before.status, before.decided_at):
        raise ConflictError(f"document {before.id!r} was decided by another meanwhile")
    admitted = verdict is Verdict.ADMIT
    return replace(
        before,
        status=status,
        verdict=verdict,
        reason=CoarseReason.REVIEW,
        trust=trust if admitted and trust is not None else before.trust,
        decided_at=at,
        decided_by=actor,
        admitted_at=at if admitted else None,
        family_id=family_id if admitted else None,
        voting=voting if admitted else True,
    )


def deleted(before: DocumentRecord) -> DocumentRecord:
    """Return what is remembered of a deleted document: no text of its uploader.

    Raises:
        NotFoundError: It is deleted already.
    """
    if before.status is DocumentStatus.DELETED:
        raise unknown_document(before.id)
    return replace(
        before,
        status=DocumentStatus.DELETED,
        file_name=None,
        title=None,
        source_uri=None,
        labels={},
    )


def is_held(record: DocumentRecord, *, rescans_below: int) -> bool:
    """Return whether the policy, and no person, holds it, and it may be scanned again."""
    return (
        record.status is DocumentStatus.QUARANTINED
        and record.reason is CoarseReason.HOLD
        and record.decided_by == POLICY_ACTOR
        and record.rescans < rescans_below
    )


def rescanned(before: DocumentRecord) -> DocumentRecord:
    return replace(
        before,
        status=DocumentStatus.RECEIVED,
        attempts=0,
        rescans=before.rescans + 1,
        verdict=None,
        reason=None,
        trust=None,
        policy_version=None,
        decided_at=None,
        decided_by=None,
    )


def superseded(before: DocumentRecord) -> DocumentRecord:
    return replace(before, status=DocumentStatus.SUPERSEDED, family_id=None, voting=True)


def require_newer(publication: Publication, *, version: int, sha256: str) -> None:
    """Refuse to go back, or to say something else under the same version.

    Raises:
        ConflictError: The version is lower, or equal with another content.
    """
    if publication.version < version or (
        publication.version == version and publication.sha256 != sha256
    ):
        raise ConflictError(
            f"version {publication.version} of {publication.logical_id!r} is not above "
            f"{version}, which {publication.publisher!r} has published"
        )


def require_closed(open_write: bool | None, ref: OriginRef) -> None:
    """Refuse to vouch for what anybody may write to.

    Raises:
        ConflictError: It was declared so.
    """
    if open_write:
        raise ConflictError(f"anybody may write to {str(ref)!r}: it stays in the pool")


def require_connector(ref: OriginRef) -> None:
    """Raise `InputError` for an origin that reads from no source."""
    if ref.kind is not OriginKind.CONNECTOR:
        raise InputError(f"{str(ref)!r} is no connector: it has no source to write to")


def unknown_suppression(suppression_id: str) -> NotFoundError:
    return NotFoundError(f"no suppression {suppression_id!r}")


def unknown_topic(topic_id: str) -> NotFoundError:
    return NotFoundError(f"no defined topic {topic_id!r}")


def unknown_publisher_key(publisher: str, key_id: str) -> NotFoundError:
    return NotFoundError(f"publisher {publisher!r} has no key {key_id!r}")


def unknown_document(document_id: str) -> NotFoundError:
    return NotFoundError(f"no document {document_id!r}")


def unknown_origin(ref: OriginRef) -> NotFoundError:
    return NotFoundError(f"no origin {str(ref)!r}")


def unknown_key(key_id: str) -> NotFoundError:
    return NotFoundError(f"no key {key_id!r}")


def unknown_webhook(webhook_id: str) -> NotFoundError:
    return NotFoundError(f"no webhook {webhook_id!r}")


def require_reason(reason: str) -> None:
    """Refuse a reason that says nothing.

    Raises:
        InputError: It is empty or blank.
    """
    if not reason.strip():
        raise InputError("a reason must be given")


def require_storable(value: str) -> None:
    """Refuse text that no database takes, alike in all of them.

    Raises:
        InputError: A NUL character (PostgreSQL), or half of a surrogate pair (UTF-8).
    """
    if "\x00" in value:
        raise InputError("text holds a NUL character")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError("text holds an unpaired surrogate")


def subscribed(webhook: Webhook, tenant_id: TenantId, event_types: Iterable[str]) -> str | None:
    """Return the first of the types that the webhook is told of; None where it is told of none."""
    serves = webhook.tenant_id == tenant_id or webhook.kind != WEBHOOK
    if not serves or webhook.disabled_at is not None:
        return None
    return next((each for each in event_types if each in webhook.event_types), None)


def unknown_alert(alert_id: str) -> NotFoundError:
    return NotFoundError(f"no alert {alert_id!r}")


def unknown_silence(silence_id: str) -> NotFoundError:
    return NotFoundError(f"no silence {silence_id!r}")


def unknown_review(question_id: str) -> NotFoundError:
    return NotFoundError(f"question {question_id!r} is not in the review queue")


def unknown_delivery(delivery_id: str) -> NotFoundError:
    return NotFoundError(f"no delivery {delivery_id!r}")


def not_firing(alert: Alert) -> ConflictError:
    return ConflictError(f"alert {alert.id!r} is {alert.status}: there is nothing to look after")


def require_enabled(webhook: Webhook) -> None:
    """Raise `ConflictError` for a webhook that is disabled."""
    if webhook.disabled_at is not None:
        raise ConflictError(f"webhook {webhook.id!r} is disabled; enable it first")


def new_delivery(
    delivery_id: str,
    webhook: Webhook,
    *,
    tenant_id: TenantId,
    event_type: str,
    payload: str,
    at: datetime,
) -> Delivery:
    return Delivery(
        id=delivery_id,
        tenant_id=tenant_id,
        webhook_id=webhook.id,
        event_type=event_type,
        payload=payload,
        created_at=at,
        attempts=0,
        next_attempt_at=at,
    )
