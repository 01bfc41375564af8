"""What another policy would say of documents that were scanned: over stored reports, read only."""

from __future__ import annotations

from dataclasses import dataclass

from domain.documents import DocumentId, OriginRef, TenantId
from domain.errors import NotFoundError
from domain.ledger import DocumentFilter, DocumentRecord, Ledger, StoredAssessment
from domain.trust import TrustAssessment, TrustPolicy
from ingest.background import Background


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One document under another policy.

    Attributes:
        before: What its last scan came to.
        after: What the other policy makes of the same report, at the same age.
        settled_by_person: A person has decided since: the policy would change nothing.
    """

    record: DocumentRecord
    before: TrustAssessment
    after: TrustAssessment
    settled_by_person: bool

    @property
    def changes_verdict(self) -> bool:
        return (self.before.verdict, self.before.reason) != (self.after.verdict, self.after.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPage:
    """`unread` counts documents without a report to replay: not scanned yet, or not readable."""

    items: tuple[Replayed, ...]
    unread: int
    next_cursor: str | None


class PolicyReplay:
    """Assesses stored reports again. Nothing is written, nothing is parsed."""

    def __init__(self, *, ledger: Ledger, background: Background) -> None:
        self._ledger = ledger
        self._background = background

    async def one(
        self, tenant_id: TenantId, document_id: DocumentId, policy: TrustPolicy
    ) -> Replayed:
        """Replay one document.

        Raises:
            NotFoundError: Unknown to this tenant, or without a report to replay.
        """
        record = await self._ledger.documents.get(tenant_id, document_id)
        stored = await self._ledger.documents.stored_assessment(tenant_id, document_id)
        if stored is None or not was_read(stored):
            raise NotFoundError(f"document {document_id!r} has no report to explain")
        return await self._replayed(record, stored, policy, known={})

    async def page(
        self, tenant_id: TenantId, policy: TrustPolicy, *, cursor: str | None, limit: int
    ) -> ReplayPage:
        """Replay a page of documents, newest first; deleted ones have no report any more.

        Raises:
            InputError: The cursor is not one of ours.
        """
        found = await self._ledger.documents.list(
            tenant_id, DocumentFilter(), cursor=cursor, limit=limit
        )
        items: list[Replayed] = []
        known: dict[OriginRef, float | None] = {}
        for record in found.items:
            stored = await self._ledger.documents.stored_assessment(tenant_id, record.id)
            if stored is not None and was_read(stored):
                items.append(await self._replayed(record, stored, policy, known=known))
        return ReplayPage(
            items=tuple(items),
            unread=len(found.items) - len(items),
            next_cursor=found.next_cursor,
        )

    async def _replayed(
        self,
        record: DocumentRecord,
        stored: StoredAssessment,
        policy: TrustPolicy,
        *,
        known: dict[OriginRef, float | None],
    ) -> Replayed:
        return Replayed(
            record=record,
            before=stored.assessment,
            after=await self._background.assessed_again(record, stored.report, policy, known=known),
            settled_by_person=settled_by_person(record),
        )


def settled_by_person(record: DocumentRecord) -> bool:
    return record.decided_by not in (None, "policy")


def was_read(stored: StoredAssessment) -> bool:
    """Whether any detector looked: what was not parsed, no policy has assessed."""
    return bool(stored.report.completed)
