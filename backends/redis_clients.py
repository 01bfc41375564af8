"""Clients of the broker and of the state beside it, by URL: one server, sentinels or a cluster.

redis://, rediss://, unix://                       one server, as redis-py spells it
redis+sentinel://[u:p@]h[:port],h[:port]/name[/db] who the sentinels say is the master of `name`
redis+cluster://[u:p@]h[:port],h[:port]            a cluster; not for Celery, which knows none

With `rediss+` every connection is by TLS. `?sentinel_username=u&sentinel_password=p` are the
sentinels' own.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qs, quote, unquote

from redis.asyncio import Redis
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.sentinel import Sentinel
from redis.exceptions import RedisClusterException, RedisError

from domain.errors import ConfigurationError

RedisClient: TypeAlias = Redis | RedisCluster

UNANSWERED: Final = (RedisError, RedisClusterException, OSError)
"""What a client raises where a server did not answer, or not as it should."""

SOCKET_SECONDS: Final = 10.0
CONNECT_SECONDS: Final = 5.0
HEALTH_CHECK_SECONDS: Final = 25

_PLAIN: Final = ("redis://", "rediss://", "unix://")
_MANY: Final = re.compile(
    r"redis(?P<tls>s?)\+(?P<kind>sentinel|cluster)://"
    r"(?:(?P<user>[^:@/?]*)(?::(?P<password>[^@/?]*))?@)?"
    r"(?P<hosts>[^@/?]+)(?:/(?P<name>[^/?]+))?(?:/(?P<database>\d+))?(?:\?(?P<query>.*))?"
)
_HOST: Final = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]]+)(?::(\d{1,5}))?")
_PORTS: Final = {"sentinel": 26379, "cluster": 6379}
_OPTIONS: Final = frozenset({"sentinel_username", "sentinel_password"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """Several servers that one URL names. `name` is the master's, of sentinels alone."""

    kind: str
    hosts: tuple[tuple[str, int], ...]
    tls: bool
    username: str | None = field(repr=False)
    password: str | None = field(repr=False)
    name: str
    database: int
    sentinel_login: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CeleryBroker:
    """The broker as Celery's settings spell it."""

    url: str = field(repr=False)
    ssl: Mapping[str, object] | None
    transport_options: Mapping[str, object] = field(repr=False)


def celery_broker(url: str, *, ca_path: Path | None = None) -> CeleryBroker:
    """Return what Celery is told of the URL.

    Raises:
        ConfigurationError: Not a URL of this module's forms, or that of a cluster.
    """
    servers = parse_servers(url)
    if servers is None:
        tls = _tls_of(ca_path) if url.startswith("rediss://") else None
        socket = url.startswith("unix://")
        spelt = f"redis+socket://{url.removeprefix('unix://')}" if socket else url
        return CeleryBroker(url=spelt, ssl=tls, transport_options={})
    if servers.kind == "cluster":
        raise ConfigurationError(
            "queue.url cannot be that of a cluster: name one server or sentinels there, and the "
            "cluster in queue.state_url"
        )
    tls = _tls_of(ca_path) if servers.tls else None
    login = _login(servers)
    return CeleryBroker(
        url=";".join(
            f"sentinel://{login}{host}:{port}/{servers.database}" for host, port in servers.hosts
        ),
        ssl=tls,
        transport_options={
            "master_name": servers.name,
            "sentinel_kwargs": {
                **servers.sentinel_login,
                **({"ssl": True, **tls} if tls is not None else {}),
            },
        },
    )


