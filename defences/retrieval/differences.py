"""What two near-identical texts say differently: figures, dates, names, negations.

A near-copy that changes "5 mg" to "50 mg" is no copy but a contradiction (Law 3), and neither
word windows nor embeddings tell the two apart.

What counts: a figure or date that another stands in for; a negator on one side only, or a word
for its opposite; a name within a sentence, an address or a link that another stands in for.
What does not: moved paragraphs, added or dropped sentences, line breaks, spelling and synonyms,
the same amount in other words ("nine months", "0.005 g"), date stamps, version, page and visitor
counts, menus and headings.

Limits: a passage rewritten at length (40 words and more) is looked at only where it joins the
shared text, and a sentence added whole is never a contradiction, whatever it says. Figures are
read in digits of every language and in English words; units and months in English; negators and
opposites of nine languages. Names are not looked for where most nouns are capitals (German).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from defences.answering.values import Value, ValueKind, comparable, find_values, same_value
from defences.retrieval.alignment import Change, Token, changes, tokenise
from defences.retrieval.polarity import is_negator, opposed
from domain.text import Span


class DifferenceKind(StrEnum):
    FIGURE = "figure"
    DATE = "date"
    NEGATION = "negation"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where the texts disagree: `a` and `b` are ranges of the two texts."""

    kind: DifferenceKind
    a: Span
    b: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Everything two texts disagree in, in the order of the first."""

    found: tuple[Difference, ...]

    @property
    def figures(self) -> int:
        return self._count(DifferenceKind.FIGURE)

    @property
    def dates(self) -> int:
        return self._count(DifferenceKind.DATE)

    @property
    def negations(self) -> int:
        return self._count(DifferenceKind.NEGATION)

    @property
    def names(self) -> int:
        return self._count(DifferenceKind.NAME)

    @property
    def total(self) -> int:
        return len(self.found)

    @property
    def contradicts(self) -> bool:
        """Whether the texts cannot both be right, if they speak of the same thing."""
        return bool(self.found)

    def _count(self, kind: DifferenceKind) -> int:
        return sum(difference.kind is kind for difference in self.found)


_DATES: Final = frozenset({ValueKind.DATE, ValueKind.TIME})
_BARE: Final = frozenset({ValueKind.NUMBER, ValueKind.ORDINAL, *_DATES})
_STAMP_BEFORE: Final = re.compile(
    r"(?:\b(?:updated?|modified|revised|revision|rev|reviewed|printed|generated|retrieved|accessed"
    r"|downloaded|exported|archived|mirrored|published|posted|created|edited|copyright|version"
    r"|edition|build|page|views?|comments?|replies|isbn|issn|reference)\b|©|\(c\))[^.!?\n]{0,30}$",
    re.IGNORECASE,
)
_STAMP_AFTER: Final = re.compile(
    r"\s*(?:edition|revision|version|views?|comments?|replies|likes|shares|readers|visits"
    r"|read|ago)\b",
    re.IGNORECASE,
)
_SIGNED: Final = re.compile(
    r"\b(?:posted|written|edited|uploaded|mirrored|reviewed|published|contributed)\s+by\b"
    r"[^.!?\n]{0,30}$|\bauthors?\s*:[^.!?\n]{0,30}$",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,6}|\b(?:https?://|www\.)[^\s<>\"')\]]{3,300}"
)
# Reading figures is costly; text without any of these has none.
_FIGURE_SIGNS: Final = re.compile(
    r"\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif"
    r"|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand"
    r"|million|billion|trillion|dozen|half|quarter|pair|once|twice|thrice|first|second|third"
    r"|fourth|fifth|sixth|seventh|eighth|ninth|tenth|noon|midday|midnight|minute|hour|day|night"
    r"|week|fortnight|month|year|decade|century|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    r"|mon|tue|wed|thu|fri|sat|sun|daily|hourly|weekly|monthly|quarterly|yearly|annual)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_BEFORE: Final = 60  # characters
_LINE: Final = 200
_CONTEXT: Final = 6  # words
_FEW_WORDS: Final = 40
_NAME_TOKENS: Final = 3
_PROSE_WORDS: Final = 4
_CAPITALISED: Final = 0.22  # of the words within sentences; German prose has about 0.3
_REWRITTEN: Final = 12  # changed words: above it a passage is reworded, not edited
_ADDED_NEGATION: Final = 3


def differences(a: str, b: str) -> Differences:
    """Return what two near-identical hardened texts disagree in.

    Meant for texts whose windows agree in a half or more, or for two short statements. Of texts
    that have little in common it finds little, which does not make them agree.
    Linear in the length of the texts (about 1 MB a second on one core).
    """
    if a == b:
        return Differences(found=())
    left, right = _Side.of(a), _Side.of(b)
    found: dict[tuple[DifferenceKind, Span, Span], Difference] = {}
    for change in changes(left.tokens, right.tokens):
        for difference in _in_change(left, right, change):
            found.setdefault((difference.kind, difference.a, difference.b), difference)
    return Differences(found=tuple(found.values()))


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the texts.

    Attributes:
        lower: Words seen in lower case anywhere.
        inner: Words seen with a capital within a sentence.
        named: Capitals within sentences are rare enough to mean names.
    """

    text: str
    tokens: tuple[Token, ...]
    lower: frozenset[str]
    inner: frozenset[str]
    named: bool

    @classmethod
    def of(cls, text: str) -> _Side:
        tokens = tokenise(text)
        words = [token for token in tokens if text[token.start].isalpha()]
        within = [token for token in words if not token.opens]
        inner = [token.key for token in within if text[token.start].isupper()]
        return cls(
            text=text,
            tokens=tokens,
            lower=frozenset(t.key for t in words if not text[t.start].isupper()),
            inner=frozenset(inner),
            named=len(inner) <= _CAPITALISED * len(within) or len(words) <= _FEW_WORDS,
        )

    def span(self, places: Sequence[int]) -> Span:
        return Span(self.tokens[places[0]].start, self.tokens[places[-1]].end)

    def around(self, part: range) -> Span:
        """Return the range of text of a part; an empty one before its successor if it is empty."""
        if part:
            return self.span(part)
        at = self.tokens[part.start].start if part.start < len(self.tokens) else len(self.text)
        return Span(at, at)

    def window(self, part: range) -> Span:
        """Return the text of a part with a few words on either side, so that units are in it."""
        last = min(len(self.tokens), part.stop + _CONTEXT) - 1
        return self.span((max(0, part.start - _CONTEXT), last))

    def touches(self, span: Span, place: int) -> bool:
        return self.tokens[place].start < span.end and span.start < self.tokens[place].end

    def is_prose(self, places: Sequence[int]) -> bool:
        """Whether the line around is a sentence rather than a heading, a menu or a table row."""
        span = self.span(places)
        start = max(self.text.rfind("\n", 0, span.start) + 1, span.start - _LINE)
        end = self.text.find("\n", span.end, span.end + _LINE)
        words: list[str] = _WORD.findall(self.text[start : span.end + _LINE if end < 0 else end])
        small = sum(word[0].islower() for word in words)
        return small >= _PROSE_WORDS and 2 * small >= len(words)

    def is_signature(self, places: Sequence[int]) -> bool:
        start = self.tokens[places[0]].start
        return _SIGNED.search(self.text, max(0, start - _BEFORE), start) is not None


