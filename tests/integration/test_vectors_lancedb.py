"""The embedded store among processes: turns, crashes, forks and compaction."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from backends.lancedb_tables import LOCK_FILE, MAX_FRAGMENTS, UNDO_FILE
from backends.vectors_lancedb import LanceDBVectorStore, _table
from domain.documents import ChunkId, DocumentId, Origin, OriginKind
from domain.errors import ConfigurationError, TransientError
from domain.retrieval import EvidenceFilter, VectorRecord
from tests.vector_stores import DIMENSIONS, EAST, NORTH, A, ids, record, search

CHUNKS = 3
DOCUMENTS = 24
ESTABLISHED = Origin(kind=OriginKind.UPLOADER, id="docs", established=True)
POOLED = Origin(kind=OriginKind.UPLOADER, id="docs", established=False)


def make(folder: Path, **options: Any) -> LanceDBVectorStore:
    return LanceDBVectorStore(folder, dimensions=DIMENSIONS, **options)


def _write(folder: Path, writer: str) -> None:
    async def write() -> None:
        store = make(folder)
        for number in range(DOCUMENTS):
            name = f"{writer}{number}"
            await store.upsert([record(f"{name}/{n}", text="word") for n in range(CHUNKS)])
        await store.delete_document(DocumentId(f"{writer}0"), tenant_id=A)

    asyncio.run(write())


def _read(folder: Path, told: Connection) -> None:
    async def read() -> tuple[int, list[str]]:
        store = make(folder)
        searches, torn = 0, set[str]()
        while not told.poll():
            hits = await search(store, "word", limit=500, per_origin=500)
            seen = Counter(hit.chunk.document_id for hit in hits)
            torn.update(name for name, many in seen.items() if many != CHUNKS)
            searches += 1
        return searches, sorted(torn)

    told.send(asyncio.run(read()))


def _move_for_ever(folder: Path, told: Connection) -> None:
    async def move() -> None:
        store = make(folder)
        told.send("moving")
        while True:
            await store.set_origin(ESTABLISHED, tenant_id=A)
            await store.set_origin(POOLED, tenant_id=A)

    asyncio.run(move())


@pytest.mark.slow
def test_two_writers_and_a_reader_work_at_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    reader = spawn.Process(target=_read, args=(tmp_path, theirs))
    writers = [spawn.Process(target=_write, args=(tmp_path, name)) for name in ("a", "b")]
    for process in (reader, *writers):
        process.start()
    for process in writers:
        process.join()
    ours.send("enough")
    searches, torn = ours.recv()
    reader.join()

    stored = asyncio.run(make(tmp_path).document_ids(tenant_id=A))

    assert [process.exitcode for process in (reader, *writers)] == [0, 0, 0]
    assert stored == {f"{w}{n}" for w in "ab" for n in range(1, DOCUMENTS)}
    assert searches > 0
    assert torn == []


@pytest.mark.slow
def test_a_writer_killed_while_it_moves_an_origin_leaves_it_on_one_side(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    asyncio.run(make(tmp_path).upsert([record(f"d{n}/0") for n in range(300)]))
    mover = spawn.Process(target=_move_for_ever, args=(tmp_path, theirs))
    mover.start()
    ours.recv()
    while not (tmp_path / UNDO_FILE).exists():
        assert mover.is_alive()
    mover.kill()
    mover.join()

    async def sides() -> list[int]:
        store = make(tmp_path)
        await store.upsert([record("next/0", origin="else")])
        return [
            len(await search(store, limit=999, per_origin=999, established=side))
            for side in (True, False)
        ]

    established, pooled = asyncio.run(sides())

    assert (established, pooled) in {(301, 0), (1, 300)}
    assert not (tmp_path / UNDO_FILE).exists()


@pytest.mark.slow
def test_a_store_made_before_a_fork_works_after_it(tmp_path: Path) -> None:
    program = f"""
