"""What tells a sentence that answers a question from one that does not, as numbers."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.focus import Focus, find_focus
from defences.answering.keywords import inverse_frequencies, keyword_set, keywords, respell
from defences.answering.questions import QuestionProfile
from defences.answering.relations import (
    asked_relations,
    asking_words,
    nearness,
    stated_relations,
)
from defences.answering.sentences import Sentence, SentenceKind, split_sentences
from domain.documents import ChunkId, Span
from domain.retrieval import ScoredChunk

FEATURES: Final = (
    "cosine", "overlap", "overlap_new", "overlap_lead", "overlap_around", "overlap_chunk", "bigrams", "match",
    "match_overlap", "names", "chunk_similarity", "first_chunk", "question", "dangling", "short",
    "long", "row", "relation", "relation_near", "relation_match", "typed", "topic", "rest", "room",
)  # fmt: skip
"""Names of the columns of `features`, in order; the weights name them too."""

_DANGLING: Final = re.compile(
    r"(?:it|this|these|that|those|they|he|she|its|their|his|her|such|here|there|both|then"
    r"|the (?:same|latter|former|first|last|other))\b",
    re.IGNORECASE,
)
_RUN_IN_WORDS: Final = 4
_OPENING_WORDS: Final = 12
_OPENING_CHARACTERS: Final = 400
_SHORT_WORDS: Final = 5
_LONG_WORDS: Final = 30
_MOST_WORDS: Final = 40
_WELL_TYPED: Final = 0.7
_NOTHING_LEFT: Final = 0.5


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
        head = _head(chunk)
        for place in _places(chunk.chunk.text, chunk.chunk.mentions):
            known = (chunk.chunk.document_id, place.sentence.text)
            if known in seen:
                continue
            seen.add(known)
            found.append(
                Candidate(
                    chunk=chunk,
                    rank=rank,
                    sentence=place.sentence,
                    head=head,
                    lead=place.lead,
                    topic="" if head else place.topic,
                    around=place.around,
                )
            )
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A sentence that can answer, with what its passage says beside it."""

    sentence: Sentence
    lead: str
    topic: str
    around: str


@lru_cache(maxsize=4_096)  # a passage is read by drafter and verifier, and for the next question
def _places(text: str, mentions: tuple[Span, ...]) -> tuple[_Place, ...]:
    sentences = split_sentences(text, masked=mentions)
    return tuple(
        _Place(
            sentence=sentence,
            lead=_lead(sentences, at),
            topic=_opening(sentences[0]) if at else "",
            around=" ".join(
                other.text for other in sentences[max(0, at - 1) : at + 2] if other is not sentence
            ),
        )
        for at, sentence in enumerate(sentences)
        if sentence.answers
    )


def _head(chunk: ScoredChunk) -> str:
    parts = [part.strip() for part in (chunk.title, *chunk.chunk.heading.split(" > "))]
    return " - ".join(dict.fromkeys(part for part in parts if part))


def _opening(sentence: Sentence) -> str:
    return " ".join(sentence.text.split()[:_OPENING_WORDS])


def _opening_of(chunk: ScoredChunk) -> str:
    return " ".join(chunk.chunk.text[:_OPENING_CHARACTERS].split()[:_OPENING_WORDS])


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
    rows = features_of_words(question, candidates)
    rows[:, 0] = vectors @ question_vector
    return rows


def features_of_words(
    question: QuestionProfile, candidates: Sequence[Candidate]
) -> NDArray[np.float64]:
    """Return the same without a model: the first column, the cosine, is 0."""
    reader = _Reader(question, candidates)
    rows = [[0.0, *reader.lexical(candidate)] for candidate in candidates]
    return np.array(rows, dtype=np.float64).reshape(len(candidates), len(FEATURES))


