"""A connection to Weaviate, the two collections in it, and its errors as ours."""

from __future__ import annotations

import asyncio
import importlib
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from backends.vector_fields import SEARCHABLE
from domain.errors import ConfigurationError, PermanentError, TransientError

if TYPE_CHECKING:
    from weaviate import WeaviateAsyncClient
    from weaviate.collections import CollectionAsync

OLDEST: Final = (1, 36)

_COLLECTION: Final = re.compile(r"[A-Z][A-Za-z0-9_]{0,99}")
_SIDES: Final = {True: "Established", False: "Pool"}
# What a retry cannot mend, by gRPC code and HTTP status.
_REFUSALS: Final = frozenset({"INVALID_ARGUMENT", "PERMISSION_DENIED", "UNAUTHENTICATED"})
_REFUSED_STATUS: Final = frozenset({400, 401, 403, 405, 413, 422})


@dataclass(slots=True)
class _Session:
    """What belongs to one event loop of one process."""

    pid: int
    loop: asyncio.AbstractEventLoop
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    client: WeaviateAsyncClient | None = None
    tenants: set[tuple[str, str]] = field(default_factory=set)


@asynccontextmanager
async def wrapped(action: str, *, within_seconds: float) -> AsyncIterator[None]:
    """Turn the client's errors into ours. Its messages may quote a question: they stay behind.

    The time is for all of it: the client repeats what failed, for a quarter of a minute and more.
    """
    import grpc
    import httpx
    from weaviate.exceptions import WeaviateBaseError

    try:
        async with asyncio.timeout(within_seconds):
            yield
    # The client wraps most of what its own two clients raise, but not all.
    except (WeaviateBaseError, httpx.HTTPError, grpc.RpcError, OSError, RuntimeError) as exc:
        name = type(exc).__name__
        if _is_refusal(exc):
            raise PermanentError(f"weaviate: {action} refused: {name}") from exc
        raise TransientError(f"weaviate: {action} failed: {name}") from exc
    # The last of them where a reply lacks what the client takes for granted.
    except (ValueError, TypeError, LookupError, AttributeError) as exc:
        raise PermanentError(f"weaviate: {action} refused: {type(exc).__name__}") from exc


