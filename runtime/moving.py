"""Copies an installation: data folder, ledger, blobs and index, from some settings to others.

Each part is compared after it was copied, and what is there already is passed over: a copy that was
broken off, by a kill as by an error, is begun again by the same call. The near-duplicate index is
not copied: it is rebuilt from the ledger.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

import httpx
import numpy as np
from numpy.typing import NDArray

from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.copying import copy_ledger
from backends.vector_fields import fields_of
from domain.documents import DEFAULT_TENANT, BlobStore, TenantId
from domain.errors import ConfigurationError, ConflictError, NotFoundError, PermanentError
from domain.retrieval import VectorRecord, VectorStore
from runtime.home import announced_url, database_url, embedded_broker, open_ledger
from runtime.settings import Settings
from runtime.storage import build_blobs, build_embedder, build_vectors, close_vectors
from runtime.storage_sections import BlobSettings, DatabaseSettings, QueueSettings, VectorSettings

Told: TypeAlias = Callable[[str, int], None]
"""Hears of each part that is there now, and how much of it."""

FOLDER_FILES: Final = (
    "admin.key",
    "audit.keys",
    "audit-signing.pem",
    "audit-checkpoints.jsonl",
    "instance.secret",
)
MOVED: Final = "installation.moved"
_MOST_DRIFT: Final = 1e-4
"""By chunk, of a sum of vectors: stores that scale vectors round float32."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What the target has of the source."""

    rows: Mapping[str, int]
    blobs: int
    chunks: int
    changed_meanwhile: int = 0
    """Blobs that went while they were copied, of an installation that runs."""


def embedded(settings: Settings, *, folder: Path | None = None) -> Settings:
    """Return settings with everything in the data folder, or in `folder`."""
    return settings.model_copy(
        update={
            "data_dir": settings.data_dir if folder is None else folder,
            "database": DatabaseSettings(),
            "queue": QueueSettings(),
            "vectors": VectorSettings(),
            "blobs": BlobSettings(),
        }
    )


def require_stopped(settings: Settings) -> None:
    """Raise `ConflictError` while a gateway or the embedded broker of the data folder runs."""
    broker = embedded_broker(settings)
    if announced_url(settings) is not None or (broker is not None and broker.answers()):
        raise ConflictError(
            f"{str(settings.home)!r} is in use: stop its processes, so that nothing is lost"
        )


async def move(source: Settings, target: Settings, *, told: Told, live: bool = False) -> Moved:
    """Copy all there is, part by part; parts that both settings name alike stay where they are.

    Args:
        source: Where from. Nothing is written there but what an upgrade would write.
        target: Where to: empty, or what an earlier call left.
        told: Hears of each part once it was compared.
        live: The source may be in use: blobs that go meanwhile are no error.

    Raises:
        ConflictError: The target holds something else.
        ConfigurationError: An index is in a process's memory, or the embedders differ.
        PermanentError: A part differs after it was copied.
        TransientError: A service did not answer.
    """
    _require_movable(source, target)
    _copy_folder(source.home, target.home)
    source_url, target_url = database_url(source), database_url(target)
    rows: Mapping[str, int] = {}
    if source_url != target_url:
        copied = await asyncio.to_thread(copy_ledger, source_url, target_url, told=told)
        rows = {name: found.rows for name, found in copied.items()}
    tenants = await _tenants(target)
    blobs = chunks = gone = 0
    if source.blobs != target.blobs or source.home != target.home:
        copier = _BlobCopier(build_blobs(source), build_blobs(target), live=live)
        for tenant_id in tenants:
            blobs += await copier.copy(tenant_id)
        gone = copier.gone
        told("blobs", blobs)
    if source.vectors != target.vectors or source.home != target.home:
        chunks = await _copy_index(source, target, tenants, live=live)
        told("chunks", chunks)
    return Moved(rows=rows, blobs=blobs, chunks=chunks, changed_meanwhile=gone)


async def record_move(target: Settings, moved: Moved, *, actor: str) -> None:
    """Write into the target's journal that it was moved there: the source is its past from now on.

    Raises:
        TransientError: The ledger did not answer.
    """
    clock = SystemClock()
    ledger = open_ledger(target, clock=clock, ids=RandomIds(clock))
    try:
        await ledger.journal.append(
            tenant_id=DEFAULT_TENANT,
            at=clock.now(),
            actor=actor,
            action=MOVED,
            object_kind="installation",
            object_id="installation",
            facts={
                "rows": str(sum(moved.rows.values())),
                "blobs": str(moved.blobs),
                "chunks": str(moved.chunks),
            },
        )
    finally:
        await ledger.close()


def _require_movable(source: Settings, target: Settings) -> None:
    if "memory" in (source.vectors.backend, target.vectors.backend):
        raise ConfigurationError("an index in a process's memory can be neither copied nor kept")
    if source.embedder != target.embedder:
        raise ConfigurationError(
            "the two settings have other embedders: move first, then `mithridate reindex`"
        )


