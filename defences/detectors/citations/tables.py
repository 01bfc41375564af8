"""What identifiers, journal volumes and law reporters can exist, from a dated data file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain.errors import ConfigurationError

SHIPPED: Final = "reference_tables.json"
_SLACK_YEARS: Final = 2  # printed early or late, or a supplement of last year
_SLACK_OF_REPORTERS: Final = 3  # a volume spans two terms, and is cited by either of their years


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Range(_Table):
    last: int = Field(gt=0)
    a_year: int = Field(ge=0)


class _Journal(_Table):
    names: list[str] = Field(min_length=1)
    since: int
    volume: int = Field(gt=0)
    a_year: int = Field(gt=0)


class _Reporter(_Table):
    name: str
    first: int
    last: int | None
    volumes: int | None
    pages: int | None
    dated: dict[str, int] = Field(default={})
    a_year: int = Field(default=0, ge=0)


class _File(_Table):
    as_of: date = Field(strict=False)
    note: str
    sources: list[str]
    rfc: _Range
    pmid: _Range
    arxiv_largest_month: int
    journals: list[_Journal]
    reporters: list[_Reporter]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowingRange:
    """Numbers given out from 1 on: `last` of them on `as_of`, at most `a_year` more every year."""

    last: int
    a_year: int
    as_of: date

    def limit(self, today: date) -> int:
        return self.last + self.a_year * max(0, today.year - self.as_of.year + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """`volume` is the first of the year `since`; each year from then on has `a_year` of them."""

    since: int
    volume: int
    a_year: int

    def may_be(self, volume: int, year: int) -> bool:
        """Whether that volume can have appeared in that year, or about then."""
        if year < self.since:
            return True
        first = self.volume + self.a_year * (year - self.since)
        slack = _SLACK_YEARS * self.a_year
        return first - slack <= volume <= first + self.a_year - 1 + slack


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedVolume:
    """A volume of a reporter and the year of decisions in it."""

    volume: int
    year: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporter:
    """A series of law reports.

    Attributes:
        first, last: Years of the decisions that it covers; None where it still appears.
        volumes: How many there are; None where it still appears.
        pages: The most of one volume.
        dated: Volumes and the years of their decisions, ascending; those between lie between.
        a_year: Volumes that a year adds at most, from the last dated one on.
    """

    first: int
    last: int | None
    volumes: int | None
    pages: int | None
    dated: tuple[DatedVolume, ...] = ()
    a_year: int = 0

    def has(self, volume: int, today: date) -> bool:
        """Whether the volume may have appeared."""
        if volume < 1 or (self.volumes is not None and volume > self.volumes):
            return False
        if not self.dated or not self.a_year:
            return True
        newest = self.dated[-1]
        return volume <= newest.volume + self.a_year * (today.year - newest.year + 1)

    def may_be(self, volume: int, year: int) -> bool:
        """Whether that volume may hold a decision of that year."""
        for before, after in pairwise(self.dated):
            if before.volume <= volume <= after.volume:
                share = (volume - before.volume) / (after.volume - before.volume)
                expected = before.year + share * (after.year - before.year)
                return abs(year - expected) <= _SLACK_OF_REPORTERS
        newest = self.dated[-1] if self.dated else None
        if newest is not None and volume > newest.volume:
            return year >= newest.year - _SLACK_OF_REPORTERS
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTables:
    """Journals by folded name, as `fold` makes it; reporters by their name without spaces."""

    rfc: GrowingRange
    pmid: GrowingRange
    arxiv_largest_month: int
    journals: dict[str, Journal]
    reporters: dict[str, Reporter]


def fold(name: str) -> str:
    """Return `name` in lower case, without dots, its spaces single."""
    return " ".join(name.lower().replace(".", " ").split())


def parse_tables(text: str) -> ReferenceTables:
    """Read the data file.

    Raises:
        ConfigurationError: It is not JSON, or not in the form.
    """
    try:
        read = _File.model_validate(json.loads(text))
    except (json.JSONDecodeError, ValidationError) as exc:
        raise ConfigurationError("the reference tables are not in their form") from exc
    return ReferenceTables(
        rfc=GrowingRange(last=read.rfc.last, a_year=read.rfc.a_year, as_of=read.as_of),
        pmid=GrowingRange(last=read.pmid.last, a_year=read.pmid.a_year, as_of=read.as_of),
        arxiv_largest_month=read.arxiv_largest_month,
        journals={
            fold(name): Journal(since=row.since, volume=row.volume, a_year=row.a_year)
            for row in read.journals
            for name in row.names
        },
        reporters={
            re.sub(r"\s", "", row.name): Reporter(
                first=row.first,
                last=row.last,
                volumes=row.volumes,
                pages=row.pages,
                dated=tuple(
                    DatedVolume(volume=int(volume), year=year)
                    for volume, year in sorted(row.dated.items(), key=lambda each: int(each[0]))
                ),
                a_year=row.a_year,
            )
            for row in read.reporters
        },
    )


@cache
def shipped_tables() -> ReferenceTables:
    """Return the tables that came with the product."""
    return parse_tables(files(__package__).joinpath(SHIPPED).read_text(encoding="utf-8"))
