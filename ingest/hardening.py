"""The steps in which Unicode tricks are folded away, each in time linear in the text.

A step looks at what it changes and copies the rest in runs: most texts hold little to change, and
what is done for a code point is worked out once, however often it occurs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from defences import unicode_tables as tables
from defences.unicode_tricks import Trick, find_disguised, find_marks
from domain.text import MappedText
from ingest.edits import Edits, kept, without

MAX_MARKS: Final = 8
"""Combining marks kept on one letter: Unicode sorts them in quadratic time."""
MAX_CLUSTER: Final = 64
MAX_EXPANSION: Final = 8
"""Code points that one may become: a single Arabic ligature would give 18."""
MAX_SPACES: Final = 16
MAX_BLANK_LINES: Final = 2
_STACKED: Final = 3

_OVERRIDE: Final = re.compile("[\u202d\u202e]([^\u202c-\u202e\n]*)")
_JAMO: Final = re.compile("[\u1160-\u11ff\u3131-\u318e\uff9e-\uffdc]")
"""What may join the letter before it without being a combining mark."""
_STACK: Final = re.compile(f"([^\n{tables.STACKING}])([{tables.STACKING}]+)")
_KEPT: Final = frozenset({Trick.ZERO_WIDTH, Trick.VARIATION_SELECTORS, Trick.TAGS})
_NEVER_KEPT: Final = "\u200b\ufeff"
_ACUTE: Final = "\u00b4"
_ODD_BREAKS: Final = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BREAKS: Final = str.maketrans(dict.fromkeys("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n"))
_CONTROLS: Final = re.compile("\r(?=\n)|[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]+")
_SPACES: Final = re.compile(f"(?<! ) {{{MAX_SPACES}}}( +)")
_BLANK_LINES: Final = re.compile(
    rf"\n(?:[^\S\n]*\n){{{MAX_BLANK_LINES}}}((?:[^\S\n]*\n)+(?:[^\S\n]+\Z)?|[^\S\n]+\Z)"
)
_BLANK_START: Final = re.compile(
    rf"(?:[^\S\n]*\n){{{MAX_BLANK_LINES}}}((?:[^\S\n]*\n)+(?:[^\S\n]+\Z)?|[^\S\n]+\Z)"
)


class _Folding(NamedTuple):
    """What a code point becomes, alone and after a digit."""

    alone: str
    after_digit: str


def undo_overrides(text: MappedText) -> MappedText:
    """Turn round what a right-to-left override turns round on the screen.

    A left-to-right override turns Hebrew or Arabic round. Up to the pop or the line's end.
    """
    if tables.RLO not in text.text and tables.LRO not in text.text:
        return text
    order: list[Sequence[int]] = []
    at = 0
    for match in _OVERRIDE.finditer(text.text):
        order.append(range(at, match.start()))
        order += _turned(match)
        at = match.end()
    order.append(range(at, len(text.text)))
    places = np.fromiter((place for run in order for place in run), dtype=np.int64)
    codes = np.frombuffer(text.text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return MappedText(
        text=codes[places].tobytes().decode("utf-32-le", "surrogatepass"),
        starts=text.starts[places],
        ends=text.ends[places],
    )


def _turned(match: re.Match[str]) -> Sequence[Sequence[int]]:
    held, (start, end) = match[1], match.span(1)
    rtl = len(tables.RIGHT_TO_LEFT.findall(held))
    against = rtl * 2 > len(held) if match[0][0] == tables.LRO else rtl * 2 <= len(held)
    if not against:
        return [range(start, end)]
    marked = [at for at, letter in enumerate(held) if unicodedata.combining(letter)]
    if not marked:
        return [range(end - 1, start - 1, -1)]
    clusters: list[range] = []
    for at, letter in enumerate(held, start):
        first = clusters.pop().start if clusters and unicodedata.combining(letter) else at
        clusters.append(range(first, at + 1))
    return clusters[::-1]


def without_marks(text: MappedText) -> MappedText:
    """Drop invisible code points, but for those that do honest work where they stand."""
    dropped = [
        mark.at
        for mark in find_marks(text.text)
        if not (mark.honest and mark.trick in _KEPT and text.text[mark.at] not in _NEVER_KEPT)
    ]
    if not dropped:
        return text
    mask = np.ones(len(text.text), dtype=np.bool_)
    mask[dropped] = False
    return kept(text, mask)


def composed(text: MappedText) -> MappedText:
    """Bring to NFKC, a letter with its marks at a time, so that no number changes its value."""
    plain: dict[int, str] = {}
    odd: list[str] = []
    marks: list[str] = []
    for letter in set(text.text):
        if letter.isascii():
            continue
        folding = _folding(letter)
        if _continues(letter):
            marks.append(letter)
        elif len(folding.alone) == 1 and folding.alone == folding.after_digit:
            if folding.alone != letter:
                plain[ord(letter)] = folding.alone
            continue
        if folding != (letter, letter):
            odd.append(letter)
    if plain:
        text = MappedText(text=text.text.translate(plain), starts=text.starts, ends=text.ends)
    patterns = [f"[^\n]{_class(marks)}{{1,{MAX_CLUSTER - 1}}}"] if marks else []
    patterns += [_class(odd)] if odd else []
    return _recomposed(text, re.compile("|".join(patterns))) if patterns else text


def _recomposed(text: MappedText, pattern: re.Pattern[str]) -> MappedText:
    edits = Edits(text)
    known: dict[str, tuple[str, tuple[int, ...]]] = {}
    for match in pattern.finditer(text.text):
        found, start = match[0], match.start()
        if len(found) == 1:
            after_digit = edits.before(start).isdigit()
            folding = _folding(found)
            folded = folding.after_digit if after_digit else folding.alone
            if folded != found:
                edits.put(start, start + 1, folded)
            continue
        looked_up = known.get(found)
        if looked_up is None:
            looked_up = known[found] = _cluster(found)
        folded, dropped = looked_up
        if folded:
            edits.put(start, start + len(found), folded)
        else:
            for at in dropped:
                edits.drop(start + at, start + at + 1)
    return edits.made()


def _class(letters: Sequence[str]) -> str:
    """Return a character class in few ranges: what lies beyond the basic plane is tried in turn."""
    points = sorted(map(ord, letters))
    ranges: list[tuple[int, int]] = []
    for point in points:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + "]"


@cache
def _continues(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "M" or bool(_JAMO.match(letter))


@cache
def _folding(letter: str) -> _Folding:
    if letter == _ACUTE:
        return _Folding("'", "'")
    folded = unicodedata.normalize("NFKC", letter)[:MAX_EXPANSION]
    kind = unicodedata.decomposition(letter).partition(" ")[0]
    joint = {"<super>": "^", "<sub>": "_", "<fraction>": " ", "<circle>": " "}.get(kind)
    if joint is None or not folded[:1].isdigit():
        return _Folding(folded, folded)
    return _Folding(folded, joint + folded)


def _cluster(letters: str) -> tuple[str, tuple[int, ...]]:
    """Return what a letter with marks becomes; where it stays, empty and the marks that go."""
    base = letters[0]
    stay = list(range(len(letters)))
    if not _JAMO.match(letters[1]):
        drawn_over = base.isalpha()
        marks = [at for at in stay[1:] if not (drawn_over and tables.OVERLAY.match(letters[at]))]
        stay = [0, *marks[:MAX_MARKS]]
    joined = "".join(letters[at] for at in stay)
    folded = unicodedata.normalize("NFKC", joined)
    if folded != joined:
        return folded, ()
    return "", tuple(sorted(set(range(len(letters))) - set(stay)))


def unstacked(text: MappedText) -> MappedText:
    """Drop marks that stand three or more on a letter, or on most letters of a line."""
    edits = Edits(text)
    for line, runs in _stacks_by_line(text.text):
        most = len(runs) > _STACKED and len(runs) * 2 >= sum(map(str.isalpha, line))
        for run in runs:
            if run[1].isalpha() and (most or len(run[2]) >= _STACKED):
                edits.drop(*run.span(2))
    return edits.made()


def _stacks_by_line(text: str) -> Iterator[tuple[str, list[re.Match[str]]]]:
    start = end = -1
    runs: list[re.Match[str]] = []
    for run in _STACK.finditer(text):
        if run.start() >= end:
            if runs:
                yield text[start:end], runs
            start = text.rfind("\n", 0, run.start()) + 1
            end = text.find("\n", run.start())
            end, runs = len(text) if end < 0 else end, []
        runs.append(run)
    if runs:
        yield text[start:end], runs


def undisguised(text: MappedText) -> MappedText:
    """Write words of mixed scripts as the Latin words that they pass for."""
    edits = Edits(text)
    for word in find_disguised(text.text):
        edits.substitute(word.start, word.text)
    return edits.made()


def spaced(text: MappedText) -> MappedText:
    """Give every kind of line end as one newline, drop controls, cut long runs of blanks."""
    text = without(text, _CONTROLS)
    if _ODD_BREAKS.search(text.text):
        text = MappedText(text=text.text.translate(_BREAKS), starts=text.starts, ends=text.ends)
    text = without(text, _SPACES, group=1)
    start = _BLANK_START.match(text.text)
    if start is not None:
        mask = np.ones(len(text.text), dtype=np.bool_)
        mask[start.start(1) : start.end(1)] = False
        text = kept(text, mask)
    return without(text, _BLANK_LINES, group=1)
