"""Ledger, index and blobs are held against each other and brought together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from backends.blobs_files import FileBlobStore
from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.migrating import migrate
from backends.ledger.sql import SqlLedger
from backends.vectors_lancedb import LanceDBVectorStore
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus
from domain.trust import Verdict
from ingest.originals import original_key
from runtime.verifying import Defect, index_anew, verify
from tests.ledger_rows import ALICE, settlement, upload
from tests.vector_stores import record
from tests.world import World, build_world

pytestmark = pytest.mark.anyio

GOOD = "# Refunds\n\nRefunds are paid within fourteen days of the return.\n"


@pytest.fixture
async def world(tmp_path: Path) -> World:
    return await build_world(tmp_path)


async def admitted(world: World) -> DocumentId:
    uploaded = await world.upload(GOOD, origin=ALICE)
    assert uploaded.status is DocumentStatus.ADMITTED
    world.clock.advance(timedelta(hours=1).total_seconds())
    return uploaded.id


async def test_what_agrees_has_no_defects(world: World) -> None:
    await admitted(world)

    assert await verify(world, mend=True) == []


async def test_lost_vectors_are_written_anew(world: World) -> None:
    document_id = await admitted(world)
    before = [
        each async for page in world.vectors.records(tenant_id=DEFAULT_TENANT) for each in page
    ]
    await world.vectors.delete_document(document_id, tenant_id=DEFAULT_TENANT)

    told = await verify(world, mend=False)
    mended = await verify(world, mend=True)

    expected = Defect(kind="admitted-not-indexed", tenant_id=DEFAULT_TENANT, subject=document_id)
    assert told == [expected]
    assert [each.mended for each in mended] == [True]
    after = [
        each async for page in world.vectors.records(tenant_id=DEFAULT_TENANT) for each in page
    ]
    assert [each.chunk for each in after] == [each.chunk for each in before]
    assert await verify(world, mend=False) == []


async def test_vectors_that_should_not_be_there_go(world: World) -> None:
    document_id = await admitted(world)
    await world.review.delete(DEFAULT_TENANT, document_id, actor="test")
    world.clock.advance(3600)
    await world.stored.upsert([])
    strays = [
        record(f"{document_id}/0", tenant=DEFAULT_TENANT, vector=unit()),
        record("doc_of_nobody/0", tenant=DEFAULT_TENANT, vector=unit()),
    ]
    await world.stored.upsert(strays)

    mended = await verify(world, mend=True)

    assert {(each.kind, each.mended) for each in mended} == {("indexed-not-admitted", True)}
    assert await world.vectors.document_ids(tenant_id=DEFAULT_TENANT) == frozenset()


def unit() -> list[float]:
    return [1.0] + [0.0] * 383


async def test_blobs_that_nobody_names_go_and_those_that_are_named_stay(world: World) -> None:
    document_id = await admitted(world)
    kept = {key async for key in world.blobs.keys(DEFAULT_TENANT)}
    orphans = {original_key("0" * 64), "text/doc_of_nobody", "objections/doc_of_nobody"}
    for key in orphans:
        await world.blobs.put(DEFAULT_TENANT, key, b"x")

    mended = await verify(world, mend=True)

    assert {(each.kind, each.subject, each.mended) for each in mended} == {
        ("orphaned-blob", key, True) for key in orphans
    }
    assert {key async for key in world.blobs.keys(DEFAULT_TENANT)} == kept
    assert await world.vectors.holds(document_id, tenant_id=DEFAULT_TENANT)


async def test_bytes_that_are_gone_are_told_and_cannot_be_mended(world: World) -> None:
    document_id = await admitted(world)
    stored = await world.ledger.documents.find(document_id)
    await world.blobs.delete(DEFAULT_TENANT, original_key(stored.sha256))
    await world.vectors.delete_document(document_id, tenant_id=DEFAULT_TENANT)

    found = await verify(world, mend=True)

    assert {(each.kind, each.mended) for each in found} == {
        ("original-missing", False),
        ("admitted-not-indexed", False),
    }


async def test_an_index_is_made_anew_from_ledger_and_blobs(world: World) -> None:
    document_id = await admitted(world)
    await world.vectors.delete_document(document_id, tenant_id=DEFAULT_TENANT)

    assert await index_anew(world) == (1, ())
    assert await index_anew(world) == (0, ())
    assert await world.vectors.holds(document_id, tenant_id=DEFAULT_TENANT)


async def fill(home: Path) -> None:
    """Make an installation whose index lacks one admitted document and has a stranger's."""
    url = f"sqlite:///{home / 'ledger.db'}"
    migrate(url)
    clock = SystemClock()
    ledger = SqlLedger(url, clock=clock, ids=RandomIds(clock))
    new = upload("good", content=GOOD)
    await ledger.documents.receive(new, claim=None)
    await ledger.documents.begin_attempt(new.id)
    await ledger.documents.settle(new.id, settlement(new.id, verdict=Verdict.ADMIT))
    await ledger.close()
    await FileBlobStore(home / "blobs").put(DEFAULT_TENANT, original_key(new.sha256), GOOD.encode())
    store = LanceDBVectorStore(home / "index", dimensions=384)
    await store.upsert([record("stranger/0", tenant=DEFAULT_TENANT, vector=unit())])


def run(home: Path, *command: str, **environment: str) -> tuple[int, dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "gateway.cli", *command, "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "MITHRIDATE_DATA_DIR": str(home), **environment},
    )
    return done.returncode, json.loads(done.stdout or "{}") or {"stderr": done.stderr}


@pytest.mark.slow
async def test_commands_tell_mend_and_make_an_index_beside_the_old_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    await fill(home)

    beside, made = run(home, "reindex", MITHRIDATE_VECTORS__COLLECTION="Second")
    told, found = run(home, "verify")
    mended, _ = run(home, "verify", "--mend")

    assert (beside, made["indexed"]) == (0, 1)
    second = LanceDBVectorStore(home / "index-Second", dimensions=384)
    first = LanceDBVectorStore(home / "index", dimensions=384)
    assert await second.document_ids(tenant_id=DEFAULT_TENANT) == {"doc_good"}
    assert await first.document_ids(tenant_id=DEFAULT_TENANT) == {"doc_good"}
    assert told == 1
    defects = found["defects"]
    assert isinstance(defects, list)
    assert {(each["kind"], each["subject"]) for each in defects} == {
        ("admitted-not-indexed", "doc_good"),
        ("indexed-not-admitted", "stranger"),
    }
    assert mended == 0
