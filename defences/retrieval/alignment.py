"""Lays two near-identical texts side by side and says where they part.

Not a general diff: moved paragraphs stay matched, added ones are left out, and line breaks mean
nothing. What remains are short stretches between shared words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

_SOLO: Final = r"\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN: Final = re.compile(
    rf"\d+(?:[.,:/-]\d+)*|[{_SOLO}]|[^\W\d_{_SOLO}]+(?:['’][^\W\d_{_SOLO}]+)*|[%‰€$£¥₹°]"  # noqa: RUF001
)
_ENDS: Final = re.compile(r"[.!?:;…。！？；][\"'”’)\]]*\s|[。！？；]|\n\s*\n|\n\s*[-*•#|>]|\||\t")  # noqa: RUF001
_SHORT_LINE: Final = 40  # characters: a line this short that ends is a heading, an item, a menu
_SEED: Final = 3  # words that must agree to go on nearby
_LONG_SEED: Final = 6  # ... and to go on anywhere else
_NEAR: Final = 64
_PLACES: Final = 8  # of a repeated phrase; more is a refrain, and costs
_SMALL: Final = 64  # words: below it the quadratic matcher is both better and cheap
_STRETCH: Final = 40
_RELATED: Final = 0.35
_SAME_SENTENCE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Token:
    """A word, figure or sign: casefolded `key`, and whether a sentence, line or cell begins here."""

    key: str
    start: int
    end: int
    opens: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A stretch `a` of the one text that stands for `b` of the other, as ranges of tokens.

    Attributes:
        a_changed, b_changed: Tokens in it that have no partner.
        swaps: Runs that stand in each other's place.
        whole: Entire sentences came, went or were rewritten.
    """

    a: range
    b: range
    a_changed: tuple[int, ...]
    b_changed: tuple[int, ...]
    swaps: tuple[tuple[range, range], ...]
    whole: bool


def tokenise(text: str) -> tuple[Token, ...]:
    """Return the tokens in order; CJK and Thai letters stand alone."""
    tokens: list[Token] = []
    end = line = 0
    for match in _TOKEN.finditer(text):
        between = text[end : match.start()]
        opens = not tokens or _ENDS.search(between) is not None
        if "\n" in between:
            opens = opens or end - line < _SHORT_LINE
            line = match.start()
        tokens.append(Token(match.group().casefold(), match.start(), match.end(), opens))
        end = match.end()
    return tuple(tokens)


def changes(a: Sequence[Token], b: Sequence[Token]) -> Iterator[Change]:
    """Yield the places where the texts part, in the order of `a`.

    Unrelated sentences that merely stand in the same place are no change. Of a rewritten passage
    longer than `_STRETCH` words only the two sentences at its ends are looked at, and only where
    they begin or end in shared words.
    """
    blocks = shared_runs([token.key for token in a], [token.key for token in b])
    edges = [(0, 0, 0), *blocks, (len(a), len(b), 0)]
    for (i, j, size), (next_i, next_j, _) in pairwise(edges):
        left, right = range(i + size, next_i), range(j + size, next_j)
        if next_j < j + size or not (left or right):  # moved: what lies between has no partner
            continue
        if max(len(left), len(right)) <= _STRETCH:
            change = _compare(a, b, left, right)
            if change is not None:
                yield change
        else:
            yield from _ends_of(a, b, left, right)


def _ends_of(a: Sequence[Token], b: Sequence[Token], left: range, right: range) -> Iterator[Change]:
    """Yield the changes in the sentences that begin in the words before, or end in those after.

    One shared word is no anchor ("The ..."): the whole sentences must be related.
    """
    for one, other in (
        (_to_sentence_end(a, left), _to_sentence_end(b, right)),
        (_from_sentence_begin(a, left), _from_sentence_begin(b, right)),
    ):
        if _related(a, b, _sentence(a, one), _sentence(b, other)):
            change = _compare(a, b, one, other)
            if change is not None:
                yield change


def _to_sentence_end(tokens: Sequence[Token], part: range) -> range:
    for place in part[:_STRETCH]:
        if tokens[place].opens:
            return range(part.start, place)
    return part[:_STRETCH]


