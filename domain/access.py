"""Who calls, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, NewType, Protocol

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
        expires_at: From then on it opens nothing; None: never.
        last_used_at: To some minutes: it is not written at every request.
        requests_per_minute: None: as the settings say.
        former_sha256: Of the secret before the last rotation, which opens until `former_until`.
    """

    id: KeyId
    tenant_id: TenantId
    name: str
    secret_sha256: str
    scopes: frozenset[Scope]
    origin: OriginRef | None
    created_at: datetime
    revoked_at: datetime | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    requests_per_minute: int | None = None
    former_sha256: str | None = None
    former_until: datetime | None = None

    def opens(self, at: datetime) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The authenticated caller. `actor` is what the journal writes.

    Attributes:
        key_id: Of the API key; of a token's subject a name of its own, the same at every token.
    """

    key_id: KeyId
    tenant_id: TenantId
    scopes: frozenset[Scope]
    origin: OriginRef | None
    via: Literal["key", "oidc"] = "key"

    @property
    def actor(self) -> str:
        return f"{self.via}:{self.key_id}"

    def allows(self, scope: Scope) -> bool:
        return scope in self.scopes or Scope.ADMIN in self.scopes


class TokenVerifier(Protocol):
    """Tells who a token of an identity provider is from."""

    async def verify(self, token: str) -> Principal:
        """Return the caller.

        Raises:
            UnauthenticatedError: Not signed by the issuer, not meant for us, out of date, or
                malformed: all told alike.
            TransientError: The issuer's keys could not be had.
        """
        ...
