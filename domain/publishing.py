"""Publishers: origins whose documents are known by a signature, not by who uploads them (Law 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from domain.documents import TenantId


class SignatureState(StrEnum):
    VERIFIED = "verified"
    FORGED = "forged"
    """Made by no key of the publisher's that is in force, or over something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What a publisher says of a document: all of it is signed, with the tenant.

    Attributes:
        logical_id: The document whatever its version, e.g. `returns-policy`.
        version: Rises with every edition; a lower one is refused.
        expires_at: The upload is refused from then on. What was admitted stays.
    """

    publisher: str
    logical_id: str
    version: int
    expires_at: datetime
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attestation:
    """A publication and the Ed25519 signature over its canonical form, 64 bytes."""

    publication: Publication
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherKey:
    """`id` is the first 16 hexadecimal digits of the sha256 of the 32 bytes of `public_key`."""

    tenant_id: TenantId
    publisher: str
    id: str
    public_key: bytes
    added_at: datetime
    revoked_at: datetime | None = None


class PublisherLedger(Protocol):
    async def add(self, key: PublisherKey, *, reason: str, actor: str) -> None:
        """Write a key, with the journal entry `publisher.key-added`.

        Raises:
            InputError: The reason is empty.
            ConflictError: The publisher has this key, or had it: a revoked one does not come back.
        """
        ...

    async def list(self, tenant_id: TenantId) -> Sequence[PublisherKey]:
        """Return all keys, the revoked ones too, by publisher and time."""
        ...

    async def keys(self, tenant_id: TenantId, publisher: str) -> Sequence[PublisherKey]:
        """Return the keys in force of one publisher, oldest first; none if it is unknown."""
        ...

    async def revoke(
        self,
        tenant_id: TenantId,
        publisher: str,
        key_id: str,
        *,
        reason: str,
        actor: str,
        at: datetime,
    ) -> PublisherKey:
        """End a key, with the journal entry `publisher.key-revoked`; twice is no error.

        Raises:
            NotFoundError: Unknown to this tenant.
            InputError: The reason is empty.
        """
        ...
