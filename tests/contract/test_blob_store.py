"""What every `BlobStore` must do."""

from __future__ import annotations

from pathlib import Path

import pytest

from backends.blobs_files import FileBlobStore
from backends.memory.blobs import InMemoryBlobStore
from domain.documents import BlobStore, DocumentId, TenantId
from domain.errors import NotFoundError, PermanentError, TransientError
from ingest.neighbours import objections_key, text_key
from ingest.originals import original_key

A, B = TenantId("a"), TenantId("b")
KEY = "original/" + "0" * 64

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    return InMemoryBlobStore() if request.param == "memory" else FileBlobStore(tmp_path / "blobs")


async def test_what_was_put_is_got(store: BlobStore) -> None:
    await store.put(A, KEY, b"\x00bytes")

    assert await store.get(A, KEY) == b"\x00bytes"


async def test_putting_again_replaces(store: BlobStore) -> None:
    await store.put(A, KEY, b"old")
    await store.put(A, KEY, b"new")

    assert await store.get(A, KEY) == b"new"


async def test_tenants_do_not_see_each_other(store: BlobStore) -> None:
    await store.put(A, KEY, b"a's")

    with pytest.raises(NotFoundError):
        await store.get(B, KEY)


async def test_deleted_is_gone_and_deleting_twice_is_no_error(store: BlobStore) -> None:
    await store.put(A, KEY, b"x")
    await store.delete(A, KEY)
    await store.delete(A, KEY)

    with pytest.raises(NotFoundError):
        await store.get(A, KEY)


@pytest.mark.parametrize("key", ["original/../../etc", "other/x", "original/", "text/a/b", ""])
async def test_a_key_of_another_form_is_refused(store: BlobStore, key: str) -> None:
    for asked in (store.put(A, key, b"x"), store.get(A, key), store.delete(A, key)):
        with pytest.raises(PermanentError):
            await asked


async def test_all_that_the_document_path_keeps_has_a_key(store: BlobStore) -> None:
    keys = [
        original_key("0" * 64),
        text_key(DocumentId("doc_1")),
        objections_key(DocumentId("doc_1")),
    ]
    for key in keys:
        await store.put(A, key, key.encode())

    assert [await store.get(A, key) for key in keys] == [key.encode() for key in keys]


async def test_a_failed_write_is_an_error_and_leaves_nothing_behind(tmp_path: Path) -> None:
    root = tmp_path / "blobs"
    root.write_text("a file where the folder should be", encoding="utf-8")

    with pytest.raises(TransientError):
        await FileBlobStore(root).put(A, KEY, b"x")

    assert [path.name for path in tmp_path.iterdir()] == ["blobs"]
