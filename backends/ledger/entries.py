"""What the journal says of each change: one function an action, so that all are in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from domain.alerting import Review, Silence
from domain.documents import DocumentId, OriginRef, TenantId
from domain.feedback import Feedback
from domain.ledger import DecisionAction, DocumentRecord, NewDocument, Settlement
from domain.monitoring import Alert, Webhook, WebhookId
from domain.publishing import PublisherKey
from domain.suppressions import Suppression
from domain.topics import TopicDefinition
from domain.trust import Verdict

POLICY_ACTOR = "policy"
"""Who decided where no person did."""
SETTINGS_ACTOR = "settings"
"""Who did what the configuration asks for."""
DELIVERIES_ACTOR = "deliveries"
"""Who disabled a receiver that wants nothing more."""

SETTLED_ACTIONS: Mapping[Verdict, str] = {
    Verdict.ADMIT: "document.admitted",
    Verdict.QUARANTINE: "document.quarantined",
    Verdict.REJECT: "document.rejected",
}
DECIDED_ACTIONS: Mapping[DecisionAction, str] = {
    DecisionAction.RELEASE: "document.released",
    DecisionAction.REJECT: "document.rejected-by-review",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryDraft:
    """A journal entry that has no number yet."""

    at: datetime
    tenant_id: TenantId
    actor: str
    action: str
    object_kind: str
    object_id: str
    reason: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


def document_received(new: NewDocument) -> EntryDraft:
    return EntryDraft(
        at=new.received_at,
        tenant_id=new.tenant_id,
        actor=new.actor,
        action="document.received",
        object_kind="document",
        object_id=new.id,
        facts={
            "origin": str(new.origin),
            "sha256": new.sha256,
            "size_bytes": str(new.size_bytes),
            **({"signature": new.signature.value} if new.signature is not None else {}),
            **({"version": str(new.publication.version)} if new.publication is not None else {}),
        },
    )


def document_settled(record: DocumentRecord, settlement: Settlement) -> EntryDraft:
    assessment = settlement.assessment
    return _document_entry(
        record,
        action=SETTLED_ACTIONS[assessment.verdict],
        at=settlement.settled_at,
        facts={
            "reason": assessment.reason.value,
            "trust": f"{assessment.score:.4f}",
            "policy_version": assessment.policy_version,
            "attempts": str(record.attempts),
        },
    )


def document_decided(
    before: DocumentRecord, *, action: DecisionAction, reason: str, actor: str, at: datetime
) -> EntryDraft:
    return _document_entry(
        before,
        action=DECIDED_ACTIONS[action],
        at=at,
        facts={"was": before.status.value},
        actor=actor,
        reason=reason,
    )


def document_deleted(before: DocumentRecord, *, actor: str, at: datetime) -> EntryDraft:
    facts = {"was": before.status.value, "sha256": before.sha256}
    return _document_entry(before, action="document.deleted", at=at, facts=facts, actor=actor)


def document_rescanned(after: DocumentRecord, *, at: datetime) -> EntryDraft:
    facts = {"rescans": str(after.rescans)}
    return _document_entry(after, action="document.rescanned", at=at, facts=facts)


def document_superseded(before: DocumentRecord, *, by: DocumentId, at: datetime) -> EntryDraft:
    return _document_entry(before, action="document.superseded", at=at, facts={"by": by})


def _document_entry(
    record: DocumentRecord,
    *,
    action: str,
    at: datetime,
    facts: Mapping[str, str],
    actor: str = POLICY_ACTOR,
    reason: str | None = None,
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=record.tenant_id,
        actor=actor,
        action=action,
        object_kind="document",
        object_id=record.id,
        reason=reason,
        facts=facts,
    )


def feedback_given(given: Feedback) -> EntryDraft:
    return EntryDraft(
        at=given.given_at,
        tenant_id=given.tenant_id,
        actor=given.author,
        action="question.labelled" if given.label else "question.proposed",
        object_kind="question",
        object_id=given.question_id,
        facts={"verdict": given.verdict.value},
    )


def suppression_added(suppression: Suppression) -> EntryDraft:
    return EntryDraft(
        at=suppression.created_at,
        tenant_id=suppression.tenant_id,
        actor=suppression.created_by,
        action="suppression.added",
        object_kind="suppression",
        object_id=suppression.id,
        reason=suppression.reason,
        facts={
            "rule": suppression.rule,
            "origin": str(suppression.origin),
            "document": suppression.document_id,
            "expires_at": suppression.expires_at.isoformat(),
        },
    )


def suppression_removed(
    suppression: Suppression, *, reason: str, actor: str, at: datetime
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=suppression.tenant_id,
        actor=actor,
        action="suppression.removed",
        object_kind="suppression",
        object_id=suppression.id,
        reason=reason,
        facts={"rule": suppression.rule, "origin": str(suppression.origin)},
    )


def topic_defined(definition: TopicDefinition) -> EntryDraft:
    return EntryDraft(
        at=definition.created_at,
        tenant_id=definition.tenant_id,
        actor=definition.created_by,
        action="topic.defined",
        object_kind="topic",
        object_id=definition.id,
        reason=definition.reason,
        facts={"name": definition.name, "about": "; ".join(definition.about)},
    )


def topic_removed(
    definition: TopicDefinition, *, reason: str, actor: str, at: datetime
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=definition.tenant_id,
        actor=actor,
        action="topic.removed",
        object_kind="topic",
        object_id=definition.id,
        reason=reason,
        facts={"name": definition.name},
    )


def publisher_key_added(key: PublisherKey, *, reason: str, actor: str) -> EntryDraft:
    return EntryDraft(
        at=key.added_at,
        tenant_id=key.tenant_id,
        actor=actor,
        action="publisher.key-added",
        object_kind="publisher",
        object_id=key.publisher,
        reason=reason,
        facts={"key": key.id},
    )


def publisher_key_revoked(
    key: PublisherKey, *, reason: str, actor: str, at: datetime
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=key.tenant_id,
        actor=actor,
        action="publisher.key-revoked",
        object_kind="publisher",
        object_id=key.publisher,
        reason=reason,
        facts={"key": key.id},
    )


def origin_declared(
    tenant_id: TenantId, ref: OriginRef, *, open_write: bool, actor: str, at: datetime
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=tenant_id,
        actor=actor,
        action="origin.declared",
        object_kind="origin",
        object_id=str(ref),
        facts={"open_write": "true" if open_write else "false"},
    )


def origin_added(tenant_id: TenantId, ref: OriginRef, *, actor: str, at: datetime) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=tenant_id,
        actor=actor,
        action="origin.added",
        object_kind="origin",
        object_id=str(ref),
    )


def origin_established(
    tenant_id: TenantId, ref: OriginRef, *, reviewed: bool, reason: str, actor: str, at: datetime
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=tenant_id,
        actor=actor,
        action="origin.established",
        object_kind="origin",
        object_id=str(ref),
        reason=reason,
        facts={"reviewed": "true" if reviewed else "false"},
    )


def origin_revoked(
    tenant_id: TenantId, ref: OriginRef, *, reason: str, actor: str, at: datetime
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=tenant_id,
        actor=actor,
        action="origin.revoked",
        object_kind="origin",
        object_id=str(ref),
        reason=reason,
    )


def webhook_added(webhook: Webhook, *, actor: str) -> EntryDraft:
    """Say which events; never the address, whose path or query may carry a token."""
    return EntryDraft(
        at=webhook.created_at,
        tenant_id=webhook.tenant_id,
        actor=actor,
        action="webhook.added",
        object_kind="webhook",
        object_id=webhook.id,
        facts={"event_types": " ".join(sorted(webhook.event_types))},
    )


def webhook_removed(
    tenant_id: TenantId, webhook_id: WebhookId, *, actor: str, at: datetime
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=tenant_id,
        actor=actor,
        action="webhook.removed",
        object_kind="webhook",
        object_id=webhook_id,
    )


def sink_configured(sink: Webhook, *, at: datetime) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=sink.tenant_id,
        actor=SETTINGS_ACTOR,
        action="sink.configured",
        object_kind="webhook",
        object_id=sink.id,
        facts={"kind": sink.kind, "event_types": " ".join(sorted(sink.event_types))},
    )


def webhook_changed(
    webhook: Webhook,
    action: str,
    *,
    actor: str,
    at: datetime,
    reason: str | None = None,
    facts: Mapping[str, str] | None = None,
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=webhook.tenant_id,
        actor=actor,
        action=action,
        object_kind="webhook",
        object_id=webhook.id,
        reason=reason,
        facts=facts or {},
    )


def alert_acknowledged(alert: Alert, *, actor: str, at: datetime) -> EntryDraft:
    return _alert_entry(alert, action="alert.acknowledged", at=at, actor=actor)


def silence_added(silence: Silence) -> EntryDraft:
    return EntryDraft(
        at=silence.created_at,
        tenant_id=silence.tenant_id,
        actor=silence.author,
        action="silence.added",
        object_kind="silence",
        object_id=silence.id,
        reason=silence.reason,
        facts={**silence.matchers, "expires_at": silence.expires_at.isoformat()},
    )


def silence_removed(silence: Silence, *, actor: str, at: datetime) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=silence.tenant_id,
        actor=actor,
        action="silence.removed",
        object_kind="silence",
        object_id=silence.id,
        facts=silence.matchers,
    )


def review_closed(review: Review, *, actor: str, at: datetime) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=review.tenant_id,
        actor=actor,
        action="review.closed",
        object_kind="question",
        object_id=review.question_id,
        facts={"alert": review.alert_id},
    )


def alert_fired(alert: Alert, *, at: datetime) -> EntryDraft:
    return _alert_entry(alert, action="alert.fired", at=at)


def alert_resolved(alert: Alert, *, at: datetime) -> EntryDraft:
    return _alert_entry(alert, action="alert.resolved", at=at)


def _alert_entry(alert: Alert, *, action: str, at: datetime, actor: str = "monitor") -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=alert.tenant_id,
        actor=actor,
        action=action,
        object_kind="alert",
        object_id=alert.id,
        facts={"name": alert.name, "fingerprint": alert.fingerprint},
    )
