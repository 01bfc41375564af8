"""Decides what a document is from its bytes; what its sender claims only breaks ties."""

from __future__ import annotations

import codecs
import io
import json
import re
import zipfile
from dataclasses import dataclass
from typing import Final

from domain.errors import UnsupportedMediaTypeError
from ingest.parsers.extract import unreadable

PLAIN: Final = "text/plain"
MARKDOWN: Final = "text/markdown"
HTML: Final = "text/html"
PDF: Final = "application/pdf"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EPUB: Final = "application/epub+zip"
MAIL: Final = "message/rfc822"
CSV: Final = "text/csv"
JSON: Final = "application/json"

TYPE_MISMATCH: Final = "type-mismatch"
CHARSET_GUESSED: Final = "charset-guessed"

_ALIASES: Final = {
    "text/x-markdown": MARKDOWN,
    "application/xhtml+xml": HTML,
    "application/x-pdf": PDF,
    "text/x-mail": MAIL,
    "text/tab-separated-values": CSV,
    "application/csv": CSV,
    "text/json": JSON,
    "application/x-ndjson": JSON,
    "application/jsonl": JSON,
    "application/ld+json": JSON,
}
_EXTENSIONS: Final = {
    "txt": PLAIN,
    "text": PLAIN,
    "log": PLAIN,
    "md": MARKDOWN,
    "markdown": MARKDOWN,
    "mdx": MARKDOWN,
    "html": HTML,
    "htm": HTML,
    "xhtml": HTML,
    "pdf": PDF,
    "docx": DOCX,
    "docm": DOCX,
    "dotx": DOCX,
    "pptx": PPTX,
    "pptm": PPTX,
    "ppsx": PPTX,
    "xlsx": XLSX,
    "xlsm": XLSX,
    "epub": EPUB,
    "csv": CSV,
    "tsv": CSV,
    "json": JSON,
    "jsonl": JSON,
    "ndjson": JSON,
    "ipynb": JSON,
    "eml": MAIL,
    "mbox": MAIL,
}
_KNOWN: Final = frozenset(_EXTENSIONS.values())
_TEXTS: Final = frozenset({PLAIN, MARKDOWN, CSV, JSON})
"""What shows all that it says in any editor: none of them hides from another's reader."""
_ZIPPED: Final = {
    "word/document.xml": DOCX,
    "ppt/presentation.xml": PPTX,
    "xl/workbook.xml": XLSX,
    "META-INF/container.xml": EPUB,
}

