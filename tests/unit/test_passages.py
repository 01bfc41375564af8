"""Which shared passages mean something: directed, without what several established origins write."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from defences.retrieval.passages import BOILERPLATE_ORIGINS, Known, Standing, overlaps
from domain.documents import DocumentId, Origin, OriginKind, OverlapKind
from domain.retrieval import SharedPassages

OWN = np.arange(100, dtype=np.uint32)


def known(
    name: str,
    at: Iterable[int],
    *,
    stored: int = 100,
    sampled: int = 0,
    established: bool = False,
    status: str = "admitted",
    origin: str | None = None,
) -> Known:
    return Known(
        shared=SharedPassages(
            document_id=DocumentId(name), at=tuple(at), sampled=sampled, stored=stored, sought=0
        ),
        standing=Standing(
            origin=Origin(kind=OriginKind.UPLOADER, id=origin or name, established=established),
            admitted=status == "admitted",
            contained=status == "rejected",
            rejected=status == "rejected",
        ),
    )


@pytest.mark.parametrize(
    ("at", "stored", "kind", "share"),
    [
        (range(100), 1_000, OverlapKind.WITHIN, 1.0),
        (range(50), 1_000, OverlapKind.WITHIN, 0.5),
        (range(20), 20, OverlapKind.HOLDS, 1.0),
        (range(20), 40, OverlapKind.HOLDS, 0.5),
        (range(45), 1_000, OverlapKind.PASSAGE, 0.45),
        (range(39), 1_000, None, 0.0),
        (range(5), 5, OverlapKind.HOLDS, 1.0),
        (range(4), 9, None, 0.0),
        (range(4), 4, OverlapKind.HOLDS, 1.0),
    ],
)
def test_containment_is_directed(
    at: range, stored: int, kind: OverlapKind | None, share: float
) -> None:
    found = overlaps(OWN, [known("other", at, stored=stored)])

    assert [(each.kind, each.share) for each in found] == ([(kind, share)] if kind else [])


def test_two_samples_are_compared_at_the_coarser_rate() -> None:
    low = np.arange(0, 2**32, 2**24, dtype=np.uint32)
    other = known("other", range(64), stored=64, sampled=2)

    found = overlaps(low, [other])

    assert [(each.kind, each.share, each.words) for each in found] == [
        (OverlapKind.WITHIN, 1.0, 256)
    ]


def test_what_several_established_origins_write_is_left_out() -> None:
    licence = range(60)
    vouched = [known(f"docs-{n}", licence, established=True) for n in range(BOILERPLATE_ORIGINS)]
    other = known("other", licence)

    before = overlaps(OWN, [*vouched[1:], other])
    after = overlaps(OWN, [*vouched, other])

    assert {each.document_id for each in before} == {"docs-1", "docs-2", "other"}
    assert after == ()


def test_neither_many_documents_of_one_origin_nor_a_flood_make_boilerplate() -> None:
    passage = range(60)
    house = [known(f"h{n}", passage, established=True, origin="house") for n in range(30)]
    flood = [known(f"f{n}", passage) for n in range(30)]

    found = overlaps(OWN, [*house, *flood])

    assert len(found) == 60


def test_a_rejected_text_counts_by_what_it_alone_said() -> None:
    page = known("page", range(70), established=True)
    poisoned = known("poison", range(70), stored=72, status="rejected")
    only = known("only", range(65, 95), stored=30, status="rejected")

    found = overlaps(OWN, [page, poisoned, only])

    assert [each.document_id for each in found] == ["only", "page"]
    assert found[0].share == pytest.approx(25 / 25)
    assert found[0].words == 25


def test_an_unestablished_copy_of_a_rejected_text_does_not_clear_it() -> None:
    rejected = known("bad", range(80), status="rejected")
    copies = [known(f"c{n}", range(80)) for n in range(9)]

    found = overlaps(OWN, [rejected, *copies])

    assert found[0].document_id == "bad"
    assert found[0].contained


def test_near_copies_are_not_told_and_still_explain_boilerplate() -> None:
    vouched = [known(f"docs-{n}", range(60), established=True) for n in range(BOILERPLATE_ORIGINS)]

    found = overlaps(
        OWN, [*vouched, known("other", range(60))], besides=frozenset({DocumentId("docs-0")})
    )

    assert found == ()
