"""The bytes as uploaded, kept by their hash: one blob for all documents that have it.

A deletion looks whether a document still has the bytes; an upload of the same bytes may come right
after it looked. So each side looks once more after it has written: the upload puts bytes back that
went before the ledger named them, the deletion those that the ledger names since.
"""

from __future__ import annotations

from domain.documents import BlobStore
from domain.errors import NotFoundError
from domain.ledger import DocumentLedger, DocumentRecord, IdempotencyClaim, NewDocument, Receipt


def original_key(sha256: str) -> str:
    """Name the blob that keeps uploaded bytes."""
    return f"original/{sha256}"


async def store_original(
    new: NewDocument,
    content: bytes,
    *,
    claim: IdempotencyClaim | None,
    blobs: BlobStore,
    documents: DocumentLedger,
) -> Receipt:
    """Keep the bytes and write the upload into the ledger; errors as `DocumentLedger.receive`."""
    key = original_key(new.sha256)
    # Bytes first: the ledger never names a blob that was not there.
    await blobs.put(new.tenant_id, key, content)
    receipt = await documents.receive(new, claim=claim)
    try:
        await blobs.get(new.tenant_id, key)
    except NotFoundError:
        await blobs.put(new.tenant_id, key, content)
    return receipt


async def discard_original(
    record: DocumentRecord, *, blobs: BlobStore, documents: DocumentLedger
) -> None:
    """Remove the bytes of a deleted document, unless another one has them."""
    key = original_key(record.sha256)
    if await documents.blob_in_use(record.tenant_id, record.sha256):
        return
    try:
        content = await blobs.get(record.tenant_id, key)
    except NotFoundError:
        return
    await blobs.delete(record.tenant_id, key)
    if await documents.blob_in_use(record.tenant_id, record.sha256):
        await blobs.put(record.tenant_id, key, content)
