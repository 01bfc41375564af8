"""What is withheld is as if it had never been there: the others take its places."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.documents import OriginKind, OriginRef
from domain.retrieval import Withheld
from gateway.query.withholding import WithholdingSearch
from tests.vector_stores import A, opened, record

LIMIT, PER_ORIGIN = 4, 2
hands = st.lists(st.sampled_from("abcd"), min_size=1, max_size=24)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(owners=hands, gone=st.sets(st.sampled_from("abcd"), max_size=3))
def test_the_places_of_what_is_withheld_are_taken_by_the_others(
    owners: list[str], gone: set[str]
) -> None:
    records = [
        record(
            f"d{at:02}/0",
            (float(np.cos(at / 30)), float(np.sin(at / 30))),
            text="lamp",
            origin=owner,
            established=True,
        )
        for at, owner in enumerate(owners)
    ]
    origins = {one.origin.id: one.origin.ref for one in records}
    withheld = Withheld(origins=frozenset(origins[name] for name in gone if name in origins))

    async def found(kept: list[str], without: Withheld) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            async with opened("memory", Path(folder)) as store:
                await store.upsert([one for one in records if one.origin.id in kept])
                hits = await WithholdingSearch(store, without).search(
                    np.array([1.0, 0.0], dtype=np.float32),
                    "lamp",
                    tenant_id=A,
                    established=True,
                    limit=LIMIT,
                    per_origin=PER_ORIGIN,
                )
                return [hit.chunk.id for hit in hits]

    left = [name for name in "abcd" if name not in gone]
    asked = asyncio.run(found(list("abcd"), withheld))
    never = asyncio.run(found(left, Withheld()))

    assert sorted(asked) == sorted(never)
    assert max(Counter(owners[int(name[1:3])] for name in asked).values(), default=0) <= PER_ORIGIN


def test_an_unknown_origin_withholds_nothing() -> None:
    withheld = Withheld(origins=frozenset({OriginRef(kind=OriginKind.UPLOADER, id="nobody")}))
    kept = record("d/0", (1.0, 0.0), text="lamp", origin="a", established=True)

    async def count() -> int:
        with tempfile.TemporaryDirectory() as folder:
            async with opened("memory", Path(folder)) as store:
                await store.upsert([kept])
                hits = await WithholdingSearch(store, withheld).search(
                    np.array([1.0, 0.0], dtype=np.float32),
                    "lamp",
                    tenant_id=A,
                    established=True,
                    limit=LIMIT,
                    per_origin=PER_ORIGIN,
                )
                return len(hits)

    assert asyncio.run(count()) == 1
