"""The reference list of a document, and the citations that point into it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from domain.text import Span

MAX_ENTRIES = 2_000
MAX_CITATIONS = 20_000
_MAX_ENTRY = 1_200
_MIN_ENTRY = 20
_MIN_PARAGRAPHS = 2

_HEADING = re.compile(
    r"^[ \t#*=_]{0,6}(?:\d{1,2}\.? )?(?:references?(?: list)?|bibliography|works cited|literature(?: cited)?"
    r"|sources?|citations|further reading|literatur(?:verzeichnis)?|quellen(?:verzeichnis)?"
    r"|r[ée]f[ée]rences|bibliographie|referencias|bibliograf[ií]a|bibliografia|riferimenti|literatuur"
    r"|参考文献|список литературы)[ \t]{0,3}:?[ \t*_#]{0,6}$",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_HEADING = re.compile(r"^#{1,6} \S", re.MULTILINE)
_ENTRY = re.compile(
    r"^[ \t]{0,6}(?:\[(?P<bracket>\d{1,3})\]:?|(?P<plain>\d{1,3})[.)]|(?P<bullet>[-*+\u2022]))[ \t]{1,4}(?=\S)",
    re.MULTILINE,
)
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![ \t]*\n)[^\n]*)*")
_HANGING = re.compile(r"^(?=\S)[^\n]+(?:\n[ \t]+\S[^\n]*)*", re.MULTILINE)
_CITATION = re.compile(
    r"(?<![\w\])=(,\[{+*/<>])(?<![=+*,:] )\[(?P<inner>[1-9]\d{0,2}(?:[ ,;\-\u2013]{1,3}[1-9]\d{0,2}){0,12})\]"
    r"(?![(\[:*])(?! ?[=*])"
)
_WORD_CITATION = re.compile(
    r"(?<=\w)\[(?P<inner>[1-9]\d{0,2}(?:, ?[1-9]\d{0,2}){0,12})\](?![(\[:=.*])(?! ?[=*<>])"
)
_NUMBER = re.compile(r"(\d{1,3})(?:\s?[\-\u2013]\s?(\d{1,3}))?")
_WIDEST_RANGE = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One reference; `number` as printed, None where the list is not numbered."""

    number: int | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceList:
    """The references of a document, in order, and where they stand.

    `only` is whether the document has no other list: with several, as a manual of many pages has,
    which citation belongs to which nobody can tell.
    """

    span: Span
    only: bool
    entries: tuple[Entry, ...]

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(entry.number for entry in self.entries if entry.number is not None)

    def entry_at(self, place: int) -> Entry | None:
        """Return the entry in which `place` stands."""
        at = bisect_right(self.entries, place, key=lambda entry: entry.span.start) - 1
        return self.entries[at] if at >= 0 and place < self.entries[at].span.end else None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedCitation:
    """A citation in the prose, e.g. `[3, 5-7]`."""

    span: Span
    numbers: frozenset[int]


def reference_list(text: str) -> ReferenceList | None:
    """Return the last list under a heading that announces references; None without one."""
    heading = None
    count = 0
    for heading in _HEADING.finditer(text):  # noqa: B007 - the last one counts
        count += 1
    if heading is None:
        return None
    following = _NEXT_HEADING.search(text, heading.end())
    end = following.start() if following else len(text)
    return ReferenceList(
        span=Span(heading.start(), end),
        only=count == 1,
        entries=tuple(_entries(text, heading.end(), end)),
    )


def _entries(text: str, start: int, end: int) -> Iterator[Entry]:
    marks = list(islice(_ENTRY.finditer(text, start, end), MAX_ENTRIES))
    for place, mark in enumerate(marks):
        limit = marks[place + 1].start() if place + 1 < len(marks) else end
        printed = mark["bracket"] or mark["plain"]
        yield Entry(
            number=int(printed) if printed else None,
            span=Span(mark.end(), min(limit, mark.end() + _MAX_ENTRY)),
        )
    if not marks:
        yield from _unmarked(text, start, end)


def _unmarked(text: str, start: int, end: int) -> Iterator[Entry]:
    """Yield paragraphs where a blank line parts them, else lines with those that hang from them."""
    paragraphs = list(islice(_PARAGRAPH.finditer(text, start, end), MAX_ENTRIES))
    pieces = paragraphs
    if len(paragraphs) < _MIN_PARAGRAPHS:
        pieces = list(islice(_HANGING.finditer(text, start, end), MAX_ENTRIES))
    for piece in pieces:
        if len(piece[0]) >= _MIN_ENTRY:
            stop = min(piece.end(), piece.start() + _MAX_ENTRY)
            yield Entry(number=None, span=Span(piece.start(), stop))


def numbered_citations(text: str, until: int) -> Iterator[NumberedCitation]:
    """Yield citations in brackets before `until`, those glued to a word included."""
    for pattern in (_CITATION, _WORD_CITATION):
        for match in islice(pattern.finditer(text, 0, until), MAX_CITATIONS):
            numbers: set[int] = set()
            for first, last in _NUMBER.findall(match["inner"]):
                low, high = int(first), int(last or first)
                numbers.update(range(low, min(high, low + _WIDEST_RANGE) + 1))
            yield NumberedCitation(
                span=Span(match.start(), match.end()), numbers=frozenset(numbers)
            )
