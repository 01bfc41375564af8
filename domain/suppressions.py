"""Suppressions: sentences of one origin that a reviewer says a rule is wrong about (Law 13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from domain.documents import DocumentId, OriginRef, Span, TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """Findings of `rule` in these sentences of this origin count nothing until it ends.

    Attributes:
        sentences: Digests of the normalised sentences that the span touches, never their text. A
            finding is covered if every sentence it touches is: a new version of the document is
            covered where it says the same, and what is written beside it is not.
        document_id, span: Where the reviewer saw it; in that document's `raw_text`.
    """

    id: str
    tenant_id: TenantId
    rule: str
    origin: OriginRef
    sentences: frozenset[str]
    document_id: DocumentId
    span: Span
    reason: str
    created_by: str
    created_at: datetime
    expires_at: datetime
    removed_at: datetime | None = None

    def in_force(self, now: datetime) -> bool:
        return self.removed_at is None and now < self.expires_at


class SuppressionLedger(Protocol):
    async def add(self, suppression: Suppression) -> None:
        """Write it, with the journal entry `suppression.added`.

        Raises:
            InputError: The reason is empty.
            ConflictError: There is one with this id.
        """
        ...

    async def list(
        self, tenant_id: TenantId, *, origin: OriginRef | None = None
    ) -> Sequence[Suppression]:
        """Return all, ended and removed ones too, newest first."""
        ...

    async def remove(
        self, tenant_id: TenantId, suppression_id: str, *, reason: str, actor: str, at: datetime
    ) -> Suppression:
        """End it now, with the journal entry `suppression.removed`; twice is no error.

        Raises:
            NotFoundError: Unknown to this tenant.
            InputError: The reason is empty.
        """
        ...
