"""What cannot be right inside one entry of a reference list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from defences.detectors.citations.faults import Fault
from defences.detectors.citations.references import Entry
from defences.detectors.citations.tables import Journal, ReferenceTables
from domain.text import Span

_POWER: Final = 2048  # a size more often than a year
_PAST_YEAR: Final = re.compile(r"\b(?:1[6-9]\d\d|20[012]\d)\b")
_YEAR: Final = re.compile(
    r"(?:(?<!\d)\((?P<bracketed>\d{4})[a-z]?\)|(?:[,.] |\b(?:in|vol\.? \d{1,4},?) )(?P<plain>\d{4})[a-z]?(?=[.,;)]|\s*$))",
    re.IGNORECASE,
)
_PAGES: Final = re.compile(
    r"(?:\bpp?(?:\.~?|~)|\bpages? |\bseiten? |\bs\. |\b\d{1,4}(?:\(\d{1,3}\))?[:,] ?)"
    r"(?P<first>\d{1,5}) ?(?:-{1,2}|\u2013|\u2014) ?(?P<last>\d{1,5})\b(?![.\-/]?\d)".replace(
        "~", " "
    ),
    re.IGNORECASE,
)
_RESERVED_DOMAIN: Final = re.compile(
    r"(?:https?://|www\.)(?:[\w-]{1,63}\.){0,4}(?:example\.(?:com|org|net|edu)|[\w-]{1,63}\."
    r"(?:example|test|invalid|localhost))(?=[/\s.,;)\]\"'>]|$)",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(r"[^\W_]+|&")
_GAP: Final = re.compile(r"[\s.,;*_]{1,6}")
_VOLUME_WORDS: Final = frozenset({"vol", "volume", "v"})
_VOLUME_DIGITS: Final = 3
_NAME_WORDS: Final = 10
_ANY_YEAR: Final = re.compile(r"(?<![\d\-\u2013:/.])(?:19|20)\d\d(?![\d\-\u2013/])")


def entry_faults(text: str, entry: Entry, today: date, tables: ReferenceTables) -> Iterator[Fault]:
    dated = _PAST_YEAR.search(text, entry.span.start, entry.span.end) is not None
    for match in _YEAR.finditer(text, entry.span.start, entry.span.end):
        year = int(match["bracketed"] or match["plain"])
        # Next year's volumes are printed early; beside a year of the past it is a page number.
        if (
            today.year + 1 < year < today.year + 80
            and year != _POWER
            and (match["bracketed"] or not dated)
        ):
            yield _fault("future-year", 0.5, "a reference from the future", match)
    for match in _PAGES.finditer(text, entry.span.start, entry.span.end):
        if _reversed(match["first"], match["last"]):
            yield _fault("reversed-pages", 0.4, "the last page comes before the first", match)
    yield from _volume_faults(text, entry, tables)
    if not dated:
        return  # a bare link may be an example; what carries a year means to be a source
    for match in _RESERVED_DOMAIN.finditer(text, entry.span.start, entry.span.end):
        yield _fault("reserved-domain", 0.45, "the address belongs to nobody (RFC 2606)", match)


def _volume_faults(text: str, entry: Entry, tables: ReferenceTables) -> Iterator[Fault]:
    written = text[entry.span.start : entry.span.end].replace("\n", " ")
    years = {int(year) for year in _ANY_YEAR.findall(written)}
    if len(years) != 1:
        return  # which one is that of the volume, nobody can tell
    (year,) = years
    for at, volume, journal in _volumes(written, tables):
        if not journal.may_be(volume, year):
            reason = "the journal did not have that volume in that year"
            span = Span(entry.span.start + at.start, entry.span.start + at.end)
            yield Fault(rule="volume-year", risk=0.5, reason=reason, at=span)


def _volumes(written: str, tables: ReferenceTables) -> Iterator[tuple[Span, int, Journal]]:
    """Yield each journal of the tables that a short number follows, and the number."""
    tokens = list(_TOKEN.finditer(written))
    words = ["and" if token[0] == "&" else token[0].lower() for token in tokens]
    for place, token in enumerate(tokens):
        if not token[0].isascii() or not token[0].isdigit() or len(token[0]) > _VOLUME_DIGITS:
            continue
        last = place - 1 if words[place - 1] in _VOLUME_WORDS else place
        if last < 1 or not _GAP.fullmatch(written, tokens[last - 1].end(), tokens[last].start()):
            continue
        for first in range(max(0, last - _NAME_WORDS), last):
            journal = tables.journals.get(" ".join(words[first:last]))
            if journal is not None and _begins(written, tokens[first].start()):
                yield Span(tokens[first].start(), token.end()), int(token[0]), journal
                break


def _begins(written: str, at: int) -> bool:
    """Whether a name may begin here, and is not the end of a longer one."""
    before = written[max(0, at - 6) : at].rstrip(" *_")
    return not before or not before[-1].isalnum()


def _reversed(first: str, last: str) -> bool:
    # `1123-35` is short for 1123-1135.
    return len(last) >= len(first) and int(last) < int(first)


def _fault(rule: str, risk: float, reason: str, match: re.Match[str]) -> Fault:
    return Fault(rule=rule, risk=risk, reason=reason, at=Span(match.start(), match.end()))
