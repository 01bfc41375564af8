"""Questions as topics compare and label them: their keys, and the words that may label a topic."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Final

from defences.answering.keywords import STOPWORDS
from domain.monitoring import TopicId

_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]{3,24}(?!\w)")
_CLOSING: Final = " ?!.;:…\u061f\uff1f\u3002"
"""What a question may end on without being another one; the Arabic and full-width marks too."""


def normalise_question(text: str) -> str:
    """Return the question as repeats are compared: case, width, spacing and closing marks aside."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(_CLOSING)


def question_key(text: str) -> str:
    """Return a digest that equal questions share, 32 hex digits."""
    normalised = normalise_question(text).encode("utf-8", "surrogatepass")
    return hashlib.sha256(normalised).hexdigest()[:32]


def question_words(text: str) -> frozenset[str]:
    """Return the words that may label a topic: letters alone, 3 to 24 of them, no stop words.

    Without digits and short words no telephone number, amount or code becomes part of a label, and
    without marks none that Markdown, HTML, CEF or a spreadsheet reads as anything else.
    """
    words = _WORD.findall(normalise_question(text))
    return frozenset(word for word in words if word not in STOPWORDS)


class TopicWords:
    """Counts, by topic, how many of the questions seen by this process held a word."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._words: dict[TopicId, Counter[str]] = {}
        self._counted: Counter[TopicId] = Counter()

    def count(self, topic_id: TopicId, words: frozenset[str]) -> None:
        counts = self._words.setdefault(topic_id, Counter())
        counts.update(words)
        self._words[topic_id] = Counter(dict(counts.most_common(self._most)))
        self._counted[topic_id] += 1

    def replace(self, topic_id: TopicId, counts: Mapping[str, int], *, counted: int) -> None:
        """Forget what was counted of a topic, and take these counts of so many questions for it."""
        self._words[topic_id] = Counter(dict(Counter(counts).most_common(self._most)))
        self._counted[topic_id] = counted

    def merge(self, gone: TopicId, into: TopicId) -> None:
        counts = self._words.pop(gone, Counter()) + self._words.get(into, Counter())
        self.replace(into, counts, counted=self._counted[into] + self._counted.pop(gone, 0))

    def label(
        self, topic_id: TopicId, words: frozenset[str], *, size: int, most: int
    ) -> tuple[str, ...] | None:
        """Return the words most telling of a topic, one more question counted in.

        By tf-idf, a topic being the document; equal words in order of the alphabet. None where
        this process has counted less than half of the topic, so that a restart relabels nothing.
        """
        if 2 * (self._counted[topic_id] + 1) < size:
            return None
        counts = self._words.get(topic_id, Counter()) + Counter(words)
        spread = Counter(
            word for id, held in self._words.items() if id != topic_id for word in held
        )
        topics = 1 + len(self._words.keys() - {topic_id})
        weights = {
            word: count * math.log(1 + topics / (1 + spread[word]))
            for word, count in counts.items()
        }
        return tuple(sorted(weights, key=lambda word: (-weights[word], word))[:most])
