"""What tells a sentence that answers a question from one that does not, as numbers."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.focus import find_focus
from defences.answering.keywords import coverage, inverse_frequencies, keywords, respell
from defences.answering.questions import QuestionProfile
from defences.answering.sentences import Sentence, SentenceKind, split_sentences
from domain.retrieval import ScoredChunk

FEATURES: Final = (
    "cosine", "overlap", "overlap_new", "overlap_lead", "overlap_around", "overlap_chunk", "bigrams", "match",
    "match_overlap", "names", "chunk_similarity", "first_chunk", "question", "dangling", "short",
    "long", "row",
)  # fmt: skip
"""Names of the columns of `features`, in order; the weights name them too."""

_DANGLING: Final = re.compile(
    r"(?:it|this|these|that|those|they|he|she|its|their|his|her|such|here|there|both|then"
    r"|the (?:same|latter|former|first|last|other))\b",
    re.IGNORECASE,
)
_RUN_IN_WORDS: Final = 4
_OPENING_WORDS: Final = 12
_SHORT_WORDS: Final = 5
_LONG_WORDS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence that could be the answer, with what must be read beside it.

    Attributes:
        rank: Of its chunk in the subset, from 0.
        head: Title and headings it stands under.
        lead: Text before it without which it is not understood: the sentence that its opening
            pronoun points to, a run-in heading, the header of its table. Often empty.
        topic: The words with which its passage opens, where it stands under no heading and does not
            open it itself: what the passage is about.
        around: The sentences before and after.
    """

    chunk: ScoredChunk
    rank: int
    sentence: Sentence
    head: str
    lead: str
    topic: str
    around: str

    @property
    def in_context(self) -> str:
        """The sentence as a reader of the page would take it; what is embedded."""
        said = f"{self.lead} {self.sentence.text}" if self.lead else self.sentence.text
        about = self.head or self.topic
        return f"{about}: {said}" if about else said


def find_candidates(chunks: Sequence[ScoredChunk]) -> tuple[Candidate, ...]:
    """Return every sentence that can answer, in order of chunks and of place.

    A sentence that touches a masked mention is none (Law 14). Of sentences that several chunks
    share by overlap the first stays.
    """
    found: list[Candidate] = []
    seen: set[tuple[str, str]] = set()
    for rank, chunk in enumerate(chunks):
        sentences = split_sentences(chunk.chunk.text, masked=chunk.chunk.mentions)
        head = _head(chunk)
        for at, sentence in enumerate(sentences):
            known = (chunk.chunk.document_id, sentence.text)
            if not sentence.answers or known in seen:
                continue
            seen.add(known)
            found.append(
                Candidate(
                    chunk=chunk,
                    rank=rank,
                    sentence=sentence,
                    head=head,
                    lead=_lead(sentences, at),
                    topic="" if head or at == 0 else _opening(sentences[0]),
                    around=" ".join(
                        other.text
                        for other in sentences[max(0, at - 1) : at + 2]
                        if other is not sentence
                    ),
                )
            )
    return tuple(found)


def _head(chunk: ScoredChunk) -> str:
    parts = [part.strip() for part in (chunk.title, *chunk.chunk.heading.split(" > "))]
    return " - ".join(dict.fromkeys(part for part in parts if part))


def _opening(sentence: Sentence) -> str:
    return " ".join(sentence.text.split()[:_OPENING_WORDS])


def _lead(sentences: Sequence[Sentence], at: int) -> str:
    sentence = sentences[at]
    if at == 0:
        return ""
    before = sentences[at - 1]
    if sentence.kind is SentenceKind.ROW:
        first = at
        while first > 0 and sentences[first - 1].kind is SentenceKind.ROW:
            first -= 1
        header = sentences[first].text if first < at else ""
        above = sentences[first - 1].text if first > 0 else ""
        return f"{above} {header}".strip()
    if before.kind is SentenceKind.HEADING or len(before.text.split()) <= _RUN_IN_WORDS:
        return before.text
    return before.text if _DANGLING.match(sentence.text) else ""


def features(
    question: QuestionProfile,
    candidates: Sequence[Candidate],
    question_vector: NDArray[np.float32],
    vectors: NDArray[np.float32],
) -> NDArray[np.float64]:
    """Return the features of candidates, shape `(len(candidates), len(FEATURES))`.

    Words count by how rare they are among the candidates alone, so that what stands in one subset
    never changes how another is read.

    Args:
        question: As read.
        candidates: Of one subset.
        question_vector: Shape `(d,)`, unit.
        vectors: Shape `(len(candidates), d)`, of the candidates in context, unit.
    """
    reader = _Reader(question, candidates)
    cosines = vectors @ question_vector
    rows = [
        [float(cosine), *reader.lexical(candidate)]
        for candidate, cosine in zip(candidates, cosines, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(candidates), len(FEATURES))


class _Reader:
    """Reads candidates of one subset against one question."""

    def __init__(self, question: QuestionProfile, candidates: Sequence[Candidate]) -> None:
        heads = {candidate.chunk.chunk.id: candidate.head for candidate in candidates}
        texts = [candidate.sentence.text for candidate in candidates]
        self._question = question
        self._weights = inverse_frequencies([*texts, *heads.values()])
        self._default = math.log(1.0 + len(texts) + len(heads))
        self._whole = {
            candidate.chunk.chunk.id: frozenset(
                keywords(f"{candidate.head} {candidate.chunk.chunk.text}")
            )
            for candidate in candidates
        }
        vocabulary = frozenset().union(*self._whole.values()) if self._whole else frozenset[str]()
        self._terms = respell(question.terms, vocabulary)
        self._pairs = set(zip(self._terms, self._terms[1:], strict=False))

    def lexical(self, candidate: Candidate) -> list[float]:
        """Return all features but the cosine, in the order of `FEATURES`."""
        text = candidate.sentence.text
        own = keywords(text)
        context = {*keywords(f"{candidate.head} {candidate.topic}"), *keywords(candidate.lead)}
        lead = {*own, *context}
        around = {*lead, *keywords(candidate.around)}
        whole = self._whole[candidate.chunk.chunk.id]
        match = find_focus(self._question, text, context=candidate.head).match
        length = len(text.split())
        led = self._share(lead)
        pairs = self._pairs & set(itertools.pairwise(own))
        return [
            self._share(own),
            self._share(set(own) - context),
            led,
            self._share(around),
            self._share(whole),
            len(pairs) / max(1, len(self._pairs)),
            match,
            match * self._share(around),
            self._named(whole),
            candidate.chunk.similarity,
            1.0 / (1.0 + candidate.rank),
            float(text.rstrip().endswith("?")),
            float(bool(_DANGLING.match(text)) and not candidate.lead),
            float(length < _SHORT_WORDS and not any(map(str.isdigit, text))),
            max(0.0, (length - _LONG_WORDS) / _LONG_WORDS),
            float(candidate.sentence.kind is SentenceKind.ROW),
        ]

    def _share(self, present: Sequence[str] | set[str] | frozenset[str]) -> float:
        return coverage(self._terms, present, self._weights, default=self._default)

    def _named(self, present: frozenset[str]) -> float:
        """Return the share of the question's names that its passage has; one half without any."""
        names = self._question.names
        if not names:
            return 0.5
        return sum(name.stems <= present for name in names) / len(names)
