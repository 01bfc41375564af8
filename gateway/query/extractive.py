"""A drafter without a language model: it quotes one sentence of its evidence.

It cannot be talked into anything: no text of a document is followed, completed or rephrased. What
a document can do is offer a sentence that looks like an answer, and whose sentence that is stays on
the draft.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from defences.answering.focus import Focus, find_focus, same_focus, yes_or_no
from defences.answering.questions import AnswerType, QuestionProfile, read_question
from domain.answering import Draft, EvidenceSubset, Question, Quote
from domain.retrieval import Embedder
from gateway.query.comparison import Verdict, decide, needs_both
from gateway.query.extractive_weights import ExtractiveWeights
from gateway.query.sentence_features import (
    Candidate,
    about_what_is_asked,
    features_of_words,
    find_candidates,
)
from gateway.query.sentence_vectors import DEFAULT_CAPACITY, SentenceVectors

MAX_WORDS: Final = 40
MAX_MARGIN: Final = 4.0
_LEAST_PROBABILITY: Final = 1e-3
_DECIDED: Final = 0.9
"""Probability of an answer that figures, dates or plain statements about both sides decide."""
_CLAUSE: Final = re.compile(r"(?<=[,;:)])\s+|\s+(?=\()|\s+[–—-]\s+")  # noqa: RUF001


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The best sentence of a subset.

    Attributes:
        score: Of the ranking; higher is better, comparable between subsets of one question.
        margin: By how much it beats the best sentence that answers otherwise, at most `MAX_MARGIN`.
        probability: That it answers the question rightly by its evidence, in (0, 1).
        features: Its row of `features`.
    """

    candidate: Candidate
    focus: Focus
    score: float
    margin: float
    probability: float
    features: NDArray[np.float64]


class ExtractiveDrafter:
    """Scores every sentence of a subset and quotes the best one, at most 40 words of it.

    Drafts of one question that run side by side share one call of the embedder.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        weights: ExtractiveWeights | None = None,
        max_candidates: int = 24,
        cache_capacity: int = DEFAULT_CAPACITY,
    ) -> None:
        """Set up.

        Args:
            embedder: Of sentences and questions; a `SentenceVectors` is used as it is.
            weights: Fitted numbers; None for the shipped ones.
            max_candidates: Sentences of a subset that are embedded: those that read best without.
            cache_capacity: Sentence vectors kept, unless `embedder` is a `SentenceVectors`.
        """
        if max_candidates < 1:
            raise ValueError(f"max_candidates must be >= 1, got {max_candidates}")
        self._weights = weights if weights is not None else ExtractiveWeights.shipped()
        self._vectors = SentenceVectors.over(embedder, capacity=cache_capacity)
        self._max_candidates = max_candidates

    @property
    def version(self) -> str:
        return f"extractive-3:{self._weights.digest}:{self._vectors.version}"

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        """Quote the sentence of `subset` that answers best, or abstain where none seems to."""
        profile = read_question(question.text)
        candidates = find_candidates(subset.chunks)
        verdict = decide(profile, candidates)
        if verdict is not None:
            return _compared(subset, verdict)
        if needs_both(profile, candidates):
            return _abstained(subset)
        pick = await self._pick(profile, about_what_is_asked(profile, candidates))
        if pick is None or pick.probability < self._weights.abstain_below:
            return _abstained(subset)
        return _drafted(
            profile, subset, pick, tentative=pick.probability < self._weights.tentative_below
        )

    async def pick(self, profile: QuestionProfile, subset: EvidenceSubset) -> Pick | None:
        """Return the best sentence, however poor; None where there is no sentence at all."""
        return await self._pick(profile, find_candidates(subset.chunks))

    async def _pick(self, profile: QuestionProfile, found: Sequence[Candidate]) -> Pick | None:
        if not found:
            return None
        rows = features_of_words(profile, found)
        kept = self._shortlist(rows)
        candidates, rows = [found[at] for at in kept], rows[kept]
        vectors = await self._vectors.embed(
            [profile.text, *(candidate.in_context for candidate in candidates)]
        )
        rows[:, 0] = vectors[1:] @ vectors[0]
        return choose(profile, candidates, rows, self._weights)

    def _shortlist(self, rows: NDArray[np.float64]) -> list[int]:
        """Return the places of those that read best without a model, in order."""
        best = np.argsort(-(rows @ self._weights.ranking), kind="stable")
        return sorted(int(at) for at in best[: self._max_candidates])


def choose(
    profile: QuestionProfile,
    candidates: Sequence[Candidate],
    rows: NDArray[np.float64],
    weights: ExtractiveWeights,
) -> Pick:
    """Return the best of at least one candidate; on a tie the earlier one."""
    scores = rows @ weights.ranking
    best = int(np.argmax(scores))
    chosen = candidates[best]
    focus = find_focus(profile, chosen.sentence.text, context=chosen.head)
    margin = MAX_MARGIN
    for at in np.argsort(-scores, kind="stable"):
        other = candidates[int(at)]
        if int(at) == best or other.sentence.text == chosen.sentence.text:
            continue
        rival = find_focus(profile, other.sentence.text, context=other.head)
        if same_focus(focus, rival) is not True:
            margin = min(MAX_MARGIN, float(scores[best] - scores[int(at)]))
            break
    inputs = np.array([1.0, scores[best], margin, *rows[best]], dtype=np.float64)
    probability = float(expit(inputs @ weights.probability))
    return Pick(
        candidate=chosen,
        focus=focus,
        score=float(scores[best]),
        margin=margin,
        probability=min(1.0 - _LEAST_PROBABILITY, max(_LEAST_PROBABILITY, probability)),
        features=rows[best],
    )


def _abstained(subset: EvidenceSubset) -> Draft:
    return Draft(subset=subset, answer="", rationale="", quotes=(), probability=1.0, abstained=True)


def _drafted(
    profile: QuestionProfile, subset: EvidenceSubset, pick: Pick, *, tentative: bool
) -> Draft:
    candidate = pick.candidate
    prefix = _polarity(profile, candidate)
    room = MAX_WORDS - (1 if prefix else 0)
    start, end = _window(candidate, pick.focus, room)
    quote = _quote(candidate, start, end)
    return Draft(
        subset=subset,
        answer=f"{prefix}{quote.text}",
        rationale=_rationale(profile, pick),
        quotes=(quote,),
        probability=pick.probability,
        tentative=tentative,
    )


def _quote(candidate: Candidate, start: int, end: int) -> Quote:
    hit = candidate.chunk
    return Quote(
        document_id=hit.chunk.document_id,
        origin=hit.origin.ref,
        text=" ".join(hit.chunk.text[start:end].split()),
        span=hit.chunk.source(start, end),
        trust=hit.trust,
    )


def _compared(subset: EvidenceSubset, verdict: Verdict) -> Draft:
    said = verdict.said
    shown = verdict.shown.sentence
    if len(f"{said} {shown.text}".split()) <= MAX_WORDS:
        said = f"{said}: {shown.text}"
    return Draft(
        subset=subset,
        answer=said,
        rationale="The question compares two things. These sentences speak of both and decide.",
        quotes=tuple(
            _quote(ground, ground.sentence.start, ground.sentence.end) for ground in verdict.grounds
        ),
        probability=_DECIDED,
    )


def spoken(profile: QuestionProfile, candidate: Candidate) -> str:
    """Return the whole sentence as an answer, uncut: with yes or no before it where that decides."""
    return f"{_polarity(profile, candidate)}{candidate.sentence.text}"


def _polarity(profile: QuestionProfile, candidate: Candidate) -> str:
    if profile.type is not AnswerType.YES_NO:
        return ""
    text = candidate.sentence.text
    if re.match(r"\W*(?:yes|no)\b", text, re.IGNORECASE):
        return ""
    answer = yes_or_no(profile, text)
    return "" if answer is None else ("Yes: " if answer else "No: ")


def _rationale(profile: QuestionProfile, pick: Pick) -> str:
    """Return why this sentence, in our own words: none of the document's."""
    if pick.focus.value is not None:
        reason = f"it states a {pick.focus.value.kind.value}"
    elif pick.focus.name is not None:
        reason = "it names somebody or something that the question does not"
    else:
        reason = "its words and meaning are the closest"
    return f"Asked for: {profile.type.value}. This sentence was quoted because {reason}."


