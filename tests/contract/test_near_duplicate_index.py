"""What every `NearDuplicateIndex` must do."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable

import numpy as np
import pytest
from redis.asyncio import Redis

from backends.memory.near_duplicates import InMemoryNearDuplicateIndex, InMemoryNearDuplicateStore
from backends.near_duplicates_redis import RedisNearDuplicateIndex
from domain.documents import DocumentId, TenantId
from domain.errors import ConfigurationError, TransientError
from domain.retrieval import NearDuplicateIndex, Signature

Attach = Callable[..., NearDuplicateIndex]
"""Opens another index on the same store, as another worker would."""

pytestmark = pytest.mark.anyio


@pytest.fixture
def tenant() -> TenantId:
    return TenantId(f"t-{uuid.uuid4().hex}")


@pytest.fixture(params=["memory", "valkey"])
async def attach(request: pytest.FixtureRequest) -> AsyncIterator[Attach]:
    if request.param == "memory":
        store = InMemoryNearDuplicateStore()

        def in_memory(scheme: str = "s1", **options: float) -> NearDuplicateIndex:
            return InMemoryNearDuplicateIndex(store, scheme=scheme, **options)  # type: ignore[arg-type]

        yield in_memory
        return
    clients: list[Redis] = []

    def over_redis(scheme: str = "s1", **options: float) -> NearDuplicateIndex:
        client = Redis.from_url(request.getfixturevalue("valkey_url"))
        clients.append(client)
        return RedisNearDuplicateIndex(client, scheme, **options)  # type: ignore[arg-type]

    request.getfixturevalue("valkey_url")
    yield over_redis
    for client in clients:
        await client.aclose()


@pytest.fixture
def index(attach: Attach) -> NearDuplicateIndex:
    return attach()


def base(seed: int = 0) -> Signature:
    return np.random.default_rng(seed).integers(0, 2**32, 128, dtype=np.uint32)


def near(signature: Signature, *, changed: int, seed: int = 1) -> Signature:
    """Return a signature of which `changed` of 128 values differ, in whole bands first."""
    other = signature.copy()
    other[:changed] = np.random.default_rng(seed).integers(0, 2**32, changed, dtype=np.uint32)
    return other


async def insert(
    index: NearDuplicateIndex, tenant: TenantId, name: str, signature: Signature
) -> list[tuple[str, float]]:
    found = await index.query_and_insert(tenant, DocumentId(name), signature)
    return [(candidate.document_id, candidate.similarity) for candidate in found]


async def test_the_first_document_has_no_neighbours(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    assert await insert(index, tenant, "a", base()) == []


async def test_a_copy_is_found_with_similarity_one(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await insert(index, tenant, "a", base())

    assert await insert(index, tenant, "b", base()) == [("a", 1.0)]


async def test_near_copies_come_most_similar_first(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await insert(index, tenant, "far", near(base(), changed=48))
    await insert(index, tenant, "close", near(base(), changed=8))

    found = await insert(index, tenant, "x", base())

    assert found == [("close", 120 / 128), ("far", 80 / 128)]


async def test_a_shared_band_alone_is_no_near_copy(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await insert(index, tenant, "a", near(base(), changed=124))

    assert await insert(index, tenant, "b", base()) == []


async def test_tenants_do_not_see_each_other(index: NearDuplicateIndex, tenant: TenantId) -> None:
    await insert(index, tenant, "a", base())
    other = TenantId(f"{tenant}}}:meta")

    assert await insert(index, other, "b", base()) == []
    assert await index.count(tenant) == await index.count(other) == 1


async def test_a_repeated_call_neither_returns_nor_counts_itself(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await insert(index, tenant, "a", base())

    assert await insert(index, tenant, "a", base()) == []
    assert await index.count(tenant) == 1


async def test_inserting_again_replaces_the_signature(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await insert(index, tenant, "a", base(0))
    await insert(index, tenant, "a", base(9))

    assert await index.query(tenant, base(0)) == () or await index.query(tenant, base(0)) == []
    assert [c.document_id for c in await index.query(tenant, base(9))] == ["a"]


async def test_a_query_inserts_nothing(index: NearDuplicateIndex, tenant: TenantId) -> None:
    await index.query(tenant, base())

    assert await index.count(tenant) == 0
    assert await insert(index, tenant, "a", base()) == []


async def test_a_removed_document_is_forgotten_and_others_are_kept(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await insert(index, tenant, "a", base())
    await insert(index, tenant, "b", base())

    await index.remove(tenant, DocumentId("a"))
    await index.remove(tenant, DocumentId("a"))

    assert [c.document_id for c in await index.query(tenant, base())] == ["b"]
    assert await index.count(tenant) == 1


async def test_removing_an_unknown_document_is_no_error(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await index.remove(tenant, DocumentId("never-seen"))

    assert await index.count(tenant) == 0


async def test_ids_of_any_alphabet_survive(index: NearDuplicateIndex, tenant: TenantId) -> None:
    await insert(index, tenant, "žluťoučký:{kůň}\x00", base())

    assert [c.document_id for c in await index.query(tenant, base())] == ["žluťoučký:{kůň}\x00"]


async def test_another_scheme_is_refused(attach: Attach, tenant: TenantId) -> None:
    await insert(attach(), tenant, "a", base())
    other = attach("s2")

    with pytest.raises(ConfigurationError, match="scheme"):
        await other.query_and_insert(tenant, DocumentId("b"), base())
    with pytest.raises(ConfigurationError, match="scheme"):
        await other.query(tenant, base())


async def test_an_emptied_index_takes_another_scheme(attach: Attach, tenant: TenantId) -> None:
    first = attach()
    await insert(first, tenant, "a", base())
    await first.remove(tenant, DocumentId("a"))

    assert await insert(attach("s2"), tenant, "b", base()) == []


@pytest.mark.parametrize(
    "wrong",
    [np.zeros(64, np.uint32), np.zeros(128, np.uint64), np.zeros((2, 64), np.uint32)],
    ids=["short", "wide", "folded"],
)
async def test_a_signature_of_another_shape_is_refused(
    index: NearDuplicateIndex, tenant: TenantId, wrong: Signature
) -> None:
    with pytest.raises(ValueError, match="signature"):
        await index.query_and_insert(tenant, DocumentId("a"), wrong)


async def test_of_concurrent_copies_all_but_one_see_another(
    attach: Attach, tenant: TenantId
) -> None:
    workers = [attach() for _ in range(4)]

    rounds = [
        await asyncio.gather(
            *(insert(w, tenant, f"{r}-{n}", base(r)) for n, w in enumerate(workers))
        )
        for r in range(25)
    ]

    assert all(sorted(len(found) for found in each) == [0, 1, 2, 3] for each in rounds)


async def test_concurrent_removal_loses_no_newcomer(attach: Attach, tenant: TenantId) -> None:
    one, other = attach(), attach()
    for r in range(25):
        await insert(one, tenant, f"old-{r}", base(r))
        await asyncio.gather(
            one.remove(tenant, DocumentId(f"old-{r}")), insert(other, tenant, f"new-{r}", base(r))
        )

    found = [[c.document_id for c in await one.query(tenant, base(r))] for r in range(25)]

    assert found == [[f"new-{r}"] for r in range(25)]


async def test_an_over_full_bucket_is_looked_at_in_part_and_the_oldest_are_seen(
    attach: Attach, tenant: TenantId
) -> None:
    index = attach(bucket_cap=6)
    for n in range(40):
        await insert(index, tenant, f"d{n:02}", base())

    found = [candidate.document_id for candidate in await index.query(tenant, base())]

    assert found[:3] == ["d00", "d01", "d02"]
    assert 6 <= len(found) < 40
    assert found == [candidate.document_id for candidate in await index.query(tenant, base())]


async def test_both_kinds_look_at_the_same_part_of_an_over_full_bucket(
    valkey_url: str, tenant: TenantId
) -> None:
    client = Redis.from_url(valkey_url)
    over_redis = RedisNearDuplicateIndex(client, "s1", bucket_cap=6)
    in_memory = InMemoryNearDuplicateIndex(scheme="s1", bucket_cap=6)

    pairs = [
        (
            await insert(over_redis, tenant, f"d{n:02}", near(base(), changed=n, seed=n)),
            await insert(in_memory, tenant, f"d{n:02}", near(base(), changed=n, seed=n)),
        )
        for n in range(40)
    ]
    await client.aclose()

    assert all(one == other for one, other in pairs)


async def test_a_wiped_server_counts_nothing_and_works_on(
    valkey_url: str, tenant: TenantId
) -> None:
    client = Redis.from_url(valkey_url)
    index = RedisNearDuplicateIndex(client, "s1")
    await insert(index, tenant, "a", base())
    await client.script_flush()
    for key in [key async for key in client.scan_iter(match=f"nd:{{{tenant}}}:*")]:
        await client.delete(key)

    counted = await index.count(tenant)
    found = await insert(index, tenant, "b", base())
    await client.aclose()

    assert (counted, found) == (0, [])


async def test_the_last_removal_leaves_no_key(valkey_url: str, tenant: TenantId) -> None:
    client = Redis.from_url(valkey_url)
    index = RedisNearDuplicateIndex(client, "s1")
    for n in range(5):
        await insert(index, tenant, f"d{n}", near(base(), changed=8 * n))
    for n in range(5):
        await index.remove(tenant, DocumentId(f"d{n}"))

    left = [key async for key in client.scan_iter(match=f"nd:{{{tenant}}}:*")]
    await client.aclose()

    assert left == []


async def test_a_client_that_decodes_replies_reads_the_same(
    valkey_url: str, tenant: TenantId
) -> None:
    client = Redis.from_url(valkey_url, decode_responses=True)
    index = RedisNearDuplicateIndex(client, "s1")
    await insert(index, tenant, "a", base())

    found = await insert(index, tenant, "b", base())
    await client.aclose()

    assert found == [("a", 1.0)]


async def test_a_server_that_does_not_answer_is_a_transient_error(tenant: TenantId) -> None:
    client = Redis(host="127.0.0.1", port=1, socket_connect_timeout=1)
    index = RedisNearDuplicateIndex(client, "s1")

    with pytest.raises(TransientError):
        await index.query_and_insert(tenant, DocumentId("a"), base())
    with pytest.raises(TransientError):
        await index.count(tenant)
    await client.aclose()
