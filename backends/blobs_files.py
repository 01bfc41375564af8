"""Blobs as files, in a folder a tenant, each written whole or not at all."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

from backends.blob_keys import parse_blob_key, require_tenant
from domain.documents import TenantId
from domain.errors import NotFoundError, TransientError


class FileBlobStore:
    """Keeps `<root>/<tenant>/<kind>/<first two of the name>/<name>`, mode 600, fsynced."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, tenant_id: TenantId, key: str, content: bytes) -> None:
        await asyncio.to_thread(self._put, self._path(tenant_id, key), content)

    async def get(self, tenant_id: TenantId, key: str) -> bytes:
        path = self._path(tenant_id, key)
        try:
            return await asyncio.to_thread(path.read_bytes)
        except FileNotFoundError as exc:
            raise NotFoundError(f"no blob {key!r}") from exc
        except OSError as exc:
            raise TransientError(f"blob {key!r} could not be read: {exc.strerror}") from exc

    async def delete(self, tenant_id: TenantId, key: str) -> None:
        path = self._path(tenant_id, key)
        try:
            await asyncio.to_thread(path.unlink, missing_ok=True)
        except OSError as exc:
            raise TransientError(f"blob {key!r} could not be removed: {exc.strerror}") from exc

    async def keys(self, tenant_id: TenantId) -> AsyncIterator[str]:
        require_tenant(tenant_id)
        for kind in await asyncio.to_thread(_folders, self._root / tenant_id):
            for shelf in await asyncio.to_thread(_folders, kind):
                for name in await asyncio.to_thread(_files, shelf):
                    yield f"{kind.name}/{name}"

    async def ping(self) -> None:
        """See the Protocol: a folder that is not there yet is no fault, the first blob makes it."""
        there = next(path for path in (self._root, *self._root.parents) if path.exists())
        if not os.access(there, os.W_OK):
            raise TransientError(f"the blobs' folder cannot be written: {str(self._root)!r}")

    def _path(self, tenant_id: TenantId, key: str) -> Path:
        kind, name = parse_blob_key(tenant_id, key)
        return self._root / tenant_id / kind / name[-2:] / name

    @staticmethod
    def _put(path: Path, content: bytes) -> None:
        # Write beside, sync, rename: a crash leaves the old file or the new one, never half.
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError as exc:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise TransientError(f"a blob could not be written: {exc.strerror}") from exc


def _folders(path: Path) -> list[Path]:
    return [each for each in _entries(path) if each.is_dir()]


def _files(path: Path) -> list[str]:
    """Return the names of whole blobs: one that is being written has a dot before its name."""
    return [each.name for each in _entries(path) if not each.name.startswith(".")]


def _entries(path: Path) -> list[Path]:
    try:
        return sorted(path.iterdir())
    except FileNotFoundError:
        return []
    except OSError as exc:
        raise TransientError(f"blobs could not be listed: {exc.strerror}") from exc
