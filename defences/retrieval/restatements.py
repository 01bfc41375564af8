"""What a new version says in the place of what an earlier one said, whatever kind of word it is.

`differences` compares near-copies of different origins, where a line with other words is mostly
another line. Of two versions of one document more can be asked: where a sentence went and another
stands in its place, the new one says something else, unless it says the same in other words.
Additions and removals change no statement, and layout none. English is what the rules for nouns
know; names, figures and whole sentences are told in any language that writes names with capitals.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from defences.answering.keywords import STOPWORDS, stem
from defences.answering.sentences import split_sentences
from defences.retrieval.alignment import Token, shared_runs, tokenise
from defences.retrieval.differences import is_stamp
from defences.retrieval.polarity import is_negator
from defences.vocabulary import words
from domain.documents import ChangeKind
from domain.text import Span

LONGEST: Final = 150
"""Words on either side above which a passage is another one: no model reads it whole."""
SWAPPED: Final = 6
"""Words of one expression that stands in for another."""
RELATED: Final = 0.5
"""Share of its words that a sentence has in common with the one that it was made of."""

_LIKE: Final = 0.3  # of two sentences whose expressions can be told to stand for each other
_TYPO: Final = 0.75
_FEW_LETTERS: Final = 4
_FEW_STEMS: Final = 3
_COMMON: Final = 50  # sentences with one word; more say nothing of where a sentence came from
_REACH: Final = 30  # words to where a sentence begins or ends, at most
_CHAIN: Final = 3  # words of a noun phrase that are looked back over
_DETERMINERS_WORDS: Final = """
    the a an this that these those my your his her its our their some any each every no both
    all which whose another
"""
_PREPOSITIONS_WORDS: Final = """
    of to in on at by for with from into onto under over near between among through during as
    per via against about after before behind beside inside outside within without
"""
_CLAUSES_WORDS: Final = """
    i you he she it we they who will can may must should would could might shall not how what
    when where why that if but
"""
_BEING_WORDS: Final = """
    is are was were be been being becomes became remains
"""
_JOINING: Final = frozenset(["and", "or", "nor"])
_DETERMINERS: Final = frozenset(_DETERMINERS_WORDS.split())
_PREPOSITIONS: Final = frozenset(_PREPOSITIONS_WORDS.split())
_CLAUSES: Final = frozenset(_CLAUSES_WORDS.split())
_BEING: Final = frozenset(_BEING_WORDS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Restatement:
    """A passage that took the place of another.

    Attributes:
        span: Of the new text: the expression that was swapped in, or the whole passage.
        before, after: Both passages, whole sentences where they are not too long.
        certain: A figure, a name, a negation or sheer length tells that something else is said;
            else only the meaning of both passages does.
    """

    kind: ChangeKind
    span: Span
    before: str
    after: str
    certain: bool


def restatements(earlier: str, new: str) -> Iterator[Restatement]:
    """Yield what of `earlier` is said otherwise in `new`, in the order of `new`.

    Linear in the length of the texts, but for passages that were rewritten.
    """
    left, right = _Side.of(earlier), _Side.of(new)
    lower = left.lower | right.lower
    for old, fresh in _pairs(left, right):
        for place in _places(left, old, right, fresh):
            yield from place.restatements(lower)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the texts; `lower`: its words that begin with a small letter somewhere."""

    text: str
    tokens: tuple[Token, ...]
    lower: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _Side:
        tokens = tokenise(text)
        return cls(text, tokens, frozenset(t.key for t in tokens if text[t.start].islower()))

    def keys(self, part: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.tokens[place].key for place in part)

    def sentences(self) -> list[range]:
        """Return the sentences as ranges of tokens."""
        found: list[range] = []
        at = 0
        for sentence in split_sentences(self.text):
            start = at
            while at < len(self.tokens) and self.tokens[at].start < sentence.end:
                at += 1
            if at > start:
                found.append(range(start, at))
        return found

    def around(self, part: range) -> range:
        """Return the sentences that a part stands in, `_REACH` words to either side at most."""
        start, stop = part.start, part.stop
        while start > max(0, part.start - _REACH) and not self.opens(start):
            start -= 1
        while stop < part.stop + _REACH and not self.opens(stop):
            stop += 1
        return range(start, stop)

    def opens(self, place: int) -> bool:
        return place >= len(self.tokens) or self.tokens[place].opens

    def said(self, part: range) -> str:
        return self.text[self.tokens[part.start].start : self.tokens[part.stop - 1].end]

    def span(self, places: Sequence[int]) -> Span:
        return Span(self.tokens[places[0]].start, self.tokens[places[-1]].end)

    def is_figure(self, place: int) -> bool:
        return self.tokens[place].key[0].isdigit()

    def is_stamp(self, place: int) -> bool:
        """Whether a figure, or the month beside one, dates or numbers the copy."""
        near = (place - 1, place, place + 1)
        dated = any(0 <= one < len(self.tokens) and self.is_figure(one) for one in near)
        return dated and is_stamp(self.text, self.span([place]))

    def is_name(self, place: int, lower: frozenset[str]) -> bool:
        token = self.tokens[place]
        if token.key in lower or not self._is_capital(place):
            return False
        return not token.opens or (token.key not in words() and self._is_capital(place + 1))

    def _is_capital(self, place: int) -> bool:
        return place < len(self.tokens) and self.text[self.tokens[place].start].isupper()

    def is_noun(self, place: int) -> bool:
        """Whether a word stands where English has its nouns, or says what something is."""
        if place + 1 < len(self.tokens) and self.tokens[place + 1].key in _DETERMINERS:
            return False
        chain = 0
        for back in range(place - 1, -1, -1):
            key = self.tokens[back].key
            chain += key not in _JOINING
            if key in _BEING:
                return not self.tokens[place].key.endswith(("ed", "ing"))
            if key in _DETERMINERS or key in _PREPOSITIONS or self.is_figure(back):
                return True
            if chain >= _CHAIN or key in _CLAUSES or self.tokens[back + 1].opens:
                return False
        return False


