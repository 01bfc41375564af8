"""arXiv: its own preprints, as an Atom feed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from backends.citations.api import MalformedAnswerError, quoted, same, work
from domain.citations import CitationKind, Identifier, Work

_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_ARXIV: Final = "{http://arxiv.org/schemas/atom}"
_ID: Final = re.compile(r"https?://arxiv\.org/abs/(.{1,40}?)(?:v\d{1,3})?")
_WITHDRAWN: Final = re.compile(r"\bwithdrawn\b|\bretracted\b", re.IGNORECASE)


class ArxivApi:
    name = "arxiv"
    kinds = frozenset({CitationKind.ARXIV})
    url = "https://export.arxiv.org"

    @property
    def headers(self) -> Mapping[str, str]:
        return {"accept": "application/atom+xml"}

    def target(self, identifier: Identifier) -> str:
        return f"/api/query?max_results=1&id_list={quoted(identifier.value)}"

    def read(self, body: bytes, identifier: Identifier) -> Work | None:
        entry = _feed(body).find(f"{_ATOM}entry")
        if entry is None:
            return None
        named = _ID.fullmatch(_text(entry, f"{_ATOM}id"))
        if named is None:
            if _text(entry, f"{_ATOM}title") == "Error":
                return None  # how it says that it has no such paper
            raise MalformedAnswerError("an entry that names no paper")
        same(identifier, named[1])
        published = _text(entry, f"{_ATOM}published")[:4]
        return work(
            identifier,
            source=self.name,
            title=_text(entry, f"{_ATOM}title"),
            authors=[_text(one, f"{_ATOM}name") for one in entry.findall(f"{_ATOM}author")],
            year=int(published) if published.isascii() and published.isdigit() else None,
            retracted=_WITHDRAWN.search(_text(entry, f"{_ARXIV}comment")) is not None,
        )


def _feed(body: bytes) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        feed = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as exc:
        raise MalformedAnswerError("not XML") from exc
    if feed is None or feed.tag != f"{_ATOM}feed":
        raise MalformedAnswerError("not an Atom feed")
    return feed


def _text(element: etree._Element, tag: str) -> str:
    return " ".join((element.findtext(tag) or "").split())
