"""How an API key may change, and what the journal says of it: shared by every ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from backends.ledger.entries import EntryDraft
from backends.ledger.transitions import unknown_key
from domain.access import ApiKey, KeyId
from domain.documents import TenantId
from domain.errors import ConflictError


def rotated(
    before: ApiKey | None,
    *,
    tenant_id: TenantId,
    key_id: KeyId,
    secret_sha256: str,
    former_until: datetime,
    at: datetime,
) -> ApiKey:
    """Return the key with another secret; the present one becomes the former one.

    Raises:
        NotFoundError: Unknown to the tenant.
        ConflictError: Revoked, or expired.
    """
    if before is None or before.tenant_id != tenant_id:
        raise unknown_key(key_id)
    if not before.opens(at):
        raise ConflictError(f"key {key_id!r} is revoked or expired; make another one")
    return replace(
        before,
        secret_sha256=secret_sha256,
        former_sha256=before.secret_sha256,
        former_until=former_until,
    )


def key_created(key: ApiKey, *, actor: str) -> EntryDraft:
    facts = {"scopes": " ".join(sorted(key.scopes))}
    if key.origin is not None:
        facts["origin"] = str(key.origin)
    if key.expires_at is not None:
        facts["expires_at"] = key.expires_at.isoformat()
    return _key_entry(
        key.tenant_id, key.id, "key.created", actor=actor, at=key.created_at, facts=facts
    )


def key_revoked(tenant_id: TenantId, key_id: KeyId, *, actor: str, at: datetime) -> EntryDraft:
    return _key_entry(tenant_id, key_id, "key.revoked", actor=actor, at=at, facts={})


def key_rotated(after: ApiKey, *, actor: str, at: datetime) -> EntryDraft:
    until = {} if after.former_until is None else {"former_until": after.former_until.isoformat()}
    return _key_entry(after.tenant_id, after.id, "key.rotated", actor=actor, at=at, facts=until)


def _key_entry(
    tenant_id: TenantId,
    key_id: KeyId,
    action: str,
    *,
    actor: str,
    at: datetime,
    facts: Mapping[str, str],
) -> EntryDraft:
    return EntryDraft(
        at=at,
        tenant_id=tenant_id,
        actor=actor,
        action=action,
        object_kind="key",
        object_id=key_id,
        facts=facts,
    )
