"""DataCite: data sets, software, theses and preprints."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from backends.citations.api import Record, parted, quoted, read_json, same, work
from domain.citations import CitationKind, Identifier, Work


class _Title(Record):
    title: str = ""


class _Creator(Record):
    name: str | None = None
    family: str | None = Field(None, alias="familyName")
    given: str | None = Field(None, alias="givenName")


class _Attributes(Record):
    doi: str
    titles: tuple[_Title, ...] = ()
    creators: tuple[_Creator, ...] = ()
    year: int | None = Field(None, alias="publicationYear")


class _Entry(Record):
    attributes: _Attributes


class _Answer(Record):
    data: _Entry


class DataCiteApi:
    name = "datacite"
    kinds = frozenset({CitationKind.DOI})
    url = "https://api.datacite.org"

    @property
    def headers(self) -> Mapping[str, str]:
        return {"accept": "application/vnd.api+json"}

    def target(self, identifier: Identifier) -> str:
        return f"/dois/{quoted(identifier.value)}"

    def read(self, body: bytes, identifier: Identifier) -> Work:
        found = read_json(_Answer, body).data.attributes
        same(identifier, found.doi)
        return work(
            identifier,
            source=self.name,
            title=found.titles[0].title if found.titles else "",
            authors=[
                parted(one.family, one.given) if one.family else one.name or ""
                for one in found.creators
            ],
            year=found.year,
            retracted=False,  # DataCite has no word for it
        )
