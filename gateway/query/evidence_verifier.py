"""A verifier without a language model: does the evidence say what the draft says?

It stands where a language model would give log P(draft | question, evidence) per token. Its
numbers are no likelihoods; they are ordered like them, which is all that Law 7 asks of them:

- no evidence at all: `PRIOR`, whatever the draft. A likelihood without evidence cannot tell a
  coherent lie from the truth (AUROC .48-.57, measured), so nothing is lost;
- evidence that says the same: from `PRIOR` up to `SUPPORTED`, the closer to the question the higher;
- evidence that speaks of something else: `PRIOR`, so that its lift is 0;
- evidence that answers the question otherwise (another figure, name, yes or no): below `PRIOR`, down
  to `CONTRADICTED`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.agreement import same_answer
from defences.answering.focus import Focus, find_focus, yes_or_no
from defences.answering.keywords import keyword_set, keywords
from defences.answering.questions import AnswerType, QuestionProfile, read_question
from domain.answering import Draft, EvidenceSubset, Question
from domain.retrieval import Embedder
from gateway.query.sentence_features import Candidate, about_what_is_asked, find_candidates
from gateway.query.sentence_vectors import SentenceVectors

PRIOR: Final = -2.0
SUPPORTED: Final = -0.05
CONTRADICTED: Final = -3.5
"""Nats per token."""

_SHORTLIST: Final = 8
"""Sentences of a subset that are compared: those with most of the question's and draft's words."""

_ON_TOPIC: Final = 0.5
"""Topicality from which a sentence that answers otherwise contradicts."""

_NEAR: Final = 0.1
"""A contradiction must be more to the point than the agreement beside it by this much."""

_COSINE_FROM: Final = 0.3
_COSINE_TO: Final = 0.75
"""Cosines of question and sentence that count as topicality 0 and 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """The sentences of a subset that matter for one draft, with their vectors."""

    candidates: tuple[Candidate, ...]
    vectors: NDArray[np.float32]


class EvidenceVerifier:
    """Scores drafts by what the evidence says, with words, figures and sentence vectors."""

    def __init__(self, embedder: Embedder) -> None:
        """Set up over an embedder; a `SentenceVectors` is used as it is."""
        self._vectors = SentenceVectors.over(embedder)

    @property
    def version(self) -> str:
        return f"evidence-1:{self._vectors.version}"

    async def score(
        self, question: Question, drafts: Sequence[Draft], evidence: Sequence[EvidenceSubset | None]
    ) -> NDArray[np.float64]:
        """Return the pseudo-likelihoods of drafts, shape `(len(drafts), len(evidence))`.

        Values lie in `[CONTRADICTED, SUPPORTED]`. A draft that abstained or failed says nothing and
        gets `PRIOR`.
        """
        profile = read_question(question.text)
        split = [
            () if subset is None else about_what_is_asked(profile, find_candidates(subset.chunks))
            for subset in evidence
        ]
        shortlists = [
            [_shortlist(profile, draft, candidates) for candidates in split] for draft in drafts
        ]
        texts = [profile.text, *(draft.answer for draft in drafts)]
        flat = [item.in_context for row in shortlists for held in row for item in held]
        vectors = await self._vectors.embed([*texts, *flat])
        question_vector, answers = vectors[0], vectors[1 : len(texts)]
        at = len(texts)
        scores = np.full((len(drafts), len(evidence)), PRIOR, dtype=np.float64)
        for row, draft in enumerate(drafts):
            for column, subset in enumerate(evidence):
                held = shortlists[row][column]
                found = _Evidence(candidates=held, vectors=vectors[at : at + len(held)])
                at += len(held)
                if subset is not None and draft.usable:
                    scores[row, column] = _judge(
                        profile, draft, subset, found, question_vector, answers[row]
                    )
        return scores


