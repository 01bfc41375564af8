"""Semantic Scholar: DOIs, arXiv and PubMed numbers in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import Field

from backends.citations.api import Record, quoted, read_json, same, work
from domain.citations import CitationKind, Identifier, Work

_FIELDS: Final = "title,year,authors,externalIds"
_PREFIX: Final = {
    CitationKind.DOI: "DOI",
    CitationKind.ARXIV: "ARXIV",
    CitationKind.PMID: "PMID",
}


class _Author(Record):
    name: str | None = None


class _External(Record):
    doi: str | None = Field(None, alias="DOI")
    arxiv: str | None = Field(None, alias="ArXiv")
    pmid: str | None = Field(None, alias="PubMed")


class _Answer(Record):
    title: str | None = None
    year: int | None = None
    authors: tuple[_Author, ...] = ()
    external: _External = Field(_External(), alias="externalIds")


class SemanticScholarApi:
    name = "semantic-scholar"
    kinds = frozenset(_PREFIX)
    url = "https://api.semanticscholar.org"

    def __init__(self, *, api_key: str | None = None) -> None:
        """Remember the key, without which little is answered."""
        self._api_key = api_key

    @property
    def headers(self) -> Mapping[str, str]:
        accept = {"accept": "application/json"}
        return accept | {"x-api-key": self._api_key} if self._api_key else accept

    def target(self, identifier: Identifier) -> str:
        asked = f"{_PREFIX[identifier.kind]}:{quoted(identifier.value)}"
        return f"/graph/v1/paper/{asked}?fields={_FIELDS}"

    def read(self, body: bytes, identifier: Identifier) -> Work:
        found = read_json(_Answer, body)
        ids = found.external
        by_kind = {
            CitationKind.DOI: ids.doi,
            CitationKind.ARXIV: ids.arxiv,
            CitationKind.PMID: ids.pmid,
        }
        same(identifier, by_kind[identifier.kind])
        return work(
            identifier,
            source=self.name,
            title=found.title or "",
            authors=[one.name or "" for one in found.authors],
            year=found.year,
            retracted=False,  # it does not say
        )
