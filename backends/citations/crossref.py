"""Crossref: most journals, books and proceedings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import Field

from backends.citations.api import Record, parted, quoted, read_json, same, work
from domain.citations import CitationKind, Identifier, Work

_WITHDRAWING: Final = frozenset({"retraction", "withdrawal", "removal"})


class _Author(Record):
    family: str | None = None
    given: str | None = None
    name: str | None = None


class _Date(Record):
    parts: tuple[tuple[int | None, ...], ...] = Field((), alias="date-parts")


class _Update(Record):
    type: str = ""


class _Message(Record):
    doi: str = Field(alias="DOI")
    title: tuple[str, ...] = ()
    author: tuple[_Author, ...] = ()
    issued: _Date = _Date()
    updated_by: tuple[_Update, ...] = Field((), alias="updated-by")


class _Answer(Record):
    message: _Message


class CrossrefApi:
    name = "crossref"
    kinds = frozenset({CitationKind.DOI})
    url = "https://api.crossref.org"

    def __init__(self, *, contact: str | None = None) -> None:
        """Remember whom Crossref may write to: it serves those who say so better."""
        self._contact = contact

    @property
    def headers(self) -> Mapping[str, str]:
        return {"accept": "application/json"}

    def target(self, identifier: Identifier) -> str:
        asked = f"/works/{quoted(identifier.value)}"
        return f"{asked}?mailto={quoted(self._contact)}" if self._contact else asked

    def read(self, body: bytes, identifier: Identifier) -> Work:
        message = read_json(_Answer, body).message
        same(identifier, message.doi)
        parts = message.issued.parts
        return work(
            identifier,
            source=self.name,
            title=next(iter(message.title), ""),
            authors=[parted(one.family or one.name, one.given) for one in message.author],
            year=parts[0][0] if parts and parts[0] else None,
            retracted=any(one.type.lower() in _WITHDRAWING for one in message.updated_by),
        )
