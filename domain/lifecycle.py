"""What becomes of documents after their verdict: held and scanned again, replaced, remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from domain.documents import DocumentId, DocumentStatus, OriginRef, TenantId
from domain.retrieval import Signature
from domain.trust import FinalOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionMark:
    """What is kept of a text so that a later version of it is known for one: no text.

    Attributes:
        signature: MinHash signature; None where the text is too short for one.
        statements: Digests of its sentences, 8 bytes each, sorted.
    """

    signature: Signature | None
    statements: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """A known document of an origin, as an earlier version of another may be one.

    Attributes:
        reviewed: A person released it, whatever became of it since.
        served: It was admitted at some time.
    """

    document_id: DocumentId
    logical_id: str | None
    version: int | None
    received_at: datetime
    status: DocumentStatus
    reviewed: bool
    served: bool
    mark: EditionMark


class DocumentLifecycle(Protocol):
    async def held(
        self, *, decided_before: datetime, rescans_below: int, limit: int
    ) -> Sequence[DocumentId]:
        """Return documents of all tenants that the policy holds, longest held first."""
        ...

    async def rescan(self, document_id: DocumentId, *, rescans_below: int, at: datetime) -> bool:
        """Queue a held document to be scanned again; return whether it was still held.

        Status `received`, no attempts, one more rescan; outbox and journal (`document.rescanned`)
        in the same transaction. Of two concurrent calls one does it.
        """
        ...

    async def supersede(
        self, tenant_id: TenantId, document_id: DocumentId, *, by: DocumentId, at: datetime
    ) -> bool:
        """Mark an admitted document as replaced, with the journal entry `document.superseded`.

        Return False where it is not admitted. The caller takes its vectors out of the index.
        """
        ...

    async def reweigh(self, tenant_id: TenantId, document_id: DocumentId, *, trust: float) -> bool:
        """Write the trust of an admitted document; return whether it still is admitted.

        The journal has what it follows from: its origin's change of tier.
        """
        ...

    async def editions(
        self,
        tenant_id: TenantId,
        origin: OriginRef,
        *,
        logical_id: str | None,
        since: datetime,
        near: Sequence[DocumentId] = (),
    ) -> Sequence[Edition]:
        """Return documents of the origin that a new one may be a version of, newest first.

        Those that it brought since, those that stopped serving since (deleted, rejected, replaced),
        all of the logical id, and those named by `near`. Deleted documents are among them until
        `forget_editions`; those never scanned are not.
        """
        ...

    async def forget_editions(self, *, gone_before: datetime) -> int:
        """Forget the marks of deleted documents; return how many.

        Of those that were received before, and served, if ever, no later than that.
        """
        ...

    async def outcomes(
        self, tenant_id: TenantId, origin: OriginRef, *, limit: int
    ) -> Sequence[FinalOutcome]:
        """Return what became of the origin's documents, latest first.

        Admitted, superseded and rejected ones, and deleted ones that had been rejected. What the
        policy alone rejected is told of as not reviewed.
        """
        ...
