"""What every `VectorStore` must do. Add a store by adding a kind, not a test file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from backends.vector_fields import fields_of
from domain.documents import ChunkId, DocumentId, Origin, OriginKind, Span, TenantId
from domain.errors import PermanentError
from domain.retrieval import EvidenceFilter, FamilyId, VectorStore
from tests.vector_stores import (
    BETWEEN,
    EAST,
    KINDS,
    LIVE_WEAVIATE,
    NORTH,
    A,
    B,
    ids,
    opened,
    record,
    search,
)

pytestmark = pytest.mark.anyio

HOSTILE = [
    "",
    " ",
    "?!... --- ;;",
    '"unbalanced quote',
    "it's o'clock",
    "refund) OR (1=1",
    "((((",
    "refund AND OR NOT",
    "AND",
    "NOT refund",
    "-refund +policy",
    "refund*",
    "*",
    "ref?nd~2",
    "text:refund^9",
    "[a TO z]",
    "{refund}",
    "\\",
    "refund\\",
    "/refund/",
    "refund\x00policy",
    "\x00",
    "\ud800 refund",
    "refund \U0001f4b8\U0001f1eb\U0001f1f7",
    "\U0001f600",
    "\u202erefund\u202c",
    "退款政策是什么",
    "ما هي سياسة الاسترداد",
    "'; DROP TABLE chunks; --",
    "' OR '1'='1",
    "{{7*7}} ${jndi:ldap://x}",
    "refund\r\n\t policy",
    "a" * 5_000,
    "refund " * 20_000,
    " ".join(f"word{number}" for number in range(5_000)),
]

IDS = [
    "plain",
    "o'brien",
    "' OR '1'='1",
    'a"b',
    "back\\slash",
    "100%_wild*card?",
    "semi;colon--",
    "nul\x00byte",
    "日本語",
    "\U0001f4a9",
    "new\nline",
    " spaced ",
    "x" * 300,
]


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[VectorStore]:
    async with opened(request.param, tmp_path) as made:
        yield made


@pytest.mark.skipif(
    LIVE_WEAVIATE is None, reason="MITHRIDATE_TEST_WEAVIATE_URL names no server: fake only"
)
async def test_a_live_weaviate_is_held_to_the_same_contract() -> None:
    assert "weaviate-live" in KINDS


async def test_search_of_an_empty_store_finds_nothing(store: VectorStore) -> None:
    assert not await search(store, "anything")


async def test_search_returns_most_similar_first(store: VectorStore) -> None:
    await store.upsert([record("far/0", NORTH), record("near/0", EAST), record("mid/0", BETWEEN)])

    hits = await search(store)

    assert ids(hits) == ["near/0", "mid/0", "far/0"]
    assert [hit.similarity for hit in hits] == pytest.approx([1, 0.6, 0])


async def test_a_hit_is_what_was_written(store: VectorStore) -> None:
    written = record("d/0", BETWEEN, trust=0.4, reviewed=True, origin="o'brien", text="Réfund\n¶")
    written = replace(
        written,
        chunk=replace(
            written.chunk,
            ordinal=3,
            span=Span(7, 19),
            heading="Policies > Refunds",
            mentions=(Span(0, 2), Span(3, 5)),
        ),
        family_id=FamilyId("centre"),
        title="A <b>title</b>",
        source_uri="https://example.com/?a='b'",
    )
    await store.upsert([written])

    [hit] = await search(store, "refund")

    assert hit.chunk == written.chunk
    assert (hit.origin, hit.family_id, hit.trust) == (written.origin, "centre", 0.4)
    assert (hit.title, hit.source_uri) == (written.title, written.source_uri)
    assert hit.admitted_at == written.admitted_at
    assert hit.vector.dtype == np.float32
    assert hit.vector.tolist() == written.vector.tolist()


async def test_a_hit_without_a_source_has_none(store: VectorStore) -> None:
    await store.upsert([record("d/0")])

    [hit] = await search(store)

    assert hit.source_uri is None
    assert hit.chunk.mentions == ()


async def test_an_opposite_vector_has_similarity_minus_one(store: VectorStore) -> None:
    await store.upsert([record("d/0", (-1.0, 0.0))])

    [hit] = await search(store)

    assert hit.similarity == pytest.approx(-1)


async def test_a_keyword_lifts_what_the_vector_ranks_lower(store: VectorStore) -> None:
    await store.upsert([record(f"v{i}/0", EAST, text="about shipping") for i in range(5)])
    await store.upsert([record("k/0", NORTH, text="error E1042 means the disk is full")])

    hits = await search(store, "What does e1042 mean?")

    assert hits[0].chunk.id == "k/0"


async def test_what_both_rankings_put_first_has_relevance_one(store: VectorStore) -> None:
    await store.upsert([record("a/0", EAST, text="refund"), record("b/0", NORTH, text="shipping")])

    hits = await search(store, "refund")

    assert hits[0].relevance == pytest.approx(1)
    assert all(0 <= hit.relevance <= 1 for hit in hits)
    assert [hit.relevance for hit in hits] == sorted((h.relevance for h in hits), reverse=True)


async def test_the_heading_is_searched_too(store: VectorStore) -> None:
    await store.upsert([record("a/0", EAST, text="Within 30 days."), record("c/0", EAST)])
    await store.upsert([record("b/0", EAST, text="Within 9 days.", heading="Warranty > Pumps")])

    hits = await search(store, "pumps")

    assert hits[0].chunk.id == "b/0"


async def test_keywords_ignore_case(store: VectorStore) -> None:
    await store.upsert([record("a/0", text="nothing"), record("b/0", text="ZEPHYR engine")])

    assert (await search(store, "zephyr"))[0].chunk.id == "b/0"


async def test_a_row_just_written_is_found_by_keyword(store: VectorStore) -> None:
    await store.upsert([record(f"o{i}/0", EAST, text="other things") for i in range(9)])
    for number in range(5):
        name = f"fresh{number}"
        await store.upsert([record(f"{name}/0", NORTH, text=f"about {name}")])

        assert (await search(store, name))[0].chunk.id == f"{name}/0"


async def test_ties_go_by_chunk_id(store: VectorStore) -> None:
    names = [f"{letter}/0" for letter in "hcbgafde"]
    await store.upsert([record(name, EAST, text="same words") for name in names])

    assert ids(await search(store, "same words")) == sorted(names)


async def test_ties_go_by_chunk_id_among_more_than_are_looked_at_first(store: VectorStore) -> None:
    names = [f"d{number:04}/0" for number in range(400, 0, -1)]
    await store.upsert([record(name, EAST, text="same words") for name in names])

    hits = await search(store, "same words", limit=3)

    assert ids(hits) == ["d0001/0", "d0002/0", "d0003/0"]


async def test_search_returns_no_more_than_the_limit(store: VectorStore) -> None:
    await store.upsert([record(f"d{i}/0", EAST, text="word") for i in range(9)])

    assert len(await search(store, "word", limit=4)) == 4
    assert not await search(store, "word", limit=0)
    assert not await search(store, "word", per_origin=0)


async def test_search_never_crosses_tenants(store: VectorStore) -> None:
    await store.upsert([record("x/0", tenant=B, text="word")])

    assert not await search(store, "word")


@pytest.mark.parametrize("name", IDS)
async def test_search_never_crosses_tenants_whatever_their_names(
    store: VectorStore, name: str
) -> None:
    await store.upsert([record("x/0", tenant=TenantId(name)), record("y/0", tenant=B)])

    assert ids(await search(store, tenant=TenantId(name))) == ["x/0"]
    assert ids(await search(store, tenant=B)) == ["y/0"]


async def test_other_tenants_change_no_score(store: VectorStore) -> None:
    await store.upsert([record("a/0", text="rare word"), record("b/0", text="word word")])
    before = await search(store, "rare word")
    await store.upsert([record(f"t{i}/0", tenant=B, text="rare rare") for i in range(30)])

    after = await search(store, "rare word")

    assert [(h.chunk.id, h.relevance) for h in after] == [(h.chunk.id, h.relevance) for h in before]


async def test_search_leaves_out_what_is_below_the_trust_floor(store: VectorStore) -> None:
    await store.upsert([record("low/0", trust=0.4, text="word"), record("at/0", trust=0.5)])

    assert ids(await search(store, "word", min_trust=0.5)) == ["at/0"]


async def test_what_is_below_the_trust_floor_takes_no_place(store: VectorStore) -> None:
    low = [record(f"low{i}/0", EAST, trust=0.1, text="word") for i in range(200)]
    await store.upsert([*low, record("high/0", NORTH, text="else")])

    assert ids(await search(store, "word", limit=2, min_trust=0.5)) == ["high/0"]


async def test_voteless_chunks_are_never_found_and_take_no_place(store: VectorStore) -> None:
    mute = [record(f"mute{i}/0", EAST, voting=False, text="word") for i in range(200)]
    await store.upsert([*mute, record("votes/0", NORTH, text="else")])

    assert ids(await search(store, "word", limit=2)) == ["votes/0"]


async def test_a_filter_narrows_the_search_and_what_it_excludes_takes_no_place(
    store: VectorStore,
) -> None:
    others = [record(f"other{i}/0", EAST, text="word", origin="others") for i in range(120)]
    wanted = [record("one/0", NORTH, origin="it's"), record("two/0", NORTH, origin="it's")]
    await store.upsert([*others, *wanted])
    ref = wanted[0].origin.ref

    by_origin = EvidenceFilter(origins=frozenset({ref}))
    by_document = EvidenceFilter(documents=frozenset({DocumentId("two")}))
    by_both = EvidenceFilter(
        origins=frozenset({ref}), documents=frozenset({DocumentId("two"), DocumentId("other1")})
    )

    assert ids(await search(store, "word", limit=2, only=by_origin)) == ["one/0", "two/0"]
    assert ids(await search(store, "word", limit=2, only=by_document)) == ["two/0"]
    assert ids(await search(store, "word", limit=2, only=by_both)) == ["two/0"]


async def test_a_filter_never_reaches_another_tenant_or_the_other_side(store: VectorStore) -> None:
    await store.upsert(
        [record("mine/0"), record("theirs/0", tenant=B), record("pool/0", established=False)]
    )
    everything = EvidenceFilter(
        documents=frozenset(DocumentId(name) for name in ("mine", "theirs", "pool"))
    )

    assert ids(await search(store, only=everything)) == ["mine/0"]


async def test_each_side_is_searched_apart(store: VectorStore) -> None:
    await store.upsert([record("e/0", text="word"), record("p/0", established=False, text="word")])

    assert ids(await search(store, "word", established=True)) == ["e/0"]
    assert ids(await search(store, "word", established=False)) == ["p/0"]


@pytest.mark.parametrize("side", [True, False])
async def test_a_flood_from_one_side_changes_nothing_on_the_other(
    store: VectorStore, side: bool
) -> None:
    await store.upsert(
        [
            record("one/0", BETWEEN, text="refund within thirty days", established=side),
            record("two/0", NORTH, text="refund refund shipping", established=side),
            record("three/0", EAST, text="the shipping days", established=side),
        ]
    )
    before = await search(store, "refund shipping days", established=side)
    flood = [
        record(f"f{i}/0", EAST, text="refund refund refund", established=not side)
        for i in range(120)
    ]
    await store.upsert(flood)

    after = await search(store, "refund shipping days", established=side)

    assert [(h.chunk.id, h.similarity, h.relevance) for h in after] == [
        (h.chunk.id, h.similarity, h.relevance) for h in before
    ]


async def test_no_origin_fills_more_than_its_quota(store: VectorStore) -> None:
    await store.upsert([record(f"a/{i}", EAST, origin="loud") for i in range(5)])
    await store.upsert([record("b/0", NORTH, origin="quiet")])

    hits = await search(store, limit=3, per_origin=2)

    assert [hit.origin.id for hit in hits] == ["loud", "loud", "quiet"]


async def test_loud_origins_hide_no_quiet_one(store: VectorStore) -> None:
    loud = [
        record(f"l{origin}-{i}/0", EAST, origin=f"loud{origin}", text="refund " * 3)
        for origin in range(3)
        for i in range(150)
    ]
    await store.upsert([*loud, record("q/0", NORTH, origin="quiet", text="one refund only")])

    hits = await search(store, "refund", limit=9, per_origin=2)

    assert sorted(hit.origin.id for hit in hits) == [
        *("loud0", "loud0", "loud1", "loud1", "loud2", "loud2"),
        "quiet",
    ]


async def test_the_quota_holds_where_vector_and_keyword_favour_different_chunks(
    store: VectorStore,
) -> None:
    await store.upsert([record(f"v{i}/0", EAST, text="nothing", origin="one") for i in range(3)])
    await store.upsert([record(f"k{i}/0", NORTH, text="refund", origin="one") for i in range(3)])

    assert len(await search(store, "refund", per_origin=2)) == 2


async def test_origins_of_two_kinds_with_one_id_have_a_quota_each(store: VectorStore) -> None:
    await store.upsert([record(f"a/{i}", kind=OriginKind.UPLOADER) for i in range(3)])
    await store.upsert([record(f"b/{i}", kind=OriginKind.CONNECTOR) for i in range(3)])

    hits = await search(store, per_origin=1)

    assert sorted(hit.origin.kind for hit in hits) == ["connector", "uploader"]


@pytest.mark.parametrize("text", HOSTILE, ids=[f"{n}" for n in range(len(HOSTILE))])
async def test_no_question_fails_or_is_taken_for_syntax(store: VectorStore, text: str) -> None:
    await store.upsert([record("r/0", NORTH, text="the refund policy"), record("o/0", EAST)])

    hits = await search(store, text)

    assert sorted(ids(hits)) == ["o/0", "r/0"]


@pytest.mark.parametrize(
    "text",
    [
        "NOT refund",
        "-refund",
        "refund AND",
        "(refund",
        '"refund',
        "refund*",
        "ti:refund",
        "refund~",
    ],
)
async def test_a_word_beside_would_be_syntax_still_counts(store: VectorStore, text: str) -> None:
    await store.upsert([record(f"o{i}/0", EAST, text="nothing here") for i in range(3)])
    await store.upsert([record("r/0", NORTH, text="the refund policy")])

    assert (await search(store, text))[0].chunk.id == "r/0"


async def test_a_star_is_no_wildcard(store: VectorStore) -> None:
    await store.upsert([record("a/0", EAST, text="alpha"), record("r/0", NORTH, text="refundable")])

    assert ids(await search(store, "zzz* ref*"))[0] == "a/0"


async def test_writing_again_replaces(store: VectorStore) -> None:
    await store.upsert([record("d/0", EAST, text="old words")])
    await store.upsert([record("d/0", NORTH, text="new words", trust=0.3)])

    [hit] = await search(store, "new")

    assert (hit.chunk.text, hit.trust) == ("new words", 0.3)
    assert hit.similarity == pytest.approx(0)


async def test_writing_twice_is_the_same_as_once(store: VectorStore) -> None:
    records = [record("d/0", EAST, text="word"), record("d/1", NORTH, text="word")]
    await store.upsert(records)
    before = await search(store, "word")
    await store.upsert(records)

    after = await search(store, "word")

    assert [(h.chunk, h.relevance) for h in after] == [(h.chunk, h.relevance) for h in before]


async def test_of_one_chunk_twice_in_a_call_the_last_counts(store: VectorStore) -> None:
    await store.upsert([record("d/0", text="first"), record("d/0", text="second")])

    assert [hit.chunk.text for hit in await search(store)] == ["second"]


async def test_one_chunk_id_may_stand_in_two_tenants(store: VectorStore) -> None:
    await store.upsert([record("d/0", text="ours"), record("d/0", text="theirs", tenant=B)])

    assert [hit.chunk.text for hit in await search(store)] == ["ours"]
    assert [hit.chunk.text for hit in await search(store, tenant=B)] == ["theirs"]


async def test_a_chunk_written_for_the_other_side_leaves_the_first(store: VectorStore) -> None:
    await store.upsert([record("d/0", established=False)])
    await store.upsert([record("d/0", established=True)])

    assert not await search(store, established=False)
    assert ids(await search(store, established=True)) == ["d/0"]


async def test_writing_nothing_is_no_error(store: VectorStore) -> None:
    await store.upsert([])

    assert await store.document_ids(tenant_id=A) == frozenset()


@pytest.mark.parametrize(
    "vector", [(1.0, 0.0, 0.0), (1.0,), (0.0, 0.0), (3.0, 4.0), (float("nan"), 0.0)]
)
async def test_one_bad_record_keeps_the_whole_call_out(
    store: VectorStore, vector: tuple[float, ...]
) -> None:
    with pytest.raises(PermanentError):
        await store.upsert([record("good/0"), record("bad/0", vector), record("p/0", tenant=B)])

    assert await store.document_ids(tenant_id=A) == frozenset()
    assert await store.document_ids(tenant_id=B) == frozenset()


@pytest.mark.parametrize("vector", [(1.0, 0.0, 0.0), (float("nan"), 0.0), (float("inf"), 0.0)])
async def test_a_question_with_a_bad_vector_is_refused(
    store: VectorStore, vector: tuple[float, ...]
) -> None:
    await store.upsert([record("d/0")])

    with pytest.raises(PermanentError):
        await search(store, vector=vector)


async def test_an_id_that_is_no_text_is_refused(store: VectorStore) -> None:
    with pytest.raises(PermanentError):
        await store.upsert([record("a/0"), record("d/0", origin="\ud800")])

    assert await store.document_ids(tenant_id=A) == frozenset()


async def test_text_that_is_no_text_is_kept_at_its_length(store: VectorStore) -> None:
    await store.upsert([record("d/0", text="a\ud800b", title="t\udfff", heading="h\ud800")])

    [hit] = await search(store)

    assert (len(hit.chunk.text), len(hit.title), len(hit.chunk.heading)) == (3, 2, 2)


async def test_deleting_a_document_removes_all_its_chunks(store: VectorStore) -> None:
    await store.upsert([record("x/0", EAST), record("x/1", NORTH), record("y/0", EAST)])

    assert await store.delete_document(DocumentId("x"), tenant_id=A) == 2
    assert ids(await search(store, "x")) == ["y/0"]
    assert await store.delete_document(DocumentId("x"), tenant_id=A) == 0


async def test_deleting_reaches_voteless_chunks_and_both_sides(store: VectorStore) -> None:
    await store.upsert([record("x/0", voting=False), record("x/1", established=False)])

    assert await store.delete_document(DocumentId("x"), tenant_id=A) == 2
    assert await store.document_ids(tenant_id=A) == frozenset()


async def test_a_store_says_whether_it_holds_a_document(store: VectorStore) -> None:
    await store.upsert([record("x/0", voting=False), record("y/0", established=False)])
    await store.delete_document(DocumentId("y"), tenant_id=A)

    assert await store.holds(DocumentId("x"), tenant_id=A)
    assert not await store.holds(DocumentId("x"), tenant_id=B)
    assert not await store.holds(DocumentId("y"), tenant_id=A)
    assert not await store.holds(DocumentId("z"), tenant_id=A)


async def test_deleting_never_crosses_tenants(store: VectorStore) -> None:
    await store.upsert([record("x/0"), record("x/0", tenant=B)])

    assert await store.delete_document(DocumentId("x"), tenant_id=A) == 1
    assert ids(await search(store, tenant=B)) == ["x/0"]


async def test_deleting_from_an_unknown_tenant_removes_nothing(store: VectorStore) -> None:
    assert await store.delete_document(DocumentId("x"), tenant_id=TenantId("nobody")) == 0


@pytest.mark.parametrize("name", IDS)
async def test_ids_are_taken_literally(store: VectorStore, name: str) -> None:
    origin = Origin(kind=OriginKind.UPLOADER, id=name, established=False)
    await store.upsert([record(f"{name}/0", origin=name), record("other/0", origin="other")])

    await store.set_family(
        DocumentId(name), tenant_id=A, family_id=FamilyId(f"f-{name}"), voting=True
    )
    families = {hit.chunk.document_id: hit.family_id for hit in await search(store)}
    changed = await store.set_origin(origin, tenant_id=A)
    left = ids(await search(store))
    deleted = await store.delete_document(DocumentId(name), tenant_id=A)

    assert families == {name: f"f-{name}", "other": "other"}
    assert (changed, left, deleted) == (1, ["other/0"], 1)
    assert await store.document_ids(tenant_id=A) == {"other"}


async def test_document_ids_are_those_with_vectors_on_either_side(store: VectorStore) -> None:
    await store.upsert(
        [
            record("a/0"),
            record("a/1"),
            record("b/0", established=False),
            record("c/0", voting=False, trust=0.0),
            record("d/0", tenant=B),
        ]
    )

    assert await store.document_ids(tenant_id=A) == {"a", "b", "c"}
    assert await store.document_ids(tenant_id=TenantId("nobody")) == frozenset()


async def test_establishing_an_origin_moves_all_its_chunks(store: VectorStore) -> None:
    await store.upsert([record(f"d{i}/0", established=False, text="word") for i in range(3)])
    await store.upsert([record("e/0", established=False, origin="else", text="word")])
    origin = Origin(kind=OriginKind.UPLOADER, id="docs", established=True)

    assert await store.set_origin(origin, tenant_id=A) == 3
    assert {hit.origin for hit in await search(store, "word")} == {origin}
    assert ids(await search(store, "word")) == ["d0/0", "d1/0", "d2/0"]
    assert ids(await search(store, "word", established=False)) == ["e/0"]


async def test_revoking_an_origin_moves_all_its_chunks_back(store: VectorStore) -> None:
    await store.upsert([record("d/0", reviewed=True, voting=True), record("d/1", voting=False)])
    origin = Origin(kind=OriginKind.UPLOADER, id="docs", established=False)

    assert await store.set_origin(origin, tenant_id=A) == 2
    assert not await search(store)
    assert [hit.origin for hit in await search(store, established=False)] == [origin]


async def test_reviewing_an_established_origin_changes_its_chunks(store: VectorStore) -> None:
    await store.upsert([record("d/0"), record("d/1")])
    origin = Origin(kind=OriginKind.UPLOADER, id="docs", established=True, reviewed=True)

    assert await store.set_origin(origin, tenant_id=A) == 2
    assert {hit.origin for hit in await search(store)} == {origin}


async def test_setting_an_origin_twice_counts_the_same_chunks(store: VectorStore) -> None:
    await store.upsert([record("d/0", established=False), record("d/1", established=False)])
    origin = Origin(kind=OriginKind.UPLOADER, id="docs", established=True, reviewed=True)
    await store.set_origin(origin, tenant_id=A)

    assert await store.set_origin(origin, tenant_id=A) == 2
    assert len(await search(store)) == 2


async def test_an_origin_half_moved_is_moved_whole_by_setting_it(store: VectorStore) -> None:
    await store.upsert([record("d/0", established=False), record("e/0", established=True)])
    origin = Origin(kind=OriginKind.UPLOADER, id="docs", established=True)

    assert await store.set_origin(origin, tenant_id=A) == 2
    assert ids(await search(store)) == ["d/0", "e/0"]


async def test_setting_an_origin_touches_no_other(store: VectorStore) -> None:
    await store.upsert(
        [
            record("a/0", established=False),
            record("b/0", established=False, kind=OriginKind.CONNECTOR),
            record("c/0", established=False, tenant=B),
        ]
    )
    origin = Origin(kind=OriginKind.UPLOADER, id="docs", established=True)

    assert await store.set_origin(origin, tenant_id=A) == 1
    assert ids(await search(store, established=False)) == ["b/0"]
    assert ids(await search(store, established=False, tenant=B)) == ["c/0"]


async def test_setting_an_unknown_origin_changes_nothing(store: VectorStore) -> None:
    origin = Origin(kind=OriginKind.UPLOADER, id="nobody", established=True)

    assert await store.set_origin(origin, tenant_id=TenantId("nobody")) == 0


async def test_a_moved_origin_keeps_vectors_texts_and_families(store: VectorStore) -> None:
    written = record("d/0", BETWEEN, text="the words", trust=0.4, established=False, title="T")
    await store.upsert([written])
    origin = Origin(kind=OriginKind.UPLOADER, id="docs", established=True)
    await store.set_origin(origin, tenant_id=A)

    [hit] = await search(store, "words")

    assert (hit.chunk, hit.trust, hit.title) == (written.chunk, 0.4, "T")
    assert hit.vector.tolist() == written.vector.tolist()
    assert hit.relevance == pytest.approx(1)


@pytest.mark.parametrize("side", [True, False])
async def test_set_family_moves_every_chunk_of_the_document(store: VectorStore, side: bool) -> None:
    await store.upsert(
        [record(f"d/{i}", established=side, voting=False) for i in range(2)]
        + [record("e/0", established=side)]
    )
    await store.set_family(DocumentId("d"), tenant_id=A, family_id=FamilyId("new"), voting=True)

    hits = await search(store, established=side)

    assert {hit.chunk.id: hit.family_id for hit in hits} == {
        "d/0": "new",
        "d/1": "new",
        "e/0": "e",
    }


async def test_set_family_can_take_the_vote_away(store: VectorStore) -> None:
    await store.upsert([record("d/0"), record("e/0")])

    await store.set_family(DocumentId("d"), tenant_id=A, family_id=FamilyId("e"), voting=False)

    assert ids(await search(store)) == ["e/0"]
    assert await store.document_ids(tenant_id=A) == {"d", "e"}


async def test_set_family_never_crosses_tenants(store: VectorStore) -> None:
    await store.upsert([record("d/0"), record("d/0", tenant=B)])

    await store.set_family(DocumentId("d"), tenant_id=A, family_id=FamilyId("f"), voting=False)

    assert ids(await search(store, tenant=B)) == ["d/0"]


async def test_set_family_of_an_unknown_document_is_no_error(store: VectorStore) -> None:
    await store.set_family(
        DocumentId("d"), tenant_id=TenantId("nobody"), family_id=FamilyId("f"), voting=True
    )

    assert await store.document_ids(tenant_id=TenantId("nobody")) == frozenset()


@pytest.mark.parametrize("side", [True, False])
async def test_set_trust_is_what_search_returns_and_filters_by(
    store: VectorStore, side: bool
) -> None:
    await store.upsert(
        [record(f"d/{i}", established=side, trust=0.5) for i in range(2)]
        + [record("e/0", established=side, trust=0.5), record("d/0", tenant=B, trust=0.5)]
    )

    await store.set_trust(DocumentId("d"), tenant_id=A, trust=0.75)
    hits = await search(store, established=side, min_trust=0.6)

    assert {hit.chunk.id: hit.trust for hit in hits} == {"d/0": 0.75, "d/1": 0.75}
    assert [hit.trust for hit in await search(store, tenant=B)] == [0.5]


async def test_set_trust_of_an_unknown_document_is_no_error(store: VectorStore) -> None:
    await store.set_trust(DocumentId("d"), tenant_id=TenantId("nobody"), trust=0.5)

    assert await store.document_ids(tenant_id=TenantId("nobody")) == frozenset()


async def test_ping_returns(store: VectorStore) -> None:
    await store.ping()

    assert not await search(store)


async def test_chunk_ids_are_taken_literally(store: VectorStore) -> None:
    await store.upsert([record(f"{name}/{n}") for n, name in enumerate(IDS)])

    found = {hit.chunk.id for hit in await search(store, limit=50, per_origin=50)}

    assert found == {ChunkId(f"{name}/{n}") for n, name in enumerate(IDS)}


async def test_every_chunk_is_handed_out_once_for_a_copy(store: VectorStore) -> None:
    many = [record(f"many/{number}", text=f"chunk {number}") for number in range(450)]
    others = [record("pool/1", established=False, trust=0.25, heading="H", title="T")]
    await store.upsert([*many, *others])
    await store.upsert([record("many/7", text="rewritten")])
    await store.upsert([record("theirs/1", tenant=B)])

    found = [each async for page in store.records(tenant_id=A) for each in page]

    copied = {each.chunk.id: each for each in found}
    assert len(found) == len(copied) == 451
    assert copied[ChunkId("many/7")].chunk.text == "rewritten"
    (of_pool,) = others
    given = copied[of_pool.chunk.id]
    assert fields_of(given) == fields_of(of_pool)
    assert (given.tenant_id, given.origin) == (A, of_pool.origin)
    assert given.vector.tolist() == pytest.approx(of_pool.vector.tolist())
    assert [page async for page in store.records(tenant_id=TenantId("nobody"))] == []
