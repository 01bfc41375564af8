"""A disk that is full or cannot be written: a clear error, nothing half, and the retry succeeds."""

from __future__ import annotations

import hashlib
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from backends.blobs_files import FileBlobStore
from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.migrating import migrate
from backends.ledger.sql import SqlLedger
from domain.documents import DEFAULT_TENANT
from domain.errors import TransientError
from domain.ledger import DocumentFilter, NewDocument
from ingest.originals import original_key, store_original
from tests.ledger_rows import upload

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

SMALL: Final = 64 * 1024
CONTENT: Final = b"A lamp gives light to the quay. " * 10_000


@contextmanager
def full_beyond(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond `size` bytes: writes fail as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def new(content: bytes = CONTENT) -> NewDocument:
    return replace(
        upload("one"), sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content)
    )


def ledger_in(folder: Path) -> SqlLedger:
    url = f"sqlite:///{folder / 'ledger.db'}"
    migrate(url)
    clock = SystemClock()
    return SqlLedger(url, clock=clock, ids=RandomIds(clock))


async def test_a_full_disk_for_blobs_takes_nothing_in_and_the_retry_succeeds(
    tmp_path: Path,
) -> None:
    blobs, ledger = FileBlobStore(tmp_path / "blobs"), ledger_in(tmp_path)
    document = new()

    with full_beyond(SMALL), pytest.raises(TransientError) as caught:
        await store_original(document, CONTENT, claim=None, blobs=blobs, documents=ledger.documents)
    left = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    listed = await ledger.documents.list(DEFAULT_TENANT, DocumentFilter(), cursor=None, limit=9)
    retried = await store_original(
        document, CONTENT, claim=None, blobs=blobs, documents=ledger.documents
    )

    assert "File too large" in str(caught.value)
    assert (left, list(listed.items)) == ([], [])
    assert retried.created
    assert await blobs.get(DEFAULT_TENANT, original_key(document.sha256)) == CONTENT
    await ledger.close()


async def test_a_full_disk_for_the_ledger_takes_nothing_in_and_the_retry_succeeds(
    tmp_path: Path,
) -> None:
    blobs, ledger = FileBlobStore(tmp_path / "blobs"), ledger_in(tmp_path)
    document = new(b"small")
    await ledger.documents.backlog()  # its files are open

    with full_beyond(1), pytest.raises(TransientError):
        await ledger.documents.receive(document, claim=None)
    before = await ledger.documents.backlog()
    receipt = await store_original(
        document, b"small", claim=None, blobs=blobs, documents=ledger.documents
    )

    assert before == {}
    assert receipt.created
    assert len(await ledger.outbox.pending(limit=9)) == 1
    await ledger.close()


async def test_a_file_that_was_there_stays_whole_when_the_disk_is_full(tmp_path: Path) -> None:
    blobs = FileBlobStore(tmp_path / "blobs")
    key = original_key(hashlib.sha256(CONTENT).hexdigest())
    await blobs.put(DEFAULT_TENANT, key, CONTENT)

    with full_beyond(SMALL), pytest.raises(TransientError):
        await blobs.put(DEFAULT_TENANT, key, CONTENT)

    assert await blobs.get(DEFAULT_TENANT, key) == CONTENT


async def test_a_folder_that_cannot_be_written_is_a_failed_dependency() -> None:
    # The tests may run as root, whom no mode stops: the kernel's own files stop everybody.
    blobs = FileBlobStore(Path("/proc/self/task"))

    with pytest.raises(TransientError):
        await blobs.put(DEFAULT_TENANT, original_key("0" * 64), b"x")
