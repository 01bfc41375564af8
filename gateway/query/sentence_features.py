"""What tells a sentence that answers a question from one that does not, as numbers."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.focus import Focus, find_focus
from defences.answering.keywords import keyword_set, keywords, respell
from defences.answering.questions import QuestionProfile
from defences.answering.relations import (
    asked_relations,
    asking_words,
    nearness,
    stated_relations,
)
from defences.answering.sentences import Sentence, SentenceKind, split_sentences
from defences.answering.subjects import missing_subjects, names_another
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
class Place:
    """A sentence that can answer, with what its passage says beside it.

    Attributes:
        lead: Text before it without which it is not understood: the sentence that its opening
            pronoun points to, a run-in heading, the header of its table. Often empty.
        topic: The words with which its passage opens, where it does not open it itself.
        beside: The sentences before and after.
        shape: Features that depend on the sentence alone, in the order of `_SHAPE`.
    """

    sentence: Sentence
    lead: str
    topic: str
    beside: tuple[str, ...]
    shape: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence that could be the answer.

    Attributes:
        rank: Of its chunk in the subset, from 0.
        head: Title and headings it stands under.
    """

    chunk: ScoredChunk
    rank: int
    head: str
    place: Place

    @property
    def sentence(self) -> Sentence:
        return self.place.sentence

    @property
    def about(self) -> str:
        """What the passage is about: its head, or where it has none how it opens."""
        return self.head or self.place.topic

    @property
    def in_context(self) -> str:
        """The sentence as a reader of the page would take it; what is embedded."""
        place, about = self.place, self.about
        said = f"{place.lead} {place.sentence.text}" if place.lead else place.sentence.text
        return f"{about}: {said}" if about else said

    def shared(self, terms: frozenset[str]) -> frozenset[str]:
        """Return those of some keywords that stand in the sentence in context."""
        place = self.place
        own, lead = keyword_set(place.sentence.text), keyword_set(place.lead)
        return (terms & own) | (terms & lead) | (terms & keyword_set(self.about))

    def shared_around(self, terms: frozenset[str]) -> frozenset[str]:
        """Return those of some keywords that stand in the sentences before and after."""
        return frozenset().union(*[terms & keyword_set(text) for text in self.place.beside])


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
            if known not in seen:
                seen.add(known)
                found.append(Candidate(chunk=chunk, rank=rank, head=head, place=place))
    return tuple(found)


