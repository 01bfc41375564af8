"""What every `BlobStore` must do."""

from __future__ import annotations

from pathlib import Path

import pytest

from backends.blobs_files import FileBlobStore
from backends.memory.blobs import InMemoryBlobStore
from domain.documents import BlobStore, TenantId
from domain.errors import NotFoundError, PermanentError, TransientError

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
async def test_a_key_cannot_leave_the_folder(tmp_path: Path, key: str) -> None:
    with pytest.raises(PermanentError):
        await FileBlobStore(tmp_path).put(A, key, b"x")


async def test_a_failed_write_is_an_error_and_leaves_nothing_behind(tmp_path: Path) -> None:
    root = tmp_path / "blobs"
    root.write_text("a file where the folder should be", encoding="utf-8")

    with pytest.raises(TransientError):
        await FileBlobStore(root).put(A, KEY, b"x")

    assert [path.name for path in tmp_path.iterdir()] == ["blobs"]
