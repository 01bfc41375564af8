"""XLSX: a line a row; hidden sheets, rows and columns, white text and comments are apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.archive import Archive, core_properties
from ingest.parsers.benign import is_benign
from ingest.parsers.extract import BinaryText, Extract
from ingest.parsers.sniff import XLSX

MAX_SHEETS: Final = 500
MAX_ROWS: Final = 200_000
_S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TINY: Final = 3.0
_NEAR_WHITE: Final = 231
_THIN: Final = 0.5
"""Widths and heights below which nothing is seen."""
_NONE_FORMAT: Final = re.compile(r"\s*;\s*;\s*;?\s*(?:\"\"|@?\s*)?\Z")
_COLUMN: Final = re.compile(r"[A-Z]{1,3}")
_MAX_COLUMN: Final = 16_384
_COMMANDS: Final = re.compile(r"\b(?:cmd|powershell|mshta|rundll32)\b|\bDDE\b|\|'", re.IGNORECASE)


@dataclass(slots=True)
class _Book:
    strings: list[str]
    styles: list[str | None]
    """Channel by cell format."""


@dataclass(slots=True)
class _Sheet:
    locator: str
    channel: str | None
    columns: list[tuple[int, int]] = field(default_factory=list)


def parse_xlsx(content: bytes, *, max_chars: int) -> Extract:
    archive = Archive(content)
    text = BinaryText(max_chars=max_chars)
    book = _Book(strings=_strings(archive), styles=_styles(archive))
    related = archive.related("xl/workbook.xml")
    sheets = list(archive.tree("xl/workbook.xml").iter(f"{_S}sheet"))
    if len(sheets) > MAX_SHEETS:
        text.warn("xlsx-sheets-truncated")
    for number, element in enumerate(sheets[:MAX_SHEETS], 1):
        name = related.get(element.get(f"{_R}id") or "", ("", ""))[1]
        hidden = (element.get("state") or "visible") != "visible"
        sheet = _Sheet(f"sheet {number}", "xlsx-hidden-sheet" if hidden else None)
        if name in archive:
            title = element.get("name") or ""
            _sheet(archive, name, title, sheet, book, text)
    _comments(archive, text)
    _defined_names(archive, text)
    core_properties(archive, text)
    if any(name.endswith("vbaProject.bin") for name in archive.names):
        text.warn("docx-macros")
    archive.close()
    return text.build(XLSX)


def _joined(element: etree._Element) -> str:
    return "".join(piece.text or "" for piece in element.iter(f"{_S}t"))


def _strings(archive: Archive) -> list[str]:
    if "xl/sharedStrings.xml" not in archive:
        return []
    return [_joined(item) for item in archive.tree("xl/sharedStrings.xml").findall(f"{_S}si")]


def _styles(archive: Archive) -> list[str | None]:
    if "xl/styles.xml" not in archive:
        return []
    root = archive.tree("xl/styles.xml")
    fonts = [_font_channel(font) for font in root.findall(f"{_S}fonts/{_S}font")]
    fills = [
        fill.find(f"{_S}patternFill/{_S}fgColor") is not None
        for fill in root.findall(f"{_S}fills/{_S}fill")
    ]
    formats = {
        element.get("numFmtId"): element.get("formatCode") or ""
        for element in root.findall(f"{_S}numFmts/{_S}numFmt")
    }
    return [
        _format_channel(xf, fonts, fills, formats) for xf in root.findall(f"{_S}cellXfs/{_S}xf")
    ]


def _format_channel(
    xf: etree._Element,
    fonts: list[str | None],
    fills: list[bool],
    formats: Mapping[str | None, str],
) -> str | None:
    code = formats.get(xf.get("numFmtId"), "")
    if ";;" in code and _NONE_FORMAT.match(code):
        return "xlsx-no-format"
    font, fill = _index(xf.get("fontId")), _index(xf.get("fillId"))
    channel = fonts[font] if 0 <= font < len(fonts) else None
    filled = fills[fill] if 0 <= fill < len(fills) else False
    return None if channel == "xlsx-white" and filled else channel


def _font_channel(font: etree._Element) -> str | None:
    size, colour = font.find(f"{_S}sz"), font.find(f"{_S}color")
    if size is not None and _float(size.get("val"), _TINY + 1) <= _TINY:
        return "xlsx-tiny"
    if colour is None:
        return None
    if colour.get("theme") == "0" and not colour.get("tint"):
        return "xlsx-white"
    rgb = (colour.get("rgb") or "")[-6:]
    if not re.fullmatch(r"[0-9A-Fa-f]{6}", rgb):
        return None
    lightest = min(int(rgb[at : at + 2], 16) for at in (0, 2, 4))
    return "xlsx-white" if lightest >= _NEAR_WHITE else None


def _index(value: str | None) -> int:
    return int(value) if value and value.isdigit() else -1


def _float(value: str | None, default: float) -> float:
    try:
        return default if value is None else float(value)
    except ValueError:
        return default


def _sheet(
    archive: Archive, name: str, title: str, sheet: _Sheet, book: _Book, text: BinaryText
) -> None:
    start = text.size
    root = archive.tree(name)
    if sheet.channel is None and title.strip():
        text.show(f"## {title.strip()}\n\n")
    for column in root.iter(f"{_S}col"):
        if _hidden(column, "width"):
            sheet.columns.append((_index(column.get("min")), _index(column.get("max"))))
    for number, row in enumerate(root.iter(f"{_S}row")):
        if number >= MAX_ROWS:
            text.warn("xlsx-rows-truncated")
            break
        _row(row, sheet, book, text)
    if text.size > start:
        text.part(sheet.locator, start)


def _hidden(element: etree._Element, size: str) -> bool:
    if (element.get("hidden") or "0") not in ("0", "false"):
        return True
    given = element.get("width" if size == "width" else "ht")
    return given is not None and _float(given, 1.0) < _THIN


def _row(row: etree._Element, sheet: _Sheet, book: _Book, text: BinaryText) -> None:
    forced = sheet.channel or ("xlsx-hidden-row" if _hidden(row, "height") else None)
    cells: dict[str | None, list[str]] = {}
    for place, cell in enumerate(row.iter(f"{_S}c"), 1):
        found = _cell_text(cell, book, text)
        if not found.strip():
            continue
        column = _column(cell.get("r")) or place
        channel = forced
        if channel is None and any(low <= column <= high for low, high in sheet.columns):
            channel = "xlsx-hidden-column"
        style = _index(cell.get("s"))
        if channel is None and 0 <= style < len(book.styles):
            channel = book.styles[style]
        cells.setdefault(channel, []).append(found.strip())
    for channel, found_texts in cells.items():
        line = " | ".join(found_texts)
        if channel is None:
            text.show(f"{line}\n")
        else:
            text.hide(line, channel=channel, locator=sheet.locator, benign=is_benign(channel, line))


def _column(reference: str | None) -> int:
    match = _COLUMN.match(reference or "")
    number = 0
    for letter in match[0] if match else "":
        number = number * 26 + ord(letter) - 64
    return min(number, _MAX_COLUMN)


def _cell_text(cell: etree._Element, book: _Book, text: BinaryText) -> str:
    kind = cell.get("t") or "n"
    formula = cell.find(f"{_S}f")
    if formula is not None and formula.text and _COMMANDS.search(formula.text):
        text.warn("xlsx-command-formula")
    if kind == "inlineStr":
        return _joined(cell)
    value = cell.find(f"{_S}v")
    content = "" if value is None else value.text or ""
    if kind == "s":
        at = _index(content.strip())
        return book.strings[at] if 0 <= at < len(book.strings) else ""
    return content


def _comments(archive: Archive, text: BinaryText) -> None:
    for name in archive.names:
        if not re.fullmatch(
            r"xl/(?:threadedComments/threadedComment|comments(?:/comment)?)\d*\.xml", name
        ):
            continue
        start = text.size
        for comment in archive.tree(name).iter():
            tag = comment.tag if isinstance(comment.tag, str) else ""
            if tag == f"{_S}comment":
                found = _joined(comment)
            elif tag.endswith("}threadedComment"):
                found = "".join(comment.itertext())
            else:
                continue
            benign = is_benign("xlsx-comment", found)
            text.hide(found.strip(), channel="xlsx-comment", locator="comments", benign=benign)
        if text.size > start:
            text.part("comments", start)


def _defined_names(archive: Archive, text: BinaryText) -> None:
    for element in archive.tree("xl/workbook.xml").iter(f"{_S}definedName"):
        comment = element.get("comment")
        if comment:
            text.describe("description", comment)
