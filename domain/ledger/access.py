"""Whose documents, whose keys, who did what: origins, keys, journal, outbox, retention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from domain.access import ApiKey, KeyId
from domain.audit import ChainHead, JournalEntry, SealedEntry
from domain.documents import (
    Origin,
    OriginKind,
    OriginRef,
    TenantId,
)
from domain.jobs import JobName, OutboxEntry


class Outbox(Protocol):
    async def pending(self, *, limit: int) -> Sequence[OutboxEntry]:
        """Return unpublished entries, oldest first."""
        ...

    async def mark_published(self, entry_ids: Sequence[int], *, at: datetime) -> None: ...

    async def add(self, name: JobName, subject_id: str, *, at: datetime) -> None: ...


class OriginLedger(Protocol):
    async def get(self, tenant_id: TenantId, ref: OriginRef) -> Origin:
        """Return the origin; one never heard of is unestablished, not an error."""
        ...

    async def add(
        self, tenant_id: TenantId, kind: OriginKind, id: str, *, actor: str, at: datetime
    ) -> Origin:
        """Write a new unestablished origin; a known one is returned as it is."""
        ...

    async def list(self, tenant_id: TenantId) -> Sequence[Origin]:
        """Return all, by kind and id."""
        ...

    async def establish(
        self,
        tenant_id: TenantId,
        ref: OriginRef,
        *,
        reviewed: bool,
        reason: str,
        actor: str,
        at: datetime,
    ) -> Origin:
        """Vouch for an origin; journalled with the reason.

        Raises:
            NotFoundError: Unknown origin.
            InputError: The reason is empty.
            ConflictError: A connector of a source that anybody may write to.
        """
        ...

    async def revoke(
        self, tenant_id: TenantId, ref: OriginRef, *, reason: str, actor: str, at: datetime
    ) -> Origin:
        """Take the vouching back; errors as `establish`."""
        ...

    async def declare(
        self, tenant_id: TenantId, ref: OriginRef, *, open_write: bool, actor: str, at: datetime
    ) -> Origin:
        """Say whether anybody may write to what a connector reads; journalled.

        Where anybody may, nobody vouches for it: it is unestablished from then on (Law 1).

        Raises:
            NotFoundError: Unknown origin.
            InputError: It is no connector.
        """
        ...

    async def open_write(self, tenant_id: TenantId, ref: OriginRef) -> bool | None:
        """Return what was declared; None where nothing was, or the origin is unknown."""
        ...


class KeyLedger(Protocol):
    async def add(self, key: ApiKey, *, actor: str) -> None:
        """Write a key and, if it is new, its origin, unestablished.

        Raises:
            ConflictError: There is a key with this id.
        """
        ...

    async def find(self, key_id: KeyId) -> ApiKey | None:
        """Return the key, revoked or not; None if unknown."""
        ...

    async def list(self, tenant_id: TenantId) -> Sequence[ApiKey]: ...

    async def revoke(
        self, tenant_id: TenantId, key_id: KeyId, *, actor: str, at: datetime
    ) -> ApiKey:
        """Raise `NotFoundError` for an unknown key; revoking twice is no error."""
        ...

    async def rotate(
        self,
        tenant_id: TenantId,
        key_id: KeyId,
        *,
        secret_sha256: str,
        former_until: datetime,
        actor: str,
        at: datetime,
    ) -> ApiKey:
        """Give the key another secret; the one before opens until `former_until`. Journalled.

        Raises:
            NotFoundError: Unknown.
            ConflictError: Revoked, or expired.
        """
        ...

    async def used(self, key_id: KeyId, *, at: datetime) -> None:
        """Write when a key was last used; nothing where a later use is written already."""
        ...


class Journal(Protocol):
    async def append(
        self,
        *,
        tenant_id: TenantId,
        at: datetime,
        actor: str,
        action: str,
        object_kind: str,
        object_id: str,
        reason: str | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None: ...

    async def entries(
        self, tenant_id: TenantId, *, object_id: str | None = None, limit: int = 100
    ) -> Sequence[JournalEntry]:
        """Return newest first."""
        ...

    async def sealed(self, *, after: int, limit: int) -> Sequence[SealedEntry]:
        """Return entries of all tenants in their chain, those numbered above `after` in order."""
        ...

    async def head(self) -> ChainHead | None:
        """Return where the chain ends; None where there is no entry."""
        ...


class Retention(Protocol):
    """Deletes what has been kept for long enough: at most `limit` rows a call, oldest or not.

    Never what is pending. Each returns how many went.
    """

    async def prune_claims(self, *, made_before: datetime, limit: int) -> int:
        """Forget idempotency keys; the same key then makes a request of its own."""
        ...

    async def prune_outbox(self, *, published_before: datetime, limit: int) -> int:
        """Delete published entries."""
        ...

    async def prune_deliveries(self, *, made_before: datetime, limit: int) -> int:
        """Delete deliveries that were made or given up."""
        ...

    async def prune_observations(self, *, made_before: datetime, limit: int) -> int:
        """Delete observations; questions and what people said of them stay."""
        ...
