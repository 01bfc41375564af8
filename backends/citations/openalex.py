"""OpenAlex: works of all kinds, with retractions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from backends.citations.api import MalformedAnswerError, Record, quoted, read_json, same, work
from domain.citations import CitationKind, Identifier, Work

_PMID: Final = re.compile(r"(?:https?://pubmed\.ncbi\.nlm\.nih\.gov/)?(\d{1,9})/?")
_PREFIX: Final = {CitationKind.DOI: "doi", CitationKind.PMID: "pmid"}


class _Author(Record):
    display_name: str | None = None


class _Authorship(Record):
    author: _Author = _Author()


class _Ids(Record):
    pmid: str | None = None


class _Answer(Record):
    doi: str | None = None
    ids: _Ids = _Ids()
    display_name: str | None = None
    publication_year: int | None = None
    authorships: tuple[_Authorship, ...] = ()
    is_retracted: bool = False


class OpenAlexApi:
    name = "openalex"
    kinds = frozenset(_PREFIX)
    url = "https://api.openalex.org"

    def __init__(self, *, contact: str | None = None) -> None:
        """Remember whom OpenAlex may write to: it serves those who say so better."""
        self._contact = contact

    @property
    def headers(self) -> Mapping[str, str]:
        return {"accept": "application/json"}

    def target(self, identifier: Identifier) -> str:
        asked = f"/works/{_PREFIX[identifier.kind]}:{quoted(identifier.value)}"
        return f"{asked}?mailto={quoted(self._contact)}" if self._contact else asked

    def read(self, body: bytes, identifier: Identifier) -> Work:
        found = read_json(_Answer, body)
        if identifier.kind is CitationKind.DOI:
            same(identifier, found.doi)
        else:
            numbered = _PMID.fullmatch(found.ids.pmid or "")
            if numbered is None:
                raise MalformedAnswerError("the record of another identifier")
            same(identifier, numbered[1])
        return work(
            identifier,
            source=self.name,
            title=found.display_name or "",
            authors=[one.author.display_name or "" for one in found.authorships],
            year=found.publication_year,
            retracted=found.is_retracted,
        )
