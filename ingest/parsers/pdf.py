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
from dataclasses import replace
from typing import Final

import pypdfium2
import pypdfium2.raw as pdfium

from ingest.parsers.extract import BinaryText, Extract, unreadable
from ingest.parsers.pdf_annotations import add_annotations
from ingest.parsers.pdf_layout import (
    FAINT_ALPHA,
    OUTLINED_MODES,
    STROKE_MODES,
    Glyphs,
    Paint,
    lay_out,
)
from ingest.parsers.pdf_paint import (
    IDENTITY,
    Matrix,
    bounds,
    fill,
    outline,
    own_matrix,
    paints,
    times,
)
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
_PROPERTIES: Final = ("Title", "Author", "Subject", "Keywords")
_EMPTY_PROPERTIES: Final = frozenset({"untitled", "unspecified", "anonymous", "(anonymous)"})
_ACTIONS: Final = (
    (
        re.compile(rb"/OpenAction\s*<<[^>]{0,200}/(?:JavaScript|Launch|URI|SubmitForm)\b"),
        "pdf-action",
    ),
    (re.compile(rb"/Launch\b"), "pdf-launch"),
    (re.compile(rb"/RichMedia\b|/EmbeddedFile\b"), "pdf-embedded-file"),
)
_MAX_MARKS: Final = 16
_MAX_CLIPS: Final = 16
_MAX_CLIP_SEGMENTS: Final = 200


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
        painted: list[Paint] = []
        for item in _objects(page, characters, budget, off):
            budget -= not isinstance(item, Paint)  # each painting object ends with None
            if isinstance(item, Glyphs):
                glyphs.append(item)
            elif isinstance(item, Paint):
                painted.append(item)
        if budget <= 0:
            text.warn("pdf-objects-truncated")
        lay_out(glyphs, painted, box=page.get_bbox(), into=text, locator=locator)
        add_annotations(page, text, locator)
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
    pending = [_children(page, None, IDENTITY, 0, 1.0)]
    order = 0
    while pending and order < budget:
        entry = next(pending[-1], None)
        if entry is None:
            pending.pop()
            continue
        handle, matrix, depth, share = entry
        kind = pdfium.FPDFPageObj_GetType(handle)
        order += 1
        if kind == pdfium.FPDF_PAGEOBJ_FORM:
            if depth < _MAX_FORM_DEPTH:
                inner = times(own_matrix(handle), matrix)
                seen = share * fill(handle)[3] / 255
                pending.append(_children(page, handle, inner, depth + 1, seen))
            yield None
        elif kind == pdfium.FPDF_PAGEOBJ_TEXT:
            layered = off is not None and _on_layer(handle, off)
            found = _glyphs(handle, characters, matrix, order, layered=layered)
            faded = found is not None and share < 1.0
            yield replace(found, alpha=round(found.alpha * share)) if found and faded else found
        elif share < 1.0:
            yield None  # what is behind shows through
        else:
            yield from paints(handle, kind, matrix, order)
            yield None


def _children(
    page: pypdfium2.PdfPage, form: object | None, matrix: Matrix, depth: int, share: float
) -> Iterator[tuple[object, Matrix, int, float]]:
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
            yield handle, matrix, depth, share


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
    box = bounds(handle, matrix)
    if box is None:
        return None
    font_size = ctypes.c_float()
    pdfium.FPDFTextObj_GetFontSize(handle, font_size)
    placed = times(own_matrix(handle), matrix)
    scale = (placed[2] ** 2 + placed[3] ** 2) ** 0.5
    mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)
    red, green, blue, alpha = outline(handle) if mode in STROKE_MODES else fill(handle)
    edge = outline(handle) if mode in OUTLINED_MODES else None
    return Glyphs(
        text=content or " ",  # pdfium gives no text for an object of spaces
        box=box,
        baseline=placed[5],
        left=placed[4],
        size=abs(font_size.value) * scale,
        upright=abs(placed[1]) < abs(placed[0]) * 0.2,
        mode=mode,
        colour=(red, green, blue),
        alpha=alpha,
        edge=edge[:3] if edge is not None and edge[3] > FAINT_ALPHA else None,
        order=order,
        layered=layered,
        replaced=_is_replaced(handle),
        clip=_clip(handle, matrix),
    )


def _is_replaced(handle: object) -> bool:
    """Whether the text is what the file says that the glyphs stand for, not what they show."""
    for index in range(min(pdfium.FPDFPageObj_CountMarks(handle), _MAX_MARKS)):
        mark = pdfium.FPDFPageObj_GetMark(handle, index)
        if mark and pdfium.FPDFPageObjMark_GetParamValueType(mark, b"ActualText"):
            return True
    return False


def _on_layer(handle: object, off: frozenset[str]) -> bool:
    """Whether the object is marked as belonging to a layer that is off."""
    for index in range(min(pdfium.FPDFPageObj_CountMarks(handle), _MAX_MARKS)):
        mark = pdfium.FPDFPageObj_GetMark(handle, index)
        if not mark or _mark_name(mark) != "OC":
            continue
        name = _mark_text(mark, b"Name")
        if not off or not name or name in off:  # a membership of several layers has no name
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
