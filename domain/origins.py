"""Who is behind a document, and how far we can vouch for it (Law 1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class OriginKind(StrEnum):
    PUBLISHER = "publisher"
    CONNECTOR = "connector"
    UPLOADER = "uploader"


class Tier(StrEnum):
    """How far an origin is vouched for: `reviewed > established > pool` (Law 1)."""

    REVIEWED = "reviewed"
    ESTABLISHED = "established"
    POOL = "pool"


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginRef:
    """Names an origin. Bound to credentials, never taken from what a document claims."""

    kind: OriginKind
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Who vouches for a document, as bound to credentials; never what the document claims.

    Only an administrator, a configured publisher key or a configured connector sets
    `established`; volume and reputation never do. `reviewed` implies `established`.
    """

    kind: OriginKind
    id: str
    established: bool
    reviewed: bool = False

    def __post_init__(self) -> None:
        if self.reviewed and not self.established:
            raise ValueError(f"origin {self.id!r} is reviewed but not established")

    @property
    def ref(self) -> OriginRef:
        return OriginRef(kind=self.kind, id=self.id)

    @property
    def tier(self) -> Tier:
        if self.reviewed:
            return Tier.REVIEWED
        return Tier.ESTABLISHED if self.established else Tier.POOL


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a document came from, as far as we can vouch for it."""

    origin: Origin
    claimed_uri: str | None
    received_at: datetime
    signature_verified: bool = False
    signature_forged: bool = False
    """It came with a publisher's signature that did not verify."""
    reputation: float | None = None
    """The origin's standing in [0, 1]; None where it was not looked up. Orders the pool alone."""
