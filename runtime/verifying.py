"""Holds ledger, index and blobs against each other, and mends what can be mended.

The ledger is right: the index follows it, and what it does not name goes. Bytes that it names and
that are gone cannot be had again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from domain.clock import Clock
from domain.documents import BlobStore, DocumentId, DocumentStatus, TenantId
from domain.errors import InputError, MithridateError, NotFoundError
from domain.ledger import DocumentFilter, Ledger, every
from domain.retrieval import VectorStore
from ingest.originals import original_key
from ingest.pipeline import IngestPipeline
from monitors.index_checks import IndexCheck, IndexDefects
from monitors.invariants import Invariant

ORIGINAL_MISSING: Final = "original-missing"
ORPHANED_BLOB: Final = "orphaned-blob"

_PAGE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One thing that is not as the ledger says; `subject` is a document's id or a blob's key."""

    kind: str
    tenant_id: TenantId
    subject: str
    mended: bool = False


class Parts(Protocol):
    """What is held against each other, and what mends it."""

    @property
    def ledger(self) -> Ledger: ...
    @property
    def blobs(self) -> BlobStore: ...
    @property
    def vectors(self) -> VectorStore: ...
    @property
    def ingest(self) -> IngestPipeline: ...
    @property
    def clock(self) -> Clock: ...


async def verify(parts: Parts, *, mend: bool) -> Sequence[Defect]:
    """Return what is wrong, tenant by tenant; with `mend` after doing what can be done about it.

    Raises:
        TransientError: Ledger, index, blobs or broker did not answer.
    """
    found: list[Defect] = []
    for tenant_id in await parts.ledger.documents.tenants():
        defects = await _defects(parts, tenant_id)
        found += await _index(parts, tenant_id, defects, mend=mend)
        found += await _blobs(parts, tenant_id, mend=mend)
    return found


async def index_anew(parts: Parts) -> tuple[int, Sequence[Defect]]:
    """Bring the index to what the ledger says, round by round until nothing new was admitted.

    Returns:
        How many documents were indexed, and those that could not be.

    Raises:
        TransientError: Ledger, index, blobs or broker did not answer.
    """
    done = 0
    failed: dict[tuple[TenantId, str], Defect] = {}
    while True:
        before = done
        for tenant_id in await parts.ledger.documents.tenants():
            defects = await _defects(parts, tenant_id)
            left = IndexDefects(
                not_admitted=defects.not_admitted,
                not_indexed=tuple(i for i in defects.not_indexed if (tenant_id, i) not in failed),
            )
            for each in await _index(parts, tenant_id, left, mend=True):
                done += each.mended
                if not each.mended:
                    failed[tenant_id, each.subject] = each
        if done == before:
            return done, tuple(failed.values())


async def _defects(parts: Parts, tenant_id: TenantId) -> IndexDefects:
    now = parts.clock.now()
    return await IndexCheck(parts.ledger.documents, parts.vectors, tenant_id, now=now).whole()


async def _index(
    parts: Parts, tenant_id: TenantId, defects: IndexDefects, *, mend: bool
) -> list[Defect]:
    kinds = {
        Invariant.NOT_ADMITTED.value: defects.not_admitted,
        Invariant.NOT_INDEXED.value: defects.not_indexed,
    }
    return [
        Defect(
            kind=kind,
            tenant_id=tenant_id,
            subject=document_id,
            mended=mend and await _follow(parts, tenant_id, document_id),
        )
        for kind, ids in kinds.items()
        for document_id in ids
    ]


async def _follow(parts: Parts, tenant_id: TenantId, document_id: DocumentId) -> bool:
    """Bring the index to what the ledger says of one document; return whether it is now."""
    try:
        await parts.ledger.documents.get(tenant_id, document_id)
    except NotFoundError:
        await parts.vectors.delete_document(document_id, tenant_id=tenant_id)
        return True
    try:
        record = await parts.ingest.agree(document_id)
    except (InputError, NotFoundError):
        return False  # its bytes are gone, or what reads them has changed
    return await parts.vectors.holds(document_id, tenant_id=tenant_id) == (
        record.status is DocumentStatus.ADMITTED
    )


async def _blobs(parts: Parts, tenant_id: TenantId, *, mend: bool) -> list[Defect]:
    there = {key async for key in parts.blobs.keys(tenant_id)}
    originals: dict[str, DocumentId] = {}
    living: set[str] = set()
    async for record in every(
        lambda cursor: parts.ledger.documents.list(
            tenant_id, DocumentFilter(), cursor=cursor, limit=_PAGE
        )
    ):
        if record.status is not DocumentStatus.DELETED:
            originals.setdefault(original_key(record.sha256), record.id)
            living.add(record.id)
    found = [
        Defect(kind=ORIGINAL_MISSING, tenant_id=tenant_id, subject=document_id)
        for key, document_id in originals.items()
        if key not in there
    ]
    for key in sorted(there - originals.keys()):
        kind, _, name = key.partition("/")
        if kind == "original" or name not in living:
            if await _in_use(parts, tenant_id, key):
                continue
            mended = mend and await _discard(parts, tenant_id, key)
            found.append(
                Defect(kind=ORPHANED_BLOB, tenant_id=tenant_id, subject=key, mended=mended)
            )
    return found


async def _in_use(parts: Parts, tenant_id: TenantId, key: str) -> bool:
    """Ask the ledger of this moment: an upload may have come since it was read."""
    kind, _, name = key.partition("/")
    if kind == "original":
        return await parts.ledger.documents.blob_in_use(tenant_id, name)
    try:
        record = await parts.ledger.documents.get(tenant_id, DocumentId(name))
    except NotFoundError:
        return False
    return record.status is not DocumentStatus.DELETED


async def _discard(parts: Parts, tenant_id: TenantId, key: str) -> bool:
    """Remove a blob that nobody names; put it back if somebody does by then."""
    try:
        content = await parts.blobs.get(tenant_id, key)
        await parts.blobs.delete(tenant_id, key)
        if await _in_use(parts, tenant_id, key):
            await parts.blobs.put(tenant_id, key, content)
            return False
    except MithridateError:
        return False
    return True
