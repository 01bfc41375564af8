"""Which parser reads which type. A parser's libraries are imported when its type is met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from domain.errors import UnsupportedMediaTypeError
from ingest.parsers.extract import Extract, unreadable
from ingest.parsers.sniff import (
    CSV,
    DOCX,
    EPUB,
    HTML,
    JSON,
    MAIL,
    MARKDOWN,
    PDF,
    PLAIN,
    PPTX,
    XLSX,
    sniff,
)

MEDIA_TYPES: Final = frozenset(
    {PLAIN, MARKDOWN, HTML, CSV, JSON, PDF, DOCX, PPTX, XLSX, EPUB, MAIL}
)
MAX_DEPTH: Final = 4
"""Attachments in attachments that are looked at."""
MAX_ATTACHED: Final = 100
"""Attachments of a document, at all depths."""


@dataclass(slots=True)
class _Budget:
    """What the attachments of one document may cost together."""

    chars: int
    attachments: int = MAX_ATTACHED


def parse(
    content: bytes,
    *,
    claimed_media_type: str | None,
    file_name: str | None,
    max_text_chars: int,
) -> Extract:
    """Decide the type by content and parse, what is attached too, some layers deep.

    Raises:
        UnsupportedMediaTypeError: No parser takes what the content turned out to be.
        DocumentUnreadableError: Not well-formed, or more text than `max_text_chars`.
    """
    budget = _Budget(chars=max_text_chars)
    return _parse(content, claimed_media_type, file_name, max_text_chars, budget, 0)


def _parse(
    content: bytes,
    claimed: str | None,
    file_name: str | None,
    max_text_chars: int,
    budget: _Budget,
    depth: int,
) -> Extract:
    sniffed = sniff(content, claimed=claimed, file_name=file_name)
    if sniffed.text is None:
        extract = _parse_binary(sniffed.media_type, content, max_text_chars, budget, depth)
    else:
        if len(sniffed.text) > max_text_chars:
            raise unreadable("too-much-text")
        extract = _parse_text(sniffed.media_type, sniffed.text)
    if not sniffed.warnings:
        return extract
    return replace(extract, warnings=(*sniffed.warnings, *extract.warnings))


def _parse_text(media_type: str, text: str) -> Extract:
    if media_type == HTML:
        from ingest.parsers.html import parse_html

        return parse_html(text)
    if media_type == MARKDOWN:
        from ingest.parsers.markdown import parse_markdown

        return parse_markdown(text)
    if media_type in (CSV, JSON):
        from ingest.parsers.data_text import parse_csv, parse_json

        return parse_csv(text) if media_type == CSV else parse_json(text)
    from ingest.parsers.plain import parse_plain

    return parse_plain(text)


def _parse_binary(
    media_type: str, content: bytes, max_chars: int, budget: _Budget, depth: int
) -> Extract:
    if media_type == PDF:
        from ingest.parsers.pdf import parse_pdf

        return parse_pdf(content, max_chars=max_chars, parse_attachment=_attachments(budget, depth))
    if media_type == DOCX:
        from ingest.parsers.docx import parse_docx

        return parse_docx(content, max_chars=max_chars)
    if media_type == PPTX:
        from ingest.parsers.pptx import parse_pptx

        return parse_pptx(content, max_chars=max_chars)
    if media_type == XLSX:
        from ingest.parsers.xlsx import parse_xlsx

        return parse_xlsx(content, max_chars=max_chars)
    if media_type == EPUB:
        from ingest.parsers.epub import parse_epub

        return parse_epub(content, max_chars=max_chars)
    from ingest.parsers.mail import parse_mail

    return parse_mail(content, max_chars=max_chars, parse_attachment=_attachments(budget, depth))


def _attachments(budget: _Budget, depth: int) -> Callable[[bytes, str | None, str | None], Extract]:
    """Return what parses an attachment of a document at `depth` within the document's budget."""

    def parse_attachment(inner: bytes, claimed: str | None, name: str | None) -> Extract:
        budget.attachments -= 1
        if depth >= MAX_DEPTH or budget.attachments < 0:
            raise UnsupportedMediaTypeError("attachments beyond the budget are not looked at")
        before = budget.chars
        extract = _parse(inner, claimed, name, budget.chars, budget, depth + 1)
        inside = before - budget.chars  # what its own attachments gave is paid for
        budget.chars -= max(0, len(extract.raw_text) - inside)
        if budget.chars < 0:
            raise unreadable("too-much-text")
        return extract

    return parse_attachment
