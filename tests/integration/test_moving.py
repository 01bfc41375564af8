"""An installation is copied to other services, in a backup and out of it, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from backends.blobs_files import FileBlobStore
from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.copying import tallies
from backends.ledger.migrating import migrate
from backends.ledger.sql import SqlLedger
from backends.memory.clock import ManualClock
from domain.audit import AuditKeys, ChainCheck
from domain.documents import DEFAULT_TENANT, ChunkId, DocumentId, TenantId
from domain.errors import ConfigurationError, ConflictError, MithridateError, PermanentError
from domain.retrieval import VectorRecord
from runtime.backups import back_up, check_backup, restore
from runtime.moving import MOVED, embedded, move, record_move, require_stopped
from runtime.settings import Settings, load_settings_of
from runtime.storage import build_blobs, build_vectors, close_vectors
from tests.fakes.weaviate_server import FakeWeaviate, fake_weaviate
from tests.ledger_rows import NOW, REVIEWER, finding, settlement, upload
from tests.ledgers import AUDIT_KEY
from tests.s3 import bucket, s3_url
from tests.vector_stores import record

__all__ = ["bucket", "s3_url"]

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

OTHER = TenantId("other")
DIMENSIONS = 384
DOCUMENTS = 6


def told(_part: str, _count: int) -> None:
    return


def ledger_at(url: str) -> SqlLedger:
    clock = SystemClock()
    return SqlLedger(url, clock=clock, ids=RandomIds(clock), audit_key=AUDIT_KEY)


def chunk(name: str, tenant: TenantId, *, established: bool) -> VectorRecord:
    vector = np.random.default_rng(sum(name.encode())).normal(size=DIMENSIONS)
    made = record(name, tenant=tenant, established=established, text=f"text of {name} é")
    return replace(made, vector=(vector / np.linalg.norm(vector)).astype(np.float32))


async def fill(settings: Settings) -> None:
    """Make an installation with rows in many tables, blobs and chunks of two tenants."""
    settings.home.mkdir(parents=True, mode=0o700)
    (settings.home / "instance.secret").write_bytes(b"s" * 32)
    url = f"sqlite:///{settings.home.absolute() / 'ledger.db'}"
    migrate(url)
    ledger = ledger_at(url)
    blobs = FileBlobStore(settings.home / "blobs")
    vectors = build_vectors(settings, dimensions=DIMENSIONS)
    chunks: list[VectorRecord] = []
    for number in range(DOCUMENTS):
        tenant = OTHER if number % 4 == 3 else DEFAULT_TENANT
        new = replace(upload(str(number), content=f"content {number}"), tenant_id=tenant)
        await ledger.documents.receive(new, claim=None)
        await ledger.documents.begin_attempt(new.id)
        await ledger.documents.settle(
            new.id, settlement(new.id, findings=[finding("a.rule")] if number % 2 else [])
        )
        await blobs.put(tenant, f"original/{new.sha256}", f"content {number}".encode())
        await blobs.put(tenant, f"text/{new.id}", b"text")
        chunks += [chunk(f"{new.id}/{part}", tenant, established=number % 2 == 0) for part in "abc"]
    await vectors.upsert(chunks)
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_0"), actor=REVIEWER, at=NOW)
    await ledger.outbox.add("monitors.evaluate", "all", at=NOW)
    await ledger.close()


@pytest.fixture
async def source(tmp_path: Path) -> Settings:
    settings = embedded(load_settings_of_text(tmp_path, ""), folder=tmp_path / "home")
    await fill(settings)
    return settings


def load_settings_of_text(folder: Path, text: str) -> Settings:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return load_settings_of(path)


@pytest.fixture
def weaviate() -> Iterator[FakeWeaviate]:
    with fake_weaviate(api_key="key") as server:
        yield server


@pytest.fixture
def production(
    tmp_path: Path,
    source: Settings,
    empty_postgres_url: str,
    s3_url: str,
    bucket: str,
    weaviate: FakeWeaviate,
) -> Path:
    """A file of settings that name other services and the same data folder."""
    path = tmp_path / "production.toml"
    path.write_text(
        f"""