def _copy_folder(source: Path, target: Path) -> None:
    """Copy keys and secrets; those of the target that are there already must be the same."""
    if source.absolute() == target.absolute():
        return
    target.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in FOLDER_FILES:
        old, new = source / name, target / name
        if not old.exists():
            continue
        if new.exists() and new.read_bytes() != old.read_bytes():
            raise ConflictError(f"{str(new)!r} is another than the source's")
        beside = new.with_name(f".{name}.copied")
        beside.touch(mode=0o600)
        shutil.copyfile(old, beside)
        beside.replace(new)


async def _tenants(settings: Settings) -> Sequence[TenantId]:
    clock = SystemClock()
    ledger = open_ledger(settings, clock=clock, ids=RandomIds(clock))
    try:
        return await ledger.documents.tenants()
    finally:
        await ledger.close()


class _BlobCopier:
    """Copies a tenant's blobs; each is read back and compared."""

    def __init__(self, source: BlobStore, target: BlobStore, *, live: bool) -> None:
        self._source = source
        self._target = target
        self._live = live
        self.gone = 0

    async def copy(self, tenant_id: TenantId) -> int:
        """Return how many the target has.

        Raises:
            PermanentError: One differs, or the target has others.
            ConflictError: A blob of a stopped installation went meanwhile.
        """
        there = {key async for key in self._target.keys(tenant_id)}
        wanted: set[str] = set()
        async for key in self._source.keys(tenant_id):
            if await self._copy(tenant_id, key, there=key in there):
                wanted.add(key)
        if others := there - wanted:
            raise ConflictError(f"the target has {len(others)} blobs that the source has not")
        return len(wanted)

    async def _copy(self, tenant_id: TenantId, key: str, *, there: bool) -> bool:
        try:
            content = await self._source.get(tenant_id, key)
        except NotFoundError as exc:
            if not self._live:
                raise ConflictError(f"blob {key!r} went while it was copied") from exc
            self.gone += 1
            return False
        if there and await self._target.get(tenant_id, key) == content:
            return True
        await self._target.put(tenant_id, key, content)
        if await self._target.get(tenant_id, key) != content:
            raise PermanentError(f"blob {key!r} differs after it was copied")
        return True


@dataclass(slots=True)
class _Sum:
    """What a tenant's chunks come to, in whatever order they come.

    Fields are compared exactly; vectors by the sum of all, each with a sign that its chunk gives.
    """

    chunks: int = 0
    digest: int = 0
    vectors: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def add(self, record: VectorRecord) -> None:
        told = repr((sorted(fields_of(record).items()), record.origin.established))
        hashed = hashlib.sha256(told.encode("utf-8", "surrogatepass")).digest()
        if self.vectors.size == 0:
            self.vectors = np.zeros(len(record.vector))
        self.vectors += (1.0 if hashed[0] & 1 else -1.0) * record.vector
        self.digest = (self.digest + int.from_bytes(hashed, "big")) % (1 << 256)
        self.chunks += 1

    def agrees(self, other: _Sum) -> bool:
        return (
            self.chunks == other.chunks
            and self.digest == other.digest
            and self.vectors.shape == other.vectors.shape
            and bool(np.all(np.abs(self.vectors - other.vectors) <= _MOST_DRIFT * self.chunks))
        )


async def _copy_index(
    source: Settings, target: Settings, tenants: Sequence[TenantId], *, live: bool
) -> int:
    async with httpx.AsyncClient() as http:
        dimensions = build_embedder(source.embedder, http).dimensions
    old = build_vectors(source, dimensions=dimensions)
    new = build_vectors(target, dimensions=dimensions)
    try:
        return sum([await _copy_chunks(old, new, tenant_id, live=live) for tenant_id in tenants])
    finally:
        await close_vectors(old)
        await close_vectors(new)


async def _copy_chunks(
    source: VectorStore, target: VectorStore, tenant_id: TenantId, *, live: bool
) -> int:
    """Copy a tenant's chunks; return how many the target has.

    Raises:
        PermanentError: They differ after it.
    """
    expected = _Sum()
    documents = set()
    async for page in source.records(tenant_id=tenant_id):
        await target.upsert(page)
        for record in page:
            expected.add(record)
            documents.add(record.chunk.document_id)
    for stray in await target.document_ids(tenant_id=tenant_id) - documents:
        await target.delete_document(stray, tenant_id=tenant_id)
    found = _Sum()
    async for page in target.records(tenant_id=tenant_id):
        for record in page:
            found.add(record)
    if not live and not found.agrees(expected):
        raise PermanentError(
            f"the index has {found.chunks} chunks of tenant {tenant_id!r} after the copy, and "
            f"should have {expected.chunks} of the same content"
        )
    return found.chunks
