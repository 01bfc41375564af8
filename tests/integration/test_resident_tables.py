"""Copies of LanceDB tables in memory: as current, as bounded and as fair as the tables themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from backends.resident.words import KeywordTokens
from backends.vectors_lancedb import LanceDBVectorStore, _table
from domain.documents import DocumentId, Origin, OriginKind
from domain.retrieval import ScoredChunk, Vector, VectorRecord
from tests.vector_stores import DIMENSIONS, EAST, NORTH, A, ids, record, search

pytestmark = pytest.mark.anyio

WIDE = 96
LIMIT = 10
WORDS = ("refund", "policy", "within", "thirty", "days", "shipping", "parcels", "returned", "Käse")


def _unit(rows: np.ndarray) -> np.ndarray:
    lengths: np.ndarray = np.linalg.norm(rows, axis=-1, keepdims=True)
    units: np.ndarray = (rows / lengths).astype(np.float32)
    return units


def _clustered(count: int) -> np.ndarray:
    """Return vectors around as few directions as texts have."""
    random = np.random.default_rng(7)
    centres = random.normal(size=(40, WIDE))
    return _unit(centres[random.integers(40, size=count)] + random.normal(size=(count, WIDE)))


def _records(vectors: np.ndarray, *, origin: str, prefix: str) -> list[VectorRecord]:
    random = np.random.default_rng(len(vectors))
    texts = [" ".join(random.choice(WORDS, size=6)) for _ in vectors]
    return [
        record(f"{prefix}{number}/0", vector.tolist(), text=texts[number], origin=origin)
        for number, vector in enumerate(vectors)
    ]


async def _nearest(store: LanceDBVectorStore, query: Vector, *, per_origin: int) -> list[str]:
    hits = await store.search(
        query, "", tenant_id=A, established=True, limit=LIMIT, per_origin=per_origin
    )
    return [hit.chunk.id for hit in hits]


def _what(hits: Sequence[ScoredChunk]) -> list[tuple[str, float, float]]:
    return [(hit.chunk.id, round(hit.relevance, 9), round(hit.similarity, 6)) for hit in hits]


async def test_what_another_process_commits_is_found_by_the_next_search(tmp_path: Path) -> None:
    reader = LanceDBVectorStore(tmp_path, dimensions=DIMENSIONS)
    writer = LanceDBVectorStore(tmp_path, dimensions=DIMENSIONS)
    await writer.upsert([record("first/0", EAST)])
    assert ids(await search(reader)) == ["first/0"]

    await writer.upsert([record("second/0", NORTH)])
    assert ids(await search(reader)) == ["first/0", "second/0"]
    await writer.set_trust(DocumentId("first"), tenant_id=A, trust=0.1)
    assert ids(await search(reader, min_trust=0.5)) == ["second/0"]
    await writer.delete_document(DocumentId("second"), tenant_id=A)
    assert ids(await search(reader)) == ["first/0"]
    revoked = Origin(kind=OriginKind.UPLOADER, id="docs", established=False)
    await writer.set_origin(revoked, tenant_id=A)

    assert not await search(reader)
    assert ids(await search(reader, established=False)) == ["first/0"]


async def test_a_copy_kept_current_over_compaction_finds_what_one_made_anew_finds(
    tmp_path: Path,
) -> None:
    kept = LanceDBVectorStore(tmp_path, dimensions=WIDE)
    vectors = _clustered(120)
    for number in range(0, 120, 3):  # more writes than a table keeps files, or a copy segments
        await kept.upsert(
            _records(vectors[number : number + 3], origin=f"o{number % 7}", prefix=f"d{number}-")
        )
        await kept.search(vectors[0], "", tenant_id=A, established=True, limit=LIMIT, per_origin=3)

    await kept.delete_document(DocumentId("d0-1"), tenant_id=A)
    anew = LanceDBVectorStore(tmp_path, dimensions=WIDE)
    for store in (kept, anew):
        await store.copy_into_memory(tenant_id=A)
    for text in ("refund policy", "KASE, returned!", "parcel days within the"):
        found = [
            await store.search(
                vectors[5], text, tenant_id=A, established=True, limit=40, per_origin=8
            )
            for store in (kept, anew)
        ]

        assert _what(found[0]) == _what(found[1])
        assert found[0]


async def test_of_many_rows_the_nearest_are_found_though_few_are_read_whole(
    tmp_path: Path,
) -> None:
    store = LanceDBVectorStore(tmp_path, dimensions=WIDE, min_rows_to_part=1_000)
    vectors = _clustered(3_000)
    written = _records(vectors, origin="docs", prefix="d")
    await store.upsert(written)
    await store.copy_into_memory(tenant_id=A)
    questions = _unit(vectors[:40] + 0.05 * _clustered(40))

    shares = []
    for question in questions:
        best = {written[at].chunk.id for at in np.argsort(-(vectors @ question))[:LIMIT]}
        found = await _nearest(store, question, per_origin=LIMIT)
        shares.append(len(best & set(found)) / LIMIT)

    assert np.mean(shares) >= 0.95


async def test_a_quiet_origin_is_found_behind_thousands_of_nearer_rows(tmp_path: Path) -> None:
    store = LanceDBVectorStore(tmp_path, dimensions=WIDE, min_rows_to_part=1_000)
    random = np.random.default_rng(3)
    question = _unit(random.normal(size=WIDE))
    near = _unit(question + 0.02 * random.normal(size=(2_000, WIDE)))
    quiet = _unit(question + 0.5 * random.normal(size=(1, WIDE)))
    await store.upsert(_records(near, origin="loud", prefix="loud"))
    await store.upsert(_records(quiet, origin="quiet", prefix="quiet"))
    await store.copy_into_memory(tenant_id=A)

    found = await _nearest(store, question, per_origin=2)

    assert [name.startswith("loud") for name in found] == [True, True, False]


async def test_what_does_not_fit_is_answered_by_the_table(tmp_path: Path) -> None:
    small = LanceDBVectorStore(tmp_path, dimensions=DIMENSIONS, resident_bytes=2_000)
    await small.upsert([record("near/0", EAST), record("far/0", NORTH)])

    held = await small.copy_into_memory(tenant_id=A)

    assert held == 0
    assert ids(await search(small)) == ["near/0", "far/0"]


async def test_copies_stay_within_their_bytes_together(tmp_path: Path) -> None:
    store = LanceDBVectorStore(tmp_path, dimensions=WIDE, resident_bytes=250_000)
    vectors = _clustered(120)
    await store.upsert(_records(vectors, origin="docs", prefix="d"))
    await store.upsert(
        [
            record(f"p{number}/0", vector.tolist(), origin="pooled", established=False)
            for number, vector in enumerate(vectors)
        ]
    )

    for side in (True, False, True):
        hits = await store.search(
            vectors[0], "", tenant_id=A, established=side, limit=3, per_origin=3
        )
        assert len(hits) == 3

    held = store._residents._held().copies
    assert sum(copy.nbytes for copy in held.values()) <= 250_000


async def test_words_have_the_tokens_of_the_tables_own_index(tmp_path: Path) -> None:
    store = LanceDBVectorStore(tmp_path, dimensions=DIMENSIONS)
    await store.upsert([record("d/0")])
    table = await store._tables.find(_table(A, established=True))
    assert table is not None
    # the first number that parts words, alone and within one
    words = ["refunds", "the", "退款政策是什么", "ราคาเท่าไร", "1000000000000", "a1000000000000b"]

    found = await KeywordTokens().of(words)

    for word in words:
        told = await table.tokenize(word, column="searchable")
        assert list(found[word]) == [token.text for token in told]
