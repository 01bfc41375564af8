"""`/v1/audit`: who did what."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query

from domain.audit import JournalEntry
from gateway.http.auth import Admin
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import NAMED_LINE, Model
from gateway.http.parameters import Limit

router = APIRouter(prefix="/v1/audit", tags=["operations"])


class AuditEntry(Model):
    """An entry. That none is missing or changed, `mithridate audit verify` proves."""

    seq: int
    at: datetime
    actor: str
    action: str
    object_kind: str
    object_id: str
    reason: str | None
    facts: dict[str, str]

    @classmethod
    def of(cls, entry: JournalEntry) -> AuditEntry:
        return cls(
            seq=entry.seq,
            at=entry.at,
            actor=entry.actor,
            action=entry.action,
            object_kind=entry.object_kind,
            object_id=entry.object_id,
            reason=entry.reason,
            facts=dict(entry.facts),
        )


class AuditEntries(Model):
    items: list[AuditEntry]


@router.get("", summary="Who did what, newest first")
async def list_audit(
    services: ServicesDependency,
    principal: Admin,
    object_id: Annotated[
        str | None,
        Query(max_length=200, pattern=NAMED_LINE, description="id of what was acted on"),
    ] = None,
    limit: Limit = 50,
) -> AuditEntries:
    found = await services.ledger.journal.entries(
        principal.tenant_id, object_id=object_id, limit=limit
    )
    return AuditEntries(items=[AuditEntry.of(entry) for entry in found])
