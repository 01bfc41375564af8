"""PDF: text with what a reader would see of it, by pdfium's page objects.

No library tells whether text can be seen, so it is worked out here: render mode, size, colour
against what is painted behind, what is painted over it later, and where the page ends. Structure
(JavaScript, attachments, annotations, properties) is asked of pdfium too: importing pypdf costs
three times what reading a page does. A content bomb is for the process's limits to stop.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from typing import Final

import pypdfium2
import pypdfium2.raw as pdfium

from ingest.parsers.extract import BinaryText, Extract, unreadable
from ingest.parsers.pdf_layout import Glyphs, Paint, lay_out
from ingest.parsers.pdf_structure import (
    ParseAttachment,
    attachments,
    bookmarks,
    layers_off,
    scripts,
)
from ingest.parsers.sniff import PDF

MAX_PAGES: Final = 2_000
MAX_OBJECTS: Final = 200_000
"""Page objects of a document looked at."""
_MAX_FORM_DEPTH: Final = 8
_MAX_ANNOTATIONS: Final = 500
_PROPERTIES: Final = ("Title", "Author", "Subject", "Keywords")
_EMPTY_PROPERTIES: Final = frozenset({"untitled", "unspecified", "anonymous", "(anonymous)"})
_VISIBLE_ANNOTATIONS: Final = frozenset({pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_WIDGET})
_ACTIONS: Final = (
    (
        re.compile(rb"/OpenAction\s*<<[^>]{0,200}/(?:JavaScript|Launch|URI|SubmitForm)\b"),
        "pdf-action",
    ),
    (re.compile(rb"/Launch\b"), "pdf-launch"),
    (re.compile(rb"/RichMedia\b|/EmbeddedFile\b"), "pdf-embedded-file"),
)
_BOX_SEGMENTS: Final = 6
_MAX_MARKS: Final = 16
_MAX_CLIPS: Final = 16
_MAX_CLIP_SEGMENTS: Final = 200
_IDENTITY: Final = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

Matrix = tuple[float, float, float, float, float, float]


def parse_pdf(content: bytes, *, max_chars: int, parse_attachment: ParseAttachment) -> Extract:
    text = BinaryText(max_chars=max_chars)
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        code = pdfium.FPDF_GetLastError()
        raise unreadable(
            "pdf-password" if code == pdfium.FPDF_ERR_PASSWORD else "pdf-broken"
        ) from error
    try:
        _structure(document, content, text)
        pages = len(document)
        if pages > MAX_PAGES:
            text.warn("pdf-pages-truncated")
        budget = MAX_OBJECTS
        off = layers_off(content)
        for number in range(min(pages, MAX_PAGES)):
            budget = _page(document, number, text, budget, off)
        bookmarks(document, text)
        scripts(document, content, text)
        attachments(document, text, parse_attachment)
    finally:
        document.close()
    return text.build(PDF)


def _structure(document: pypdfium2.PdfDocument, content: bytes, text: BinaryText) -> None:
    for name in _PROPERTIES:
        value = document.get_metadata_value(name)
        if value.strip().lower() not in _EMPTY_PROPERTIES:
            text.describe(name.lower(), value)
    if pdfium.FPDFDoc_GetAttachmentCount(document) > 0:
        text.warn("pdf-embedded-file")
    for pattern, code in _ACTIONS:
        if pattern.search(content):
            text.warn(code)


def _page(
    document: pypdfium2.PdfDocument,
    number: int,
    text: BinaryText,
    budget: int,
    off: frozenset[str] | None,
) -> int:
    locator = f"page {number + 1}"
    start = text.size
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        text.warn("pdf-page-broken")
        return budget
    try:
        characters = page.get_textpage()
        glyphs: list[Glyphs] = []
        paints: list[Paint] = []
        for item in _objects(page, characters, budget, off):
            budget -= 1
            if isinstance(item, Glyphs):
                glyphs.append(item)
            elif isinstance(item, Paint):
                paints.append(item)
        if budget <= 0:
            text.warn("pdf-objects-truncated")
        lay_out(glyphs, paints, box=page.get_bbox(), into=text, locator=locator)
        _annotations(page, text, locator)
        characters.close()
    finally:
        page.close()
    text.part(locator, start)
    return budget


def _objects(
    page: pypdfium2.PdfPage,
    characters: pypdfium2.PdfTextPage,
    budget: int,
    off: frozenset[str] | None,
) -> Iterator[Glyphs | Paint | None]:
    """Yield text and paint in the order in which they are painted, forms unfolded."""
    pending = [_children(page, None, _IDENTITY, 0)]
    order = 0
    while pending and order < budget:
        entry = next(pending[-1], None)
        if entry is None:
            pending.pop()
            continue
        handle, matrix, depth = entry
        kind = pdfium.FPDFPageObj_GetType(handle)
        order += 1
        if kind == pdfium.FPDF_PAGEOBJ_FORM:
            if depth < _MAX_FORM_DEPTH:
                inner = _times(_matrix(handle), matrix)
                pending.append(_children(page, handle, inner, depth + 1))
            yield None
        elif kind == pdfium.FPDF_PAGEOBJ_TEXT:
            layered = off is not None and _on_layer(handle, off)
            yield _glyphs(handle, characters, matrix, order, layered=layered)
        else:
            yield _paint(handle, kind, matrix, order)


def _children(
    page: pypdfium2.PdfPage, form: object | None, matrix: Matrix, depth: int
) -> Iterator[tuple[object, Matrix, int]]:
    count = (
        pdfium.FPDFPage_CountObjects(page)
        if form is None
        else pdfium.FPDFFormObj_CountObjects(form)
    )
    for index in range(count):
        handle = (
            pdfium.FPDFPage_GetObject(page, index)
            if form is None
            else pdfium.FPDFFormObj_GetObject(form, index)
        )
        if handle:
            yield handle, matrix, depth


def _glyphs(
    handle: object,
    characters: pypdfium2.PdfTextPage,
    matrix: Matrix,
    order: int,
    *,
    layered: bool,
) -> Glyphs | None:
    size = pdfium.FPDFTextObj_GetText(handle, characters, None, 0)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    pdfium.FPDFTextObj_GetText(handle, characters, buffer, size)
    content = bytes(buffer)[: max(0, size - 2)].decode("utf-16-le", "replace").replace("\x00", "")
    box = _box(handle, matrix)
    if box is None:
        return None
    font_size = ctypes.c_float()
    pdfium.FPDFTextObj_GetFontSize(handle, font_size)
    placed = _times(_matrix(handle), matrix)
    scale = (placed[2] ** 2 + placed[3] ** 2) ** 0.5
    red, green, blue, alpha = _fill(handle)
    return Glyphs(
        text=content or " ",  # pdfium gives no text for an object of spaces
        box=box,
        baseline=placed[5],
        left=placed[4],
        size=abs(font_size.value) * scale,
        upright=abs(placed[1]) < abs(placed[0]) * 0.2,
        mode=pdfium.FPDFTextObj_GetTextRenderMode(handle),
        colour=(red, green, blue),
        alpha=alpha,
        order=order,
        layered=layered,
        clip=_clip(handle, matrix),
    )


def _on_layer(handle: object, off: frozenset[str]) -> bool:
    """Whether the object is marked as belonging to a layer that is off."""
    for index in range(min(pdfium.FPDFPageObj_CountMarks(handle), _MAX_MARKS)):
        mark = pdfium.FPDFPageObj_GetMark(handle, index)
        if not mark or _mark_name(mark) != "OC":
            continue
        if not off or _mark_text(mark, b"Name") in off:
            return True
    return False


def _mark_name(mark: object) -> str:
    size = ctypes.c_ulong()
    buffer = (ctypes.c_ushort * 64)()
    if not pdfium.FPDFPageObjMark_GetName(mark, buffer, 128, size):
        return ""
    return bytes(buffer)[: max(0, size.value - 2)].decode("utf-16-le", "replace")


def _mark_text(mark: object, key: bytes) -> str:
    size = ctypes.c_ulong()
    buffer = (ctypes.c_ushort * 512)()
    if not pdfium.FPDFPageObjMark_GetParamStringValue(mark, key, buffer, 1024, size):
        return ""
    return bytes(buffer)[: max(0, size.value - 2)].decode("utf-16-le", "replace")


def _clip(handle: object, matrix: Matrix) -> tuple[float, float, float, float] | None:
    """Return the box that all clipping paths leave, in page space; None where nothing clips."""
    path = pdfium.FPDFPageObj_GetClipPath(handle)
    count = pdfium.FPDFClipPath_CountPaths(path) if path else 0
    box: tuple[float, float, float, float] | None = None
    for index in range(min(count, _MAX_CLIPS)):
        corners = _corners(path, index, matrix)
        if not corners:
            continue
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        found = (min(xs), min(ys), max(xs), max(ys))
        box = found if box is None else _meet(box, found)
    return box


def _corners(path: object, index: int, matrix: Matrix) -> list[tuple[float, float]]:
    a, b, c, d, e, f = matrix
    corners = []
    segments = pdfium.FPDFClipPath_CountPathSegments(path, index)
    for number in range(min(segments, _MAX_CLIP_SEGMENTS)):
        x, y = ctypes.c_float(), ctypes.c_float()
        segment = pdfium.FPDFClipPath_GetPathSegment(path, index, number)
        if segment and pdfium.FPDFPathSegment_GetPoint(segment, x, y):
            corners.append((a * x.value + c * y.value + e, b * x.value + d * y.value + f))
    return corners


def _meet(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        min(one[2], other[2]),
        min(one[3], other[3]),
    )


def _paint(handle: object, kind: int, matrix: Matrix, order: int) -> Paint | None:
    box = _box(handle, matrix)
    if box is None:
        return None
    if kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
        return Paint(box=box, colour=None, order=order)
    if kind != pdfium.FPDF_PAGEOBJ_PATH:
        return None
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(handle, mode, stroke)
    if mode.value == 0 or pdfium.FPDFPath_CountSegments(handle) > _BOX_SEGMENTS:
        return None
    red, green, blue, alpha = _fill(handle)
    if alpha < 230:  # noqa: PLR2004 - what is behind shows through
        return None
    return Paint(box=box, colour=(red, green, blue), order=order)


def _fill(handle: object) -> tuple[int, int, int, int]:
    channels = [ctypes.c_uint() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetFillColor(handle, *channels):
        return 0, 0, 0, 255
    red, green, blue, alpha = (channel.value for channel in channels)
    return red, green, blue, alpha


def _matrix(handle: object) -> Matrix:
    found = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(handle, found):
        return _IDENTITY
    return (found.a, found.b, found.c, found.d, found.e, found.f)


def _times(m: Matrix, n: Matrix) -> Matrix:
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4],
        m[4] * n[1] + m[5] * n[3] + n[5],
    )


def _box(handle: object, matrix: Matrix) -> tuple[float, float, float, float] | None:
    """Return left, bottom, right, top in page space."""
    edges = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(handle, *edges):
        return None
    left, bottom, right, top = (edge.value for edge in edges)
    if matrix == _IDENTITY:
        return left, bottom, right, top
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in (left, right) for y in (bottom, top)]
    ys = [b * x + d * y + f for x in (left, right) for y in (bottom, top)]
    return min(xs), min(ys), max(xs), max(ys)


def _annotations(page: pypdfium2.PdfPage, text: BinaryText, locator: str) -> None:
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)):
        handle = pdfium.FPDFPage_GetAnnot(page, index)
        if not handle:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(handle)
        keys = ("Contents", "V", "TU") if kind == pdfium.FPDF_ANNOT_WIDGET else ("Contents",)
        for key in keys:
            content = _annotation_text(handle, key)
            if kind in _VISIBLE_ANNOTATIONS and key != "TU" and content.strip():
                text.show(content.strip() + "\n")
            else:
                text.hide(content.strip(), channel="pdf-annotation", locator=locator)
        pdfium.FPDFPage_CloseAnnot(handle)


def _annotation_text(handle: object, key: str) -> str:
    name = key.encode()
    size = pdfium.FPDFAnnot_GetStringValue(handle, name, None, 0)
    if size <= 2:  # noqa: PLR2004 - only its terminator
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    pdfium.FPDFAnnot_GetStringValue(handle, name, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").replace("\x00", "")
