"""What every `BlobStore` must do."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from backends.blobs_files import FileBlobStore
from backends.memory.blobs import InMemoryBlobStore
from domain.documents import BlobStore, DocumentId, TenantId
from domain.errors import NotFoundError, PermanentError, TransientError
from ingest.neighbours import objections_key, text_key
from ingest.originals import original_key
from tests.s3 import s3_store

A, B = TenantId("a"), TenantId("b")
KEY = "original/" + "0" * 64

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["memory", "files", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    if request.param == "s3":
        return s3_store(request.getfixturevalue("s3_url"), request.getfixturevalue("bucket"))
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


async def test_keys_are_those_of_the_tenant_and_each_is_told_once(store: BlobStore) -> None:
    for key in (KEY, "text/doc_1", "objections/doc_1"):
        await store.put(A, key, b"1")
    await store.put(A, KEY, b"2")
    await store.put(A, "text/gone", b"1")
    await store.delete(A, "text/gone")
    await store.put(B, "text/theirs", b"1")
    await store.put(TenantId("ab"), "text/of-a-longer-name", b"1")

    keys = [key async for key in store.keys(A)]

    assert sorted(keys) == sorted([KEY, "text/doc_1", "objections/doc_1"])
    assert [key async for key in store.keys(TenantId("nobody"))] == []


async def test_keys_of_what_is_no_tenant_are_refused(store: BlobStore) -> None:
    with pytest.raises(PermanentError):
        [key async for key in store.keys(TenantId("../a"))]


async def test_a_store_that_answers_says_so(store: BlobStore) -> None:
    await store.ping()


async def test_two_that_write_the_same_bytes_at_once_both_succeed(store: BlobStore) -> None:
    await asyncio.gather(*(store.put(A, KEY, b"same") for _ in range(5)))

    assert await store.get(A, KEY) == b"same"


async def test_an_empty_blob_and_a_large_one_come_back(store: BlobStore) -> None:
    large = bytes(range(256)) * 80_000
    await store.put(A, "text/empty", b"")
    await store.put(A, "text/large", large)

    assert await store.get(A, "text/empty") == b""
    assert await store.get(A, "text/large") == large


async def test_a_failed_write_is_an_error_and_leaves_nothing_behind(tmp_path: Path) -> None:
    root = tmp_path / "blobs"
    root.write_text("a file where the folder should be", encoding="utf-8")

    with pytest.raises(TransientError):
        await FileBlobStore(root).put(A, KEY, b"x")

    assert [path.name for path in tmp_path.iterdir()] == ["blobs"]
