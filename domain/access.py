"""Who calls, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

from domain.documents import OriginRef, TenantId

KeyId = NewType("KeyId", str)


class Scope(StrEnum):
    DOCUMENTS_WRITE = "documents:write"
    QUESTIONS_ASK = "questions:ask"
    QUARANTINE_REVIEW = "quarantine:review"
    ADMIN = "admin"
    """Implies every other scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as stored: `secret_sha256` is 64 hex digits, the secret itself is never kept.

    Attributes:
        origin: Whom documents uploaded with this key come from; None for keys that upload nothing.
    """

    id: KeyId
    tenant_id: TenantId
    name: str
    secret_sha256: str
    scopes: frozenset[Scope]
    origin: OriginRef | None
    created_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The authenticated caller. `actor` is what the journal writes."""

    key_id: KeyId
    tenant_id: TenantId
    scopes: frozenset[Scope]
    origin: OriginRef | None

    @property
    def actor(self) -> str:
        return f"key:{self.key_id}"

    def allows(self, scope: Scope) -> bool:
        return scope in self.scopes or Scope.ADMIN in self.scopes
