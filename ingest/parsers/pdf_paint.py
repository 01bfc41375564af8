"""Where a page object of pdfium stands, and what it paints over what came before it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Final

import pypdfium2.raw as pdfium

from ingest.parsers.pdf_layout import Box, Paint

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Final = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_OPAQUE: Final = 230  # of 255: below, what is behind shows through
_MAX_SEGMENTS: Final = 2_000
_BOX_POINTS: Final = 6
_NARROWEST: Final = 4.0  # points of a line that could cover text


def paints(handle: object, kind: int, matrix: Matrix, order: int) -> Iterator[Paint]:
    """Yield the boxes that an object fills, of a path each of its rectangles."""
    found = bounds(handle, matrix)
    if found is None:
        return
    if kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
        yield Paint(box=found, colour=None, order=order)
        return
    if kind != pdfium.FPDF_PAGEOBJ_PATH:
        return
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(handle, mode, stroke)
    if mode.value == 0:
        line = _line(handle, found, matrix, order) if stroke.value else None
        if line is not None:
            yield line
        return
    red, green, blue, alpha = fill(handle)
    if alpha < _OPAQUE:
        return
    boxes = [found] if pdfium.FPDFPath_CountSegments(handle) <= _BOX_POINTS else _boxes(handle)
    for at, box in enumerate(boxes):
        placed = box if at == 0 and box == found else _placed(box, matrix)
        yield Paint(box=placed, colour=(red, green, blue), order=order)


def _line(handle: object, found: Box, matrix: Matrix, order: int) -> Paint | None:
    """Return a line as thick as text is high, as the box that it is."""
    width = ctypes.c_float()
    if pdfium.FPDFPath_CountSegments(handle) != 2:  # noqa: PLR2004
        return None
    pdfium.FPDFPageObj_GetStrokeWidth(handle, width)
    thick = width.value * (abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) ** 0.5)
    red, green, blue, alpha = outline(handle)
    if thick < _NARROWEST or alpha < _OPAQUE:
        return None
    left, bottom, right, top = found
    if top - bottom < right - left:
        middle = (bottom + top) / 2
        box = (left, middle - thick / 2, right, middle + thick / 2)
    else:
        middle = (left + right) / 2
        box = (middle - thick / 2, bottom, middle + thick / 2, top)
    return Paint(box=box, colour=(red, green, blue), order=order)


def _boxes(handle: object) -> list[Box]:
    """Return the rectangles of a path in its own space; none where a part is no rectangle."""
    count = pdfium.FPDFPath_CountSegments(handle)
    if count > _MAX_SEGMENTS:
        return []
    parts: list[list[tuple[float, float]]] = []
    for number in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(handle, number)
        x, y = ctypes.c_float(), ctypes.c_float()
        kind = pdfium.FPDFPathSegment_GetType(segment) if segment else -1
        if kind not in (pdfium.FPDF_SEGMENT_MOVETO, pdfium.FPDF_SEGMENT_LINETO):
            return []
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        if kind == pdfium.FPDF_SEGMENT_MOVETO or not parts:
            parts.append([])
        parts[-1].append((x.value, y.value))
    found: list[Box] = []
    for points in parts:
        xs, ys = {x for x, _ in points}, {y for _, y in points}
        if len(points) < _BOX_POINTS - 2 or len(xs) != 2 or len(ys) != 2:  # noqa: PLR2004
            return []
        found.append((min(xs), min(ys), max(xs), max(ys)))
    return found


def fill(handle: object) -> tuple[int, int, int, int]:
    """Return red, green, blue and alpha of what an object is filled with, 0 to 255."""
    return _colour(handle, pdfium.FPDFPageObj_GetFillColor)


def outline(handle: object) -> tuple[int, int, int, int]:
    """Return red, green, blue and alpha of its outline, 0 to 255."""
    return _colour(handle, pdfium.FPDFPageObj_GetStrokeColor)


def _colour(handle: object, ask: object) -> tuple[int, int, int, int]:
    channels = [ctypes.c_uint() for _ in range(4)]
    if not callable(ask) or not ask(handle, *channels):
        return 0, 0, 0, 255
    red, green, blue, alpha = (channel.value for channel in channels)
    return red, green, blue, alpha


def own_matrix(handle: object) -> Matrix:
    found = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(handle, found):
        return IDENTITY
    return (found.a, found.b, found.c, found.d, found.e, found.f)


def times(m: Matrix, n: Matrix) -> Matrix:
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4],
        m[4] * n[1] + m[5] * n[3] + n[5],
    )


def bounds(handle: object, matrix: Matrix) -> tuple[float, float, float, float] | None:
    """Return left, bottom, right, top in page space."""
    edges = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(handle, *edges):
        return None
    left, bottom, right, top = (edge.value for edge in edges)
    return _placed((left, bottom, right, top), matrix)


def _placed(box: Box, matrix: Matrix) -> Box:
    if matrix == IDENTITY:
        return box
    left, bottom, right, top = box
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in (left, right) for y in (bottom, top)]
    ys = [b * x + d * y + f for x in (left, right) for y in (bottom, top)]
    return min(xs), min(ys), max(xs), max(ys)