data_dir = "{source.home}"
[database]
url = "{empty_postgres_url}"
[blobs]
backend = "s3"
[blobs.s3]
bucket = "{bucket}"
endpoint = "{s3_url}"
access_key_id = "test"
secret_access_key = "test"
allow_http = true
[vectors]
backend = "weaviate"
weaviate_url = "{weaviate.url}"
weaviate_grpc_port = {weaviate.grpc_port}
weaviate_api_key = "key"
""",
        encoding="utf-8",
    )
    return path


async def blobs_of(settings: Settings) -> dict[tuple[TenantId, str], bytes]:
    store = build_blobs(settings)
    return {
        (tenant, key): await store.get(tenant, key)
        for tenant in (DEFAULT_TENANT, OTHER)
        async for key in store.keys(tenant)
    }


async def chunks_of(settings: Settings) -> dict[tuple[TenantId, ChunkId], tuple[str, bool, str]]:
    store = build_vectors(settings, dimensions=DIMENSIONS)
    found = {
        (tenant, each.chunk.id): (
            each.chunk.text,
            each.origin.established,
            np.round(each.vector, 4).tobytes().hex(),
        )
        for tenant in (DEFAULT_TENANT, OTHER)
        async for page in store.records(tenant_id=tenant)
        for each in page
    }
    await close_vectors(store)
    return found


async def require_same(source: Settings, target: Settings, url: str) -> None:
    assert tallies(url) == tallies(f"sqlite:///{source.home.absolute() / 'ledger.db'}")
    assert await blobs_of(target) == await blobs_of(source)
    found, expected = await chunks_of(target), await chunks_of(source)
    assert found == expected
    assert len(found) == 3 * DOCUMENTS


async def test_all_of_it_is_there_after_a_move_and_goes_on_from_there(
    source: Settings, production: Path, empty_postgres_url: str
) -> None:
    target = load_settings_of(production)

    moved = await move(source, target, told=told)

    await require_same(source, target, empty_postgres_url)
    assert (moved.blobs, moved.chunks) == (2 * DOCUMENTS, 3 * DOCUMENTS)
    await record_move(target, moved, actor="test")
    ledger = ledger_at(empty_postgres_url)
    await ledger.outbox.add("monitors.evaluate", "numbers go on", at=NOW)
    await ledger.documents.receive(upload("new", content="new"), claim=None)
    check = ChainCheck(AuditKeys(current=AUDIT_KEY))
    entries = await ledger.journal.sealed(after=0, limit=999)
    await ledger.close()
    assert check.take(entries) or check.fault is not None
    assert [each.entry.seq for each in entries] == list(range(1, len(entries) + 1))
    assert MOVED in [each.entry.action for each in entries]


async def test_a_move_that_was_made_is_not_made_over_what_came_after(
    source: Settings, production: Path
) -> None:
    target = load_settings_of(production)
    moved = await move(source, target, told=told)
    assert await move(source, target, told=told) == moved
    await record_move(target, moved, actor="test")

    with pytest.raises(ConflictError, match="was used since"):
        await move(source, target, told=told)


async def test_another_installation_is_not_written_over(
    source: Settings, production: Path, empty_postgres_url: str
) -> None:
    migrate(empty_postgres_url)
    ledger = ledger_at(empty_postgres_url)
    await ledger.documents.receive(upload("theirs"), claim=None)
    await ledger.close()
    before = tallies(empty_postgres_url)

    with pytest.raises(ConflictError, match="another installation"):
        await move(source, load_settings_of(production), told=told)

    assert tallies(empty_postgres_url) == before


async def test_what_changed_at_the_source_between_two_tries_arrives(
    source: Settings, production: Path, empty_postgres_url: str
) -> None:
    target = load_settings_of(production)
    await move(source, target, told=told)
    ledger = ledger_at(f"sqlite:///{source.home.absolute() / 'ledger.db'}")
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_2"), actor=REVIEWER, at=NOW)
    await ledger.close()
    await FileBlobStore(source.home / "blobs").put(DEFAULT_TENANT, "text/doc_1", b"rewritten")

    await move(source, target, told=told)

    await require_same(source, target, empty_postgres_url)


def killed_after(command: list[str], parts: int) -> int:
    """Kill the command once it has told of so many parts; return its exit code."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as first:
        assert first.stderr is not None
        for _ in range(parts):
            assert first.stderr.readline()
        first.send_signal(signal.SIGKILL)
    return first.returncode


