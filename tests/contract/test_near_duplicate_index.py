"""What every `NearDuplicateIndex` must do."""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import AsyncIterator, Callable

import numpy as np
import pytest
from redis.asyncio import Redis

from backends.memory.near_duplicates import InMemoryNearDuplicateIndex, InMemoryNearDuplicateStore
from backends.near_duplicates_redis import RedisNearDuplicateIndex
from defences.retrieval.shingles import fingerprint
from domain.documents import DocumentId, OriginKind, OriginRef, TenantId
from domain.errors import ConfigurationError, TransientError
from domain.retrieval import Fingerprint, NearDuplicateIndex, Resemblances, Signature

Attach = Callable[..., NearDuplicateIndex]
"""Opens another index on the same store, as another worker would."""

pytestmark = pytest.mark.anyio


@pytest.fixture
def tenant() -> TenantId:
    return TenantId(f"t-{uuid.uuid4().hex}")


@pytest.fixture(params=["valkey_url", "redis_url"])
def server_url(request: pytest.FixtureRequest) -> str:
    """URL of each kind of server in turn."""
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture(params=["memory", "valkey_url", "redis_url"])
async def attach(request: pytest.FixtureRequest) -> AsyncIterator[Attach]:
    if request.param == "memory":
        store = InMemoryNearDuplicateStore()

        def in_memory(scheme: str = "s1", **options: float) -> NearDuplicateIndex:
            return InMemoryNearDuplicateIndex(store, scheme=scheme, **options)  # type: ignore[arg-type]

        yield in_memory
        return
    clients: list[Redis] = []
    url: str = request.getfixturevalue(request.param)

    def over_redis(scheme: str = "s1", **options: float) -> NearDuplicateIndex:
        client = Redis.from_url(url)
        clients.append(client)
        return RedisNearDuplicateIndex(client, scheme, **options)  # type: ignore[arg-type]

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


def signed(signature: Signature | None, *, exact: str | None = None) -> Fingerprint:
    """Return a fingerprint of this signature alone: its exact digest is nobody else's."""
    content = (exact or uuid.uuid4().hex).encode()
    return Fingerprint(
        exact=hashlib.sha256(content).digest()[:16],
        signature=signature,
        passages=np.empty(0, np.uint32),
    )


def passages(*hashes: int, sampled: int = 0, kept: int = 0) -> Fingerprint:
    """Return a fingerprint of these passages alone."""
    return Fingerprint(
        exact=uuid.uuid4().bytes,
        signature=None,
        passages=np.asarray(sorted(hashes), np.uint32),
        sampled=sampled,
        kept=kept,
    )


def uploader(name: str) -> OriginRef:
    return OriginRef(kind=OriginKind.UPLOADER, id=name)


async def insert(
    index: NearDuplicateIndex, tenant: TenantId, name: str, signature: Signature
) -> list[tuple[str, float]]:
    found = await index.query_and_insert(tenant, DocumentId(name), signed(signature))
    return [(candidate.document_id, candidate.similarity) for candidate in found.candidates]


async def names(index: NearDuplicateIndex, tenant: TenantId, signature: Signature) -> list[str]:
    found = await index.query(tenant, signed(signature))
    return [candidate.document_id for candidate in found.candidates]


def listed(found: Resemblances) -> list[tuple[str, tuple[int, ...]]]:
    return [(each.document_id, each.at) for each in found.shared]


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

    assert await names(index, tenant, base(0)) == []
    assert await names(index, tenant, base(9)) == ["a"]


async def test_a_query_inserts_nothing(index: NearDuplicateIndex, tenant: TenantId) -> None:
    await index.query(tenant, signed(base()))

    assert await index.count(tenant) == 0
    assert await insert(index, tenant, "a", base()) == []