def _pairs(left: _Side, right: _Side) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the words that went with those in their place, or that were made of them."""
    before, after = left.sentences(), right.sentences()
    kept = {left.keys(one) for one in before} & {right.keys(one) for one in after}
    went = list(_runs(left, before, kept))
    by_left = {run.left: run for run in went}
    by_right = {run.right: run for run in went}
    sources = _Sources(left, [sentence for run in went for sentence in run.sentences])
    for run in _runs(right, after, kept):
        around = [by_left.get(run.left), by_right.get(run.right)]
        replaced = list(dict.fromkeys(one for one in around if one is not None))
        if replaced:
            old = sorted(place for one in replaced for part in one.sentences for place in part)
            yield old, [place for part in run.sentences for place in part]
            continue
        for sentence in run.sentences:
            source = sources.of(right, sentence)
            if source is not None:
                yield list(source), list(sentence)


@dataclass(frozen=True, slots=True)
class _Run:
    """Sentences of one text that the other has not, between two that both have."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    sentences: tuple[range, ...]


def _runs(side: _Side, sentences: Sequence[range], kept: set[tuple[str, ...]]) -> Iterator[_Run]:
    left: tuple[str, ...] = ()
    run: list[range] = []
    for sentence in sentences:
        keys = side.keys(sentence)
        if keys not in kept:
            run.append(sentence)
            continue
        if run:
            yield _Run(left, keys, tuple(run))
        left, run = keys, []
    if run:
        yield _Run(left, (), tuple(run))


class _Sources:
    """Finds the sentence that another was made of, wherever it stood."""

    def __init__(self, side: _Side, sentences: Sequence[range]) -> None:
        self._sentences = sentences
        self._by_stem: defaultdict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(sentences):
            for one in _stems(side, sentence):
                self._by_stem[one].append(number)

    def of(self, side: _Side, sentence: range) -> range | None:
        stems = _stems(side, sentence)
        shared = Counter(
            number for one in sorted(stems) for number in self._by_stem.get(one, ())[:_COMMON]
        ).most_common(1)
        if not shared or shared[0][1] < max(_FEW_STEMS, RELATED * len(stems)):
            return None
        return self._sentences[shared[0][0]]


def _stems(side: _Side, part: Iterable[int]) -> set[str]:
    return {stem(key) for key in side.keys(part) if key not in STOPWORDS}


