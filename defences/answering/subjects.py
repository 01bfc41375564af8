"""Whether a passage speaks of something else of the kind that a question names.

Of forty data sheets that share their wording each answers a question about any of the forty, but for
the name in it. "The Heron pump" is not answered by what is said of "the Brambling pump".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from defences.answering.keywords import STOPWORDS, keyword_set, respell, stem
from defences.answering.names import Name, find_names, opens_sentence
from defences.vocabulary import words as common_words

_AFTER: Final = re.compile(r"\s+([^\W\d_]{3,})")
_BEFORE: Final = re.compile(r"([^\W\d_]{3,})\s+(?:the\s+)?$")
_NAMED: Final = re.compile(r"(?<!\w)([A-ZÀ-ÖØ-Þ][\w-]+)(?:['’]s)?\s+(?=([^\W\d_]{3,}))")  # noqa: RUF001
_KIND_FIRST: Final = re.compile(r"(?<!\w)([^\W\d_]{3,})\s+(?:the\s+)?(?=([A-ZÀ-ÖØ-Þ][\w-]+))")
_REACH: Final = 40
_LONGEST_ACRONYM: Final = 5
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A name in a question beside the word that says what it is of.

    Attributes:
        name: Stems of the name.
        kind: Stem of the word.
        follows: The word stands behind the name, not before it.
    """

    name: frozenset[str]
    kind: str
    follows: bool


@lru_cache(maxsize=1_024)
def find_subjects(question: str) -> tuple[Subject, ...]:
    """Return what a question names with its kind: "the Heron pump", "project Heron".

    Where nothing has a capital, a word that is no common one is taken for a name. Acronyms are
    left out, since a text may write them out.
    """
    names = find_names(question)
    if not names:
        return tuple(_uncommon(question))
    return tuple(
        Subject(name=name.stems, kind=kind, follows=follows)
        for name in names
        if not _is_acronym(name)
        for kind, follows in _kinds(question, name)
    )


def missing_subjects(question: str, passage: str) -> tuple[Subject, ...]:
    """Return what the question names and the passage does not: where it does, that may be meant.

    Args:
        question: As it was asked.
        passage: All that is known with a sentence, the titles that it stands under included.
    """
    subjects = find_subjects(question)
    if not subjects:
        return ()
    known = keyword_set(passage)
    return tuple(one for one in subjects if not _stands(one.name, known))


def names_another(question: str, said: str, missing: tuple[Subject, ...]) -> bool:
    """Return whether a sentence has another name in the place of one that its passage lacks.

    Args:
        question: As it was asked.
        said: The sentence, with the heading that it stands under.
        missing: What `missing_subjects` told of its passage.
    """
    if not missing:
        return False
    asked = keyword_set(question)
    wanted = {(subject.kind, subject.follows) for subject in missing}
    return any(
        (kind, follows) in wanted and not keyword_set(name) & asked
        for name, kind, follows in _named_kinds(said)
    )


def _stands(name: frozenset[str], known: frozenset[str]) -> bool:
    """Whether a word of the name is among the known ones, a slip of the pen allowed."""
    return bool(known.intersection(respell(sorted(name), [known])))


@lru_cache(maxsize=16_384)  # as often as names are looked for
def _named_kinds(text: str) -> tuple[tuple[str, str, bool], ...]:
    """Return each word with a capital, the stem of the word beside it, and whether that follows."""
    found = [
        (match.group(1), stem(match.group(2)), True)
        for match in _NAMED.finditer(text)
        if _is_name(text, match.start(1), match.group(1)) and _names_a_kind(match.group(2))
    ]
    found += [
        (match.group(2), stem(match.group(1)), False)
        for match in _KIND_FIRST.finditer(text)
        if _names_a_kind(match.group(1))
    ]
    return tuple(found)


def _is_name(text: str, start: int, word: str) -> bool:
    """Whether a word has its capital for being a name; the first one of a sentence may not."""
    return not (opens_sentence(text, start) and word.casefold() in common_words())


def _kinds(text: str, name: Name) -> Iterator[tuple[str, bool]]:
    after = _AFTER.match(text, name.end, name.end + _REACH)
    if after is not None and _names_a_kind(after.group(1)):
        yield stem(after.group(1)), True
    before = _BEFORE.search(text[max(0, name.start - _REACH) : name.start])
    if before is not None and _names_a_kind(before.group(1)):
        yield stem(before.group(1)), False


def _names_a_kind(word: str) -> bool:
    return word.islower() and word not in STOPWORDS


def _is_acronym(name: Name) -> bool:
    return name.text.isupper() and len(name.text) <= _LONGEST_ACRONYM


def _uncommon(question: str) -> Iterator[Subject]:
    for word, kind in itertools.pairwise(_WORD.findall(question.casefold())):
        if word not in common_words() and word not in STOPWORDS and _names_a_kind(kind):
            yield Subject(name=frozenset({stem(word)}), kind=stem(kind), follows=True)
