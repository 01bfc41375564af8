"""What a PDF says beside its pages: bookmarks, attached files, scripts, layers that are off."""

from __future__ import annotations

import ctypes
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Final

import pypdfium2
import pypdfium2.raw as pdfium

from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from ingest.parsers.benign import is_benign
from ingest.parsers.extract import BinaryText, Extract, Passage

ParseAttachment = Callable[[bytes, str | None, str | None], Extract]
"""Parses (content, claimed media type, file name)."""

MAX_BOOKMARKS: Final = 2_000
MAX_ATTACHMENTS: Final = 20
MAX_ATTACHMENT_BYTES: Final = 20_000_000
MAX_SCRIPTS: Final = 50
_MAX_STRING: Final = 1 << 20
_MAX_STREAMS: Final = 300
_MAX_STREAM_BYTES: Final = 1_000_000
_MAX_INFLATED: Final = 8_000_000
_SCRIPT: Final = re.compile(
    rb"/JS\s{0,9}(?:\(((?:\\.|[^\\()]){1,100000})\)|(\d{1,9})\s+\d{1,5}\s+R)", re.DOTALL
)
_OFF: Final = re.compile(rb"/OFF\s{0,9}\[([^\[\]]{0,20000})\]")
_BASE_OFF: Final = re.compile(rb"/BaseState\s{0,9}/OFF\b")
_REFERENCE: Final = re.compile(rb"(\d{1,9})\s+\d{1,5}\s+R")
_NAME: Final = re.compile(
    rb"/Name\s{0,9}(?:\(((?:\\.|[^\\()]){0,500})\)|<([0-9A-Fa-f\s]{0,1000})>)"
)
_OBJECT_STREAM: Final = re.compile(rb"/Type\s{0,9}/ObjStm\b[^>]{0,400}>>\s{0,9}stream\r?\n")
_PROSE_WORDS: Final = 6


def bookmarks(document: pypdfium2.PdfDocument, text: BinaryText) -> None:
    """Add the titles of the outline; a title of ordinary length is what the outline is for."""
    start = text.size
    pending = [pdfium.FPDFBookmark_GetFirstChild(document, None)]
    seen = 0
    while pending and seen < MAX_BOOKMARKS:
        mark = pending.pop()
        if not mark:
            continue
        seen += 1
        title = _wide(pdfium.FPDFBookmark_GetTitle, mark)
        text.hide(
            title.strip(),
            channel="pdf-bookmark",
            locator="bookmarks",
            benign=is_benign("pdf-bookmark", title),
        )
        pending.append(pdfium.FPDFBookmark_GetNextSibling(document, mark))
        pending.append(pdfium.FPDFBookmark_GetFirstChild(document, mark))
    if text.size > start:
        text.part("bookmarks", start)