def _in_change(left: _Side, right: _Side, change: Change) -> Iterator[Difference]:
    yield from _addresses(left, right, change)
    if change.a_changed and change.b_changed:
        yield from _values(left, right, change)
        for one, other in change.swaps:
            if _is_name(left, right, one, other):
                yield Difference(kind=DifferenceKind.NAME, a=left.span(one), b=right.span(other))
    if _turned(left, right, change):
        yield Difference(
            kind=DifferenceKind.NEGATION, a=left.around(change.a), b=right.around(change.b)
        )


def _values(left: _Side, right: _Side, change: Change) -> Iterator[Difference]:
    """Pair the figures that only one side has with those that stand in for them."""
    ours = _changed_values(left, change.a_changed)
    theirs = _changed_values(right, change.b_changed) if ours else []
    ours, theirs = _without_equals(ours, theirs), _without_equals(theirs, ours)
    rewritten = max(len(change.a_changed), len(change.b_changed)) > _REWRITTEN
    for value in ours:
        partner = next((o for o in theirs if _stands_for(value, o, strict=rewritten)), None)
        if partner is None:
            continue
        theirs.remove(partner)
        dated = value.kind in _DATES and partner.kind in _DATES
        yield Difference(
            kind=DifferenceKind.DATE if dated else DifferenceKind.FIGURE,
            a=Span(value.start, value.end),
            b=Span(partner.start, partner.end),
        )


def _stands_for(one: Value, other: Value, *, strict: bool) -> bool:
    if one.kind in _DATES or other.kind in _DATES:
        return one.kind in _DATES and other.kind in _DATES
    return not strict or comparable(one, other)


def _without_equals(values: Sequence[Value], others: Sequence[Value]) -> list[Value]:
    return [value for value in values if not any(same_value(value, other) for other in others)]


