"""Answers of catalogues as they are kept: JSON, read back strictly."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from domain.citations import CachedAnswer, Identifier, Work


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: str
    value: str
    known: bool
    source: str
    title: str = ""
    authors: list[str]
    year: int | None = None
    retracted: bool = False


def packed(source: str, identifier: Identifier, answer: CachedAnswer) -> str:
    """Return an answer as JSON."""
    work = answer.work
    return _Kept(
        kind=identifier.kind.value,
        value=identifier.value,
        known=work is not None,
        source=source,
        title=work.title if work else "",
        authors=list(work.authors) if work else [],
        year=work.year if work else None,
        retracted=work.retracted if work else False,
    ).model_dump_json()


def unpacked(kept: str | bytes, source: str, identifier: Identifier) -> CachedAnswer | None:
    """Return a kept answer, None where it is none of this source about this identifier."""
    try:
        read = _Kept.model_validate_json(kept)
    except ValidationError:
        return None
    if (read.kind, read.value, read.source) != (identifier.kind.value, identifier.value, source):
        return None
    if not read.known:
        return CachedAnswer(work=None)
    return CachedAnswer(
        work=Work(
            identifier=identifier,
            title=read.title,
            authors=tuple(read.authors),
            year=read.year,
            retracted=read.retracted,
            source=source,
        )
    )
