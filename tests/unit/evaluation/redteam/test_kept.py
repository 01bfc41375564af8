"""What was drafted or embedded once is not made again, and nothing else passes for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from domain.answering import Draft, EvidenceSubset, Question, QuestionId, Quote, SeatId
from domain.documents import (
    DEFAULT_TENANT,
    Chunk,
    ChunkId,
    DocumentId,
    Origin,
    OriginKind,
    Span,
    Tier,
)
from domain.retrieval import FamilyId, ScoredChunk
from evaluation.redteam.kept import Keep, KeptDrafter, KeptEmbedder, code_digest

pytestmark = pytest.mark.anyio

QUESTION = Question(id=QuestionId("q"), tenant_id=DEFAULT_TENANT, text="how many doors?")


class CountingDrafter:
    def __init__(self, *, version: str = "one", failure: str | None = None) -> None:
        self.version = version
        self.asked = 0
        self._failure = failure

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        self.asked += 1
        hit = subset.chunks[-1]
        quote = Quote(
            document_id=hit.chunk.document_id,
            origin=hit.origin.ref,
            text=hit.chunk.text,
            span=Span(2, 5),
            trust=hit.trust,
        )
        return Draft(
            subset=subset,
            answer=hit.chunk.text,
            rationale="it says so \ud800",
            quotes=(quote,),
            probability=0.25,
            failure=self._failure,
            struck=1,
        )


class CountingEmbedder:
    dimensions = 2
    version = "v"

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


def hit(document: str, text: str, *, origin: str = "press") -> ScoredChunk:
    return ScoredChunk(
        chunk=Chunk(
            id=ChunkId(f"{document}:0"),
            document_id=DocumentId(document),
            ordinal=0,
            span=Span(0, len(text)),
            text=text,
        ),
        origin=Origin(kind=OriginKind.PUBLISHER, id=origin, established=True),
        family_id=FamilyId(document),
        vector=np.zeros(2, dtype=np.float32),
        similarity=0.5,
        trust=0.75,
        admitted_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def subset(*hits: ScoredChunk) -> EvidenceSubset:
    return EvidenceSubset(index=3, seats=(SeatId("s"),), tier=Tier.ESTABLISHED, chunks=hits)


PAIR = subset(hit("one", "There are two doors."), hit("two", "There are three doors."))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "kept.sqlite"


async def test_a_draft_made_in_another_run_is_the_same_draft(path: Path) -> None:
    first, second = CountingDrafter(), CountingDrafter()
    made = await KeptDrafter(first, Keep(path)).draft(QUESTION, PAIR)

    found = await KeptDrafter(second, Keep(path)).draft(QUESTION, PAIR)

    assert found == made
    assert (first.asked, second.asked) == (1, 0)


async def test_a_found_draft_quotes_whoever_says_it_now(path: Path) -> None:
    keep = Keep(path)
    await KeptDrafter(CountingDrafter(), keep).draft(QUESTION, PAIR)
    renamed = subset(PAIR.chunks[0], hit("other", "There are three doors.", origin="else"))

    found = await KeptDrafter(CountingDrafter(), keep).draft(QUESTION, renamed)

    assert found.subset == renamed
    assert (found.quotes[0].document_id, found.quotes[0].origin.id) == ("other", "else")


@pytest.mark.parametrize(
    "other",
    [
        subset(*reversed(PAIR.chunks)),
        subset(PAIR.chunks[0]),
        subset(PAIR.chunks[0], hit("two", "There are four doors.")),
        subset(PAIR.chunks[0], replace(PAIR.chunks[1], similarity=0.6)),
        subset(PAIR.chunks[0], replace(PAIR.chunks[1], title="Doors")),
        subset(PAIR.chunks[0], hit("one", "There are three doors.")),
    ],
    ids=["order", "fewer", "text", "similarity", "title", "one document"],
)
async def test_other_evidence_is_drafted_from_anew(path: Path, other: EvidenceSubset) -> None:
    drafter = CountingDrafter()
    kept = KeptDrafter(drafter, Keep(path))
    await kept.draft(QUESTION, PAIR)

    await kept.draft(QUESTION, other)

    assert drafter.asked == 2


async def test_another_question_or_model_is_drafted_anew(path: Path) -> None:
    keep = Keep(path)
    drafter, newer = CountingDrafter(), CountingDrafter(version="two")
    await KeptDrafter(drafter, keep).draft(QUESTION, PAIR)

    await KeptDrafter(drafter, keep).draft(replace(QUESTION, text="how many gates?"), PAIR)
    await KeptDrafter(newer, keep).draft(QUESTION, PAIR)

    assert (drafter.asked, newer.asked) == (2, 1)


async def test_a_failure_is_tried_again(path: Path) -> None:
    drafter = CountingDrafter(failure="malformed")
    kept = KeptDrafter(drafter, Keep(path))
    await kept.draft(QUESTION, PAIR)

    await kept.draft(QUESTION, PAIR)

    assert drafter.asked == 2


async def test_only_new_texts_are_embedded_and_order_is_kept(path: Path) -> None:
    first, second = CountingEmbedder(), CountingEmbedder()
    await KeptEmbedder(first, Keep(path)).embed(["a", "bb"])

    found = await KeptEmbedder(second, Keep(path)).embed(["ccc", "bb", "ccc", "a"])

    assert second.texts == ["ccc"]
    assert found[:, 0].tolist() == [3.0, 2.0, 3.0, 1.0]
    assert (await KeptEmbedder(second, Keep(path)).embed([])).shape == (0, 2)


def test_the_file_is_for_its_owner_alone(path: Path) -> None:
    Keep(path).close()

    assert path.stat().st_mode & 0o077 == 0


def test_a_change_of_the_code_is_another_digest(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "draft.py").write_text("one = 1", encoding="utf-8")
    before = code_digest(["code"], root=tmp_path)

    (tmp_path / "code" / "draft.py").write_text("one = 2", encoding="utf-8")

    assert code_digest(["code"], root=tmp_path) != before