class _Reader:
    """Reads candidates of one subset against one question."""

    def __init__(self, question: QuestionProfile, candidates: Sequence[Candidate]) -> None:
        hits = {candidate.chunk.chunk.id: candidate for candidate in candidates}
        texts = [candidate.sentence.text for candidate in candidates]
        weights = inverse_frequencies([*texts, *(one.head for one in hits.values())])
        default = math.log(1.0 + len(texts) + len(hits))
        self._question = question
        whole = {
            id: keyword_set(one.head) | keyword_set(one.chunk.chunk.text)
            for id, one in hits.items()
        }
        topics = {id: keyword_set(one.head or _opening_of(one.chunk)) for id, one in hits.items()}
        vocabulary = frozenset().union(*whole.values()) if hits else frozenset[str]()
        self._terms = respell(question.terms, vocabulary)
        self._pairs = set(itertools.pairwise(self._terms))
        self._wanted = {term: weights.get(term, default) for term in self._terms}
        self._known = frozenset(self._wanted)
        self._total = sum(self._wanted.values()) or 1.0
        self._relations = asked_relations(question.text)
        asking = keyword_set(asking_words(question.text))
        self._rest_of = {id: self._known - topic - asking for id, topic in topics.items()}
        # of a passage as a whole, so that they are not told anew for each of its sentences
        self._share_of_whole = {id: self._share(words) for id, words in whole.items()}
        self._named_in_whole = {id: self._named(words) for id, words in whole.items()}
        self._share_of_topic = {id: self._share(words) for id, words in topics.items()}

    def lexical(self, candidate: Candidate) -> list[float]:
        """Return all features but the cosine, in the order of `FEATURES`."""
        text = candidate.sentence.text
        own, led_by = keyword_set(text), keyword_set(candidate.lead)
        context = keyword_set(candidate.head) | keyword_set(candidate.topic) | led_by
        lead = own | context
        around = self._share(lead | keyword_set(candidate.around))
        at = candidate.chunk.chunk.id
        focus = find_focus(self._question, text, context=candidate.head)
        length = len(text.split())
        pairs = self._pairs.intersection(itertools.pairwise(keywords(text)))
        return [
            self._share(own),
            self._share(own - context),
            self._share(lead),
            around,
            self._share_of_whole[at],
            len(pairs) / max(1, len(self._pairs)),
            focus.match,
            focus.match * around,
            self._named_in_whole[at],
            candidate.chunk.similarity,
            1.0 / (1.0 + candidate.rank),
            float(text.rstrip().endswith("?")),
            float(not candidate.lead and bool(_DANGLING.match(text))),
            float(length < _SHORT_WORDS and not any(map(str.isdigit, text))),
            max(0.0, (length - _LONG_WORDS) / _LONG_WORDS),
            float(candidate.sentence.kind is SentenceKind.ROW),
            *self._related(text, focus),
            float(focus.match >= _WELL_TYPED),
            self._share_of_topic[at],
            self._rest(own | led_by, at),
            min(length, _MOST_WORDS) / _MOST_WORDS,
        ]

    def _share(self, present: frozenset[str]) -> float:
        """Return the weighted share of the question's words that are present; 0 without any."""
        return sum(map(self._wanted.__getitem__, self._known & present)) / self._total

    def _related(self, text: str, focus: Focus) -> list[float]:
        """Return whether the relation asked for is stated, how near the answer, and both."""
        if not self._relations:
            return [0.5, 0.25, 0.5 * focus.match]
        stated = stated_relations(text, self._relations)
        share = len(stated) / len(self._relations)
        found = focus.value or focus.name
        near = nearness(stated, found.start, found.end) if found is not None else 0.0
        return [share, near, share * focus.match]

    def _rest(self, present: frozenset[str], at: ChunkId) -> float:
        """Return the share of what is asked about the passage's matter.

        The words of the matter itself, and those that only ask, are left out.
        """
        rest = self._rest_of[at]
        if not rest:
            return _NOTHING_LEFT
        wanted = self._wanted.__getitem__
        return sum(map(wanted, rest & present)) / sum(map(wanted, rest))

    def _named(self, present: frozenset[str]) -> float:
        """Return the share of the question's names that its passage has; one half without any."""
        names = self._question.names
        if not names:
            return 0.5
        return sum(name.stems <= present for name in names) / len(names)