def about_what_is_asked(
    question: QuestionProfile, candidates: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """Return the candidates but those that say it of something else than the question names."""
    missing = {
        chunk.chunk.id: missing_subjects(question.text, f"{_head(chunk)} {chunk.chunk.text}")
        for chunk in {one.chunk.chunk.id: one.chunk for one in candidates}.values()
    }
    if not any(missing.values()):
        return tuple(candidates)
    return tuple(
        one
        for one in candidates
        if not names_another(question.text, one.in_context, missing[one.chunk.chunk.id])
    )


@lru_cache(maxsize=4_096)  # a passage is read by drafter and verifier, and for the next question
def _places(text: str, mentions: tuple[Span, ...]) -> tuple[Place, ...]:
    sentences = split_sentences(text, masked=mentions)
    return tuple(
        Place(
            sentence=sentence,
            lead=(lead := _lead(sentences, at)),
            topic=_opening(sentences[0]) if at else "",
            beside=tuple(
                other.text for other in sentences[max(0, at - 1) : at + 2] if other is not sentence
            ),
            shape=_shape(sentence, lead),
        )
        for at, sentence in enumerate(sentences)
        if sentence.answers
    )


def _shape(sentence: Sentence, lead: str) -> tuple[float, ...]:
    text, length = sentence.text, len(sentence.text.split())
    return (
        float(text.rstrip().endswith("?")),
        float(not lead and bool(_DANGLING.match(text))),
        float(length < _SHORT_WORDS and not any(map(str.isdigit, text))),
        max(0.0, (length - _LONG_WORDS) / _LONG_WORDS),
        float(sentence.kind is SentenceKind.ROW),
        min(length, _MOST_WORDS) / _MOST_WORDS,
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
        self._question = question
        whole = {
            id: (keyword_set(one.head), keyword_set(one.chunk.chunk.text))
            for id, one in hits.items()
        }
        terms = respell(question.terms, list(itertools.chain.from_iterable(whole.values())))
        self._pairs = set(itertools.pairwise(terms))
        self._wanted = _weighed(terms, candidates, hits.values())
        self._known = frozenset(self._wanted)
        self._weights: dict[frozenset[str], float] = {}
        self._total = sum(self._wanted.values()) or 1.0
        self._relations = asked_relations(question.text)
        asking = keyword_set(asking_words(question.text))
        topics = {id: keyword_set(one.head or _opening_of(one.chunk)) for id, one in hits.items()}
        self._rest_of = {id: self._known - topic - asking for id, topic in topics.items()}
        # of a passage as a whole, so that they are not told anew for each of its sentences
        self._share_of_whole = {
            id: self._share(*(self._known & words for words in parts))
            for id, parts in whole.items()
        }
        self._named_in_whole = {id: self._named(parts) for id, parts in whole.items()}
        self._share_of_topic = {id: self._share(words) for id, words in topics.items()}

    def lexical(self, candidate: Candidate) -> list[float]:
        """Return all features but the cosine, in the order of `FEATURES`."""
        place, known = candidate.place, self._known
        text = place.sentence.text
        own, led_by = known & keyword_set(text), known & keyword_set(place.lead)
        context = led_by | (known & keyword_set(candidate.about))
        around = self._share(own, context, candidate.shared_around(known))
        at = candidate.chunk.chunk.id
        focus = find_focus(self._question, text, context=candidate.head)
        pairs = self._pairs.intersection(itertools.pairwise(keywords(text))) if own else ()
        asks, dangling, short, long, row, room = place.shape
        return [
            self._share(own),
            self._share(own - context),
            self._share(own, context),
            around,
            self._share_of_whole[at],
            len(pairs) / max(1, len(self._pairs)),
            focus.match,
            focus.match * around,
            self._named_in_whole[at],
            candidate.chunk.similarity,
            1.0 / (1.0 + candidate.rank),
            asks,
            dangling,
            short,
            long,
            row,
            *self._related(text, focus),
            float(focus.match >= _WELL_TYPED),
            self._share_of_topic[at],
            self._rest(own | led_by, at),
            room,
        ]

    def _share(self, *present: frozenset[str]) -> float:
        """Return the weighted share of the question's words that are present; 0 without any."""
        return self._weight(frozenset().union(*present)) / self._total

    def _weight(self, present: frozenset[str]) -> float:
        known = self._weights.get(present)
        if known is None:  # sentences of a subset have few different shares of a few words
            # in the question's order, so that the sum is the same in each process
            known = sum([weight for term, weight in self._wanted.items() if term in present])
            self._weights[present] = known
        return known

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
        return self._weight(rest & present) / self._weight(rest) if rest else _NOTHING_LEFT

    def _named(self, parts: Sequence[frozenset[str]]) -> float:
        """Return the share of the question's names that its passage has; one half without any."""
        names = self._question.names
        if not names:
            return 0.5
        present = frozenset().union(*parts)
        return sum(name.stems <= present for name in names) / len(names)


def _weighed(
    terms: Sequence[str], candidates: Sequence[Candidate], heads: Collection[Candidate]
) -> dict[str, float]:
    """Return log(1 + N / df) of each term among sentences and heads, log(1 + N) where it is in none.

    Of these alone, so that what stands in one evidence subset never changes how another is read.
    """
    texts = [keyword_set(one.sentence.text) for one in candidates]
    texts += [keyword_set(one.head) for one in heads]
    count = len(texts)
    return {
        term: math.log(1.0 + count / max(1, sum([term in words for words in texts])))
        for term in terms
    }
