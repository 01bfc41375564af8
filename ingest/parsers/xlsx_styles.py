"""How a cell of an XLSX looks: its font, what it is filled with, its number format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.archive import Archive
from ingest.parsers.css_colours import BLACK, WHITE, Colour, colour

S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_TINY: Final = 3.0
_FAINT_TINT: Final = -0.1
_INDEXED: Final[Mapping[str, Colour]] = {
    **dict.fromkeys(("1", "9", "65"), WHITE),
    **dict.fromkeys(("0", "8", "64"), BLACK),
}
_THEME: Final[Mapping[str, Colour]] = {"0": WHITE, "1": BLACK}
_SECTION: Final = re.compile(r"\"[^\"]*\"?|\\.|;|[^\";\\]+")
_PAINTED: Final = re.compile(r"\[(white|color ?2)\]", re.IGNORECASE)
_TEXT_SECTIONS: Final = 4
_ONLY_SEMICOLONS: Final = re.compile(r"\s*;\s*;\s*;?\s*(?:\"\"|@?\s*)?\Z")


@dataclass(frozen=True, slots=True)
class Font:
    """Of a cell or a run; None is not said or not known."""

    colour: Colour | None = None
    size: float | None = None


@dataclass(frozen=True, slots=True)
class CellLook:
    """A cell's format.

    Attributes:
        fill: Painted behind the text; white where nothing is, None where it is not known.
        unformatted: Text is not shown at all.
    """

    font: Font = Font()
    fill: Colour | None = WHITE
    unformatted: bool = False

    def channel(self, run: Font | None = None) -> str | None:
        """Return how the cell's text, or a run of it, is hidden; None if a reader sees it."""
        if self.unformatted:
            return "xlsx-no-format"
        size = self.font.size if run is None or run.size is None else run.size
        if size is not None and size <= _TINY:
            return "xlsx-tiny"
        paint = self.font.colour if run is None or run.colour is None else run.colour
        if paint is None or self.fill is None or not paint.near(self.fill):
            return None
        return "xlsx-white" if self.fill.near(WHITE) else "xlsx-colour-on-colour"


def index(value: str | None) -> int:
    return int(value) if value and value.isdecimal() else -1


def number(value: str | None, default: float) -> float:
    try:
        return default if value is None else float(value)
    except ValueError:
        return default


def read_looks(archive: Archive) -> list[CellLook]:
    """Return the looks of the cell formats, in order."""
    if "xl/styles.xml" not in archive:
        return []
    root = archive.tree("xl/styles.xml")
    fonts = [font_of(font) for font in root.findall(f"{S}fonts/{S}font")]
    fills = [_fill(fill) for fill in root.findall(f"{S}fills/{S}fill")]
    formats = {
        element.get("numFmtId"): element.get("formatCode") or ""
        for element in root.findall(f"{S}numFmts/{S}numFmt")
    }
    return [_look(xf, fonts, fills, formats) for xf in root.findall(f"{S}cellXfs/{S}xf")]


def _look(
    xf: etree._Element,
    fonts: Sequence[Font],
    fills: Sequence[Colour | None],
    formats: Mapping[str | None, str],
) -> CellLook:
    font, fill = index(xf.get("fontId")), index(xf.get("fillId"))
    found = fonts[font] if 0 <= font < len(fonts) else Font()
    code = formats.get(xf.get("numFmtId"), "")
    text = _text_section(code)
    if text is not None and _PAINTED.search(text):
        found = Font(WHITE, found.size)
    shows_none = text is not None and "@" not in text and "general" not in text.lower()
    return CellLook(
        found,
        fills[fill] if 0 <= fill < len(fills) else WHITE,
        shows_none or bool(";;" in code and _ONLY_SEMICOLONS.match(code)),
    )


def _text_section(code: str) -> str | None:
    """Return the part of a number format that is for text, quotations apart; None for none."""
    sections = [""]
    for match in _SECTION.finditer(code):
        if match[0] == ";":
            sections.append("")
        elif match[0][0] not in '"\\':
            sections[-1] += match[0]
    if len(sections) >= _TEXT_SECTIONS:
        return sections[_TEXT_SECTIONS - 1]
    return sections[-1] if "@" in sections[-1] else None


def font_of(element: etree._Element) -> Font:
    """Return what a `font`, or a run's `rPr`, says."""
    size = element.find(f"{S}sz")
    return Font(
        _colour(element.find(f"{S}color")),
        None if size is None else number(size.get("val"), _TINY + 1),
    )


def _fill(element: etree._Element) -> Colour | None:
    pattern = element.find(f"{S}patternFill")
    if pattern is None:
        return WHITE if len(element) == 0 else None
    kind = pattern.get("patternType") or "none"
    if kind == "none":
        return WHITE
    return _colour(pattern.find(f"{S}fgColor")) if kind == "solid" else None


def _colour(element: etree._Element | None) -> Colour | None:
    if element is None:
        return None
    theme, tint = element.get("theme"), number(element.get("tint"), 0.0)
    if theme is not None:
        return _THEME.get(theme) if tint >= (_FAINT_TINT if theme == "0" else 0.0) else None
    if element.get("indexed") is not None:
        return _INDEXED.get(element.get("indexed") or "")
    found = colour(f"#{(element.get('rgb') or '')[-6:]}")
    return found if isinstance(found, Colour) else None
