"""How a catalogue is asked over HTTP and what it answers, apart from the asking itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import Final, Protocol, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, ValidationError

from domain.citations import CitationKind, Identifier, Work

MAX_TITLE: Final = 1_000
MAX_AUTHORS: Final = 100
_MAX_AUTHOR: Final = 200

_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_RETRACTED_TITLE: Final = re.compile(
    r"^\W{0,3}(?:retracted(?: article| paper)?|withdrawn|removed)\b[:.\]\-\s]{1,5}", re.IGNORECASE
)


class MalformedAnswerError(Exception):
    """An answer that is not in the catalogue's form, or is the record of something else."""


class Record(BaseModel):
    """Part of an answer; what is not named is not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)


RecordT = TypeVar("RecordT", bound=Record)


class CatalogueApi(Protocol):
    """One catalogue's way of asking and answering. Pure."""

    @property
    def name(self) -> str: ...

    @property
    def kinds(self) -> frozenset[CitationKind]: ...

    @property
    def url(self) -> str:
        """Where the catalogue's owner serves it."""
        ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def target(self, identifier: Identifier) -> str:
        """Return path and query below the address, quoted."""
        ...

    def read(self, body: bytes, identifier: Identifier) -> Work | None:
        """Return the record in a successful answer, None where the answer says there is none.

        Raises:
            MalformedAnswerError: It is no such answer, or about another identifier.
        """
        ...


def quoted(value: str) -> str:
    """Return `value` as one segment of a path, or one value of a query."""
    return quote(value, safe="")


def read_json(model: type[RecordT], body: bytes) -> RecordT:
    """Return a part of a JSON answer.

    Raises:
        MalformedAnswerError: No JSON, or not in the form.
    """
    try:
        return model.model_validate_json(body)
    except ValidationError as exc:
        raise MalformedAnswerError("not in the form of the catalogue") from exc


def same(identifier: Identifier, answered: str | None) -> None:
    """Refuse the record of another identifier.

    Raises:
        MalformedAnswerError: It is one.
    """
    bare = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)", "", answered or "", flags=re.IGNORECASE)
    if bare.strip().lower() != identifier.value.lower():
        raise MalformedAnswerError("the record of another identifier")


def work(
    identifier: Identifier,
    *,
    source: str,
    title: str,
    authors: Iterable[str],
    year: int | None,
    retracted: bool,
) -> Work:
    """Return the work, cleaned of markup and cut to size."""
    plain = " ".join(unescape(_TAG.sub("", title[: 2 * MAX_TITLE])).split())[:MAX_TITLE]
    marked = _RETRACTED_TITLE.match(plain)
    names = (" ".join(unescape(name[:_MAX_AUTHOR]).split()) for name in authors)
    return Work(
        identifier=identifier,
        title=plain[marked.end() :] if marked else plain,
        authors=tuple(name for name in names if name)[:MAX_AUTHORS],
        year=year,
        retracted=retracted or marked is not None,
        source=source,
    )


def parted(family: str | None, given: str | None) -> str:
    """Return a name with its family name first, as a comma tells."""
    return f"{family}, {given or ''}" if family else given or ""