def _from_sentence_begin(tokens: Sequence[Token], part: range) -> range:
    if _opens(tokens, part.stop):
        return part[:0]
    for place in reversed(part[-_STRETCH:]):
        if tokens[place].opens:
            return range(place, part.stop)
    return part[-_STRETCH:]


def _sentence(tokens: Sequence[Token], part: range) -> range:
    """Return the sentence that a part is in, `_STRETCH` words to either side at most."""
    start, stop = part.start, part.stop
    while start > max(0, part.start - _STRETCH) and not _opens(tokens, start):
        start -= 1
    while stop < min(len(tokens), part.stop + _STRETCH) and not tokens[stop].opens:
        stop += 1
    return range(start, stop)


def _related(a: Sequence[Token], b: Sequence[Token], left: range, right: range) -> bool:
    # Measured on the shorter one: a sentence that was blown up is still the same sentence.
    shared = sum(block.size for block in _matcher(a, b, left, right).get_matching_blocks())
    return shared >= _SAME_SENTENCE * min(len(left), len(right)) > 0


def _compare(a: Sequence[Token], b: Sequence[Token], left: range, right: range) -> Change | None:
    if not (left or right):
        return None
    matcher = _matcher(a, b, left, right)
    whole = _whole(a, left) and _whole(b, right)
    if whole and matcher.ratio() < _RELATED:
        return None
    parted = [codes for codes in matcher.get_opcodes() if codes[0] != "equal"]
    return Change(
        a=left,
        b=right,
        a_changed=tuple(place for _, i, end, _, _ in parted for place in left[i:end]),
        b_changed=tuple(place for _, _, _, j, end in parted for place in right[j:end]),
        swaps=tuple(
            (left[i:i_end], right[j:j_end])
            for kind, i, i_end, j, j_end in parted
            if kind == "replace"
        ),
        whole=whole,
    )


def _matcher(
    a: Sequence[Token], b: Sequence[Token], left: range, right: range
) -> SequenceMatcher[str]:
    return SequenceMatcher(
        None, [a[i].key for i in left], [b[j].key for j in right], autojunk=False
    )


def _opens(tokens: Sequence[Token], place: int) -> bool:
    return place >= len(tokens) or tokens[place].opens


def _whole(tokens: Sequence[Token], part: range) -> bool:
    """Whether a part begins where a sentence begins and ends where one ends."""
    return _opens(tokens, part.start) and _opens(tokens, part.stop)


def shared_runs(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return runs of shared words as (place in `a`, place in `b`, length), in the order of `a`."""
    if max(len(a), len(b)) <= _SMALL:
        matcher = SequenceMatcher(None, a, b, autojunk=False)
        return sorted((m.a, m.b, m.size) for m in matcher.get_matching_blocks() if m.size)
    places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for j in range(len(b) - _SEED + 1):
        places[tuple(b[j : j + _SEED])].append(j)
    blocks: list[tuple[int, int, int]] = []
    i = expected = 0
    while i <= len(a) - _SEED:
        found = places.get(tuple(a[i : i + _SEED]))
        j, size = _follow(a, b, i, found, expected) if found else (0, 0)
        if size:
            blocks.append((i, j, size))
            i, expected = i + size, j + size
        else:
            i += 1
    return blocks


def _follow(
    a: Sequence[str], b: Sequence[str], i: int, places: Sequence[int], expected: int
) -> tuple[int, int]:
    """Return where in `b` to go on and for how long; length 0 where nothing is good enough."""
    at = bisect_left(places, expected)
    if at < len(places) and places[at] < expected + _NEAR:
        return places[at], _run(a, b, i, places[at])
    around = places[max(0, at - _PLACES // 2) : at + _PLACES // 2]
    size, j = max(((_run(a, b, i, j), -j) for j in around), default=(0, 0))
    return (-j, size) if size >= _LONG_SEED else (0, 0)


def _run(a: Sequence[str], b: Sequence[str], i: int, j: int) -> int:
    size = 0
    while i + size < len(a) and j + size < len(b) and a[i + size] == b[j + size]:
        size += 1
    return size
