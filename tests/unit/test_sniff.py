from __future__ import annotations

import pytest

from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from ingest.parsers.sniff import sniff
from tests.parser_samples import docx, paragraph, pdf, run, shown

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
A_PDF = pdf(shown("x"))
A_DOCX = docx(paragraph(run("x")))
A_MAIL = b"From: a@b.example\r\nSubject: x\r\nDate: Mon, 5 Oct 2026 10:00:00 +0000\r\n\r\nHello\r\n"


@pytest.mark.parametrize(
    ("content", "claimed", "name", "media_type", "warnings"),
    [
        (b"Just words.", None, None, "text/plain", ()),
        (b"", None, None, "text/plain", ()),
        (b"# Title\n\nwords", None, None, "text/markdown", ()),
        (b"see [x](https://e.example)", None, None, "text/markdown", ()),
        (b"words <!-- aside --> words", None, None, "text/markdown", ()),
        (b"words <span style='display:none'>x</span>", None, None, "text/markdown", ()),
        (b"<!DOCTYPE html><p>x", None, None, "text/html", ()),
        (b"\xef\xbb\xbf\n<HTML><body>x", None, None, "text/html", ()),
        (b"<!-- a --><!-- b -->\n<html>x", None, None, "text/html", ()),
        (b"<div><p>x</p></div>", None, None, "text/html", ()),
        (b"a <b>x</b>", "text/html; charset=utf-8", None, "text/html", ()),
        (b"a <b>x</b>", None, "page.HTM", "text/html", ()),
        (b"# Title", "text/plain", None, "text/plain", ()),
        (b"words", "text/markdown", "a.md", "text/markdown", ()),
        (b"words", "text/x-markdown", None, "text/markdown", ()),
        (b"words", "application/octet-stream", None, "text/plain", ()),
        (b"a,b\n1,2", "text/csv", "a.csv", "text/csv", ()),
        (A_PDF, None, None, PDF, ()),
        (b"\n" + A_PDF, PDF, "a.pdf", PDF, ()),
        (A_DOCX, None, None, DOCX, ()),
        (A_MAIL, None, None, "message/rfc822", ()),
        (b"From: somebody, with love\n\nwords", None, None, "text/plain", ()),
        (b"Note: this\nTo do: that\n\nwords", None, None, "text/plain", ()),
        # A claim that lies.
        (A_PDF, "text/plain", None, PDF, ("type-mismatch",)),
        (A_PDF, PDF, "report.docx", PDF, ("type-mismatch",)),
        (b"<!doctype html><p>x", "text/plain", None, "text/html", ("type-mismatch",)),
        (b"words", "application/pdf", None, "text/plain", ("type-mismatch",)),
        (b"words", "text/html", None, "text/plain", ("type-mismatch",)),
        (A_DOCX, None, "notes.txt", DOCX, ("type-mismatch",)),
        # Encodings.
        ("Grüße".encode("cp1252"), None, None, "text/plain", ("charset-guessed",)),
        ("Grüße".encode("utf-16"), None, None, "text/plain", ()),
        (b"words about %PDF-1.7 files", None, None, "text/plain", ()),
    ],
)
def test_type_is_that_of_the_content(
    content: bytes,
    claimed: str | None,
    name: str | None,
    media_type: str,
    warnings: tuple[str, ...],
) -> None:
    sniffed = sniff(content, claimed=claimed, file_name=name)

    assert (sniffed.media_type, sniffed.warnings) == (media_type, warnings)


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"GIF89a",
        b"\x1f\x8b\x08\x00",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"{\\rtf1 x}",
        b"t\x00e\x00x\x00t\x00",
        bytes(range(1, 32)) * 10,
        b"PK\x05\x06" + bytes(18),
    ],
)
def test_what_no_parser_reads_is_unsupported(content: bytes) -> None:
    with pytest.raises(UnsupportedMediaTypeError):
        sniff(content, claimed="text/plain", file_name="a.txt")


def test_a_broken_zip_is_unreadable() -> None:
    with pytest.raises(DocumentUnreadableError) as caught:
        sniff(A_DOCX[:-30], claimed=None, file_name=None)

    assert caught.value.reason == "zip-broken"


def test_text_is_decoded_without_its_byte_order_mark() -> None:
    assert sniff("\ufeffäé".encode("utf-16-le"), claimed=None, file_name=None).text == "äé"
    assert sniff("\ufeffäé".encode(), claimed=None, file_name=None).text == "äé"