async def test_a_removed_document_is_forgotten_and_others_are_kept(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await insert(index, tenant, "a", base())
    await insert(index, tenant, "b", base())

    await index.remove(tenant, DocumentId("a"))
    await index.remove(tenant, DocumentId("a"))

    assert await names(index, tenant, base()) == ["b"]
    assert await index.count(tenant) == 1


async def test_removing_an_unknown_document_is_no_error(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await index.remove(tenant, DocumentId("never-seen"))

    assert await index.count(tenant) == 0


async def test_ids_of_any_alphabet_survive(index: NearDuplicateIndex, tenant: TenantId) -> None:
    await insert(index, tenant, "žluťoučký:{kůň}\x00", base())

    assert await names(index, tenant, base()) == ["žluťoučký:{kůň}\x00"]


async def test_another_scheme_is_refused(attach: Attach, tenant: TenantId) -> None:
    await insert(attach(), tenant, "a", base())
    other = attach("s2")

    with pytest.raises(ConfigurationError, match="scheme"):
        await other.query_and_insert(tenant, DocumentId("b"), signed(base()))
    with pytest.raises(ConfigurationError, match="scheme"):
        await other.query(tenant, signed(base()))


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
        await index.query_and_insert(tenant, DocumentId("a"), signed(wrong))


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

    found = [await names(one, tenant, base(r)) for r in range(25)]

    assert found == [[f"new-{r}"] for r in range(25)]


async def test_an_over_full_bucket_is_looked_at_in_part_and_the_oldest_are_seen(
    attach: Attach, tenant: TenantId
) -> None:
    index = attach(bucket_cap=6)
    for n in range(40):
        await insert(index, tenant, f"d{n:02}", base())

    found = await names(index, tenant, base())

    assert found[:3] == ["d00", "d01", "d02"]
    assert 6 <= len(found) < 40
    assert found == await names(index, tenant, base())


async def test_both_kinds_look_at_the_same_part_of_an_over_full_bucket(
    server_url: str, tenant: TenantId
) -> None:
    client = Redis.from_url(server_url)
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
    server_url: str, tenant: TenantId
) -> None:
    client = Redis.from_url(server_url)
    index = RedisNearDuplicateIndex(client, "s1")
    await insert(index, tenant, "a", base())
    await client.script_flush()
    for key in [key async for key in client.scan_iter(match=f"nd:{{{tenant}}}:*")]:
        await client.delete(key)

    counted = await index.count(tenant)
    found = await insert(index, tenant, "b", base())
    await client.aclose()

    assert (counted, found) == (0, [])


async def test_the_last_removal_leaves_no_key(server_url: str, tenant: TenantId) -> None:
    client = Redis.from_url(server_url)
    index = RedisNearDuplicateIndex(client, "s1")
    for n in range(5):
        await insert(index, tenant, f"d{n}", near(base(), changed=8 * n))
    for n in range(5):
        await index.remove(tenant, DocumentId(f"d{n}"))

    left = [key async for key in client.scan_iter(match=f"nd:{{{tenant}}}:*")]
    await client.aclose()

    assert left == []


async def test_a_client_that_decodes_replies_reads_the_same(
    server_url: str, tenant: TenantId
) -> None:
    client = Redis.from_url(server_url, decode_responses=True)
    index = RedisNearDuplicateIndex(client, "s1")
    await insert(index, tenant, "a", base())

    found = await insert(index, tenant, "b", base())
    await client.aclose()

    assert found == [("a", 1.0)]


async def test_a_server_that_does_not_answer_is_a_transient_error(tenant: TenantId) -> None:
    client = Redis(host="127.0.0.1", port=1, socket_connect_timeout=1)
    index = RedisNearDuplicateIndex(client, "s1")

    with pytest.raises(TransientError):
        await index.query_and_insert(tenant, DocumentId("a"), signed(base()))
    with pytest.raises(TransientError):
        await index.count(tenant)
    await client.aclose()


async def test_the_same_text_is_found_without_a_signature(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await index.query_and_insert(tenant, DocumentId("a"), signed(None, exact="paid in full"))
    await index.query_and_insert(tenant, DocumentId("b"), signed(None, exact="not paid"))

    found = await index.query(tenant, signed(None, exact="paid in full"))

    assert [(c.document_id, c.similarity, c.exact) for c in found.candidates] == [("a", 1.0, True)]


async def test_the_same_text_is_one_candidate_whichever_way_it_was_found(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await index.query_and_insert(tenant, DocumentId("a"), signed(base(), exact="one"))

    found = await index.query(tenant, signed(base(), exact="one"))

    assert [(c.document_id, c.exact) for c in found.candidates] == [("a", True)]


async def test_shared_passages_are_found_where_they_stand(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await index.query_and_insert(tenant, DocumentId("short"), passages(10, 20, 30, 2**32 - 1))
    await index.query_and_insert(tenant, DocumentId("long"), passages(*range(20, 60), 2**31))
    await index.query_and_insert(tenant, DocumentId("few"), passages(10, 20, 30, 77))

    found = await index.query(tenant, passages(5, 10, 20, 30, 40, 50, 2**32 - 1))

    assert listed(found) == [("short", (1, 2, 3, 6)), ("long", (2, 3, 4, 5))]
    assert [(each.sampled, each.stored) for each in found.shared] == [(0, 4), (0, 41)]


async def test_of_a_long_document_a_sample_is_kept_and_looked_for(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    low, high = range(1, 9), range(2**31, 2**31 + 8)
    await index.query_and_insert(tenant, DocumentId("low"), passages(*low, *high, kept=1))
    await index.query_and_insert(tenant, DocumentId("all"), passages(*low, *high))

    whole = await index.query(tenant, passages(*low, *high))
    sample = await index.query(tenant, passages(*low, *high, kept=3))

    assert listed(whole) == [("all", tuple(range(16))), ("low", tuple(range(8)))]
    assert [(each.sampled, each.stored) for each in whole.shared] == [(0, 16), (1, 8)]
    assert listed(sample) == [("low", tuple(range(8))), ("all", tuple(range(8)))]
    assert {each.sought for each in sample.shared} == {3}


async def test_denied_passages_are_looked_for_closely_and_then_live_ones_too(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    high = range(2**31, 2**31 + 8)
    await index.query_and_insert(tenant, DocumentId("bad"), passages(*high))
    await index.query_and_insert(tenant, DocumentId("page"), passages(*high))
    before = await index.query(tenant, passages(*high, kept=3))

    await index.deny(tenant, DocumentId("bad"))
    after = await index.query(tenant, passages(*high, kept=3))

    assert before.shared == ()
    assert listed(after) == [("bad", tuple(range(8))), ("page", tuple(range(8)))]
    assert {each.sought for each in after.shared} == {0}


async def test_of_one_origin_a_few_documents_are_kept_for_a_passage_and_others_are_still_seen(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    common = passages(*range(100, 120))
    for n in range(12):
        await index.query_and_insert(
            tenant, DocumentId(f"flood-{n:02}"), common, origin=uploader("one")
        )
    await index.query_and_insert(tenant, DocumentId("other"), common, origin=uploader("two"))

    found = await index.query(tenant, common)

    assert [each.document_id for each in found.shared] == [
        "flood-00",
        "flood-01",
        "flood-02",
        "flood-03",
        "other",
    ]


async def test_a_denied_document_stays_found_however_many_live_ones_there_are(
    attach: Attach, tenant: TenantId
) -> None:
    index = attach(bucket_cap=6)
    for n in range(30):
        await insert(index, tenant, f"d{n:02}", base())
    await insert(index, tenant, "bad", base())

    await index.deny(tenant, DocumentId("bad"))
    await index.deny(tenant, DocumentId("bad"))
    found = await index.query(tenant, signed(base()))

    denied = [c.document_id for c in found.candidates if c.denied]
    assert denied == ["bad"]
    assert await index.count(tenant) == 31


async def test_allowing_takes_a_document_out_of_the_deny_namespace(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    text = passages(*range(20))
    await index.query_and_insert(tenant, DocumentId("a"), text)
    await index.deny(tenant, DocumentId("a"))
    before = await index.query(tenant, text)

    await index.allow(tenant, DocumentId("a"))
    after = await index.query(tenant, text)

    assert [(each.denied, len(each.at)) for each in before.shared] == [(True, 20)]
    assert [(each.denied, len(each.at)) for each in after.shared] == [(False, 20)]
    assert [(c.exact, c.denied) for c in before.candidates] == [(True, True)]
    assert [(c.exact, c.denied) for c in after.candidates] == [(True, False)]


async def test_scanning_a_denied_document_again_leaves_it_denied(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await insert(index, tenant, "a", base())
    await index.deny(tenant, DocumentId("a"))

    again = await insert(index, tenant, "a", base())
    found = await index.query(tenant, signed(base()))

    assert again == []
    assert [c.denied for c in found.candidates] == [True]


async def test_denying_an_unknown_document_makes_nothing(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    await index.deny(tenant, DocumentId("never-seen"))
    await index.allow(tenant, DocumentId("never-seen"))

    assert await index.count(tenant) == 0


async def test_a_query_leaves_out_the_document_it_is_told_to(
    index: NearDuplicateIndex, tenant: TenantId
) -> None:
    text = passages(*range(20))
    await index.query_and_insert(tenant, DocumentId("a"), text)

    found = await index.query(tenant, text, besides=DocumentId("a"))

    assert (found.candidates, found.shared) == ((), ())


async def test_an_over_full_bucket_is_told_with_those_that_were_looked_at(
    attach: Attach, tenant: TenantId
) -> None:
    index = attach(bucket_cap=6)
    for n in range(6):
        await insert(index, tenant, f"d{n:02}", base())
    before = await index.query(tenant, signed(base()))
    await insert(index, tenant, "d06", base())

    after = await index.query(tenant, signed(base()))

    assert before.crowd is None
    assert after.crowd is not None
    assert after.crowd.size == 7
    assert after.crowd.members[:3] == ("d00", "d01", "d02")
    assert len(after.crowd.members) == 6


async def test_both_kinds_answer_the_same_about_real_texts(
    server_url: str, tenant: TenantId
) -> None:
    client = Redis.from_url(server_url)
    indexes: list[NearDuplicateIndex] = [
        RedisNearDuplicateIndex(client, "s1"),
        InMemoryNearDuplicateIndex(scheme="s1"),
    ]
    draw = np.random.default_rng(3)
    words = [f"word{n}" for n in range(300)]
    passage = " ".join(draw.choice(words, 80))
    texts = [
        " ".join([*draw.choice(words, int(size)), passage if n % 3 == 0 else "", *words[:size]])
        for n, size in enumerate(draw.integers(3, 900, 24))
    ]

    answers: list[list[object]] = [[], []]
    for index, told in zip(indexes, answers, strict=True):
        for n, text in enumerate(texts):
            made = fingerprint(text)
            assert made is not None
            document_id = DocumentId(f"d{n:02}")
            told.append(
                await index.query_and_insert(
                    tenant, document_id, made, origin=uploader(f"u{n % 5}")
                )
            )
            if n % 4 == 1:
                await index.deny(tenant, document_id)
            if n % 8 == 5:
                await index.remove(tenant, DocumentId(f"d{n - 2:02}"))
    await client.aclose()

    assert answers[0] == answers[1]
    assert sum(len(each.shared) for each in answers[0] if isinstance(each, Resemblances)) > 50


async def test_the_last_removal_of_real_texts_leaves_no_key(
    server_url: str, tenant: TenantId
) -> None:
    client = Redis.from_url(server_url)
    index = RedisNearDuplicateIndex(client, "s1")
    for n in range(6):
        made = fingerprint(" ".join(f"word{m % (97 + n)} of{m}" for m in range(4 + 60 * n)))
        assert made is not None
        await index.query_and_insert(tenant, DocumentId(f"d{n}"), made, origin=uploader("u"))
    await index.deny(tenant, DocumentId("d3"))

    for n in range(6):
        await index.remove(tenant, DocumentId(f"d{n}"))

    left = [key async for key in client.scan_iter(match=f"nd:{{{tenant}}}:*")]
    await client.aclose()
    assert left == []
