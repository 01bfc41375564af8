"""The broker of the compose file, its command and its users as they stand there, on a real server."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis
from redis.asyncio import Redis

from backends.jobs_celery import CeleryJobQueue
from backends.locks_redis import RedisLock, RedisRateLimiter
from tests.redis_servers import WHEEL_SERVER, running
from tests.services import free_port
from tests.unit.deploy.manifests import secrets_made
from tests.unit.deploy.test_compose import SERVICES

pytestmark = [pytest.mark.integration, pytest.mark.anyio]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Yield the URL that the gateway is given, and the port."""
    made = secrets_made(tmp_path / "secrets")
    program, *options = shlex.split(SERVICES["valkey"]["command"])
    assert program == "valkey-server"
    told = dict(zip(options[::2], options[1::2], strict=True))
    assert (told.pop("--dir"), told.pop("--aclfile")) == ("/data", "/run/secrets/valkey.acl")
    port = free_port()
    lines = [f"{name.removeprefix('--')} {value}" for name, value in told.items()]
    lines += [f"port {port}", "bind 127.0.0.1", f"aclfile {made / 'valkey.acl'}"]

    def ready() -> None:
        with closing(redis.Redis(host="127.0.0.1", port=port)) as client:
            client.ping()  # what the health check asks, without a name

    with running(WHEEL_SERVER, tmp_path / "valkey", lines, ready=ready):
        url = (made / "MITHRIDATE_QUEUE__URL").read_text("utf-8")
        yield url.replace("@valkey:6379", f"@127.0.0.1:{port}"), port


def test_who_has_no_name_may_only_ping(broker: tuple[str, int]) -> None:
    with closing(redis.Redis(host="127.0.0.1", port=broker[1])) as client:
        for command in (["GET", "a"], ["KEYS", "*"], ["INFO"], ["CONFIG", "GET", "*"]):
            with pytest.raises(redis.exceptions.NoPermissionError):
                client.execute_command(*command)  # type: ignore[no-untyped-call]


def test_the_gateway_may_not_change_the_server_or_empty_it(broker: tuple[str, int]) -> None:
    with closing(redis.Redis.from_url(broker[0])) as client:
        for command in (["FLUSHALL"], ["FLUSHDB"], ["CONFIG", "SET", "a", "b"], ["SHUTDOWN"]):
            with pytest.raises(redis.exceptions.NoPermissionError):
                client.execute_command(*command)  # type: ignore[no-untyped-call]


async def test_the_gateway_may_do_what_it_does(broker: tuple[str, int]) -> None:
    url, _ = broker
    queue = CeleryJobQueue(broker_url=url, visibility_timeout_seconds=60)

    queue.ping()
    queue.enqueue("documents.ingest", "doc_1")
    async with Redis.from_url(url) as client:
        lock = RedisLock(client)
        taken = await lock.acquire("sweep", lease_seconds=5)
        await lock.release("sweep")
        waits = await RedisRateLimiter(client).take("uploads", limit=1, window_seconds=60)
        queued = await client.llen("mithridate:documents")

    assert (taken, waits, queued) == (True, 0, 1)
