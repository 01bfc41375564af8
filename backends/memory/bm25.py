"""Okapi BM25 over texts in memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from backends.keywords import words_of
from domain.documents import ChunkId

# The usual values (Robertson and Zaragoza 2009, section 3.2), and LanceDB's and Weaviate's.
_K1: Final = 1.2
_B: Final = 0.75


class KeywordIndex:
    """Counts are of the texts in this index alone. `words` parts a text into what is counted."""

    def __init__(self, words: Callable[[str], Sequence[str]] = words_of) -> None:
        self._words_of = words
        self._postings: dict[str, dict[ChunkId, int]] = {}
        self._words: dict[ChunkId, frozenset[str]] = {}
        self._lengths: dict[ChunkId, int] = {}
        self._total = 0

    def __deepcopy__(self, memo: Mapping[int, object]) -> KeywordIndex:
        """Copy the counts level by level: one by one they are most of what copying a store takes."""
        del memo
        copied = KeywordIndex(self._words_of)
        copied._postings = {word: dict(held) for word, held in self._postings.items()}
        copied._words = dict(self._words)
        copied._lengths = dict(self._lengths)
        copied._total = self._total
        return copied

    def add(self, chunk_id: ChunkId, text: str) -> None:
        """Index a text that is not in the index yet."""
        words = self._words_of(text)
        self._words[chunk_id] = frozenset(words)
        for word, count in Counter(words).items():
            self._postings.setdefault(word, {})[chunk_id] = count
        self._lengths[chunk_id] = len(words)
        self._total += len(words)

    def remove(self, chunk_id: ChunkId) -> None:
        """Forget a text."""
        for word in self._words.pop(chunk_id):
            postings = self._postings[word]
            del postings[chunk_id]
            if not postings:
                del self._postings[word]
        self._total -= self._lengths.pop(chunk_id)

    def scores(self, words: Iterable[str]) -> dict[ChunkId, float]:
        """Return the score of each text that has any of the words; all are > 0."""
        count = len(self._lengths)
        mean = self._total / count if count else 1.0
        found: dict[ChunkId, float] = {}
        for word in words:
            postings = self._postings.get(word, {})
            idf = math.log1p((count - len(postings) + 0.5) / (len(postings) + 0.5))
            for chunk_id, frequency in postings.items():
                length = 1 - _B + _B * self._lengths[chunk_id] / mean
                gain = idf * frequency * (_K1 + 1) / (frequency + _K1 * length)
                found[chunk_id] = found.get(chunk_id, 0.0) + gain
        return found
