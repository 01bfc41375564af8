"""An S3-compatible server for tests, from its wheel, and buckets of it."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

from backends.blobs_s3 import S3BlobStore
from tests.services import free_port

_START_SECONDS = 120
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    """URL of a server of this test process's own; it checks no signatures."""
    url = f"http://127.0.0.1:{free_port()}"
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", url.rpartition(":")[2]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(server, url)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.fixture
def bucket(s3_url: str) -> str:
    """Name of an empty bucket of this test's own."""
    name = f"test-{next(_numbers)}"
    httpx.put(f"{s3_url}/{name}", timeout=30).raise_for_status()
    return name


def s3_store(url: str, bucket: str, *, timeout_seconds: float = 30.0) -> S3BlobStore:
    return S3BlobStore(
        bucket,
        prefix="installation/",
        endpoint=url,
        access_key_id="test",
        secret_access_key="test",
        allow_http=True,
        timeout_seconds=timeout_seconds,
    )


def _wait_for(server: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, "the S3 server ended"
        try:
            httpx.get(f"{url}/moto-api/", timeout=5)
        except httpx.TransportError:
            time.sleep(0.1)  # until it listens
        else:
            return
    raise AssertionError("the S3 server did not come up")
