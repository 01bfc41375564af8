"""A catalogue in a file that an organisation ships: JSON lines, or Retraction Watch's CSV.

A line of JSON names one work by any of its identifiers, and what it says of it:

    {"doi": "10.1000/182", "isbn": "9780306406157", "title": "...", "authors": ["Doe, Jane"],
     "year": 2019, "retracted": false}
"""

from __future__ import annotations

import asyncio
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from backends.citations.api import work
from domain.citations import CitationKind, Identifier, Work
from domain.errors import ConfigurationError, PermanentError

MAX_WORKS: Final = 2_000_000
MAX_LINE: Final = 65_536

_KINDS: Final = (
    CitationKind.DOI,
    CitationKind.ARXIV,
    CitationKind.ISBN,
    CitationKind.ISSN,
    CitationKind.PMID,
    CitationKind.RFC,
    CitationKind.CVE,
    CitationKind.ORCID,
)
_YEAR: Final = re.compile(r"(?<![0-9])[0-9]{4}\Z")


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    doi: str | None = None
    arxiv: str | None = None
    isbn: str | None = None
    issn: str | None = None
    pmid: str | None = None
    rfc: str | None = None
    cve: str | None = None
    orcid: str | None = None
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = Field(None, ge=1000, le=3000)
    retracted: bool = False


class CatalogueFile:
    """A `CitationResolver` that asks nobody. Read at the first question, away from the loop."""

    name = "catalogue"
    kinds = frozenset(_KINDS)

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = asyncio.Lock()
        self._works: dict[Identifier, Work] | None = None

    async def resolve(self, identifier: Identifier) -> Work | None:
        async with self._lock:
            if self._works is None:
                try:
                    self._works = await asyncio.to_thread(read_catalogue, self._path)
                except ConfigurationError as exc:
                    raise PermanentError(str(exc)) from exc
        return self._works.get(identifier)


def read_catalogue(path: Path) -> dict[Identifier, Work]:
    """Return the works of a file by each of their identifiers; the last line of one wins.

    Raises:
        ConfigurationError: It cannot be read, or a line is not in the form; names the line.
    """
    rows = _retractions(path) if path.suffix.lower() == ".csv" else _json_lines(path)
    works: dict[Identifier, Work] = {}
    try:
        for row in rows:
            works.update(row)
            if len(works) > MAX_WORKS:
                raise ConfigurationError(f"the citation catalogue has more than {MAX_WORKS} works")
    except (OSError, UnicodeDecodeError, csv.Error) as exc:
        raise ConfigurationError(
            f"the citation catalogue {str(path)!r} cannot be read: {type(exc).__name__}"
        ) from exc
    return works


def _json_lines(path: Path) -> Iterator[dict[Identifier, Work]]:
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE + 1), ""), start=1):
            if not line.strip():
                continue
            try:
                yield _works(_line(line))
            except ValueError as exc:
                raise ConfigurationError(
                    f"the citation catalogue {str(path)!r}: line {number} is not in the form"
                ) from exc


def _line(text: str) -> _Line:
    if len(text) > MAX_LINE:
        raise ValueError("too long")
    return _Line.model_validate_json(text)


def _works(line: _Line) -> dict[Identifier, Work]:
    named = {kind: getattr(line, kind.value) for kind in _KINDS}
    works = {}
    for kind, value in named.items():
        if value is None:
            continue
        identifier = Identifier(kind=kind, value=_canonical(kind, value))
        works[identifier] = work(
            identifier,
            source=CatalogueFile.name,
            title=line.title,
            authors=line.authors,
            year=line.year,
            retracted=line.retracted,
        )
    if not works:
        raise ValueError("no identifier")
    return works


def _canonical(kind: CitationKind, value: str) -> str:
    value = value.strip()
    match kind:
        case CitationKind.DOI:
            lowered = value.lower()
            return lowered[lowered.find("10.") :] if "10." in lowered else lowered
        case CitationKind.ISBN:
            return value.replace("-", "").replace(" ", "")
        case CitationKind.RFC:
            return value.lower().removeprefix("rfc").strip()
        case CitationKind.ARXIV:
            return value.lower().removeprefix("arxiv:").partition("v")[0]
        case _:
            return value.upper()


def _retractions(path: Path) -> Iterator[dict[Identifier, Work]]:
    """Yield what was retracted, by the columns of Retraction Watch's data."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.DictReader(lines, strict=True)  # an open quote would swallow the rest unseen
        wanted = {"OriginalPaperDOI", "RetractionNature", "Title", "Author"}
        if not wanted <= set(rows.fieldnames or ()):
            raise ConfigurationError(
                f"the citation catalogue {str(path)!r} lacks columns of Retraction Watch's data"
            )
        for row in rows:
            if (row["RetractionNature"] or "").strip().lower() == "retraction":
                yield _retracted(row)


def _retracted(row: dict[str, str]) -> dict[Identifier, Work]:
    dates = (row.get("OriginalPaperDate") or "").split()
    year = next((found[0] for part in dates if (found := _YEAR.search(part))), "")
    works = {}
    for kind, value in (
        (CitationKind.DOI, row["OriginalPaperDOI"] or ""),
        (CitationKind.PMID, row.get("OriginalPaperPubMedID") or ""),
    ):
        try:
            identifier = Identifier(kind=kind, value=_canonical(kind, value))
        except ValueError:
            continue  # many rows have none, or `unavailable`
        works[identifier] = work(
            identifier,
            source=CatalogueFile.name,
            title=row["Title"] or "",
            authors=[name.strip() for name in (row["Author"] or "").split(";")],
            year=int(year) if year else None,
            retracted=True,
        )
    return works