@dataclass(slots=True)
class _Place:
    """Sentences that stand in each other's place, and the stretches in which they part."""

    left: _Side
    right: _Side
    before: range
    after: range
    gaps: list[tuple[range, range]]

    def restatements(self, lower: frozenset[str]) -> Iterator[Restatement]:
        lost = _only(self.left, self.before, self.right, self.after)
        gained = _only(self.right, self.after, self.left, self.before)
        gained = [place for place in gained if not self.right.is_stamp(place)]
        lost, gained = self._respelt(lost, gained, lower)
        if not lost or not gained:
            return
        swapped = list(self._swaps(lost, gained, lower))
        for kind, places in swapped:
            yield self._restated(kind, self.right.span(places), certain=True)
        if swapped:
            return
        whole = self.right.span(self.after)
        if self._turned():
            yield self._restated(ChangeKind.NEGATION, whole, certain=True)
        elif self._says(self.left, lost, lower) and self._says(self.right, gained, lower):
            yield self._restated(ChangeKind.TEXT, whole, certain=self._is_long())

    def _restated(self, kind: ChangeKind, span: Span, *, certain: bool) -> Restatement:
        return Restatement(
            kind=kind,
            span=span,
            before=self.left.said(self.before),
            after=self.right.said(self.after),
            certain=certain,
        )

    def _respelt(
        self, lost: Sequence[int], gained: Sequence[int], lower: frozenset[str]
    ) -> tuple[list[int], list[int]]:
        """Return both without spellings of one word. A name is spelt in one way."""
        ours, theirs = list(lost), list(gained)
        for mine in lost[:LONGEST]:
            if self.left.is_name(mine, lower) or self.left.is_figure(mine):
                continue
            for other in theirs[:LONGEST]:
                if _is_typo(self.left.tokens[mine].key, self.right.tokens[other].key):
                    ours.remove(mine)
                    theirs.remove(other)
                    break
        return ours, theirs

    def _swaps(
        self, lost: Sequence[int], gained: Sequence[int], lower: frozenset[str]
    ) -> Iterator[tuple[ChangeKind, list[int]]]:
        """Yield the names and figures that stand in for what was said there."""
        if self._is_long() or self._likeness() < _LIKE:
            return
        for before, after in self.gaps:
            ours = [place for place in lost if place in before]
            theirs = [place for place in gained if place in after]
            if not ours or not theirs or max(len(ours), len(theirs)) > SWAPPED:
                continue
            if any(self.right.is_figure(place) for place in theirs):
                yield ChangeKind.FIGURE, theirs
            elif any(self.left.is_name(place, lower) for place in ours) or any(
                self.right.is_name(place, lower) for place in theirs
            ):
                yield ChangeKind.NAME, theirs

    def _is_long(self) -> bool:
        return max(len(self.before), len(self.after)) > LONGEST

    def _likeness(self) -> float:
        return SequenceMatcher(
            None, self.left.keys(self.before), self.right.keys(self.after), autojunk=False
        ).ratio()

    def _turned(self) -> bool:
        """Whether one of them is negated and the other not."""
        ours, theirs = self.left.keys(self.before), self.right.keys(self.after)
        return any(map(is_negator, ours)) is not any(map(is_negator, theirs))

    @staticmethod
    def _says(side: _Side, places: Sequence[int], lower: frozenset[str]) -> bool:
        """Whether the words name a thing or a state, rather than only how it is told."""
        return any(
            side.is_figure(place) or side.is_name(place, lower) or side.is_noun(place)
            for place in places
        )


def _places(
    left: _Side, old: Sequence[int], right: _Side, fresh: Sequence[int]
) -> Iterator[_Place]:
    blocks = shared_runs(left.keys(old), right.keys(fresh))
    edges = [(0, 0, 0), *blocks, (len(old), len(fresh), 0)]
    place: _Place | None = None
    for (i, j, size), (next_i, next_j, _) in pairwise(edges):
        ours = _part(old, i + size, next_i)
        theirs = _part(fresh, j + size, next_j)
        if next_j < j + size or not _parts(left, ours, right, theirs):
            continue
        before, after = left.around(ours), right.around(theirs)
        if place is not None and (
            before.start < place.before.stop or after.start < place.after.stop
        ):
            place.before = range(place.before.start, max(before.stop, place.before.stop))
            place.after = range(place.after.start, max(after.stop, place.after.stop))
            place.gaps.append((ours, theirs))
            continue
        if place is not None:
            yield place
        place = _Place(left, right, before, after, [(ours, theirs)])
    if place is not None:
        yield place


def _part(places: Sequence[int], start: int, stop: int) -> range:
    """Return the range of tokens of a stretch; an empty one before its successor if it is empty."""
    if start < stop:
        return range(places[start], places[stop - 1] + 1)
    at = places[start] if start < len(places) else places[-1] + 1
    return range(at, at)


def _parts(left: _Side, ours: range, right: _Side, theirs: range) -> bool:
    """Whether two stretches differ and none of them is only added or taken away between sentences."""
    if not ours and not theirs:
        return False
    return bool(ours or not left.opens(ours.start)) and bool(
        theirs or not right.opens(theirs.start)
    )


def _only(one: _Side, part: range, other: _Side, counterpart: range) -> list[int]:
    """Return the places of words with a meaning that the other part has not."""
    there = {stem(key) for key in other.keys(counterpart)}
    return [
        place
        for place in part
        if (key := one.tokens[place].key) not in STOPWORDS and stem(key) not in there
    ]


def _is_typo(one: str, other: str) -> bool:
    return (
        one[0] == other[0]
        and min(len(one), len(other)) >= _FEW_LETTERS
        and SequenceMatcher(None, one, other).ratio() >= _TYPO
    )