def _wide(function: Callable[..., int], handle: object) -> str:
    """Return a UTF-16 string by pdfium's way of asking twice."""
    size = function(handle, None, 0)
    if not 2 < size <= _MAX_STRING:  # noqa: PLR2004 - only its terminator
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    function(handle, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").replace("\x00", "")


def attachments(
    document: pypdfium2.PdfDocument, text: BinaryText, parse_attachment: ParseAttachment
) -> None:
    """Add what attached files say: legitimate by kind, and read like everything else."""
    count = pdfium.FPDFDoc_GetAttachmentCount(document)
    if count > MAX_ATTACHMENTS:
        text.warn("attachment-not-inspected")
    for index in range(min(count, MAX_ATTACHMENTS)):
        handle = pdfium.FPDFDoc_GetAttachment(document, index)
        if not handle:
            continue
        name = _name(handle)
        text.describe("attachment", name)
        content = _file(handle)
        if content is None:
            text.warn("attachment-not-inspected")
            continue
        try:
            extract = parse_attachment(content, None, name or None)
        except UnsupportedMediaTypeError:
            text.warn("attachment-not-inspected")
        except DocumentUnreadableError:
            text.warn("attachment-unreadable")
        else:
            _embed(extract, f"attachment {index + 1}", text)


def _embed(extract: Extract, locator: str, text: BinaryText) -> None:
    start = text.size
    text.embed(extract, locator=locator, visible=False)
    shown = extract.visible.shifted(start)
    if extract.visible.text(extract.raw_text).strip():
        text.hidden.append(
            Passage(channel="pdf-attachment", text=shown, locator=locator, benign=True)
        )


def _name(handle: object) -> str:
    def ask(one: object, buffer: object, size: int) -> int:
        return int(pdfium.FPDFAttachment_GetName(one, buffer, size))

    return _wide(ask, handle)


def _file(handle: object) -> bytes | None:
    size = ctypes.c_ulong()
    if not pdfium.FPDFAttachment_GetFile(handle, None, 0, size):
        return None
    if not 0 < size.value <= MAX_ATTACHMENT_BYTES:
        return None
    buffer = ctypes.create_string_buffer(size.value)
    if not pdfium.FPDFAttachment_GetFile(handle, buffer, size.value, size):
        return None
    return buffer.raw[: size.value]


def scripts(document: pypdfium2.PdfDocument, content: bytes, text: BinaryText) -> None:
    """Add what scripts say in words, and warn of them."""
    found = [*_named_scripts(document), *_written_scripts(content)]
    if found:
        text.warn("pdf-javascript")
    start = text.size
    for script in dict.fromkeys(found[:MAX_SCRIPTS]):
        if len(script.split()) >= _PROSE_WORDS:
            benign = is_benign("pdf-script", script)
            text.hide(script.strip(), channel="pdf-script", locator="scripts", benign=benign)
    if text.size > start:
        text.part("scripts", start)


def _named_scripts(document: pypdfium2.PdfDocument) -> Iterator[str]:
    for index in range(min(pdfium.FPDFDoc_GetJavaScriptActionCount(document), MAX_SCRIPTS)):
        handle = pdfium.FPDFDoc_GetJavaScriptAction(document, index)
        if handle:
            yield _wide(pdfium.FPDFJavaScriptAction_GetScript, handle) or " "
            pdfium.FPDFDoc_CloseJavaScriptAction(handle)


def _written_scripts(content: bytes) -> Iterator[str]:
    for number, match in enumerate(_SCRIPT.finditer(content)):
        if number >= MAX_SCRIPTS:
            return
        if match[1] is not None:
            yield _string(match[1])
        else:
            found = re.search(
                rb"(?:\A|\s)"
                + match[2]
                + rb"\s+\d{1,5}\s+obj\s{0,9}\(((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\)){0,100000})\)",
                content,
            )
            yield _string(found[1]) if found else " "


def _string(raw: bytes) -> str:
    plain = re.sub(rb"\\(.)", rb"\1", raw, flags=re.DOTALL)
    return plain.decode("latin-1").replace("\x00", "")


def layers_off(content: bytes) -> frozenset[str] | None:
    """Return names of the layers that are off when the file is opened.

    None where none is; an empty set where some are and their names cannot be told, so that text
    on any layer counts as hidden.
    """
    if b"/OC" not in content and b"/ObjStm" not in content:
        return None
    text = content
    match = _OFF.search(text)
    if match is None and not _BASE_OFF.search(text):
        text = _inflated(content)
        match = _OFF.search(text)
    if match is None:
        return frozenset() if _BASE_OFF.search(text) else None
    names = set()
    numbers = [reference[1] for reference in _REFERENCE.finditer(match[1])]
    for number in numbers[:50]:
        place = re.search(rb"(?:\A|\s)" + number + rb"\s+\d{1,5}\s+obj\b", content)
        found = _NAME.search(content, place.end(), place.end() + 2_000) if place else None
        if found is None:
            return frozenset()
        names.add(_layer_name(found))
    return frozenset(names) if numbers else None


def _layer_name(match: re.Match[bytes]) -> str:
    raw = (
        match[1] if match[1] is not None else bytes.fromhex(re.sub(rb"\s", b"", match[2]).decode())
    )
    if raw.startswith(b"\xfe\xff"):
        return raw[2:].decode("utf-16-be", "replace")
    return _string(raw)


def _inflated(content: bytes) -> bytes:
    """Return the object streams inflated, within a budget."""
    pieces, left = [], _MAX_INFLATED
    for number, match in enumerate(_OBJECT_STREAM.finditer(content)):
        if number >= _MAX_STREAMS or left <= 0:
            break
        try:
            piece = zlib.decompressobj().decompress(
                content[match.end() : match.end() + _MAX_STREAM_BYTES], left
            )
        except zlib.error:
            continue
        left -= len(piece)
        pieces.append(piece)
    return b"\n".join(pieces)
