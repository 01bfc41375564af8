"""How an incident and its documents may change, and what the journal says of it: pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from backends.ledger.entries import EntryDraft
from backends.ledger.transitions import rescanned
from domain.documents import DocumentId, DocumentStatus
from domain.errors import ConflictError, NotFoundError
from domain.incidents import Incident, IncidentStatus
from domain.ledger import DocumentRecord
from domain.trust import CoarseReason, Verdict


def unknown_incident(incident_id: str) -> NotFoundError:
    return NotFoundError(f"no incident {incident_id!r}")


def approved(before: Incident, *, actor: str, at: datetime) -> Incident:
    """Return the incident with its second name.

    Raises:
        ConflictError: It is not open, or the same principal opened it.
    """
    _require(before, IncidentStatus.OPEN)
    if actor == before.opened_by:
        raise ConflictError(f"incident {before.id!r} is approved by another than who opened it")
    return replace(before, approved_at=at, approved_by=actor)


def containing(
    before: Incident, *, documents: frozenset[DocumentId], actor: str, at: datetime
) -> Incident:
    """Return the incident whose documents went. Raise `ConflictError` where it is not open."""
    _require(before, IncidentStatus.OPEN)
    return replace(
        before,
        status=IncidentStatus.CONTAINING,
        documents=documents,
        contained_at=at,
        contained_by=actor,
    )


def finished(before: Incident) -> Incident:
    if before.status is not IncidentStatus.CONTAINING:
        return before
    return replace(before, status=IncidentStatus.CONTAINED)


def undone(before: Incident, *, actor: str, at: datetime) -> Incident:
    """Return the incident undone. Raise `ConflictError` where it is not contained."""
    _require(before, IncidentStatus.CONTAINED)
    return replace(before, status=IncidentStatus.UNDONE, undone_at=at, undone_by=actor)


def quarantined(before: DocumentRecord, *, actor: str, at: datetime) -> DocumentRecord:
    """Return an admitted document as a containment leaves it; its trust stays."""
    return replace(
        before,
        status=DocumentStatus.QUARANTINED,
        verdict=Verdict.QUARANTINE,
        reason=CoarseReason.REVIEW,
        decided_at=at,
        decided_by=actor,
        admitted_at=None,
        family_id=None,
        voting=True,
    )


def is_held_by(record: DocumentRecord, incident: Incident) -> bool:
    """Return whether the document is as the incident left it: nobody has decided since."""
    return (
        record.status is DocumentStatus.QUARANTINED
        and record.decided_by == incident.contained_by
        and record.decided_at == incident.contained_at
    )


def given_back(before: DocumentRecord) -> DocumentRecord:
    """Return a contained document as one that waits for its scan."""
    return rescanned(before)


def opened_entry(incident: Incident) -> EntryDraft:
    return _entry(
        incident,
        "incident.opened",
        actor=incident.opened_by,
        at=incident.opened_at,
        reason=incident.reason,
    )


def approved_entry(after: Incident, *, actor: str, at: datetime) -> EntryDraft:
    return _entry(after, "incident.approved", actor=actor, at=at)


def contained_entry(after: Incident, *, actor: str, at: datetime) -> EntryDraft:
    return _entry(after, "incident.contained", actor=actor, at=at, reason=after.reason)


def undone_entry(after: Incident, *, reason: str, actor: str, at: datetime) -> EntryDraft:
    return _entry(after, "incident.undone", actor=actor, at=at, reason=reason)


def document_entry(
    record: DocumentRecord, incident: Incident, *, action: str, actor: str, at: datetime
) -> EntryDraft:
    """Return `document.contained` or `document.given-back`."""
    return EntryDraft(
        at=at,
        tenant_id=record.tenant_id,
        actor=actor,
        action=action,
        object_kind="document",
        object_id=record.id,
        facts={"incident": incident.id},
    )


def _entry(
    incident: Incident, action: str, *, actor: str, at: datetime, reason: str | None = None
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=incident.tenant_id,
        actor=actor,
        action=action,
        object_kind="incident",
        object_id=incident.id,
        reason=reason,
        facts={"cause": incident.cause, "documents": str(len(incident.documents))},
    )


def _require(incident: Incident, status: IncidentStatus) -> None:
    if incident.status is not status:
        raise ConflictError(f"incident {incident.id!r} is {incident.status}, not {status}")