class WeaviateSession:
    """Connects when first used, once an event loop; makes the collections if they are missing."""

    def __init__(
        self,
        url: str,
        *,
        grpc_port: int,
        api_key: str | None,
        collection: str,
        dimensions: int,
        timeout_seconds: float,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
            raise ConfigurationError("the Weaviate URL must be http(s)://host[:port]")
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        if self._port == grpc_port:
            raise ConfigurationError(f"Weaviate's HTTP and gRPC ports are both {grpc_port}")
        if not _COLLECTION.fullmatch(collection):
            raise ConfigurationError(
                f"collection {collection!r} must match {_COLLECTION.pattern} for Weaviate"
            )
        self._host = parts.hostname
        self._secure = parts.scheme == "https"
        self._grpc_port = grpc_port
        self._api_key = api_key
        self._collection = collection
        self._dimensions = dimensions
        self._timeout_seconds = timeout_seconds
        self._session: _Session | None = None
        self._inherited: list[_Session] = []

    async def side(self, tenant: str, *, established: bool) -> CollectionAsync[Any, Any] | None:
        """Return the tenant's part of a collection, None if nothing was ever written there."""
        name = f"{self._collection}{_SIDES[established]}"
        tenants = self._current().tenants
        if (name, tenant) not in tenants:
            client = await self.client()
            async with wrapped("looking up a tenant", within_seconds=self._timeout_seconds):
                if not await client.collections.use(name).tenants.exists(tenant):
                    return None
            tenants.add((name, tenant))
        return await self.new_side(tenant, established=established)

    async def new_side(self, tenant: str, *, established: bool) -> CollectionAsync[Any, Any]:
        """Return the tenant's part of a collection, to write to: the first object makes it."""
        client = await self.client()
        name = f"{self._collection}{_SIDES[established]}"
        return client.collections.use(name).with_tenant(tenant)

    async def client(self) -> WeaviateAsyncClient:
        """Return the connected client.

        Raises:
            ConfigurationError: The client is not installed, the server is too old, or its
                collections hold vectors of another length.
            TransientError: The server does not answer.
            PermanentError: The server refused the key.
        """
        session = self._current()
        async with session.lock:
            if session.client is None:
                client = await self._connect()
                try:
                    for established in _SIDES:
                        await self._ensure_collection(client, established=established)
                except BaseException:
                    await client.close()
                    raise
                session.client = client
        return session.client

    async def ping(self) -> None:
        """Ask the REST side for its version, and the gRPC side for a tenant nobody has."""
        client = await self.client()
        collection = client.collections.use(f"{self._collection}{_SIDES[True]}")
        async with wrapped("ping", within_seconds=self._timeout_seconds):
            # Not `is_ready`, which prints what went wrong to standard output.
            await client.get_meta()
            await collection.tenants.get_by_names(["ping"])

    async def close(self) -> None:
        """Close the connection of this event loop."""
        session, self._session = self._session, None
        if session is not None and session.client is not None:
            await session.client.close()

    def _current(self) -> _Session:
        pid, loop = os.getpid(), asyncio.get_running_loop()
        session = self._session
        if session is None or session.pid != pid or session.loop is not loop:
            if session is not None:
                # Kept, unused: its sockets are another loop's or another process's to close.
                self._inherited.append(session)
            session = self._session = _Session(pid=pid, loop=loop)
        return session

    async def _connect(self) -> WeaviateAsyncClient:
        try:
            await asyncio.to_thread(importlib.import_module, "weaviate")
        except ImportError as exc:
            raise ConfigurationError(
                "the weaviate store needs the package weaviate-client: install mithridate[weaviate]"
            ) from exc
        import weaviate
        from weaviate.classes.init import AdditionalConfig, Auth, Timeout

        client = weaviate.WeaviateAsyncClient(
            connection_params=weaviate.connect.ConnectionParams.from_params(
                http_host=self._host,
                http_port=self._port,
                http_secure=self._secure,
                grpc_host=self._host,
                grpc_port=self._grpc_port,
                grpc_secure=self._secure,
            ),
            auth_client_secret=None if self._api_key is None else Auth.api_key(self._api_key),
            additional_config=AdditionalConfig(
                timeout=Timeout(
                    init=self._timeout_seconds,
                    query=self._timeout_seconds,
                    insert=3 * self._timeout_seconds,
                ),
                trust_env=False,
            ),
            # With them the client asks the package index for its newest version.
            skip_init_checks=True,
        )
        try:
            async with wrapped("connecting", within_seconds=self._timeout_seconds):
                await client.connect()
                _check_version(str((await client.get_meta())["version"]))
        except BaseException:
            await client.close()
            raise
        return client

    async def _ensure_collection(self, client: WeaviateAsyncClient, *, established: bool) -> None:
        from weaviate.exceptions import UnexpectedStatusCodeError

        name = f"{self._collection}{_SIDES[established]}"
        async with wrapped("making a collection", within_seconds=self._timeout_seconds):
            if not await client.collections.exists(name):
                try:
                    await self._create(client, name)
                except UnexpectedStatusCodeError:
                    # Another process may have made it meanwhile.
                    if not await client.collections.exists(name):
                        raise
            config = await client.collections.use(name).config.get(simple=True)
        if config.description != self._description:
            raise ConfigurationError(
                f"collection {name!r} is described as {config.description!r}, not as "
                f"{self._description!r}: index anew in another collection"
            )

    @property
    def _description(self) -> str:
        return f"Mithridate chunks, vectors of length {self._dimensions}"

    async def _create(self, client: WeaviateAsyncClient, name: str) -> None:
        from weaviate.classes.config import Configure, DataType, Property, Tokenization

        def text(name: str, *, filterable: bool = False) -> Property:
            return Property(
                name=name,
                data_type=DataType.TEXT,
                index_filterable=filterable,
                index_searchable=False,
                tokenization=Tokenization.FIELD,
            )

        await client.collections.create(
            name,
            description=self._description,
            # Not what the server's DEFAULT_QUANTIZATION may say: with it the nearest chunk of an
            # origin may not be found, and once set it cannot be undone.
            vector_config=Configure.Vectors.self_provided(
                quantizer=Configure.VectorIndex.Quantizer.none()
            ),
            multi_tenancy_config=Configure.multi_tenancy(
                enabled=True, auto_tenant_creation=True, auto_tenant_activation=True
            ),
            properties=[
                Property(
                    name=SEARCHABLE,
                    data_type=DataType.TEXT,
                    index_filterable=False,
                    index_searchable=True,
                    tokenization=Tokenization.WORD,
                ),
                *(text(name, filterable=True) for name in ("origin_key", "document_key")),
                text("family_key", filterable=True),
                *(text(name) for name in ("chunk_id", "document_id", "payload")),
                Property(name="reviewed", data_type=DataType.BOOL, index_filterable=True),
                Property(name="voting", data_type=DataType.BOOL, index_filterable=True),
                Property(
                    name="trust",
                    data_type=DataType.NUMBER,
                    index_filterable=True,
                    index_range_filters=True,
                ),
            ],
        )


def _check_version(version: str) -> None:
    found = re.match(r"v?(\d+)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ConfigurationError(f"weaviate is version {version!r}, at least {oldest} is needed")


def _is_refusal(error: BaseException) -> bool:
    """Say whether anything in the chain of causes is a refusal."""
    cause: BaseException | None = error
    while cause is not None:
        if getattr(cause, "status_code", None) in _REFUSED_STATUS:
            return True
        code = getattr(cause, "code", None)
        if callable(code) and getattr(code(), "name", "") in _REFUSALS:
            return True
        if type(cause).__name__ in {"WeaviateInvalidInputError", "InsufficientPermissionsError"}:
            return True
        cause = cause.__cause__ or cause.__context__
    return False