@asynccontextmanager
async def opened_redis(
    url: str, *, ca_path: Path | None = None, socket_seconds: float = SOCKET_SECONDS
) -> AsyncIterator[RedisClient]:
    """Give a client that connects when it is first used, and close it.

    Raises:
        ConfigurationError: Not a URL of this module's forms.
    """
    limits: dict[str, Any] = {
        "socket_timeout": socket_seconds,
        "socket_connect_timeout": CONNECT_SECONDS,
        "health_check_interval": HEALTH_CHECK_SECONDS,
    }
    servers = parse_servers(url)
    if servers is None:
        tls = _tls_of(ca_path) if url.startswith("rediss://") else {}
        try:
            client = Redis.from_url(url, **limits, **tls)
        except ValueError as exc:
            raise ConfigurationError("a Redis URL cannot be parsed") from exc
        async with client:
            yield client
        return
    if servers.tls:
        limits |= {"ssl": True, **_tls_of(ca_path)}
    login: dict[str, Any] = {"username": servers.username, "password": servers.password}
    if servers.kind == "cluster":
        nodes = [ClusterNode(host, port) for host, port in servers.hosts]
        cluster = RedisCluster(startup_nodes=nodes, **login, **limits)
        try:
            yield cluster
        finally:
            await cluster.aclose()
        return
    async with _master(servers, {**login, **limits}) as client:
        yield client


async def run_id(client: RedisClient, key: str) -> str:
    """Return which run of which server has the key: another after a restart or a failover."""
    if isinstance(client, RedisCluster):
        client = await client.initialize()
        told = await client.info("server", target_nodes=client.get_node_from_key(key))
    else:
        told = await client.info("server")
    return str(told["run_id"])


@asynccontextmanager
async def _master(servers: Servers, options: Mapping[str, Any]) -> AsyncIterator[Redis]:
    own = {name: options[name] for name in options if name not in {"username", "password"}}
    sentinel = Sentinel(  # type: ignore[no-untyped-call]
        list(servers.hosts), sentinel_kwargs={**own, **servers.sentinel_login}, **options
    )
    client: Redis = sentinel.master_for(servers.name, db=servers.database)
    try:
        yield client
    finally:
        await client.aclose()
        for each in sentinel.sentinels:
            await each.aclose()


def parse_servers(url: str) -> Servers | None:
    """Return the servers of a URL that names several; None for one of redis-py's own forms.

    Raises:
        ConfigurationError: Neither. The message never holds the URL, which may carry a password.
    """
    if url.startswith(_PLAIN):
        return None
    match = _MANY.fullmatch(url)
    if match is None:
        scheme = url.partition(":")[0]
        raise ConfigurationError(
            "a Redis URL is redis://, rediss://, unix://, redis[s]+sentinel:// or "
            f"redis[s]+cluster://, not {scheme!r} or not of that form"
        )
    kind = match["kind"]
    hosts = tuple(_host(each, _PORTS[kind]) for each in match["hosts"].split(","))
    if (kind == "sentinel") != (match["name"] is not None) or (
        kind == "cluster" and match["database"] is not None
    ):
        raise ConfigurationError(
            "a URL of sentinels ends with /name of the master, that of a cluster with its hosts"
        )
    options = parse_qs(match["query"] or "")
    if unknown := sorted(options.keys() - _OPTIONS):
        raise ConfigurationError(f"a Redis URL has unknown options: {', '.join(unknown)}")
    return Servers(
        kind=kind,
        hosts=hosts,
        tls=bool(match["tls"]),
        username=unquote(match["user"]) if match["user"] else None,
        password=unquote(match["password"]) if match["password"] else None,
        name=match["name"] or "",
        database=int(match["database"] or 0),
        sentinel_login={
            name.removeprefix("sentinel_"): values[-1] for name, values in options.items()
        },
    )


def _host(text: str, port: int) -> tuple[str, int]:
    match = _HOST.fullmatch(text)
    if match is None:
        raise ConfigurationError("a Redis URL names a host that is none")
    return match[1].strip("[]"), int(match[2] or port)


def _login(servers: Servers) -> str:
    if servers.username is None and servers.password is None:
        return ""
    return f"{quote(servers.username or '', safe='')}:{quote(servers.password or '', safe='')}@"


def _tls_of(ca_path: Path | None) -> dict[str, Any]:
    """Return redis-py's options: certificates are always checked, and names too."""
    known = {} if ca_path is None else {"ssl_ca_certs": str(ca_path)}
    return {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True, **known}