def _changed_values(side: _Side, changed: Sequence[int]) -> list[Value]:
    """Return the figures that a changed token is part of, placed in the whole text."""
    found: dict[int, Value] = {}
    covered: set[int] = set()
    for run in _runs(changed):
        window = side.window(run)
        if _FIGURE_SIGNS.search(side.text, window.start, window.end) is None:
            continue
        for value in find_values(side.text[window.start : window.end]):
            span = Span(window.start + value.start, window.start + value.end)
            touched = [place for place in changed if side.touches(span, place)]
            covered.update(touched)
            if touched:
                found[span.start] = replace(value, start=span.start, end=span.end)
    for place in changed:
        if place not in covered and side.tokens[place].key[0].isdecimal():
            found[side.tokens[place].start] = _plain_figure(side.tokens[place])
    return [found[at] for at in sorted(found) if not _is_stamp(side.text, found[at])]


def _plain_figure(token: Token) -> Value:
    """Read digits that stand within other letters: identifiers, figures in Chinese prose."""
    amount = float("".join(character for character in token.key if character.isdecimal()))
    return Value(
        kind=ValueKind.NUMBER, start=token.start, end=token.end, low=amount, high=amount,
        written=amount,
    )  # fmt: skip


def _is_stamp(text: str, value: Value) -> bool:
    bare = value.kind in _BARE and not value.unit
    return is_stamp(text, Span(value.start, value.end), bare=bare)


def is_stamp(text: str, figure: Span, *, bare: bool = True) -> bool:
    """Whether a figure or a date says when or which copy this is, not what it says.

    Args:
        text: Where it stands.
        figure: The figure.
        bare: Nothing is counted or measured by it: no unit, no sign.
    """
    if _STAMP_AFTER.match(text, figure.end) or _is_item_number(text, figure):
        return True
    before = max(0, figure.start - _BEFORE)
    return bare and _STAMP_BEFORE.search(text, before, figure.start) is not None


def _is_item_number(text: str, figure: Span) -> bool:
    line = text.rfind("\n", 0, figure.start) + 1
    return not text[line : figure.start].strip(" (*-#") and text[figure.end : figure.end + 1] in (
        ".",
        ")",
    )


def _addresses(left: _Side, right: _Side, change: Change) -> Iterator[Difference]:
    ours, theirs = _addresses_at(left, change.a), _addresses_at(right, change.b)
    for one, other in zip(
        [span for text, span in ours.items() if text not in theirs],
        [span for text, span in theirs.items() if text not in ours],
        strict=False,
    ):
        yield Difference(kind=DifferenceKind.NAME, a=one, b=other)


def _addresses_at(side: _Side, part: range) -> dict[str, Span]:
    """Return the addresses and links that a part is in or next to, by their text."""
    near = range(max(0, part.start - 1), min(len(side.tokens), part.stop + 1))
    if not near:
        return {}
    window = side.window(near)
    return {
        match.group().casefold().rstrip(".,;:"): Span(*match.span())
        for match in _ADDRESS.finditer(side.text, window.start, window.end)
        if any(side.touches(Span(*match.span()), place) for place in near)
    }


def _is_name(left: _Side, right: _Side, one: range, other: range) -> bool:
    if max(len(one), len(other)) > _NAME_TOKENS or not (left.named and right.named):
        return False
    for side, places in ((left, one), (right, other)):
        for place in places:
            token = side.tokens[place]
            if not side.text[token.start].isupper():
                return False
            if token.key in left.lower or token.key in right.lower:
                return False
            if token.opens and token.key not in left.inner and token.key not in right.inner:
                return False
    return all(
        side.is_prose(places) and not side.is_signature(places)
        for side, places in ((left, one), (right, other))
    )


def _turned(left: _Side, right: _Side, change: Change) -> bool:
    """Whether a negator came or went, or a word was replaced by its opposite."""
    ours = [left.tokens[place].key for place in change.a_changed]
    theirs = [right.tokens[place].key for place in change.b_changed]
    longest = max(len(ours), len(theirs))
    replaced = bool(ours and theirs)
    cut = not replaced and (
        change.a.start == len(left.tokens) or change.b.start == len(right.tokens)
    )
    if longest > _REWRITTEN or cut or (change.whole and not replaced):
        return False
    if sum(map(is_negator, ours)) != sum(map(is_negator, theirs)):
        return replaced or longest <= _ADDED_NEGATION
    return any(
        opposed(one, other)
        for one in ours
        for other in theirs
        if one not in theirs and other not in ours
    )


def _runs(places: Sequence[int]) -> Iterator[range]:
    first = last = places[0]
    for place in places[1:]:
        if place > last + _CONTEXT:
            yield range(first, last + 1)
            first = place
        last = place
    yield range(first, last + 1)
