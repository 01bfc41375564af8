"""PubMed, by the E-utilities."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from backends.citations.api import MalformedAnswerError, Record, quoted, read_json, same, work
from domain.citations import CitationKind, Identifier, Work

_YEAR: Final = re.compile(r"\b(?:1[6-9]|20)\d\d\b")


class _Author(Record):
    name: str = ""


class _Summary(Record):
    uid: str
    title: str = ""
    authors: tuple[_Author, ...] = ()
    pubdate: str = ""
    pubtype: tuple[str, ...] = ()
    error: str | None = None


class _Answer(Record):
    result: dict[str, _Summary | list[str]] | None = None
    error: str | None = None


class PubMedApi:
    name = "pubmed"
    kinds = frozenset({CitationKind.PMID})
    url = "https://eutils.ncbi.nlm.nih.gov"

    def __init__(self, *, contact: str | None = None) -> None:
        """Remember whom the library may write to, as it asks its users to say."""
        self._contact = contact

    @property
    def headers(self) -> Mapping[str, str]:
        return {"accept": "application/json"}

    def target(self, identifier: Identifier) -> str:
        asked = (
            "/entrez/eutils/esummary.fcgi?db=pubmed&retmode=json&tool=mithridate"
            f"&id={quoted(identifier.value)}"
        )
        return f"{asked}&email={quoted(self._contact)}" if self._contact else asked

    def read(self, body: bytes, identifier: Identifier) -> Work | None:
        answer = read_json(_Answer, body)
        if answer.result is None:
            raise MalformedAnswerError("an answer without a result")
        found = answer.result.get(identifier.value)
        if found is None or isinstance(found, list):
            raise MalformedAnswerError("the record of another identifier")
        if found.error is not None:
            return None
        same(identifier, found.uid)
        year = _YEAR.search(found.pubdate)
        return work(
            identifier,
            source=self.name,
            title=found.title,
            authors=[_comma(one.name) for one in found.authors],
            year=int(year[0]) if year else None,
            retracted=any("retracted publication" in one.lower() for one in found.pubtype),
        )


def _comma(name: str) -> str:
    """Return `van der Berg JA` as `van der Berg, JA`."""
    family, _, initials = name.rpartition(" ")
    return f"{family}, {initials}" if family and initials.isupper() else name
