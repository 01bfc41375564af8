"""Incidents: documents that are taken out of the evidence in one step, and may come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType, Protocol

from domain.documents import DocumentId, TenantId

IncidentId = NewType("IncidentId", str)


class IncidentStatus(StrEnum):
    OPEN = "open"
    """A plan: nothing has been touched."""
    CONTAINING = "containing"
    """The ledger holds its documents in quarantine; the index may still have to follow."""
    CONTAINED = "contained"
    UNDONE = "undone"
    """Those still contained were given back to be scanned by the policy of today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One containment, from its plan to its undoing.

    Attributes:
        cause: What it was opened from: `alert alr_1`, `origin uploader:x`, `family doc_1` ...
        documents: What goes when it is contained; afterwards, what went.
        confirmable: Honest near-copies, which go only where they are named.
        approved_by: Another than who opened it; needed where much of a topic's evidence goes.
    """

    id: IncidentId
    tenant_id: TenantId
    status: IncidentStatus
    cause: str
    reason: str
    opened_at: datetime
    opened_by: str
    documents: frozenset[DocumentId]
    confirmable: frozenset[DocumentId] = frozenset()
    approved_at: datetime | None = None
    approved_by: str | None = None
    contained_at: datetime | None = None
    contained_by: str | None = None
    undone_at: datetime | None = None
    undone_by: str | None = None


class IncidentLedger(Protocol):
    async def add(self, incident: Incident) -> None:
        """Write a plan; journalled (`incident.opened`)."""
        ...

    async def get(self, tenant_id: TenantId, incident_id: IncidentId) -> Incident:
        """Raise `NotFoundError` for one unknown to this tenant."""
        ...

    async def list(self, tenant_id: TenantId, *, limit: int) -> Sequence[Incident]:
        """Return newest first."""
        ...

    async def unfinished(self) -> Sequence[Incident]:
        """Return those of all tenants that are `containing`."""
        ...

    async def approve(
        self, tenant_id: TenantId, incident_id: IncidentId, *, actor: str, at: datetime
    ) -> Incident:
        """Write who approves an open one; journalled.

        Raises:
            NotFoundError: Unknown.
            ConflictError: It is not open, or the same principal opened it.
        """
        ...

    async def contain(
        self,
        tenant_id: TenantId,
        incident_id: IncidentId,
        *,
        documents: frozenset[DocumentId],
        actor: str,
        at: datetime,
    ) -> Incident:
        """Quarantine those of `documents` that are admitted, all in one transaction.

        The incident is `containing` and has those that went. Journalled, as is each document.

        Raises:
            NotFoundError: The incident is unknown.
            ConflictError: It is not open.
        """
        ...

    async def finish(self, tenant_id: TenantId, incident_id: IncidentId) -> Incident:
        """Say that the index has followed: `contained`. Nothing happens to one that is not so far.

        Raises:
            NotFoundError: Unknown.
        """
        ...

    async def undo(
        self, tenant_id: TenantId, incident_id: IncidentId, *, reason: str, actor: str, at: datetime
    ) -> Incident:
        """Queue what the incident still holds to be scanned anew, all in one transaction.

        Documents decided about since by somebody else stay as they are. Journalled.

        Raises:
            NotFoundError: Unknown.
            ConflictError: It is not contained.
        """
        ...