_BINARY: Final = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (b"\x89PNG", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"\x1f\x8b", "gzip"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"Rar!", "archive"),
    (b"\x7fELF", "executable"),
    (b"{\\rtf", "rtf"),
)
_MAX_ENTRIES: Final = 5_000
_MIN_CONTROLS: Final = 4
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_HTML_START: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?>(?:<!--(?>.*?-->)\s*)*)"
    r"<(?:!doctype\s+html|html|head|body)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_TAG_START: Final = re.compile(
    r"\s*<(?:div|p|h[1-6]|ul|ol|table|section|article|main|span|style|title|meta|nav|header|form)"
    r"(?:\s[^<>]{0,2000})?/?>",
    re.IGNORECASE,
)
_END_TAG: Final = re.compile(
    r"</(?:div|p|h[1-6]|ul|ol|table|section|article|main|span)\s*>\s*\Z", re.IGNORECASE
)
_MARKUP: Final = re.compile(
    r"<!--|</?(?:div|p|span|br|img|a|b|i|em|strong|h[1-6]|ul|ol|li|table|tr|td|details|summary|sub"
    r"|sup|kbd|font|center|section|style|template|noscript|svg|meta|input|button|iframe|script|dialog"
    r"|title|head|html|body|label|textarea|object|video|audio|canvas|u|s|small|mark|article|main|header"
    r"|footer|nav|aside|form|figure|figcaption|blockquote|pre|code|link|time|wbr|desc|del|ins)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_MARKDOWN_SIGN: Final = re.compile(
    r"^(?:#{1,6} \S|```|~~~|\[[^\]\n]{1,200}\]:\s)|!?\[[^\[\]\n]{0,500}\]\([^()\n]{1,2000}\)",
    re.MULTILINE,
)
_FRONT_MATTER: Final = re.compile(
    r"\ufeff?---[ \t]*\n[\w-]{1,80}:[^\n]*\n(?:[^\n]{0,4000}\n){0,100}?---[ \t]*\n"
)
_HEADER: Final = re.compile(r"([!-9;-~]{1,80}):[ \t]?")
_MAIL_HEADERS: Final = frozenset(
    {
        "from",
        "to",
        "cc",
        "subject",
        "date",
        "message-id",
        "received",
        "return-path",
        "mime-version",
        "content-type",
        "reply-to",
        "delivered-to",
        "in-reply-to",
    }
)
_MAIL_ORIGIN: Final = frozenset({"from", "received", "return-path", "message-id", "date"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sniffed:
    """What the content is.

    Attributes:
        text: The decoded content of a text format; None for a binary one and for mail.
    """

    media_type: str
    text: str | None = None
    warnings: tuple[str, ...] = ()


def sniff(content: bytes, *, claimed: str | None, file_name: str | None) -> Sniffed:
    """Decide.

    Raises:
        UnsupportedMediaTypeError: None of the formats we read.
        DocumentUnreadableError: A container of a format we read, but broken.
    """
    claims = _claims(claimed, file_name)
    sniffed = _binary(content) or _text(content, claims[0] if claims else None)
    if any(not _compatible(claim, sniffed.media_type) for claim in claims):
        return Sniffed(
            media_type=sniffed.media_type,
            text=sniffed.text,
            warnings=(*sniffed.warnings, TYPE_MISMATCH),
        )
    return sniffed


def _claims(claimed: str | None, file_name: str | None) -> list[str]:
    claims = []
    if claimed:
        essence = claimed.partition(";")[0].strip().lower()
        claims.append(_ALIASES.get(essence, essence))
    if file_name and "." in file_name:
        claims.append(_EXTENSIONS.get(file_name.rpartition(".")[2].lower(), ""))
    return [claim for claim in claims if claim in _KNOWN]


def _compatible(claim: str, found: str) -> bool:
    return claim == found or {claim, found} <= _TEXTS


def _unsupported(kind: str) -> UnsupportedMediaTypeError:
    return UnsupportedMediaTypeError(f"no parser takes this content: {kind!r}")


def _binary(content: bytes) -> Sniffed | None:
    head = content[:1024]
    if head.lstrip(b"\xef\xbb\xbf\t\r\n\f ").startswith(b"%PDF-") or (
        b"%PDF-" in head and b"startxref" in content[-2048:]
    ):
        return Sniffed(media_type=PDF)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip(content)
    for magic, kind in _BINARY:
        if head.startswith(magic):
            raise _unsupported(kind)
    return None


def _zip(content: bytes) -> Sniffed:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise unreadable("zip-broken") from error
    if len(entries) > _MAX_ENTRIES:
        raise unreadable("zip-too-many-entries")
    names = {entry.filename for entry in entries}
    for name, media_type in _ZIPPED.items():
        if name in names:
            return Sniffed(media_type=media_type)
    raise _unsupported("zip")


def decode(content: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text and warnings: the byte order mark's encoding, else UTF-8, else cp1252."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            try:
                return content.decode(encoding), ()
            except UnicodeDecodeError:
                break
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), (CHARSET_GUESSED,)


def _text(content: bytes, claim: str | None) -> Sniffed:
    text, warnings = decode(content)
    sample = text[:200_000]
    controls = len(_CONTROL.findall(sample))
    if controls >= _MIN_CONTROLS and controls * 50 > len(sample):
        raise _unsupported("binary")
    if _is_mail(text):
        return Sniffed(media_type=MAIL, warnings=warnings)
    return Sniffed(media_type=_text_type(text, claim), text=text, warnings=warnings)


def _text_type(text: str, claim: str | None) -> str:
    if _HTML_START.match(text) or (claim == HTML and _MARKUP.search(text)):
        return HTML
    if claim in (PLAIN, MARKDOWN):
        return claim
    if claim == JSON or text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        if _is_json(text):
            return JSON
    elif claim == CSV:
        return CSV
    if _TAG_START.match(text) and _END_TAG.search(text[-200:]):
        return HTML
    if _MARKDOWN_SIGN.search(text) or _MARKUP.search(text) or _FRONT_MATTER.match(text):
        return MARKDOWN
    return PLAIN


def _is_json(text: str) -> bool:
    """Whether it is JSON, or JSON a line; a text too deep to read is none."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        lines = text.split("\n", 3)[:2]
        try:
            return len(lines) > 1 and all(isinstance(json.loads(line), dict) for line in lines)
        except (ValueError, RecursionError):
            return False
    return True


def _is_mail(text: str) -> bool:
    names: set[str] = set()
    for number, line in enumerate(text[:100_000].splitlines()):
        if not line.strip():
            return len(names & _MAIL_HEADERS) >= 2 and bool(names & _MAIL_ORIGIN)  # noqa: PLR2004
        if number == 0 and line.startswith("From "):
            continue
        if line[0] in " \t" and names:
            continue
        match = _HEADER.match(line)
        if match is None:
            return False
        names.add(match[1].lower())
    return False