@pytest.mark.parametrize("parts", [1, 4, 7])
async def test_a_move_that_is_killed_is_done_by_the_same_command_again(
    source: Settings, production: Path, empty_postgres_url: str, tmp_path: Path, parts: int
) -> None:
    old = tmp_path / "old.toml"
    old.write_text(f'data_dir = "{source.home}"\n', encoding="utf-8")
    command = [sys.executable, "-m", "gateway.cli", "migrate", "--from", str(old)]
    command += ["--to", str(production)]

    killed = await asyncio.to_thread(killed_after, command, parts)
    again = await asyncio.to_thread(
        subprocess.run, [*command, "--json"], capture_output=True, text=True, check=False
    )

    assert again.returncode == 0, again.stderr
    assert killed == -signal.SIGKILL
    copied = json.loads(again.stdout)
    assert (copied["blobs"], copied["chunks"]) == (2 * DOCUMENTS, 3 * DOCUMENTS)
    target = load_settings_of(production)
    assert await blobs_of(target) == await blobs_of(source)
    assert await chunks_of(target) == await chunks_of(source)
    expected = tallies(f"sqlite:///{source.home.absolute() / 'ledger.db'}")
    found = tallies(empty_postgres_url)
    assert found["journal"].rows == expected["journal"].rows + 1
    assert {**found, "journal": None} == {**expected, "journal": None}


async def test_what_runs_is_not_moved(source: Settings) -> None:
    require_stopped(source)
    (source.home / "server.json").write_text(
        json.dumps({"url": "http://127.0.0.1:1", "pid": os.getpid()}), encoding="utf-8"
    )

    with pytest.raises(ConflictError, match="in use"):
        require_stopped(source)


async def test_a_backup_comes_back_on_other_services(
    source: Settings, production: Path, empty_postgres_url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "backups" / "monday"
    await back_up(source, folder, told=told, clock=ManualClock())
    fresh = load_settings_of(production).model_copy(update={"data_dir": tmp_path / "new"})

    await restore(fresh, folder, told=told)

    await require_same(source, fresh, empty_postgres_url)
    assert (tmp_path / "new" / "instance.secret").read_bytes() == b"s" * 32
    check_backup(folder)


async def test_a_backup_is_made_of_what_is_not_embedded(
    source: Settings, production: Path, tmp_path: Path
) -> None:
    target = load_settings_of(production)
    await move(source, target, told=told)

    await back_up(target, tmp_path / "backup", told=told, clock=ManualClock())

    copy = embedded(source, folder=tmp_path / "backup")
    await require_same(source, copy, f"sqlite:///{tmp_path / 'backup' / 'ledger.db'}")


@pytest.mark.parametrize("harm", ["changed", "missing", "added"])
async def test_a_damaged_backup_is_refused(source: Settings, tmp_path: Path, harm: str) -> None:
    folder = tmp_path / "backup"
    await back_up(source, folder, told=told, clock=ManualClock())
    victim = next(path for path in sorted((folder / "blobs").rglob("*")) if path.is_file())
    match harm:
        case "changed":
            victim.write_bytes(victim.read_bytes()[:-1] + b"?")
        case "missing":
            victim.unlink()
        case _:
            (folder / "extra").write_bytes(b"x")
    fresh = embedded(source, folder=tmp_path / "new")

    with pytest.raises(PermanentError, match="not as they were written"):
        await restore(fresh, folder, told=told)

    assert not (tmp_path / "new").exists()


async def test_what_is_no_backup_is_refused_and_no_backup_is_written_over(
    source: Settings, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match="is no backup"):
        check_backup(tmp_path)
    with pytest.raises(ConflictError, match="is there already"):
        await back_up(source, tmp_path, told=told, clock=ManualClock())


async def test_an_index_in_memory_cannot_be_moved(source: Settings, production: Path) -> None:
    target = load_settings_of(production)
    kept_in_memory = target.vectors.model_copy(update={"backend": "memory"})

    with pytest.raises(MithridateError, match="memory"):
        await move(source, target.model_copy(update={"vectors": kept_in_memory}), told=told)
