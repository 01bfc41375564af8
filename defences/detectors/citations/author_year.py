"""Citations by author and year: which have no entry in the list, and which entries nobody cites."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from defences.detectors.citations.references import Entry, ReferenceList
from domain.text import Span

MAX_CITATIONS: Final = 5_000
_MIN_CITATIONS: Final = 3
_MIN_ENTRIES: Final = 3
_MIN_MATCHED: Final = 0.6
"""Fewer that find their entry, and names in brackets are no citations here."""
_LEADING: Final = 250
_NAME: Final = r"[^\W\d_][\w'\u2019\-]{1,30}"
_WORD: Final = re.compile(_NAME)
_AND: Final = r"(?:and|&|und|et|y|e|en)"
_AUTHORS: Final = (
    rf"(?P<first>{_NAME})(?:(?:, {_NAME}){{0,4}},? {_AND} {_NAME}|,? et al\.?|,? u\. ?a\.)?"
)
_YEAR: Final = r"(?P<year>1[6-9]\d\d|20\d\d)[a-z]?"
_IN_BRACKETS: Final = re.compile(
    rf"(?<=[(;])(?: ?(?:see|cf\.|e\.g\.,?|vgl\.|siehe|voir) )? ?{_AUTHORS},? {_YEAR}"
    rf"(?:, ?(?:pp?\.|S\.) ?\d[\d\-\u2013]{{0,9}})?(?=[);])"
)
_IN_PROSE: Final = re.compile(rf"(?<![\w(]){_AUTHORS} \({_YEAR}\)")
_NO_NAME: Final = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer"
    r"|autumn|fall|winter|version|release|the|in|since|until|by|of|copyright|table|figure)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangling:
    """Citations without an entry and entries without a citation, by where they stand."""

    citations: tuple[Span, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class _Citation:
    surname: str
    year: str
    at: Span


def dangling(text: str, listed: ReferenceList) -> Dangling:
    """Return what does not meet; nothing where the document does not cite in this way."""
    nothing = Dangling(citations=(), entries=())
    first_cited: dict[tuple[str, str], Span] = {}
    for one in _citations(text, listed.span.start):
        first_cited.setdefault((one.surname, one.year), one.at)
    if len(first_cited) < _MIN_CITATIONS or len(listed.entries) < _MIN_ENTRIES:
        return nothing
    named = _by_name(text, listed.entries)
    years = [_years(text, entry) for entry in listed.entries]
    cited: set[int] = set()
    missing: list[Span] = []
    for (surname, year), at in first_cited.items():
        found = {place for place in named.get(surname, ()) if year in years[place]}
        cited |= found
        if not found:
            missing.append(at)
    matched = len(first_cited) - len(missing)
    if matched < max(_MIN_ENTRIES, _MIN_MATCHED * len(first_cited)):
        return nothing
    unused = [entry for place, entry in enumerate(listed.entries) if place not in cited]
    return Dangling(citations=tuple(missing), entries=tuple(unused))


def _by_name(text: str, entries: Sequence[Entry]) -> Mapping[str, Sequence[int]]:
    named: defaultdict[str, list[int]] = defaultdict(list)
    for place, entry in enumerate(entries):
        lead = text[entry.span.start : min(entry.span.end, entry.span.start + _LEADING)]
        for name in {folded(name) for name in _WORD.findall(lead)}:
            named[name].append(place)
    return named


def _years(text: str, entry: Entry) -> frozenset[str]:
    return frozenset(
        re.findall(r"(?<!\d)\d{4}(?=[a-z]?(?!\w))", text[entry.span.start : entry.span.end])
    )


def _citations(text: str, until: int) -> Iterator[_Citation]:
    for pattern in (_IN_BRACKETS, _IN_PROSE):
        for match in islice(pattern.finditer(text, 0, until), MAX_CITATIONS):
            name = folded(match["first"])
            if match["first"][0].isupper() and not _NO_NAME.fullmatch(name):
                yield _Citation(name, match["year"], Span(match.start(), match.end()))


def folded(name: str) -> str:
    """Return `name` in lower case without accents."""
    apart = unicodedata.normalize("NFKD", name.casefold().replace("\u2019", "'"))
    return "".join(char for char in apart if not unicodedata.combining(char))
