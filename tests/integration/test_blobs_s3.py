"""What the S3 store does that no other has to: conditions, digests, refusals, time limits."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from obstore.store import S3Store

from backends.blobs_s3 import S3BlobStore
from domain.documents import TenantId
from domain.errors import ConfigurationError, PermanentError, TransientError
from tests.s3 import bucket, s3_store, s3_url

__all__ = ["bucket", "s3_url"]

pytestmark = pytest.mark.anyio

A = TenantId("a")
KEY = "original/" + "0" * 64


@pytest.fixture
def raw(s3_url: str, bucket: str) -> S3Store:
    """The bucket as somebody else sees it."""
    return S3Store(
        bucket,
        endpoint=s3_url,
        region="us-east-1",
        access_key_id="x",
        secret_access_key="x",
        virtual_hosted_style_request=False,
        client_options={"allow_http": True},
    )


async def test_prefix_and_tenant_stand_in_the_key(s3_url: str, bucket: str, raw: S3Store) -> None:
    await s3_store(s3_url, bucket).put(A, "text/doc_1", b"x")

    assert [each["path"] for page in raw.list() for each in page] == ["installation/a/text/doc_1"]


async def test_an_original_that_is_there_is_not_written_again(s3_url: str, bucket: str) -> None:
    store = s3_store(s3_url, bucket)
    versioning = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    async with httpx.AsyncClient(base_url=f"{s3_url}/{bucket}") as http:
        (await http.put("?versioning", content=versioning)).raise_for_status()

        for _ in range(3):
            await store.put(A, KEY, b"same")
            await store.put(A, "text/doc_1", b"may differ each time")

        versions = (await http.get("?versions")).text
    assert versions.count(f"<Key>installation/a/{KEY}</Key>") == 1
    assert versions.count("<Key>installation/a/text/doc_1</Key>") == 3


@pytest.mark.parametrize("attributes", [None, {"sha256": "0" * 64}], ids=["bare", "wrong-digest"])
async def test_what_somebody_else_put_there_is_not_handed_out(
    s3_url: str, bucket: str, raw: S3Store, attributes: dict[str, str] | None
) -> None:
    store = s3_store(s3_url, bucket)
    await store.put(A, KEY, b"ours")
    await raw.put_async(f"installation/a/{KEY}", b"theirs", attributes=attributes)

    with pytest.raises(PermanentError, match="digest"):
        await store.get(A, KEY)

    await store.put(A, KEY, b"ours")
    assert await store.get(A, KEY) == b"ours"


async def test_a_bucket_that_is_not_there_is_no_missing_blob(s3_url: str) -> None:
    store = s3_store(s3_url, "no-such-bucket")

    for asked in (store.put(A, KEY, b"x"), store.get(A, KEY), store.ping()):
        with pytest.raises(TransientError, match="NoSuchBucket"):
            await asked


@pytest.fixture
def silent_url() -> Iterator[str]:
    """URL of a server that takes connections and never says anything."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


async def test_a_store_that_does_not_answer_is_given_up_in_time(silent_url: str) -> None:
    store = s3_store(silent_url, "bucket", timeout_seconds=0.3)
    began = time.monotonic()

    with pytest.raises(TransientError) as caught:
        await store.get(A, KEY)

    assert time.monotonic() - began < 30
    assert silent_url not in str(caught.value)


async def test_a_store_that_is_not_there_is_told(s3_url: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"

    with pytest.raises(TransientError):
        await s3_store(url, "bucket", timeout_seconds=0.5).put(A, KEY, b"x")


def test_a_certificate_that_is_none_is_a_wrong_setting(s3_url: str, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.pem", Path(__file__)):
        with pytest.raises(ConfigurationError, match=r"blobs\.s3"):
            S3BlobStore("bucket", endpoint=s3_url, ca_path=path)


async def test_plain_http_is_refused_unless_allowed(s3_url: str, bucket: str) -> None:
    store = S3BlobStore(
        bucket, endpoint=s3_url, access_key_id="x", secret_access_key="x", timeout_seconds=1
    )

    with pytest.raises(TransientError):
        await store.get(A, KEY)
