"""Queue and state on servers as operators run them: users, TLS, sentinels, a cluster.

Each is asked for all that we ask of Redis: jobs, locks, limits, kept answers, near-duplicates.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis
from celery import Celery
from redis.exceptions import AuthenticationError

from backends.answer_cache_redis import RedisAnswerCache, RedisEvidenceStamps
from backends.jobs_celery import DOCUMENTS_QUEUE, TRANSPORT_OPTIONS, CeleryJobQueue
from backends.locks_redis import RedisLock, RedisRateLimiter
from backends.memory.clock import ManualClock
from backends.near_duplicates_redis import RedisNearDuplicateIndex
from backends.redis_clients import (
    RedisClient,
    celery_broker,
    opened_redis,
    parse_servers,
)
from defences.retrieval.shingles import SCHEME, fingerprint
from domain.documents import DocumentId, TenantId
from domain.errors import ConfigurationError, TransientError
from tests.redis_servers import (
    PASSWORD,
    PROGRAMS,
    QUOTED_PASSWORD,
    USER,
    Certificates,
    make_certificates,
    sentinel,
    server,
    tls_server,
)
from tests.services import free_port

pytestmark = pytest.mark.anyio

TENANT = TenantId("a}{b")
LOGIN = f"{USER}:{QUOTED_PASSWORD}@"


@pytest.fixture(scope="module", params=sorted(PROGRAMS))
def program(request: pytest.FixtureRequest) -> str:
    found = PROGRAMS[request.param]
    if found is None:
        pytest.skip("Debian's redis-server is not installed")
    return found


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def password_port(program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with server(program, tmp_path_factory.mktemp("server")) as port:
        yield port


@pytest.fixture(scope="module")
def tls_port(certificates: Certificates, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    debian = PROGRAMS["redis"]
    if debian is None:
        pytest.skip("Debian's redis-server is not installed, and the wheel's knows no TLS")
    with tls_server(debian, tmp_path_factory.mktemp("tls"), certificates) as port:
        yield port


@pytest.fixture(scope="module")
def sentinel_port(
    program: str, password_port: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("sentinel")
    with sentinel(program, folder, password_port, name="main") as port:
        yield port


async def use_state(client: RedisClient) -> None:
    """Do once what each part does, and see that it worked."""
    name = f"use-{time.monotonic_ns()}"
    ours, theirs = RedisLock(client), RedisLock(client)
    assert await ours.acquire(name, lease_seconds=30)
    assert not await theirs.acquire(name, lease_seconds=30)
    await ours.release(name)
    assert await theirs.acquire(name, lease_seconds=30)

    limiter = RedisRateLimiter(client)
    waits = [await limiter.take(name, limit=2, window_seconds=60) for _ in range(3)]
    assert waits[:2] == [0.0, 0.0]
    assert waits[2] > 0

    cache = RedisAnswerCache(client, clock=ManualClock())
    await cache.put(TENANT, name, b"kept", lifetime_seconds=60)
    assert await cache.get(TENANT, name) == b"kept"

    stamps = RedisEvidenceStamps(client)
    before = await stamps.present(TENANT)
    assert before == await stamps.present(TENANT)
    await stamps.end(TENANT, await stamps.begin(TENANT))
    assert await stamps.present(TENANT) != before

    index = RedisNearDuplicateIndex(client, SCHEME)
    mark = fingerprint(" ".join(f"word{number}" for number in range(80)))
    assert mark is not None
    await index.query_and_insert(TENANT, DocumentId("first"), mark)
    found = await index.query_and_insert(TENANT, DocumentId("second"), mark)
    assert [candidate.document_id for candidate in found.candidates] == ["first"]
    for document in ("first", "second"):
        await index.remove(TENANT, DocumentId(document))


def send_and_take(url: str, ca_path: Path | None) -> str:
    """Queue a job as the gateway does and take it as a worker does; return its id."""
    queue = CeleryJobQueue(broker_url=url, visibility_timeout_seconds=60, ca_path=ca_path)
    queue.ping()
    queue.enqueue("documents.ingest", "doc_1")
    broker = celery_broker(url, ca_path=ca_path)
    worker = Celery("worker", broker=broker.url, set_as_current=False)
    worker.conf.update(
        broker_use_ssl=broker.ssl,
        broker_transport_options={**TRANSPORT_OPTIONS, **broker.transport_options},
    )
    with worker.connection_for_read() as connection:
        taken = connection.SimpleQueue(DOCUMENTS_QUEUE)
        message = taken.get(timeout=30)
        message.ack()
        taken.close()
    queue._celery.close()
    worker.close()
    return str(message.decode()[0][0])


async def test_a_user_with_a_password_does_all_there_is_to_do(password_port: int) -> None:
    url = f"redis://{LOGIN}127.0.0.1:{password_port}/1"

    async with opened_redis(url) as client:
        await use_state(client)

    assert await asyncio.to_thread(send_and_take, url, None) == "doc_1"


@pytest.mark.parametrize("login", ["", "gateway:wrong@"], ids=["nobody", "wrong-password"])
async def test_who_is_not_let_in_is_told_without_the_password(
    password_port: int, login: str
) -> None:
    url = f"redis://{login}127.0.0.1:{password_port}/0"

    async with opened_redis(url) as client:
        with pytest.raises(TransientError) as caught:
            await RedisLock(client).acquire("x", lease_seconds=1)
    queue = CeleryJobQueue(broker_url=url, visibility_timeout_seconds=60)
    with pytest.raises(TransientError) as refused:
        await asyncio.to_thread(queue.enqueue, "documents.ingest", "doc_1")

    assert "wrong" not in str(caught.value) + str(refused.value)


async def test_by_tls_all_is_done_under_the_authority_that_is_named(
    tls_port: int, certificates: Certificates
) -> None:
    url = f"rediss://{LOGIN}127.0.0.1:{tls_port}/0"

    async with opened_redis(url, ca_path=certificates.authority) as client:
        await use_state(client)

    taken = await asyncio.to_thread(send_and_take, url, certificates.authority)
    assert taken == "doc_1"


async def test_a_server_whose_certificate_nobody_vouches_for_is_refused(tls_port: int) -> None:
    url = f"rediss://{LOGIN}127.0.0.1:{tls_port}/0"

    async with opened_redis(url) as client:
        with pytest.raises(TransientError):
            await RedisLock(client).acquire("x", lease_seconds=1)
    queue = CeleryJobQueue(broker_url=url, visibility_timeout_seconds=60)
    with pytest.raises(TransientError):
        await asyncio.to_thread(queue.ping)


async def test_a_certificate_of_another_name_is_refused(
    tls_port: int, certificates: Certificates
) -> None:
    url = f"rediss://{LOGIN}localhost:{tls_port}/0"

    async with opened_redis(url, ca_path=certificates.authority) as client:
        with pytest.raises(TransientError):
            await RedisLock(client).acquire("x", lease_seconds=1)
    queue = CeleryJobQueue(
        broker_url=url, visibility_timeout_seconds=60, ca_path=certificates.authority
    )
    with pytest.raises(TransientError):
        await asyncio.to_thread(queue.ping)


async def test_the_master_is_who_the_sentinels_say(sentinel_port: int) -> None:
    # A dead one first, of a port of its own: Celery keeps one pool for all URLs that begin alike.
    url = f"redis+sentinel://{LOGIN}127.0.0.1:{free_port()},127.0.0.1:{sentinel_port}/main/2"

    async with opened_redis(url) as client:
        await use_state(client)

    assert await asyncio.to_thread(send_and_take, url, None) == "doc_1"


async def test_a_master_that_no_sentinel_knows_is_told(sentinel_port: int) -> None:
    url = f"redis+sentinel://{LOGIN}127.0.0.1:{sentinel_port}/other"

    async with opened_redis(url) as client:
        with pytest.raises(TransientError):
            await RedisLock(client).acquire("x", lease_seconds=1)


@pytest.fixture
async def cluster_url(program: str, tmp_path: Path) -> AsyncIterator[str]:
    with server(program, tmp_path, "cluster-enabled yes") as port:
        with closing(
            redis.Redis(host="127.0.0.1", port=port, username=USER, password=PASSWORD)
        ) as node:
            node.cluster("addslotsrange", 0, 16383)
            deadline = time.monotonic() + 60
            while node.cluster("info")["cluster_state"] != "ok":
                assert time.monotonic() < deadline, "the cluster did not come up"
                await asyncio.sleep(0.1)  # a node looks at its slots now and then
        yield f"redis+cluster://{LOGIN}127.0.0.1:{port}"


async def test_state_is_kept_in_a_cluster(cluster_url: str) -> None:
    async with opened_redis(cluster_url) as client:
        await use_state(client)


async def test_a_cluster_that_is_down_is_told() -> None:
    async with opened_redis("redis+cluster://127.0.0.1:1") as client:
        with pytest.raises(TransientError):
            await RedisLock(client).acquire("x", lease_seconds=1)
        with pytest.raises(TransientError):
            await RedisEvidenceStamps(client).present(TENANT)


def test_celery_is_not_given_a_cluster() -> None:
    with pytest.raises(ConfigurationError, match="state_url"):
        celery_broker("redis+cluster://h")


@pytest.mark.parametrize(
    ("url", "hosts", "name", "database"),
    [
        ("redis+sentinel://h/main", (("h", 26379),), "main", 0),
        ("redis+sentinel://u:p@h:1,[::1]:2/main/3", (("h", 1), ("::1", 2)), "main", 3),
        ("rediss+sentinel://:p@h1,h2:5/m", (("h1", 26379), ("h2", 5)), "m", 0),
        ("redis+cluster://h", (("h", 6379),), "", 0),
        ("rediss+cluster://u:p@h:7000,g:7001", (("h", 7000), ("g", 7001)), "", 0),
    ],
)
def test_what_a_url_of_several_servers_names(
    url: str, hosts: tuple[tuple[str, int], ...], name: str, database: int
) -> None:
    servers = parse_servers(url)

    assert servers is not None
    assert (servers.hosts, servers.name, servers.database) == (hosts, name, database)
    assert servers.tls == url.startswith("rediss")


def test_logins_are_unquoted_and_never_shown() -> None:
    servers = parse_servers(
        "redis+sentinel://us%65r:hu%40sh@h/main?sentinel_username=watch&sentinel_password=hush2"
    )

    assert servers is not None
    assert (servers.username, servers.password) == ("user", "hu@sh")
    assert servers.sentinel_login == {"username": "watch", "password": "hush2"}
    assert "hu" not in repr(servers)


@pytest.mark.parametrize(
    "url",
    [
        "redis+sentinel://u:hush@h",
        "redis+cluster://u:hush@h/name",
        "redis+sentinel://u:hush@h/main?unknown=1",
        "redis+sentinel://u:hush@h:x/main",
        "redis+sentinel://u:hush@/main",
        "amqp://u:hush@h",
        "hush",
        "",
    ],
)
def test_a_url_that_cannot_be_used_is_a_wrong_setting_and_never_shown(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_servers(url)

    assert "hush" not in str(caught.value) or url == "hush"


def test_the_driver_itself_refuses_a_wrong_password(password_port: int) -> None:
    with (
        closing(redis.Redis(port=password_port, username=USER, password="wrong")) as client,
        pytest.raises(AuthenticationError),
    ):
        client.ping()
