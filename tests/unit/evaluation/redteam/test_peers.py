"""What peers throw away, and how questions in hops are reported apart."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from domain.documents import Chunk, ChunkId, DocumentId, Origin, OriginKind, Span
from domain.retrieval import FamilyId, ScoredChunk
from evaluation.redteam.engine import SEVERAL_HOPS, query_type
from evaluation.redteam.models import with_thresholds
from evaluation.redteam.systems.filters import adversarial_count, most_similar, undisputed


def hit(text: str, vector: tuple[float, ...]) -> ScoredChunk:
    name = DocumentId(f"doc-{text}")
    unit = np.array(vector, dtype=np.float32)
    return ScoredChunk(
        chunk=Chunk(
            id=ChunkId(f"{name}:0"), document_id=name, ordinal=0, span=Span(0, len(text)), text=text
        ),
        origin=Origin(kind=OriginKind.UPLOADER, id="x", established=False),
        family_id=FamilyId(name),
        vector=unit / np.linalg.norm(unit),
        similarity=0.5,
        trust=1.0,
        admitted_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


TRUE = [
    hit("The mill grinds barley for the whole valley.", (1.0, 0.0, 0.1, 0.0)),
    hit("Visitors reach the tower by a narrow stair.", (0.9, 0.3, -0.2, 0.1)),
    hit("A duke paid for the bridge and its lamps.", (0.8, -0.3, 0.2, -0.1)),
    hit("Records of the harbour were lost in a fire.", (0.9, 0.1, 0.3, 0.3)),
    hit("The orchard slopes down towards the lake.", (0.8, -0.1, -0.3, 0.2)),
]
COPIES = [
    hit(f"Selby Cross is the capital, note {at}.", (0.0, 0.02 * at, 0.0, 1.0)) for at in range(3)
]


def test_ragdefender_drops_the_smaller_group_of_copies() -> None:
    assert undisputed([*TRUE, *COPIES]) == TRUE


def test_ragdefender_takes_a_concentrated_majority_for_adversarial() -> None:
    copies = [
        hit(f"Selby Cross is the capital, note {at}.", (0.0, 0.02 * at, 0.0, 1.0))
        for at in range(7)
    ]

    assert undisputed([*TRUE[:2], *copies]) == TRUE[:2]


def test_few_passages_are_left_alone() -> None:
    assert undisputed(COPIES[:2]) == COPIES[:2]


def test_stop_words_alone_are_no_concentration() -> None:
    vectors = np.stack([one.vector for one in TRUE[:3]]).astype(np.float64)

    assert 0 < adversarial_count(["the of", "a the", "and of"], vectors) < 3


@pytest.mark.parametrize("count", [0, -1])
def test_nobody_is_dropped_where_nobody_is_adversarial(count: int) -> None:
    assert most_similar(np.eye(3), count) == []


def test_a_question_that_takes_hops_is_a_type_of_its_own() -> None:
    assert query_type("How many inhabitants has the capital of Tindlemoor?") == SEVERAL_HOPS
    assert query_type("How many doors has the mill?") != SEVERAL_HOPS


def test_hops_are_held_against_the_threshold_of_the_whole() -> None:
    systems = ("mithridate-decomposed", "standard-rag", "mithridate-without-guard")

    assert with_thresholds(systems) == ("mithridate", "mithridate-without-guard")