import asyncio, os, sys, warnings
from pathlib import Path
from tests.integration.test_vectors_lancedb import make
from tests.vector_stores import record, search
warnings.simplefilter("ignore")
store = make(Path({str(tmp_path)!r}))
child = os.fork()
if child == 0:
    asyncio.run(store.upsert([record("child/0")]))
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
sys.stdout.write(str(len(asyncio.run(search(store)))))
"""

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )

    assert (done.returncode, done.stdout) == (0, "1"), done.stderr


def test_a_change_that_was_left_half_made_is_undone_by_the_next_writer(tmp_path: Path) -> None:
    async def scenario() -> tuple[list[str], list[str]]:
        store = make(tmp_path)
        await store.upsert([record("kept/0")])
        table = await store._tables.find(_table(A, established=True))
        assert table is not None
        (tmp_path / UNDO_FILE).write_text(
            json.dumps({_table(A, established=True): await table.version()}), encoding="utf-8"
        )
        await table.delete("true")
        gone = ids(await search(store))
        await store.upsert([record("next/0")])
        return gone, ids(await search(store))

    gone, repaired = asyncio.run(scenario())

    assert gone == []
    assert repaired == ["kept/0", "next/0"]
    assert not (tmp_path / UNDO_FILE).exists()


def test_keywords_are_found_after_a_change_was_undone(tmp_path: Path) -> None:
    async def scenario() -> list[str]:
        store = make(tmp_path)
        name = _table(A, established=True)
        await store.upsert([record(f"o{n}/0", EAST, text="other") for n in range(3)])
        await store.upsert([record("k/0", (0.0, 1.0), text="zephyr")])
        table = await store._tables.find(name)
        assert table is not None
        version = await table.version()
        await table.optimize()
        (tmp_path / UNDO_FILE).write_text(json.dumps({name: version}), encoding="utf-8")
        await store.upsert([record("n/0", (0.0, 1.0), text="later")])
        return ids(await search(store, "zephyr"))

    assert asyncio.run(scenario())[0] == "k/0"


def test_many_small_writes_leave_few_files_and_all_rows(tmp_path: Path) -> None:
    async def scenario() -> tuple[int, int, list[ChunkId]]:
        store = make(tmp_path)
        for number in range(2 * MAX_FRAGMENTS):
            await store.upsert([record(f"d{number:03}/0", text=f"word{number}")])
        table = await store._tables.find(_table(A, established=True))
        assert table is not None
        stats = cast("Mapping[str, Any]", await table.stats())
        found = [
            (await search(store, f"word{number}", limit=99, per_origin=99))[0].chunk.id
            for number in (0, MAX_FRAGMENTS, 2 * MAX_FRAGMENTS - 1)
        ]
        return stats["fragment_stats"]["num_fragments"], await table.count_rows(), found

    fragments, rows, found = asyncio.run(scenario())

    assert fragments <= MAX_FRAGMENTS + 1
    assert rows == 2 * MAX_FRAGMENTS
    assert found == ["d000/0", f"d{MAX_FRAGMENTS:03}/0", f"d{2 * MAX_FRAGMENTS - 1:03}/0"]


async def _parted(store: LanceDBVectorStore) -> list[str]:
    table = await store._tables.find(_table(A, established=True))
    assert table is not None
    return sorted(index.name for index in await table.list_indices() if "vector" in index.name)


def _around(count: int, *, name: str = "d", **options: Any) -> list[VectorRecord]:
    """Return records whose vectors stand all around, the first nearest to the east."""
    angles = [2 * math.pi * number / count for number in range(count)]
    return [
        record(f"{name}{at:04}/0", (math.cos(angle), math.sin(angle)), **options)
        for at, angle in enumerate(angles)
    ]


def test_a_large_table_is_parted_and_finds_what_it_found_before(tmp_path: Path) -> None:
    rows = [
        *_around(300),
        *_around(100, name="distrusted", trust=0.1),
        *_around(100, name="voteless", voting=False),
    ]

    async def scenario(folder: Path, *, from_rows: int) -> tuple[list[str], list[list[str]]]:
        store = make(folder, min_rows_to_part=from_rows)
        await store.upsert(rows)
        few = EvidenceFilter(documents=frozenset({DocumentId("d0150"), DocumentId("d0009")}))
        found = [
            ids(await search(store, "", limit=10, min_trust=0.2)),
            ids(await search(store, "", limit=10, min_trust=0.2, only=few)),
            ids(await search(store, "", limit=500, per_origin=500, min_trust=0.2)),
        ]
        return await _parted(store), found

    names, found = asyncio.run(scenario(tmp_path / "parted", from_rows=400))
    none, exact = asyncio.run(scenario(tmp_path / "exact", from_rows=10_000))

    assert names == ["vector_in_22"]
    assert none == []
    assert found == exact
    assert len(found[1]) == 2
    assert len(found[2]) == 300


def test_what_is_written_to_a_parted_table_is_found_at_once(tmp_path: Path) -> None:
    async def scenario() -> list[list[str]]:
        store = make(tmp_path, min_rows_to_part=256)
        await store.upsert(_around(256))
        await store.upsert([record("new/0", EAST, text="later")])
        before = ids(await search(store, "later", limit=3))
        await store.delete_document(DocumentId("new"), tenant_id=A)
        return [before, ids(await search(store, "later", limit=3))]

    before, after = asyncio.run(scenario())

    assert before[0] == "new/0"
    assert "new/0" not in after


def test_a_table_that_has_outgrown_its_partitions_is_parted_anew(tmp_path: Path) -> None:
    async def scenario() -> tuple[list[str], list[str], list[str]]:
        store = make(tmp_path, min_rows_to_part=256)
        await store.upsert(_around(256))
        first = await _parted(store)
        await store.upsert(_around(500, name="e"))
        second = await _parted(store)
        await store.upsert(_around(500, name="f"))
        return first, second, await _parted(store)

    first, second, third = asyncio.run(scenario())

    assert first == second == ["vector_in_16"]
    assert third == ["vector_in_35"]


def test_a_flood_around_the_question_hides_no_other_origin_of_a_parted_table(
    tmp_path: Path,
) -> None:
    async def scenario() -> list[str]:
        store = make(tmp_path, min_rows_to_part=256)
        await store.upsert([record("quiet/0", NORTH, origin="quiet"), *_around(256)])
        await store.upsert(
            [record(f"flood{number:04}/0", EAST, origin="loud") for number in range(600)]
        )
        return ids(await search(store, "", limit=9, per_origin=4))

    found = asyncio.run(scenario())

    assert sum(name.startswith("flood") for name in found) == 4
    assert sum(name.startswith("d0") for name in found) == 4
    assert "quiet/0" in found


def test_the_same_store_serves_one_event_loop_after_another(tmp_path: Path) -> None:
    store = make(tmp_path)
    asyncio.run(store.upsert([record("a/0")]))
    asyncio.run(store.upsert([record("b/0")]))

    assert ids(asyncio.run(search(store))) == ["a/0", "b/0"]


def test_many_writes_at_once_in_one_process_all_arrive(tmp_path: Path) -> None:
    async def scenario() -> frozenset[DocumentId]:
        store = make(tmp_path)
        await asyncio.gather(*(store.upsert([record(f"d{n}/0")]) for n in range(12)))
        return await store.document_ids(tenant_id=A)

    assert asyncio.run(scenario()) == {f"d{n}" for n in range(12)}


def test_a_write_whose_caller_is_cancelled_is_finished(tmp_path: Path) -> None:
    async def scenario() -> list[str]:
        store = make(tmp_path)
        await store.ping()
        writing = asyncio.create_task(store.upsert([record("d/0")]))
        await asyncio.sleep(0)
        writing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await writing
        await store.upsert([record("e/0")])
        return ids(await search(store))

    assert asyncio.run(scenario()) == ["d/0", "e/0"]


def test_a_lock_that_others_keep_is_a_transient_error(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    store = make(tmp_path, lock_timeout_seconds=0.05)

    with pytest.raises(TransientError, match="held by others"):
        asyncio.run(store.upsert([record("d/0")]))
    os.close(descriptor)
    asyncio.run(store.upsert([record("d/0")]))

    assert ids(asyncio.run(search(store))) == ["d/0"]


def test_readers_do_not_wait_for_the_lock(tmp_path: Path) -> None:
    store = make(tmp_path, lock_timeout_seconds=0.05)
    asyncio.run(store.upsert([record("d/0")]))
    descriptor = os.open(tmp_path / LOCK_FILE, os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)

    hits = asyncio.run(search(store))
    os.close(descriptor)

    assert ids(hits) == ["d/0"]


def test_vectors_of_another_length_are_a_configuration_error(tmp_path: Path) -> None:
    asyncio.run(make(tmp_path).upsert([record("d/0")]))
    other = LanceDBVectorStore(tmp_path, dimensions=3)
    query = np.asarray([1, 0, 0], np.float32)

    with pytest.raises(ConfigurationError, match="length 2"):
        asyncio.run(other.search(query, "", tenant_id=A, established=True, limit=1, per_origin=1))


def test_a_folder_that_is_a_file_fails_the_ping_and_names_no_content(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder", encoding="utf-8")

    with pytest.raises(TransientError):
        asyncio.run(make(file).ping())


def test_a_damaged_table_is_an_error_that_quotes_no_question(tmp_path: Path) -> None:
    store = make(tmp_path)
    asyncio.run(store.upsert([record("d/0")]))
    for file in tmp_path.glob("*.lance/data/*"):
        file.write_bytes(b"spoilt")

    with pytest.raises(TransientError) as caught:
        asyncio.run(search(make(tmp_path), "zephyr secret"))

    assert "zephyr" not in str(caught.value)


def test_a_table_that_another_process_is_about_to_make_is_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / f"{_table(A, established=True)}.lance").mkdir()
    store = make(tmp_path)

    before = asyncio.run(search(store))
    asyncio.run(store.upsert([record("d/0")]))

    assert before == ()
    assert ids(asyncio.run(search(store))) == ["d/0"]


def test_a_store_that_was_open_before_the_first_write_sees_it(tmp_path: Path) -> None:
    reader, writer = make(tmp_path), make(tmp_path)

    before = asyncio.run(search(reader))
    asyncio.run(writer.upsert([record("d/0", text="word")]))
    asyncio.run(writer.upsert([record("e/0", text="word")]))

    assert before == ()
    assert ids(asyncio.run(search(reader, "word"))) == ["d/0", "e/0"]


def test_a_move_of_an_origin_is_seen_by_a_store_that_was_open(tmp_path: Path) -> None:
    reader, writer = make(tmp_path), make(tmp_path)
    asyncio.run(writer.upsert([record("d/0", established=False)]))

    before = ids(asyncio.run(search(reader, established=False)))
    asyncio.run(writer.set_origin(ESTABLISHED, tenant_id=A))

    assert before == ["d/0"]
    assert not asyncio.run(search(reader, established=False))
    assert ids(asyncio.run(search(reader))) == ["d/0"]


def test_the_folder_is_the_owners_alone(tmp_path: Path) -> None:
    asyncio.run(make(tmp_path / "new" / "index").upsert([record("d/0")]))

    assert (tmp_path / "new" / "index").stat().st_mode & 0o077 == 0


def test_a_stopped_writer_gives_the_lock_back(tmp_path: Path) -> None:
    program = (
        "import fcntl, os, sys, time\n"
        f"d = os.open({str(tmp_path / LOCK_FILE)!r}, os.O_RDWR | os.O_CREAT)\n"
        "fcntl.flock(d, fcntl.LOCK_EX)\n"
        "print('held', flush=True)\n"
        "time.sleep(60)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdout.close()

    asyncio.run(make(tmp_path).upsert([record("d/0")]))

    assert ids(asyncio.run(search(make(tmp_path)))) == ["d/0"]
