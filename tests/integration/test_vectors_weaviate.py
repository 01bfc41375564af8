"""The Weaviate store against a server that refuses, fails, is old or is not there."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import weaviate
from weaviate.classes.query import Filter
from weaviate.exceptions import WeaviateBaseError

from backends.vectors_weaviate import WeaviateVectorStore
from domain.documents import DocumentId, Origin, OriginKind
from domain.errors import ConfigurationError, PermanentError, TransientError
from tests.fakes.weaviate_collections import RefusedError
from tests.fakes.weaviate_server import FakeWeaviate, fake_weaviate
from tests.vector_stores import BETWEEN, EAST, NORTH, A, ids, record, search, weaviate_store

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[FakeWeaviate]:
    with fake_weaviate(api_key="key") as running:
        yield running


def store_of(server: FakeWeaviate, **changed: Any) -> WeaviateVectorStore:
    return weaviate_store(
        **{"url": server.url, "grpc_port": server.grpc_port, "api_key": "key", **changed}
    )


@pytest.mark.parametrize("version", ["1.35.9", "1.27.0", "0.99.0", "unknown"])
async def test_an_old_server_is_refused(version: str) -> None:
    with fake_weaviate(version=version) as server:
        store = weaviate_store(server.url, grpc_port=server.grpc_port)

        with pytest.raises((ConfigurationError, PermanentError, TransientError)):
            await search(store)

        assert not any("schema" in request for request in server.requests)


async def test_a_server_below_the_oldest_is_named_with_what_is_needed() -> None:
    with fake_weaviate(version="1.35.9") as server:
        store = weaviate_store(server.url, grpc_port=server.grpc_port)

        with pytest.raises(ConfigurationError, match=r"'1\.35\.9', at least 1\.36"):
            await search(store)


@pytest.mark.parametrize("key", [None, "wrong"])
async def test_a_wrong_key_is_refused_for_good(server: FakeWeaviate, key: str | None) -> None:
    store = store_of(server, api_key=key)

    with pytest.raises(PermanentError):
        await search(store)
    with pytest.raises(TransientError):
        await store.ping()


async def test_no_server_is_a_transient_error_and_prints_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = weaviate_store("http://127.0.0.1:9", grpc_port=10)

    with pytest.raises(TransientError):
        await search(store, "zephyr")
    with pytest.raises(TransientError):
        await store.ping()

    assert capsys.readouterr().out == ""


async def test_a_server_that_goes_away_is_a_transient_error_and_quotes_no_question(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with fake_weaviate() as server:
        store = weaviate_store(server.url, grpc_port=server.grpc_port, timeout_seconds=1)
        await store.upsert([record("d/0")])
        await search(store)

    with pytest.raises(TransientError) as caught:
        await search(store, "zephyr")
    with pytest.raises(TransientError):
        await store.ping()
    await store.close()

    assert "zephyr" not in str(caught.value)
    assert capsys.readouterr().out == ""


async def test_of_a_call_the_server_takes_in_part_nothing_is_left(server: FakeWeaviate) -> None:
    store = store_of(server)
    await store.upsert([record("old/0")])
    server.collections.capacity = 3

    with pytest.raises(TransientError, match="3 of 5"):
        await store.upsert([record(f"new/{n}") for n in range(5)])
    left = await store.document_ids(tenant_id=A)
    server.collections.capacity = None
    await store.upsert([record(f"new/{n}") for n in range(5)])

    assert left == {"old"}
    assert len(await search(store)) == 6
    await store.close()


async def test_a_call_for_two_sides_that_fails_on_one_leaves_nothing(server: FakeWeaviate) -> None:
    store = store_of(server)
    await store.upsert([record("old/0")])
    server.collections.capacity = 2

    with pytest.raises(TransientError):
        await store.upsert([record("e/0"), record("p/0", established=False)])

    assert await store.document_ids(tenant_id=A) == {"old"}
    await store.close()


async def test_vectors_of_another_length_are_a_configuration_error(server: FakeWeaviate) -> None:
    store = store_of(server)
    await store.upsert([record("d/0")])
    other = WeaviateVectorStore(
        server.url, grpc_port=server.grpc_port, api_key="key", collection="Chunks", dimensions=3
    )
    query = np.asarray([1, 0, 0], np.float32)

    with pytest.raises(ConfigurationError, match="length 2"):
        await other.search(query, "", tenant_id=A, established=True, limit=1, per_origin=1)

    await store.close()


async def test_two_stores_may_make_the_collections_at_once(server: FakeWeaviate) -> None:
    stores = [store_of(server) for _ in range(4)]

    await asyncio.gather(*(s.upsert([record(f"d{n}/0")]) for n, s in enumerate(stores)))

    assert len(await search(stores[0])) == 4
    for store in stores:
        await store.close()


async def test_an_origin_of_many_pages_is_moved_whole(server: FakeWeaviate) -> None:
    store = store_of(server)
    await store.upsert([record(f"d{n}/0", established=False) for n in range(450)])
    origin = Origin(kind=OriginKind.UPLOADER, id="docs", established=True, reviewed=True)

    moved = await store.set_origin(origin, tenant_id=A)

    assert moved == 450
    assert not await search(store, established=False)
    assert len(await search(store, limit=999, per_origin=999)) == 450
    await store.close()


async def test_all_is_deleted_where_the_server_deletes_less_in_one_call(
    server: FakeWeaviate,
) -> None:
    store = store_of(server)
    server.collections.maximum_results = 100
    await store.upsert([record(f"d/{n}") for n in range(250)])

    deleted = await store.delete_document(DocumentId("d"), tenant_id=A)

    assert deleted == 250
    assert not await store.holds(DocumentId("d"), tenant_id=A)
    await store.close()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Die Straße ist gesperrt", "STRASSE"),
        ("the ﬁnal report", "final"),
        ("\uff52\uff45\uff46\uff55\uff4e\uff44 within 30 days", "refund"),
        ("un cafe\u0301 noir", "caf\u00e9"),
        ("un caf\u00e9 noir", "cafe\u0301"),
        ("退款政策在三十天内有效", "退款"),
        ("返金は三十日以内です", "返金"),
        ("นโยบายการคืนเงิน", "คืนเงิน"),
        ("ΟΔΟΣ κλειστή", "οδος"),
    ],
)
async def test_a_word_is_found_in_whichever_form_it_is_written(
    server: FakeWeaviate, text: str, question: str
) -> None:
    store = store_of(server)
    await store.upsert(
        [record("a/0", NORTH, text=text), record("b/0", EAST, text="something else")]
    )

    found = await search(store, question, vector=BETWEEN)

    # Fusion ranks by both: of two hits about as near, the one with the word is first.
    relevance = {str(hit.chunk.id): hit.relevance for hit in found}
    assert relevance["a/0"] == 1.0
    assert relevance["b/0"] < 0.6
    await store.close()


async def test_vectors_are_not_quantised_whatever_the_server_does_by_default(
    server: FakeWeaviate,
) -> None:
    store = store_of(server)
    await store.upsert([record("d/0")])

    for name in ("ChunksEstablished", "ChunksPool"):
        index = server.collections.schema(name)["vectorConfig"]["default"]["vectorIndexConfig"]
        assert index["skipDefaultQuantization"]
        assert "rq" not in index
    await store.close()


@pytest.mark.parametrize(
    "changed",
    [
        {"class": "lower"},
        {"class": "With space"},
        {"properties": [{"name": "id", "dataType": ["text"]}]},
        {"properties": [{"name": "two words", "dataType": ["text"]}]},
        {"properties": [{"name": "a", "dataType": ["text"]}, {"name": "A", "dataType": ["text"]}]},
        {"properties": [{"name": "a", "dataType": ["boolean"], "tokenization": "word"}]},
        {"properties": [{"name": "a", "dataType": ["number"], "indexSearchable": True}]},
        {"properties": [{"name": "a", "dataType": ["text"], "indexRangeFilters": True}]},
    ],
)
def test_the_fake_refuses_a_schema_that_the_server_refuses(
    server: FakeWeaviate, changed: dict[str, Any]
) -> None:
    schema = {"class": "Fine", "properties": [{"name": "a", "dataType": ["text"]}]}
    server.collections.create({**schema, "class": "Other"})

    with pytest.raises(RefusedError):
        server.collections.create({**schema, **changed})


@pytest.mark.parametrize("tenant", ["", "with space", "a" * 65, "a/b", "é"])
def test_the_fake_refuses_a_tenant_that_the_server_refuses(
    server: FakeWeaviate, tenant: str
) -> None:
    server.collections.create({"class": "Fine", "properties": []})

    with pytest.raises(RefusedError):
        server.collections.add_tenant("Fine", tenant)


async def test_each_side_has_a_collection_of_its_own(server: FakeWeaviate) -> None:
    store = store_of(server)

    await store.upsert([record("e/0"), record("p/0", established=False)])

    held = {
        name: [len(server.collections.shard(name, t).objects) for t in tenants]
        for name in ("ChunksEstablished", "ChunksPool")
        for tenants in [server.collections.tenants(name)]
    }
    assert held == {"ChunksEstablished": [1], "ChunksPool": [1]}
    await store.close()


async def test_the_package_index_is_not_asked(server: FakeWeaviate) -> None:
    store = store_of(server)
    await store.ping()

    client = await store._session.client()

    # What the client does unless told so is a request to the Internet at every start.
    assert client._connection._skip_init_checks
    assert all(request.split()[1].startswith("/v1/") for request in server.requests)
    await store.close()


def test_one_store_serves_one_event_loop_after_another(server: FakeWeaviate) -> None:
    store = store_of(server)

    async def write(name: str) -> list[str]:
        await store.upsert([record(name)])
        found = ids(await search(store))
        await store.close()
        return found

    asyncio.run(write("a/0"))

    assert asyncio.run(write("b/0")) == ["a/0", "b/0"]


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8080", "ftp://host", "http://", "file:///etc/passwd", "http://user:secret@host"],
)
def test_a_url_that_is_none_is_a_configuration_error_without_the_secret(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        weaviate_store(url, grpc_port=50051)

    assert "secret" not in str(caught.value)


def test_one_port_for_both_protocols_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="ports are both 8080"):
        weaviate_store("http://127.0.0.1:8080", grpc_port=8080)


@pytest.mark.parametrize("name", ["", "lower", "With space", "9Chunks", "Chunks/../x", "A" * 200])
def test_a_collection_name_that_the_server_would_not_take_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError):
        weaviate_store("http://127.0.0.1:8080", grpc_port=50051, collection=name)


async def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    store = weaviate_store("http://127.0.0.1:9", grpc_port=10)
    monkeypatch.setitem(sys.modules, "weaviate", None)

    with pytest.raises(ConfigurationError, match=r"mithridate\[weaviate\]"):
        await search(store)


async def test_the_fake_refuses_what_the_server_refuses(server: FakeWeaviate) -> None:
    store = store_of(server)
    await store.upsert([record("d/0", text="word")])
    client: weaviate.WeaviateAsyncClient = await store._session.client()
    tenant = server.collections.tenants("ChunksEstablished")[0]
    ours = client.collections.use("ChunksEstablished").with_tenant(tenant)
    refused = [
        client.collections.use("Nothing").with_tenant(tenant).query.fetch_objects(),
        client.collections.use("ChunksEstablished").query.fetch_objects(),
        client.collections.use("ChunksEstablished").with_tenant("nobody").query.fetch_objects(),
        ours.query.near_vector([1.0, 0.0, 0.0]),
        ours.query.fetch_objects(limit=10_001),
        ours.query.bm25("word", query_properties=["payload"]),
        ours.query.bm25("word", query_properties=["unknown"]),
        ours.query.fetch_objects(filters=Filter.by_property("unknown").equal("x")),
        ours.query.fetch_objects(filters=Filter.by_property("chunk_id").equal("d/0")),
        ours.query.fetch_objects(filters=Filter.by_property("trust").equal("high")),
        ours.query.hybrid("word", vector=[1.0, 0.0]),
        ours.data.delete_many(Filter.by_property("unknown").equal("x")),
    ]

    outcomes = await asyncio.gather(*refused, return_exceptions=True)

    assert [isinstance(outcome, WeaviateBaseError) for outcome in outcomes] == [True] * len(refused)
    assert len(await search(store, "word")) == 1
    await store.close()
