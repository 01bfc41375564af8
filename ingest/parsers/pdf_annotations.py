"""What a page's annotations say: form fields and notes on the page, which a reader sees, and the rest."""

from __future__ import annotations

import ctypes
import re
from typing import Final

import pypdfium2
import pypdfium2.raw as pdfium

from ingest.parsers.extract import BinaryText

_MAX_ANNOTATIONS: Final = 500
_VISIBLE: Final = frozenset({pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_WIDGET})
_UNSEEN_FLAGS: Final = 1 | 2 | 32
"""Invisible, hidden, no view."""
_SMALLEST: Final = 2.0  # points
_FAINT: Final = 0.05
_LIGHT: Final = 0.9
_SIZE: Final = re.compile(r"([\d.]{1,10})\s+Tf\b")
_PAINT: Final = re.compile(r"((?:[\d.]{1,10}\s+){1,4})(g|rg|k)\b")


def add_annotations(page: pypdfium2.PdfPage, text: BinaryText, locator: str) -> None:
    """Add every annotation's text; one that is off the page or not painted is hidden."""
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)):
        handle = pdfium.FPDFPage_GetAnnot(page, index)
        if not handle:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(handle)
        keys = ("Contents", "V", "TU") if kind == pdfium.FPDF_ANNOT_WIDGET else ("Contents",)
        shown = kind in _VISIBLE and _is_seen(handle, page.get_bbox())
        for key in keys:
            content = _string(handle, key)
            if shown and key != "TU" and content.strip():
                text.show(content.strip() + "\n")
            else:
                text.hide(content.strip(), channel="pdf-annotation", locator=locator)
        pdfium.FPDFPage_CloseAnnot(handle)


def _is_seen(handle: object, page: tuple[float, float, float, float]) -> bool:
    if pdfium.FPDFAnnot_GetFlags(handle) & _UNSEEN_FLAGS:
        return False
    rect = pdfium.FS_RECTF()
    if pdfium.FPDFAnnot_GetRect(handle, rect):
        left, right = max(rect.left, page[0]), min(rect.right, page[2])
        bottom, top = max(rect.bottom, page[1]), min(rect.top, page[3])
        if right - left < _SMALLEST or top - bottom < _SMALLEST:
            return False
    opacity = ctypes.c_float()
    if pdfium.FPDFAnnot_GetNumberValue(handle, b"CA", opacity) and opacity.value <= _FAINT:
        return False
    return _is_legible(_string(handle, "DA"))


def _is_legible(appearance: str) -> bool:
    """Whether a default appearance writes in a size and a colour that can be read on white."""
    size = _SIZE.search(appearance)
    try:
        if size is not None and 0.0 < float(size[1]) < _SMALLEST:  # 0 is as large as fits
            return False
        paint = _PAINT.search(appearance)
        if paint is None:
            return True
        numbers = [float(number) for number in paint[1].split()]
    except ValueError:
        return True
    if paint[2] == "k":
        return max(numbers) > 1.0 - _LIGHT
    return min(numbers) < _LIGHT


def _string(handle: object, key: str) -> str:
    name = key.encode()
    size = pdfium.FPDFAnnot_GetStringValue(handle, name, None, 0)
    if size <= 2:  # noqa: PLR2004 - only its terminator
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    pdfium.FPDFAnnot_GetStringValue(handle, name, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").replace("\x00", "")
