"""API keys: made, taken apart and compared. The secret is shown once and never kept."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.access import ApiKey, KeyId, Scope
from domain.clock import IdFactory
from domain.documents import OriginRef, TenantId

_TOKEN: Final = re.compile(r"mithridate_([a-z0-9]{26})_([A-Za-z0-9_-]{43})")
_KEY_PREFIX: Final = "key"
_NOBODY: Final = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedKey:
    """`token` is what the caller sends as `Authorization: Bearer`; only its hash is in `key`."""

    key: ApiKey
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSecret:
    """What the ledger keeps of a secret, and what its holder sends."""

    sha256: str
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    key_id: KeyId
    secret: str


def issue_key(
    *,
    ids: IdFactory,
    tenant_id: TenantId,
    name: str,
    scopes: frozenset[Scope],
    origin: OriginRef | None,
    now: datetime,
    expires_at: datetime | None = None,
    requests_per_minute: int | None = None,
) -> IssuedKey:
    """Make a key with a 256-bit secret."""
    key_id = KeyId(ids.new(_KEY_PREFIX))
    fresh = new_secret(key_id)
    return IssuedKey(
        key=ApiKey(
            id=key_id,
            tenant_id=tenant_id,
            name=name,
            secret_sha256=fresh.sha256,
            scopes=scopes,
            origin=origin,
            created_at=now,
            expires_at=expires_at,
            requests_per_minute=requests_per_minute,
        ),
        token=fresh.token,
    )


def new_secret(key_id: KeyId) -> NewSecret:
    """Make a 256-bit secret for a key, and the token that carries it."""
    secret = secrets.token_urlsafe(32)
    return NewSecret(
        sha256=_hash(secret),
        token=f"mithridate_{key_id.removeprefix(_KEY_PREFIX + '_')}_{secret}",
    )


def read_token(token: str) -> Credential | None:
    """Take a token apart; None if it is not of our form."""
    match = _TOKEN.fullmatch(token)
    if match is None:
        return None
    return Credential(key_id=KeyId(f"{_KEY_PREFIX}_{match[1]}"), secret=match[2])


def matches(credential: Credential, key: ApiKey | None, *, at: datetime) -> bool:
    """Compare in constant time, an unknown key included, so that timing tells nothing."""
    # A plain hash is enough: the secret has 256 random bits, there is nothing to guess or stretch.
    given = _hash(credential.secret)
    present = hmac.compare_digest(given, _NOBODY if key is None else key.secret_sha256)
    former = hmac.compare_digest(given, _former(key, at))
    return (present or former) and key is not None and key.opens(at)


def _former(key: ApiKey | None, at: datetime) -> str:
    """Return the hash of the secret before the last rotation while it opens, else nobody's."""
    if key is None or key.former_sha256 is None or key.former_until is None:
        return _NOBODY
    return key.former_sha256 if at < key.former_until else _NOBODY


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
