"""Blobs as objects of an S3-compatible store, the tenant in the key."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from backends.blob_keys import BlobKey, parse_blob_key, require_tenant
from domain.documents import TenantId
from domain.errors import ConfigurationError, NotFoundError, PermanentError, TransientError

if TYPE_CHECKING:
    from obstore import Attributes
    from obstore.store import ClientConfig, S3Config, S3Store

_DIGEST: Final = "sha256"
"""The name under which an object's metadata holds the digest of its bytes."""
_WRITTEN_ONCE: Final = "original"
"""The kind whose names are digests: whoever writes one again brings the same bytes."""
_TRIES: Final = 2
_WRONG_SET_UP: Final = (
    "NoSuchBucket",
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
)


class S3BlobStore:
    """Keeps `<prefix>/<tenant>/<kind>/<name>`, each with the digest of its bytes beside it.

    An original is written under the condition that nobody wrote it before, so that a bucket with
    versions keeps one of it. What is read is compared with its digest: an object that was changed
    in the bucket, or that somebody else put there, is not handed out.
    """

    def __init__(
        self,
        bucket: str,
        *,
        prefix: str = "",
        endpoint: str | None = None,
        region: str = "us-east-1",
        access_key_id: str | None = None,
        secret_access_key: str | None = None,
        path_style: bool = True,
        allow_http: bool = False,
        ca_path: Path | None = None,
        timeout_seconds: float = 30.0,
        connect_seconds: float = 5.0,
    ) -> None:
        """Take a bucket, which must be there; nothing is sent.

        Args:
            bucket: Its name.
            prefix: Of every key, e.g. `mithridate/`.
            endpoint: URL of the store; None: Amazon's of the region.
            region: What requests are signed for.
            access_key_id: None: what the environment or the machine's role gives.
            secret_access_key: As `access_key_id`.
            path_style: Whether the bucket stands in the path and not in the host's name.
            allow_http: Whether the endpoint may be reached without TLS.
            ca_path: PEM of who signed the endpoint's certificate; None: the usual ones.
            timeout_seconds: Of one request, its body included.
            connect_seconds: Of it, for the connection.

        Raises:
            ConfigurationError: The client is not installed, or does not take these facts.
        """
        try:
            from obstore.exceptions import BaseError
            from obstore.store import S3Store
        except ImportError as exc:
            raise ConfigurationError(
                "blobs.backend is s3, and its client is not installed: the extra `s3` brings it"
            ) from exc
        config: S3Config = {"region": region, "virtual_hosted_style_request": not path_style}
        if endpoint is not None:
            config["endpoint"] = endpoint
        if access_key_id is not None and secret_access_key is not None:
            config["access_key_id"] = access_key_id
            config["secret_access_key"] = secret_access_key
        client: ClientConfig = {
            "allow_http": allow_http,
            "timeout": timedelta(seconds=timeout_seconds),
            "connect_timeout": timedelta(seconds=connect_seconds),
        }
        try:
            if ca_path is not None:
                client["root_certificate"] = ca_path.read_bytes()
            self._store: S3Store = S3Store(
                bucket,
                prefix=prefix.strip("/") or None,
                config=config,
                client_options=client,
                retry_config={
                    "max_retries": _TRIES,
                    "retry_timeout": timedelta(seconds=2 * timeout_seconds),
                },
            )
        except (BaseError, OSError, ValueError) as exc:
            raise ConfigurationError(f"blobs.s3 cannot be used: {type(exc).__name__}") from exc

    async def put(self, tenant_id: TenantId, key: str, content: bytes) -> None:
        place = parse_blob_key(tenant_id, key)
        path = _path(tenant_id, place)
        digest = hashlib.sha256(content).hexdigest()
        attributes: Attributes = {_DIGEST: digest}
        if place.kind == _WRITTEN_ONCE and await self._is_new(path, content, attributes):
            return
        if place.kind == _WRITTEN_ONCE and await self._digest_at(path) == digest:
            return
        with _told("written", key):
            await self._store.put_async(path, content, attributes=attributes)

    async def get(self, tenant_id: TenantId, key: str) -> bytes:
        path = _path(tenant_id, parse_blob_key(tenant_id, key))
        with _told("read", key):
            found = await self._store.get_async(path)
            content = bytes(await found.bytes_async())
        if found.attributes.get(_DIGEST) != hashlib.sha256(content).hexdigest():
            raise PermanentError(f"blob {key!r} is not what was written: its digest differs")
        return content

    async def delete(self, tenant_id: TenantId, key: str) -> None:
        path = _path(tenant_id, parse_blob_key(tenant_id, key))
        try:
            with _told("removed", key):
                await self._store.delete_async(path)
        except NotFoundError:
            return

    async def keys(self, tenant_id: TenantId) -> AsyncIterator[str]:
        require_tenant(tenant_id)
        with _told("listed", f"{tenant_id}/"):
            async for page in self._store.list(prefix=f"{tenant_id}/"):
                for each in page:
                    yield each["path"].removeprefix(f"{tenant_id}/")

    async def ping(self) -> None:
        with _told("listed", ""):
            async for _ in self._store.list(prefix="ping/", chunk_size=1):
                return

    async def _is_new(self, path: str, content: bytes, attributes: Attributes) -> bool:
        from obstore.exceptions import AlreadyExistsError

        with _told("written", path):
            try:
                await self._store.put_async(path, content, mode="create", attributes=attributes)
            except AlreadyExistsError:
                return False
        return True

    async def _digest_at(self, path: str) -> str | None:
        """Return the digest of the bytes that are there, read anew."""
        with _told("read", path):
            found = await self._store.get_async(path)
            digest = hashlib.sha256(await found.bytes_async()).hexdigest()
        return digest if found.attributes.get(_DIGEST) == digest else None


def _path(tenant_id: TenantId, key: BlobKey) -> str:
    return f"{tenant_id}/{key.kind}/{key.name}"


@contextmanager
def _told(doing: str, key: str) -> Iterator[None]:
    """Raise ours for the client's errors, whose texts hold addresses and replies."""
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

    try:
        yield
    except (BaseError, FileNotFoundError, OSError) as exc:
        wrong = next((word for word in _WRONG_SET_UP if word in str(exc)), None)
        if wrong is not None or isinstance(exc, PermissionDeniedError | UnauthenticatedError):
            raise TransientError(
                f"blob {key!r} could not be {doing}: the store says {wrong or 'no'}"
            ) from exc
        if isinstance(exc, FileNotFoundError):
            raise NotFoundError(f"no blob {key!r}") from exc
        raise TransientError(f"blob {key!r} could not be {doing}: {type(exc).__name__}") from exc
