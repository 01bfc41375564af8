"""What identifiers, journal volumes and law reporters can exist, from a dated data file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain.errors import ConfigurationError

SHIPPED: Final = "reference_tables.json"
_SLACK_YEARS: Final = 2  # printed early or late, or a supplement of last year


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


class _File(_Table):
    as_of: date = Field(strict=False)
    note: str
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
class Reporter:
    """A series of law reports: the years it covers, its volumes, and the most pages of one."""

    first: int
    last: int | None
    volumes: int | None
    pages: int | None


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
                first=row.first, last=row.last, volumes=row.volumes, pages=row.pages
            )
            for row in read.reporters
        },
    )


@cache
def shipped_tables() -> ReferenceTables:
    """Return the tables that came with the product."""
    return parse_tables(files(__package__).joinpath(SHIPPED).read_text(encoding="utf-8"))
