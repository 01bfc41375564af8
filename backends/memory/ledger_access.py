"""Journal, origins and keys in this process's memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from backends.ledger import entries, key_changes
from backends.ledger.cursors import require_limit
from backends.ledger.entries import EntryDraft
from backends.ledger.transitions import (
    require_closed,
    require_connector,
    require_reason,
    unknown_key,
    unknown_origin,
)
from domain.access import ApiKey, KeyId
from domain.audit import GENESIS, AuditKey, ChainHead, JournalEntry, SealedEntry, sealed
from domain.documents import Origin, OriginKind, OriginRef, TenantId
from domain.errors import ConflictError


class InMemoryJournal:
    def __init__(self, *, audit_key: AuditKey | None = None) -> None:
        self._audit_key = audit_key
        self._entries: list[SealedEntry] = []

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
    ) -> None:
        self.write(
            EntryDraft(
                at=at,
                tenant_id=tenant_id,
                actor=actor,
                action=action,
                object_kind=object_kind,
                object_id=object_id,
                reason=reason,
                facts=dict(facts or {}),
            )
        )

    async def entries(
        self, tenant_id: TenantId, *, object_id: str | None = None, limit: int = 100
    ) -> Sequence[JournalEntry]:
        require_limit(limit)
        found = [
            one.entry
            for one in reversed(self._entries)
            if one.entry.tenant_id == tenant_id and object_id in (None, one.entry.object_id)
        ]
        return found[:limit]

    async def sealed(self, *, after: int, limit: int) -> Sequence[SealedEntry]:
        require_limit(limit)
        return self._entries[after : after + limit]

    async def head(self) -> ChainHead | None:
        count = len(self._entries)
        return ChainHead(seq=count, count=count, hash=self._entries[-1].hash) if count else None

    def write(self, draft: EntryDraft) -> None:
        entry = JournalEntry(
            seq=len(self._entries) + 1,
            at=draft.at,
            tenant_id=draft.tenant_id,
            actor=draft.actor,
            action=draft.action,
            object_kind=draft.object_kind,
            object_id=draft.object_id,
            reason=draft.reason,
            facts=draft.facts,
        )
        previous = self._entries[-1].hash if self._entries else GENESIS
        self._entries.append(sealed(previous, entry, self._audit_key))


class InMemoryOriginLedger:
    def __init__(self, journal: InMemoryJournal) -> None:
        self._journal = journal
        self._origins: dict[tuple[TenantId, OriginRef], Origin] = {}
        self._open: dict[tuple[TenantId, OriginRef], bool] = {}

    async def get(self, tenant_id: TenantId, ref: OriginRef) -> Origin:
        unknown = Origin(kind=ref.kind, id=ref.id, established=False)
        return self._origins.get((tenant_id, ref), unknown)

    async def add(
        self, tenant_id: TenantId, kind: OriginKind, id: str, *, actor: str, at: datetime
    ) -> Origin:
        return self.write(tenant_id, OriginRef(kind=kind, id=id), actor=actor, at=at)

    async def list(self, tenant_id: TenantId) -> Sequence[Origin]:
        found = [origin for (tenant, _), origin in self._origins.items() if tenant == tenant_id]
        return sorted(found, key=lambda origin: (origin.kind, origin.id))

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
        require_reason(reason)
        require_closed(self._open.get((tenant_id, ref)), ref)
        draft = entries.origin_established(
            tenant_id, ref, reviewed=reviewed, reason=reason, actor=actor, at=at
        )
        after = Origin(kind=ref.kind, id=ref.id, established=True, reviewed=reviewed)
        return self._save(tenant_id, after, draft)

    async def revoke(
        self, tenant_id: TenantId, ref: OriginRef, *, reason: str, actor: str, at: datetime
    ) -> Origin:
        require_reason(reason)
        draft = entries.origin_revoked(tenant_id, ref, reason=reason, actor=actor, at=at)
        return self._save(tenant_id, Origin(kind=ref.kind, id=ref.id, established=False), draft)

    async def declare(
        self, tenant_id: TenantId, ref: OriginRef, *, open_write: bool, actor: str, at: datetime
    ) -> Origin:
        require_connector(ref)
        draft = entries.origin_declared(tenant_id, ref, open_write=open_write, actor=actor, at=at)
        pooled = Origin(kind=ref.kind, id=ref.id, established=False)
        before = self._origins.get((tenant_id, ref), pooled)
        saved = self._save(tenant_id, pooled if open_write else before, draft)
        self._open[tenant_id, ref] = open_write
        return saved

    async def open_write(self, tenant_id: TenantId, ref: OriginRef) -> bool | None:
        return self._open.get((tenant_id, ref))

    def write(self, tenant_id: TenantId, ref: OriginRef, *, actor: str, at: datetime) -> Origin:
        if (tenant_id, ref) not in self._origins:
            self._origins[tenant_id, ref] = Origin(kind=ref.kind, id=ref.id, established=False)
            self._journal.write(entries.origin_added(tenant_id, ref, actor=actor, at=at))
        return self._origins[tenant_id, ref]

    def _save(self, tenant_id: TenantId, after: Origin, draft: EntryDraft) -> Origin:
        if (tenant_id, after.ref) not in self._origins:
            raise unknown_origin(after.ref)
        self._origins[tenant_id, after.ref] = after
        self._journal.write(draft)
        return after


class InMemoryKeyLedger:
    def __init__(self, journal: InMemoryJournal, origins: InMemoryOriginLedger) -> None:
        self._journal = journal
        self._origins = origins
        self._keys: dict[KeyId, ApiKey] = {}

    async def add(self, key: ApiKey, *, actor: str) -> None:
        if key.id in self._keys:
            raise ConflictError("the ledger has a row with that id already")
        self._keys[key.id] = key
        if key.origin is not None:
            self._origins.write(key.tenant_id, key.origin, actor=actor, at=key.created_at)
        self._journal.write(key_changes.key_created(key, actor=actor))

    async def find(self, key_id: KeyId) -> ApiKey | None:
        return self._keys.get(key_id)

    async def list(self, tenant_id: TenantId) -> Sequence[ApiKey]:
        found = [key for key in self._keys.values() if key.tenant_id == tenant_id]
        return sorted(found, key=lambda key: (key.created_at, key.id))

    async def revoke(
        self, tenant_id: TenantId, key_id: KeyId, *, actor: str, at: datetime
    ) -> ApiKey:
        key = self._keys.get(key_id)
        if key is None or key.tenant_id != tenant_id:
            raise unknown_key(key_id)
        if key.revoked_at is None:
            key = self._keys[key_id] = replace(key, revoked_at=at)
            self._journal.write(key_changes.key_revoked(tenant_id, key_id, actor=actor, at=at))
        return key

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
        after = key_changes.rotated(
            self._keys.get(key_id),
            tenant_id=tenant_id,
            key_id=key_id,
            secret_sha256=secret_sha256,
            former_until=former_until,
            at=at,
        )
        self._keys[key_id] = after
        self._journal.write(key_changes.key_rotated(after, actor=actor, at=at))
        return after

    async def used(self, key_id: KeyId, *, at: datetime) -> None:
        key = self._keys.get(key_id)
        if key is not None and (key.last_used_at is None or key.last_used_at < at):
            self._keys[key_id] = replace(key, last_used_at=at)

    def tenants(self) -> frozenset[TenantId]:
        return frozenset(key.tenant_id for key in self._keys.values())
