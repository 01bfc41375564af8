"""Which parser reads which type. A parser's libraries are imported when its type is met."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from domain.errors import UnsupportedMediaTypeError
from ingest.parsers.extract import Extract, unreadable
from ingest.parsers.sniff import DOCX, HTML, MAIL, MARKDOWN, PDF, PLAIN, sniff

MEDIA_TYPES: Final = frozenset({PLAIN, MARKDOWN, HTML, PDF, DOCX, MAIL})
_MAX_DEPTH: Final = 1


def parse(
    content: bytes,
    *,
    claimed_media_type: str | None,
    file_name: str | None,
    max_text_chars: int,
    depth: int = 0,
) -> Extract:
    """Decide the type by content and parse.

    `depth` is 0 for the document, 1 for what is attached to it; attachments of those are not
    looked at and become a warning.

    Raises:
        UnsupportedMediaTypeError: No parser takes what the content turned out to be.
        DocumentUnreadableError: Not well-formed, or more text than `max_text_chars`.
    """
    sniffed = sniff(content, claimed=claimed_media_type, file_name=file_name)
    if sniffed.text is None:
        extract = _parse_binary(sniffed.media_type, content, max_text_chars, depth)
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
    from ingest.parsers.plain import parse_plain

    return parse_plain(text)


def _parse_binary(media_type: str, content: bytes, max_chars: int, depth: int) -> Extract:
    if media_type == PDF:
        from ingest.parsers.pdf import parse_pdf

        return parse_pdf(content, max_chars=max_chars)
    if media_type == DOCX:
        from ingest.parsers.docx import parse_docx

        return parse_docx(content, max_chars=max_chars)
    from ingest.parsers.mail import parse_mail

    def parse_attachment(inner: bytes, claimed: str | None, name: str | None) -> Extract:
        if depth >= _MAX_DEPTH:
            raise UnsupportedMediaTypeError("attachments of attachments are not looked at")
        return parse(
            inner,
            claimed_media_type=claimed,
            file_name=name,
            max_text_chars=max_chars,
            depth=depth + 1,
        )

    return parse_mail(content, max_chars=max_chars, parse_attachment=parse_attachment)
