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


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedKey:
    """`token` is what the caller sends as `Authorization: Bearer`; only its hash is in `key`."""

    key: ApiKey
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
) -> IssuedKey:
    """Make a key with a 256-bit secret."""
    key_id = ids.new(_KEY_PREFIX)
    secret = secrets.token_urlsafe(32)
    return IssuedKey(
        key=ApiKey(
            id=KeyId(key_id),
            tenant_id=tenant_id,
            name=name,
            secret_sha256=_hash(secret),
            scopes=scopes,
            origin=origin,
            created_at=now,
        ),
        token=f"mithridate_{key_id.removeprefix(_KEY_PREFIX + '_')}_{secret}",
    )


def read_token(token: str) -> Credential | None:
    """Take a token apart; None if it is not of our form."""
    match = _TOKEN.fullmatch(token)
    if match is None:
        return None
    return Credential(key_id=KeyId(f"{_KEY_PREFIX}_{match[1]}"), secret=match[2])


def matches(credential: Credential, key: ApiKey | None) -> bool:
    """Compare in constant time, an unknown key included, so that timing tells nothing."""
    # A plain hash is enough: the secret has 256 random bits, there is nothing to guess or stretch.
    expected = key.secret_sha256 if key is not None else "0" * 64
    equal = hmac.compare_digest(_hash(credential.secret), expected)
    return equal and key is not None and key.revoked_at is None


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
