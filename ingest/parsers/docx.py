"""DOCX: the zip read under a budget of actual bytes, the XML without entities or network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.archive import MAX_XML_BYTES, Archive, core_properties
from ingest.parsers.benign import is_benign
from ingest.parsers.docx_look import (
    OFF,
    Look,
    Styles,
    W,
    look_of,
    number,
    read_styles,
    shading,
    value,
)
from ingest.parsers.extract import BinaryText, Extract
from ingest.parsers.sniff import DOCX

__all__ = ["MAX_XML_BYTES", "parse_docx"]

_UNLINKED: Final = "docx-unlinked-part"
_TINY_ROW: Final = 40  # twentieths of a point
_FAR: Final = 5_000_000
"""EMU, five and a half inches: what is anchored further out is on no page."""
_VML: Final = frozenset({"shape", "rect", "roundrect", "oval", "group"})
_MAIN: Final = "word/document.xml"
_STORIES: Final = re.compile(
    r"word/(document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml\Z"
)
_ORDER: Final = ("header", "document", "footnotes", "endnotes", "footer", "comments")


def parse_docx(content: bytes, *, max_chars: int) -> Extract:
    archive = Archive(content)
    text = BinaryText(max_chars=max_chars)
    styles = read_styles(archive)
    main = _main_part(archive)
    linked = {part for _, part in archive.related(main).values()}
    if main != _MAIN:
        _story(archive, main, text, styles)
    for name in sorted(filter(_STORIES.match, archive.names), key=_story_order):
        unlinked = name != main and bool(linked) and name not in linked
        _story(archive, name, text, styles, forced=_UNLINKED if unlinked else None)
    core_properties(archive, text)
    if any(name.endswith("vbaProject.bin") for name in archive.names):
        text.warn("docx-macros")
    embedded = "aFChunk" in {kind for kind, _ in archive.related(main).values()}
    if embedded or any(name.startswith("word/embeddings/") for name in archive.names):
        text.warn("docx-embedded-object")
    archive.close()
    return text.build(DOCX)


def _main_part(archive: Archive) -> str:
    """Return the part that Word opens, which need not be called what it usually is."""
    for kind, part in archive.related("").values():
        if kind == "officeDocument" and part in archive:
            return part
    return _MAIN


def _story_order(name: str) -> tuple[int, str]:
    match = _STORIES.match(name)
    return _ORDER.index(match[1].rstrip("0123456789")) if match else 0, name


def _story(
    archive: Archive, name: str, text: BinaryText, styles: Styles, *, forced: str | None = None
) -> None:
    kind = name.removeprefix("word/").removesuffix(".xml")
    locator = "body" if kind == "document" else kind
    start = text.size
    forced = "docx-comment" if kind == "comments" else forced
    for paragraph in _paragraphs(archive.tree(name)):
        _paragraph(paragraph, text, styles, locator, forced)
    if text.size > start:
        text.part(locator, start)


def _paragraphs(root: etree._Element) -> Iterator[etree._Element]:
    """Yield paragraphs and table rows in order; those inside a row or a fallback are not given."""
    pending = [iter(root)]
    while pending:
        element = next(pending[-1], None)
        if element is None:
            pending.pop()
        elif element.tag in (f"{W}p", f"{W}tr"):
            yield element
        elif isinstance(element.tag, str) and not element.tag.endswith("}Fallback"):
            pending.append(iter(element))


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    channel: str | None


def _paragraph(
    element: etree._Element,
    text: BinaryText,
    styles: Styles,
    locator: str,
    forced: str | None,
) -> None:
    prefix = ""
    if element.tag == f"{W}p":
        properties = element.find(f"{W}pPr")
        look = _paragraph_look(properties, styles)
        prefix = "#" * look.heading + " " if look.heading else ""
        if properties is not None and properties.find(f"{W}numPr") is not None and not prefix:
            prefix = "- "
    pieces = list(_pieces(element, styles))
    shown = "".join(p.text for p in pieces if p.channel is None)
    if shown.strip() and forced is None:
        text.show(prefix + shown.strip() + "\n" + ("" if prefix == "- " else "\n"))
    for channel in dict.fromkeys(p.channel for p in pieces):
        found = "".join(p.text for p in pieces if p.channel == channel)
        if channel is not None or forced is not None:
            name = channel or forced or ""
            text.hide(found.strip(), channel=name, locator=locator, benign=is_benign(name, found))


def _paragraph_look(
    properties: etree._Element | None, styles: Styles, table: Look | None = None
) -> Look:
    under = styles.base if table is None else table.over(styles.base)
    if properties is None:
        return styles.paragraph.over(under)
    named = properties.find(f"{W}pStyle")
    style = styles.paragraph if named is None else styles.of(value(named))
    # The rPr of a paragraph is that of its mark, not of its runs.
    return look_of(properties).over(style.over(under))


def _table_look(row: etree._Element, styles: Styles) -> Look | None:
    table = row.getparent()
    named = None if table is None else table.find(f"{W}tblPr/{W}tblStyle")
    return None if named is None else styles.of(value(named))


def _row_channel(row: etree._Element) -> str | None:
    hidden, height = row.find(f"{W}trPr/{W}hidden"), row.find(f"{W}trPr/{W}trHeight")
    if hidden is not None and value(hidden) not in OFF:
        return "docx-vanish"
    exact = value(height, "hRule") == "exact"
    return "docx-tiny" if exact and (number(value(height)) or 0.0) <= _TINY_ROW else None


def _drawn_channel(node: etree._Element) -> str | None:
    """Return how a drawing, and the text in it, is hidden."""
    name = etree.QName(node).localname
    if name == "anchor":
        told = node.find("./{*}docPr")
        if told is not None and (told.get("hidden") or "0") not in OFF:
            return "docx-vanish"
        offsets = [number(each.text) for each in node.findall("./*/{*}posOffset")]
        if any(offset is not None and not -_FAR < offset < 4 * _FAR for offset in offsets):
            return "docx-off-page"
    elif name == "inline":
        told = node.find("./{*}docPr")
        if told is not None and (told.get("hidden") or "0") not in OFF:
            return "docx-vanish"
    elif name in _VML:
        style = (node.get("style") or "").replace(" ", "").lower()
        if "visibility:hidden" in style or "display:none" in style:
            return "docx-vanish"
    return None


def _pieces(element: etree._Element, styles: Styles) -> Iterator[_Piece]:
    """Yield texts with how they are hidden. Deep nesting is walked without recursion."""
    in_row = element.tag == f"{W}tr"
    table = _table_look(element, styles) if in_row else None
    forced = [_row_channel(element) if in_row else None]
    drawn: list[etree._Element] = []
    base = Look()
    cell_shade: str | None = None
    first_cell = True
    deleted = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        tag = node.tag
        if event == "start" and isinstance(tag, str) and tag.endswith("}Fallback"):
            walk.skip_subtree()
        elif tag in (f"{W}del", f"{W}moveFrom"):
            deleted += 1 if event == "start" else -1
        elif event == "end":
            if drawn and drawn[-1] is node:
                drawn.pop()
                forced.pop()
        elif tag == f"{W}tc":
            yield _Piece("" if first_cell else " | ", None)
            first_cell = False
            cell_shade = shading(node.find(f"{W}tcPr/{W}shd"))
        elif tag == f"{W}p":
            base = _paragraph_look(node.find(f"{W}pPr"), styles, table)
            # A cell's own shading is over that of its table's style.
            over = cell_shade is not None and (base.shade is None or table is not None)
            base = replace(base, shade=cell_shade) if over else base
            yield _Piece(" ", None)
        elif tag == f"{W}r":
            for piece in _run(node, base, styles, deleted > 0):
                yield replace(piece, channel=forced[-1] or piece.channel)
        elif isinstance(tag, str) and tag.endswith("}docPr"):
            for name in ("descr", "title"):
                yield _Piece(node.get(name) or "", "docx-alt-text")
        elif isinstance(tag, str) and (channel := _drawn_channel(node)) is not None:
            drawn.append(node)
            forced.append(channel)


def _run(run: etree._Element, base: Look, styles: Styles, deleted: bool) -> Iterator[_Piece]:
    properties = run.find(f"{W}rPr")
    look = base
    if properties is not None:
        style = styles.of(value(properties.find(f"{W}rStyle")))
        look = look_of(properties).over(style).over(base)
    channel = "docx-deleted-revision" if deleted else look.channel
    for node in run:
        if node.tag == f"{W}t":
            yield _Piece(node.text or "", channel)
        elif node.tag == f"{W}delText":
            yield _Piece(node.text or "", "docx-deleted-revision")
        elif node.tag in (f"{W}tab", f"{W}br", f"{W}cr"):
            yield _Piece(" ", channel)
        elif node.tag == f"{W}noBreakHyphen":
            yield _Piece("-", channel)
