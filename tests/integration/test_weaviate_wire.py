"""An index over the network that hangs, is cut or talks garbage: an error in time, nothing half."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import pytest

from backends.vectors_weaviate import WeaviateVectorStore
from domain.documents import DocumentId
from domain.errors import DependencyError, TransientError
from tests.fakes.weaviate_server import FakeWeaviate, fake_weaviate
from tests.vector_stores import A, ids, record, search, weaviate_store
from tests.wires import Wire, Wiretap, at_url, wiretap

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

FAULTS: Final = (Wire.CUT, Wire.STOPPED, Wire.GARBLED)
TIMEOUT: Final = 3.0
IN_TIME: Final = 60.0
"""Seconds, for a few calls; the machine does other things too, and a hang would be for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tapped:
    """A store, its server, and the two wires between them."""

    server: FakeWeaviate
    rest: Wiretap
    grpc: Wiretap
    store: WeaviateVectorStore

    def set(self, state: Wire) -> None:
        self.rest.set(state)
        self.grpc.set(state)


@contextmanager
def tapped() -> Iterator[Tapped]:
    with (
        fake_weaviate() as server,
        wiretap(at_url(server.url)) as rest,
        wiretap(at_url(f"http://127.0.0.1:{server.grpc_port}")) as grpc,
    ):
        store = weaviate_store(
            f"http://127.0.0.1:{rest.port}", grpc_port=grpc.port, timeout_seconds=TIMEOUT
        )
        yield Tapped(server=server, rest=rest, grpc=grpc, store=store)


def written(server: FakeWeaviate) -> int:
    return sum(
        len(server.collections.shard(name, tenant).objects)
        for name in ("ChunksEstablished", "ChunksPool")
        for tenant in server.collections.tenants(name)
    )


async def once_it_answers(store: WeaviateVectorStore) -> frozenset[str]:
    """Search until it does: after a fault the channels of a process wait, as long as they see fit."""
    end = time.monotonic() + IN_TIME
    while True:
        try:
            return frozenset(ids(await search(store)))
        except TransientError:
            if time.monotonic() > end:
                raise


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.name.lower())
async def test_every_call_ends_in_time_with_an_error_and_works_again_afterwards(
    fault: Wire,
) -> None:
    with tapped() as tap:
        await tap.store.upsert([record("old/0")])
        tap.set(fault)

        began = time.monotonic()
        with pytest.raises(DependencyError):
            await search(tap.store, "zephyr")
        with pytest.raises(DependencyError):
            await tap.store.upsert([record("new/0")])
        with pytest.raises(DependencyError):
            await tap.store.delete_document(DocumentId("old"), tenant_id=A)
        took = time.monotonic() - began
        tap.set(Wire.WHOLE)
        await tap.store.close()
        anew = weaviate_store(
            f"http://127.0.0.1:{tap.rest.port}", grpc_port=tap.grpc.port, timeout_seconds=10
        )
        try:
            found = await once_it_answers(anew)
            await anew.upsert([record("new/0")])
        finally:
            await anew.close()

        assert took < IN_TIME
        assert "old/0" in found
        assert written(tap.server) == 2


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.name.lower())
async def test_a_store_that_never_connected_says_so_in_time(fault: Wire) -> None:
    with tapped() as tap:
        tap.set(fault)

        began = time.monotonic()
        with pytest.raises(DependencyError):
            await search(tap.store)
        with pytest.raises(DependencyError):
            await tap.store.ping()
        took = time.monotonic() - began

        assert took < IN_TIME
        assert tap.server.requests == []
