"""Words that carry meaning, reduced to a stem, and how well two texts share them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")  # noqa: RUF001 - both apostrophes occur

STOPWORDS: Final = frozenset(
    [
        "a",
        "about",
        "above",
        "after",
        "again",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "anyone",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "below",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "done",
        "down",
        "during",
        "each",
        "either",
        "else",
        "ever",
        "every",
        "few",
        "for",
        "from",
        "further",
        "get",
        "gets",
        "give",
        "given",
        "gives",
        "go",
        "goes",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "let",
        "made",
        "make",
        "makes",
        "many",
        "may",
        "me",
        "might",
        "mine",
        "more",
        "most",
        "much",
        "must",
        "my",
        "need",
        "needs",
        "no",
        "nor",
        "not",
        "of",
        "off",
        "on",
        "once",
        "one",
        "ones",
        "only",
        "onto",
        "or",
        "other",
        "our",
        "ours",
        "out",
        "over",
        "own",
        "per",
        "please",
        "same",
        "shall",
        "she",
        "should",
        "so",
        "some",
        "such",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "upon",
        "us",
        "very",
        "was",
        "we",
        "were",
        "what",
        "whatever",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "who",
        "whole",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "within",
        "without",
        "would",
        "yes",
        "yet",
        "you",
        "your",
        "yours",
    ]
)

# Pairs that a suffix rule cannot join and that questions and answers split between them.
_SAME: Final[Mapping[str, str]] = {
    "bought": "buy", "purchase": "buy", "purchas": "buy", "paid": "pay", "payment": "pay",
    "sent": "send", "held": "hold", "kept": "keep", "began": "begin", "begun": "begin",
    "start": "begin", "commenc": "begin", "sang": "sing", "sung": "sing", "singer": "sing",
    "wrote": "write", "written": "write", "writer": "write", "author": "write",
    "built": "build", "made": "make", "won": "win", "winner": "win", "born": "birth",
    "die": "death", "dead": "death", "died": "death", "grew": "grow", "grown": "grow",
    "chose": "choose", "chosen": "choose", "fee": "price", "cost": "price", "charge": "price",
    "refund": "reimburs", "repair": "mend", "fix": "mend", "phone": "telephon",
    "film": "movie", "picture": "movie", "locat": "place", "situat": "place",
    "maximum": "limit", "max": "limit", "delet": "eras", "remov": "eras", "cancel": "terminat",
    "close": "closure", "closur": "closure", "clos": "closure", "guarantee": "warranty",
    "guarante": "warranty", "retain": "keep", "retent": "keep", "store": "keep", "stor": "keep",
    "larg": "big", "larger": "big", "largest": "big", "e-mail": "email", "mail": "email",
    "send": "ship", "deliver": "ship", "deliveri": "ship", "dispatch": "ship",
    "play": "act", "actor": "act", "actress": "act", "portray": "act", "star": "act",
}  # fmt: skip

_SUFFIXES: Final = (
    "ational", "ization", "isation", "ations", "ation", "ments", "ment", "ingly", "ities", "ity",
    "ness", "ings", "ing", "edly", "ies", "ied", "ers", "ors", "er", "or", "ed", "es", "ly", "s",
)  # fmt: skip
_BARE_WORD: Final = re.compile(r"[^\W_]+")
_MIN_STEM: Final = 3
_MIN_MISSPELT: Final = 5


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a crude English stem of a lower-case word; a number or a short word is itself."""
    known = _SAME.get(word)
    if known is not None:
        return known
    if len(word) <= _MIN_STEM or any(character.isdigit() for character in word):
        return word
    if word.endswith(("'s", "’s")):  # noqa: RUF001
        word = word[:-2]
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM:
            if suffix == "s" and word.endswith(("ss", "us", "is")):
                break
            word = word[: -len(suffix)] + ("y" if suffix in {"ies", "ied"} else "")
            break
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    word = word.rstrip("e") if len(word) > _MIN_STEM else word
    return _SAME.get(word, word)


def words(text: str) -> list[str]:
    """Return the words of `text`, lower case, in order, punctuation dropped."""
    return [word.lower() for word in _WORD.findall(text)]


def keywords(text: str) -> list[str]:
    """Return the stems of words that are not stop words, in order, repeats kept."""
    return list(_keywords(text))


@lru_cache(maxsize=16_384)  # the sentences of a topic's chunks are read for every question on it
def _keywords(text: str) -> tuple[str, ...]:
    return tuple([stem(word) for word in words(text) if word not in STOPWORDS])


@lru_cache(maxsize=16_384)
def keyword_set(text: str) -> frozenset[str]:
    """Return the keywords of `text`, each once."""
    return frozenset(_keywords(text))


def speaks_of(question: str, phrases: Iterable[str]) -> bool:
    """Whether a question has every keyword of one of the phrases, in whatever order and inflection."""
    asked = keyword_set(question)
    return any(keyword_set(phrase) <= asked for phrase in phrases)


@lru_cache(maxsize=16_384)
def places(text: str) -> tuple[tuple[int, str], ...]:
    """Return where each keyword of `text` begins, as its stem, in order."""
    found = [(match.start(), match.group().lower()) for match in _BARE_WORD.finditer(text)]
    return tuple([(at, stem(word)) for at, word in found if word not in STOPWORDS])


def respell(terms: Sequence[str], vocabulary: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """Return the terms, one that all of the vocabulary lacks as the word in it that it misspells.

    A misspelling is one letter more, less or other, or two neighbours swapped, in a word of at
    least five letters with the right first letter.
    """
    return tuple(
        term
        if len(term) < _MIN_MISSPELT or any(term in words for words in vocabulary)
        else _respelt(term, vocabulary)
        for term in terms
    )


def _respelt(term: str, vocabulary: Sequence[frozenset[str]]) -> str:
    """Return the first word by the alphabet that the term misspells, else the term."""
    slips = [word for words in vocabulary for word in words if word[:1] == term[0]]
    return min((word for word in slips if _one_slip(term, word)), default=term)


def _one_slip(first: str, second: str) -> bool:
    if abs(len(first) - len(second)) > 1 or any(character.isdigit() for character in second):
        return False
    at = next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    rest, other = first[at:], second[at:]
    if len(first) == len(second):
        return rest[1:] == other[1:] or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    return rest[1:] == other if len(first) > len(second) else rest == other[1:]
