"""American case law: reporters that had not begun, had ended, or never had that volume or page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from defences.detectors.citations.tables import ReferenceTables, Reporter
from domain.citations import Case
from domain.text import Span

MAX_CASES: Final = 20_000

_CASE: Final = re.compile(
    r"(?<![\w.])(?P<volume>\d{1,4}) (?P<reporter>U\. ?S\.|S\. ?Ct\.|L\. ?Ed\.(?: ?2d)?|F\. ?(?:2d|3d|4th)"
    r"|F\. ?Supp\.(?: ?[23]d)?|F\. ?App['\u2019]x|F\. ?R\. ?D\.|B\. ?R\.|Fed\. ?Cl\.|A\. ?[23]d|P\. ?[23]d"
    r"|N\. ?E\. ?[23]d|N\. ?W\. ?2d|S\. ?E\. ?2d|S\. ?W\. ?[23]d|So\. ?[23]d|Cal\. ?Rptr\. ?[23]d"
    r"|N\. ?Y\. ?S\. ?[23]d) (?P<page>\d{1,5})(?!\d)"
    r"(?:,? \d{1,5}(?:[-\u2013]\d{1,5})?)?(?: ?\([^()\n]{0,40}?(?P<year>1[789]\d\d|2\d\d\d)\))?"
)


def find_cases(text: str, *, today: date, tables: ReferenceTables) -> Iterator[Case]:
    """Yield what is cited from the reporters in the tables."""
    for count, match in enumerate(_CASE.finditer(text)):
        if count == MAX_CASES:
            return
        name = re.sub(r"\s", "", match["reporter"]).replace("\u2019", "'")
        reporter = tables.reporters.get(name)
        if reporter is None:
            continue
        yield Case(
            at=Span(match.start(), match.end()),
            fault=_fault(
                reporter,
                volume=int(match["volume"]),
                page=int(match["page"]),
                year=int(match["year"]) if match["year"] else None,
                today=today,
            ),
        )


def _fault(
    reporter: Reporter, *, volume: int, page: int, year: int | None, today: date
) -> str | None:
    if page < 1 or not reporter.has(volume, today):
        return "the reporter has no such volume"
    if reporter.pages is not None and page > reporter.pages:
        return "no volume of the reporter has so many pages"
    if year is None:
        return None
    if year > today.year:
        return "a decision of the future"
    # Decisions are printed a year or so after they were made.
    late = reporter.last is not None and year > reporter.last + 1
    if year < reporter.first - 2 or late:
        return "the reporter did not appear then"
    return None if reporter.may_be(volume, year) else "the volume is of other years"
