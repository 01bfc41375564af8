"""Blobs in this process's memory."""

from __future__ import annotations

from collections.abc import AsyncIterator

from backends.blob_keys import parse_blob_key, require_tenant
from domain.documents import TenantId
from domain.errors import NotFoundError


class InMemoryBlobStore:
    def __init__(self) -> None:
        self._blobs: dict[tuple[TenantId, str], bytes] = {}

    async def put(self, tenant_id: TenantId, key: str, content: bytes) -> None:
        parse_blob_key(tenant_id, key)
        self._blobs[tenant_id, key] = content

    async def get(self, tenant_id: TenantId, key: str) -> bytes:
        parse_blob_key(tenant_id, key)
        try:
            return self._blobs[tenant_id, key]
        except KeyError as exc:
            raise NotFoundError(f"no blob {key!r}") from exc

    async def delete(self, tenant_id: TenantId, key: str) -> None:
        parse_blob_key(tenant_id, key)
        self._blobs.pop((tenant_id, key), None)

    async def keys(self, tenant_id: TenantId) -> AsyncIterator[str]:
        require_tenant(tenant_id)
        for owner, key in tuple(self._blobs):
            if owner == tenant_id:
                yield key

    async def ping(self) -> None:
        return
