"""What was read of a passage is kept for later questions, and no draft is another for it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from backends.embedder_hashing import HashingEmbedder
from domain.answering import Draft, EvidenceSubset, Question
from evaluation.calibration.labelled_set import load_labelled_set
from gateway.query.extractive import ExtractiveDrafter
from gateway.query.verification import checked
from tests.fakes.evidence import make_chunk, make_question, make_subset

pytestmark = pytest.mark.anyio

_READERS = ("backends.", "defences.", "domain.", "gateway.")
_PASSAGE = 900


def forget() -> int:
    """Empty what functions keep; return how many keep anything."""
    kept = [
        held
        for name, module in list(sys.modules.items())
        if name.startswith(_READERS)
        for held in vars(module).values()
        if hasattr(held, "cache_clear")
    ]
    for held in kept:
        held.cache_clear()
    return len(kept)


def asked() -> list[tuple[Question, EvidenceSubset]]:
    labelled = load_labelled_set()
    passages = [
        make_chunk(one.text[at : at + _PASSAGE], number=number, title=one.title)
        for number, one in enumerate(labelled.documents[:24])
        for at in (0, _PASSAGE)
        if len(one.text) > at + 40
    ]
    return [
        (make_question(one.question), make_subset(*passages[at % 5 : at % 5 + 12 : 3]))
        for at, one in enumerate(labelled.questions[:40:2])
    ]


async def drafted(pairs: Sequence[tuple[Question, EvidenceSubset]]) -> list[Draft]:
    drafter = ExtractiveDrafter(HashingEmbedder(dimensions=64))
    return [
        checked(question, [await drafter.draft(question, subset)])[0] for question, subset in pairs
    ]


async def test_drafts_are_the_same_asked_first_asked_again_and_in_another_order() -> None:
    pairs = asked()

    assert forget() > 5
    first = await drafted(pairs)
    again = await drafted(pairs)
    forget()
    backwards = (await drafted(pairs[::-1]))[::-1]

    assert sum(draft.usable for draft in first) >= 5
    assert again == first
    assert backwards == first