def _window(candidate: Candidate, focus: Focus, room: int) -> tuple[int, int]:
    """Return where in the chunk the quote begins and ends: the sentence, or clauses of it.

    A sentence that is too long is cut to the clause of the value or name that answers, grown by
    whole clauses to both sides while they fit; a clause that is too long itself to words.
    """
    sentence = candidate.sentence
    raw = candidate.chunk.chunk.text[sentence.start : sentence.end]
    if len(raw.split()) <= room:
        return sentence.start, sentence.end
    anchor = _anchor(raw, focus)
    bounds = [0, *(match.end() for match in _CLAUSE.finditer(raw)), len(raw)]
    first = max(at for at, bound in enumerate(bounds[:-1]) if bound <= anchor)
    last = first + 1
    while True:
        if last < len(bounds) - 1 and _words(raw, bounds[first], bounds[last + 1]) <= room:
            last += 1
        elif first > 0 and _words(raw, bounds[first - 1], bounds[last]) <= room:
            first -= 1
        else:
            break
    start, end = _cut_words(raw, bounds[first], bounds[last], anchor, room)
    return sentence.start + start, sentence.start + end


def _anchor(raw: str, focus: Focus) -> int:
    """Return where the focus stands in the text of the chunk; it was found with blanks folded."""
    found = focus.value or focus.name
    if found is None:
        return 0
    skipped = 0
    for at, character in enumerate(raw):
        if skipped >= found.start:
            return at
        if not character.isspace() or (at and not raw[at - 1].isspace()):
            skipped += 1
    return max(0, len(raw) - 1)


def _words(text: str, start: int, end: int) -> int:
    return len(text[start:end].split())


def _cut_words(raw: str, start: int, end: int, anchor: int, room: int) -> tuple[int, int]:
    spots = [match.span() for match in re.finditer(r"\S+", raw[start:end])]
    if len(spots) > room:
        at = next((i for i, (_, stop) in enumerate(spots) if start + stop > anchor), 0)
        first = min(max(0, at - room // 2), len(spots) - room)
        spots = spots[first : first + room]
    return start + spots[0][0], start + spots[-1][1]