def _shortlist(
    profile: QuestionProfile, draft: Draft, candidates: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    if not draft.usable:
        return ()
    wanted = frozenset(profile.terms) | keyword_set(draft.answer)
    counts = [len(item.shared(wanted)) for item in candidates]
    order = sorted(range(len(candidates)), key=lambda at: (-counts[at], at))
    return tuple(candidates[at] for at in order[:_SHORTLIST] if counts[at] > 0)


def _judge(
    profile: QuestionProfile,
    draft: Draft,
    subset: EvidenceSubset,
    evidence: _Evidence,
    question_vector: NDArray[np.float32],
    answer_vector: NDArray[np.float32],
) -> float:
    quoted = draft.quotes and all(_stands_in(quote.text, subset) for quote in draft.quotes)
    if quoted and _answer_is_quoted(profile, draft):
        return SUPPORTED
    agreed, denied = 0.0, 0.0
    for candidate, vector in zip(evidence.candidates, evidence.vectors, strict=True):
        topical = _topicality(profile, candidate, float(vector @ question_vector))
        verdict = _compare(profile, draft.answer, candidate, float(vector @ answer_vector))
        if verdict is True:
            agreed = max(agreed, topical)
        elif verdict is False:
            denied = max(denied, topical)
    if agreed > 0.0 and agreed >= denied - _NEAR:
        return PRIOR + agreed * (SUPPORTED - PRIOR)
    if denied >= _ON_TOPIC:
        return PRIOR + denied * (CONTRADICTED - PRIOR)
    return PRIOR


def _stands_in(text: str, subset: EvidenceSubset) -> bool:
    flat = _flat(text)
    return any(flat in _flat(chunk.chunk.text) for chunk in subset.chunks)


def _answer_is_quoted(profile: QuestionProfile, draft: Draft) -> bool:
    """Whether the quotes carry the answer: its words, or the figure or name that it turns on."""
    quoted = " ".join(quote.text for quote in draft.quotes)
    if _flat(draft.answer) in _flat(quoted) or _flat(quoted) in _flat(draft.answer):
        return True
    own = find_focus(profile, draft.answer)
    if own.value is None and own.name is None:
        return set(keywords(draft.answer)) <= set(keywords(quoted))
    return same_answer(profile, draft.answer, quoted, 0.0)


def _topicality(profile: QuestionProfile, candidate: Candidate, cosine: float) -> float:
    """Return how much a sentence speaks of what is asked, in [0, 1]."""
    terms = frozenset(profile.terms)
    present = candidate.shared(terms) | candidate.shared_around(terms)
    words = len(present) / len(terms) if terms else 0.0
    meaning = (cosine - _COSINE_FROM) / (_COSINE_TO - _COSINE_FROM)
    return 0.5 * words + 0.5 * min(1.0, max(0.0, meaning))


def _compare(
    profile: QuestionProfile, answer: str, candidate: Candidate, cosine: float
) -> bool | None:
    """Whether a sentence says the same as the answer; None where it says nothing of the kind."""
    text = candidate.sentence.text
    if profile.type is AnswerType.YES_NO:
        own, other = yes_or_no(profile, answer), yes_or_no(profile, text)
        return None if own is None or other is None else own is other
    own_focus = find_focus(profile, answer)
    focus = find_focus(profile, text, context=candidate.head)
    if own_focus.value is not None:
        return same_answer(profile, answer, text, cosine) if focus.value is not None else None
    if own_focus.name is not None:
        return _same_name(profile, answer, candidate, own_focus, focus, cosine)
    return True if same_answer(profile, answer, text, cosine) else None


def _same_name(
    profile: QuestionProfile,
    answer: str,
    candidate: Candidate,
    own: Focus,
    focus: Focus,
    cosine: float,
) -> bool | None:
    """Compare names: a sentence that has the name agrees, one with another name may differ."""
    text = candidate.sentence.text
    if own.name is not None and own.name.stems <= set(keywords(text)):
        return True
    if focus.name is None:
        return True if same_answer(profile, answer, text, cosine) else None
    return False if profile.type in {AnswerType.PERSON, AnswerType.PLACE} else None


@lru_cache(maxsize=1_024)  # each quote is looked for in each passage of its subset
def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
