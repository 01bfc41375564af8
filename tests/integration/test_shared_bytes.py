"""The last holder of some bytes is deleted beside a new upload of the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from backends.memory.blobs import InMemoryBlobStore
from domain.documents import DEFAULT_TENANT, TenantId
from domain.errors import NotFoundError
from domain.ledger import DocumentRecord, Ledger
from ingest.originals import discard_original, original_key, store_original
from tests.ledger_rows import NOW, PRESS, REVIEWER, upload
from tests.ledgers import clock, ledger, migrated_sqlite, sqlite_url

__all__ = ["clock", "ledger", "migrated_sqlite", "sqlite_url"]

pytestmark = pytest.mark.anyio

CONTENT = b"The harbour office keeps its ledger of ropes upstairs."
SHA256 = hashlib.sha256(CONTENT).hexdigest()
KEY = original_key(SHA256)

Step = Callable[[], Awaitable[object]]


@dataclass
class _Intruded(InMemoryBlobStore):
    """Somebody else acts right before, or right after, the nth use."""

    at: int
    step: Step
    uses: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    async def _use(self) -> None:
        self.uses += 1
        if self.uses == self.at:
            await self.step()

    async def put(self, tenant_id: TenantId, key: str, content: bytes) -> None:
        await self._use()
        await super().put(tenant_id, key, content)
        await self._use()

    async def get(self, tenant_id: TenantId, key: str) -> bytes:
        await self._use()
        content = await super().get(tenant_id, key)
        await self._use()
        return content

    async def delete(self, tenant_id: TenantId, key: str) -> None:
        await self._use()
        await super().delete(tenant_id, key)
        await self._use()


async def _held(ledger: Ledger) -> DocumentRecord:
    return (
        await ledger.documents.receive(upload("old", content=CONTENT.decode()), claim=None)
    ).record


async def _delete(ledger: Ledger, record: DocumentRecord, blobs: InMemoryBlobStore) -> None:
    gone = await ledger.documents.delete(DEFAULT_TENANT, record.id, actor=REVIEWER, at=NOW)
    await discard_original(gone, blobs=blobs, documents=ledger.documents)


async def _upload(ledger: Ledger, blobs: InMemoryBlobStore) -> None:
    await store_original(
        upload("new", content=CONTENT.decode(), origin=PRESS),
        CONTENT,
        claim=None,
        blobs=blobs,
        documents=ledger.documents,
    )


@pytest.mark.parametrize("at", range(1, 7))
async def test_an_upload_beside_a_deletion_keeps_its_bytes(ledger: Ledger, at: int) -> None:
    old = await _held(ledger)

    async def intrude() -> None:
        await _delete(ledger, old, blobs)

    blobs = _Intruded(at=at, step=intrude)

    await _upload(ledger, blobs)

    assert await blobs.get(DEFAULT_TENANT, KEY) == CONTENT


@pytest.mark.parametrize("at", range(1, 7))
async def test_a_deletion_beside_an_upload_leaves_its_bytes(ledger: Ledger, at: int) -> None:
    old = await _held(ledger)

    async def intrude() -> None:
        await _upload(ledger, blobs)

    blobs = _Intruded(at=at, step=intrude)
    await InMemoryBlobStore.put(blobs, DEFAULT_TENANT, KEY, CONTENT)

    await _delete(ledger, old, blobs)

    if blobs.uses >= at:
        assert await blobs.get(DEFAULT_TENANT, KEY) == CONTENT


async def test_the_bytes_of_the_last_holder_go(ledger: Ledger) -> None:
    blobs = InMemoryBlobStore()
    await _upload(ledger, blobs)
    record = await ledger.documents.find(upload("new").id)

    await _delete(ledger, record, blobs)

    with pytest.raises(NotFoundError):
        await blobs.get(DEFAULT_TENANT, KEY)
