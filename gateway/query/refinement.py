"""Lets a large model say the chosen answer in one; what it says must mean the same and be borne out.

It sees the passages that the group's established drafts quote, and their answers; nothing of another
group, nothing of the pool. The answer's confidence, votes and sources stay the group's: refining changes
words, never what is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from defences.answering.agreement import same_answer
from defences.answering.denial import denies_answer
from defences.answering.evidence_check import check_evidence
from defences.answering.questions import read_question
from domain.answering import (
    AnswerGroup,
    Draft,
    EvidenceSubset,
    Question,
    Refinement,
    Refiner,
    ScoredDraft,
)
from domain.documents import Tier
from domain.errors import DependencyError
from domain.retrieval import Embedder, ScoredChunk

MAX_PASSAGES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined:
    """`answer` is None unless `result` is `refined`."""

    result: Refinement
    answer: str | None = None


async def refine(
    refiner: Refiner, embedder: Embedder, question: Question, group: AnswerGroup
) -> Refined:
    """Return the group's answer in the model's words, if they pass; a failing model costs nothing."""
    drafts = [scored for scored in group.drafts if scored.draft.subset.tier is not Tier.POOL]
    evidence = _joined(drafts)
    if evidence is None:
        return Refined(result=Refinement.UNAVAILABLE)
    answers = list(dict.fromkeys(scored.draft.answer for scored in drafts))
    try:
        draft = await refiner.refine(question, answers, evidence)
        passes = await _passes(embedder, question, draft, answers)
    except DependencyError:
        return Refined(result=Refinement.UNAVAILABLE)
    if not passes:
        return Refined(result=Refinement.REJECTED)
    return Refined(result=Refinement.REFINED, answer=draft.answer)


async def _passes(
    embedder: Embedder, question: Question, draft: Draft, answers: Sequence[str]
) -> bool:
    """Whether nothing of the draft is struck, and it means what every answer means."""
    profile = read_question(question.text)
    if not draft.usable or draft.struck or denies_answer(profile, draft.answer):
        return False
    if check_evidence(question.text, draft).struck:
        return False
    vectors = await embedder.embed([draft.answer, *answers])
    return all(
        same_answer(profile, draft.answer, answer, float(vectors[0] @ vector))
        for answer, vector in zip(answers, vectors[1:], strict=True)
    )


def _joined(drafts: Sequence[ScoredDraft]) -> EvidenceSubset | None:
    """Return the passages that the drafts quote as one subset, best draft first."""
    chunks: dict[str, ScoredChunk] = {}
    for scored in drafts:
        quoted = {quote.document_id for quote in scored.draft.quotes}
        for hit in scored.draft.subset.chunks:
            if hit.chunk.document_id in quoted:
                chunks.setdefault(hit.chunk.id, hit)
    if not chunks:
        return None
    seats = sorted({seat for scored in drafts for seat in scored.seats})
    return EvidenceSubset(
        index=0,
        seats=tuple(seats),
        tier=drafts[0].draft.subset.tier,
        chunks=tuple(chunks.values())[:MAX_PASSAGES],
    )
