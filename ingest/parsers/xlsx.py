"""XLSX: a line a row; hidden sheets, rows and columns, white text and comments are apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.archive import Archive, core_properties
from ingest.parsers.benign import is_benign
from ingest.parsers.extract import BinaryText, Extract
from ingest.parsers.sniff import XLSX
from ingest.parsers.xlsx_styles import CellLook, Font, S, font_of, index, number, read_looks

MAX_SHEETS: Final = 500
MAX_ROWS: Final = 200_000
_MAX_MERGED: Final = 20_000  # rows of merged ranges
_RANGE: Final = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\Z")
_R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_THIN: Final = 0.5
"""Widths and heights below which nothing is seen."""
_OFF: Final = frozenset({"0", "false"})
_COLUMN: Final = re.compile(r"[A-Z]{1,3}")
_MAX_COLUMN: Final = 16_384
_COMMANDS: Final = re.compile(r"\b(?:cmd|powershell|mshta|rundll32)\b|\bDDE\b|\|'", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Run:
    """A piece of a cell's text; `font` is None where the cell's own holds."""

    text: str
    font: Font | None = None


@dataclass(slots=True)
class _Book:
    strings: list[list[_Run]]
    looks: list[CellLook]
    """By cell format."""


@dataclass(slots=True)
class _Sheet:
    """A sheet while it is read.

    Attributes:
        columns: Hidden ones, first and last; `narrow`: all that `wide` does not name are.
        low: Rows that do not say how high they are, are hidden.
        merged: By row, from and to which column cells are part of another that shows.
    """

    locator: str
    channel: str | None
    columns: list[tuple[int, int]] = field(default_factory=list)
    wide: list[tuple[int, int]] = field(default_factory=list)
    narrow: bool = False
    low: bool = False
    merged: dict[int, list[tuple[int, int, bool]]] = field(default_factory=dict)

    def hides(self, column: int) -> bool:
        if any(low <= column <= high for low, high in self.columns):
            return True
        return self.narrow and not any(low <= column <= high for low, high in self.wide)

    def covers(self, row: int, column: int) -> bool:
        """Whether the cell is under another that it was merged with."""
        return any(
            low <= column <= high and not (first and column == low)
            for low, high, first in self.merged.get(row, ())
        )


def parse_xlsx(content: bytes, *, max_chars: int) -> Extract:
    archive = Archive(content)
    text = BinaryText(max_chars=max_chars)
    book = _Book(strings=_strings(archive), looks=read_looks(archive))
    related = archive.related("xl/workbook.xml")
    sheets = list(archive.tree("xl/workbook.xml").iter(f"{S}sheet"))
    if len(sheets) > MAX_SHEETS:
        text.warn("xlsx-sheets-truncated")
    for at, element in enumerate(sheets[:MAX_SHEETS], 1):
        name = related.get(element.get(f"{_R}id") or "", ("", ""))[1]
        hidden = (element.get("state") or "visible") != "visible"
        sheet = _Sheet(f"sheet {at}", "xlsx-hidden-sheet" if hidden else None)
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


def _sheet(
    archive: Archive, name: str, title: str, sheet: _Sheet, book: _Book, text: BinaryText
) -> None:
    start = text.size
    root = archive.tree(name)
    if sheet.channel is None and title.strip():
        text.show(f"## {title.strip()}\n\n")
    _shape(root, sheet)
    for place, row in enumerate(root.iter(f"{S}row"), 1):
        if place > MAX_ROWS:
            text.warn("xlsx-rows-truncated")
            break
        _row(row, place, sheet, book, text)
    if text.size > start:
        text.part(sheet.locator, start)


def _shape(root: etree._Element, sheet: _Sheet) -> None:
    """Read which columns and rows have no room, and which cells others cover."""
    usual = root.find(f"{S}sheetFormatPr")
    if usual is not None:
        sheet.low = (usual.get("zeroHeight") or "0") not in _OFF or (
            number(usual.get("defaultRowHeight"), 1.0) < _THIN
            and (usual.get("customHeight") or "0") not in _OFF
        )
        sheet.narrow = number(usual.get("defaultColWidth"), 1.0) < _THIN
    for column in root.iter(f"{S}col"):
        places = (index(column.get("min")), index(column.get("max")))
        (sheet.columns if _hidden(column, "width") else sheet.wide).append(places)
    left = _MAX_MERGED
    for merged in root.iter(f"{S}mergeCell"):
        match = _RANGE.match(merged.get("ref") or "")
        if match is None:
            continue
        first, last = int(match[2]), int(match[4])
        left -= last - first + 1
        if left < 0:
            return
        for row in range(first, last + 1):
            span = (_column(match[1]), _column(match[3]), row == first)
            sheet.merged.setdefault(row, []).append(span)


def _hidden(element: etree._Element, size: str) -> bool:
    if (element.get("hidden") or "0") not in _OFF:
        return True
    given = element.get("width" if size == "width" else "ht")
    return given is not None and number(given, 1.0) < _THIN


def _row(row: etree._Element, place: int, sheet: _Sheet, book: _Book, text: BinaryText) -> None:
    low = _hidden(row, "height") or (sheet.low and row.get("ht") is None)
    forced = sheet.channel or ("xlsx-hidden-row" if low else None)
    line = max(index(row.get("r")), 0) or place
    cells: dict[str | None, list[str]] = {}
    for at, cell in enumerate(row.iter(f"{S}c"), 1):
        runs = _runs(cell, book, text)
        column = _column(cell.get("r")) or at
        channel = forced
        if channel is None and sheet.hides(column):
            channel = "xlsx-hidden-column"
        if channel is None and sheet.covers(line, column):
            channel = "xlsx-covered-cell"
        style = index(cell.get("s"))
        look = book.looks[style] if 0 <= style < len(book.looks) else CellLook()
        found: dict[str | None, str] = {}
        for run in runs:
            name = channel or look.channel(run.font)
            found[name] = found.get(name, "") + run.text
        for name, piece in found.items():
            if piece.strip():
                cells.setdefault(name, []).append(piece.strip())
    for name, pieces in cells.items():
        said = " | ".join(pieces)
        if name is None:
            text.show(f"{said}\n")
        else:
            text.hide(said, channel=name, locator=sheet.locator, benign=is_benign(name, said))


def _strings(archive: Archive) -> list[list[_Run]]:
    if "xl/sharedStrings.xml" not in archive:
        return []
    return [_rich(item) for item in archive.tree("xl/sharedStrings.xml").findall(f"{S}si")]


def _rich(element: etree._Element) -> list[_Run]:
    """Return the runs of a text; how it is pronounced is not on the page."""
    found: list[_Run] = []
    for piece in element.iter(f"{S}t"):
        run = piece.getparent()
        if run.tag == f"{S}rPh":
            continue
        properties = run.find(f"{S}rPr") if run.tag == f"{S}r" else None
        font = None if properties is None else font_of(properties)
        found.append(_Run(piece.text or "", font))
    return found


def _joined(element: etree._Element) -> str:
    return "".join(run.text for run in _rich(element))


def _runs(cell: etree._Element, book: _Book, text: BinaryText) -> list[_Run]:
    kind = cell.get("t") or "n"
    formula = cell.find(f"{S}f")
    if formula is not None and formula.text and _COMMANDS.search(formula.text):
        text.warn("xlsx-command-formula")
    if kind == "inlineStr":
        return _rich(cell)
    value = cell.find(f"{S}v")
    content = "" if value is None else value.text or ""
    if kind == "s":
        at = index(content.strip())
        return book.strings[at] if 0 <= at < len(book.strings) else []
    return [_Run(content)]


def _column(reference: str | None) -> int:
    match = _COLUMN.match(reference or "")
    place = 0
    for letter in match[0] if match else "":
        place = place * 26 + ord(letter) - 64
    return min(place, _MAX_COLUMN)


def _comments(archive: Archive, text: BinaryText) -> None:
    for name in archive.names:
        if not re.fullmatch(
            r"xl/(?:threadedComments/threadedComment|comments(?:/comment)?)\d*\.xml", name
        ):
            continue
        start = text.size
        for comment in archive.tree(name).iter():
            tag = comment.tag if isinstance(comment.tag, str) else ""
            if tag == f"{S}comment":
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
    for element in archive.tree("xl/workbook.xml").iter(f"{S}definedName"):
        comment = element.get("comment")
        if comment:
            text.describe("description", comment)
