"""DOCX: the zip read under a budget of actual bytes, the XML without entities or network."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.archive import MAX_XML_BYTES, Archive, core_properties
from ingest.parsers.benign import is_benign
from ingest.parsers.extract import BinaryText, Extract
from ingest.parsers.sniff import DOCX

__all__ = ["MAX_XML_BYTES", "parse_docx"]

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TINY_HALF_POINTS: Final = 4
_MAX_STYLE_DEPTH: Final = 16
_NEAR_WHITE: Final = 255 - 24
_STORIES: Final = re.compile(
    r"word/(document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml\Z"
)
_ORDER: Final = ("header", "document", "footnotes", "endnotes", "footer", "comments")
_HEADING: Final = re.compile(r"heading\s*([1-6])", re.IGNORECASE)
_OFF: Final = frozenset({"0", "false", "off", "none"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """Run properties as far as they decide whether text is seen; None is not said."""

    vanish: bool | None = None
    colour: str | None = None
    half_points: float | None = None
    shade: str | None = None
    heading: int = 0

    def over(self, base: _Look) -> _Look:
        """Return this look where it says something, else that of `base`."""
        return _Look(
            vanish=base.vanish if self.vanish is None else self.vanish,
            colour=base.colour if self.colour is None else self.colour,
            half_points=base.half_points if self.half_points is None else self.half_points,
            shade=base.shade if self.shade is None else self.shade,
            heading=self.heading or base.heading,
        )

    @property
    def channel(self) -> str | None:
        if self.vanish:
            return "docx-vanish"
        if self.half_points is not None and self.half_points <= _TINY_HALF_POINTS:
            return "docx-tiny"
        if self.colour is None:
            return None
        if _light(self.colour):
            return "docx-white" if self.shade is None or _light(self.shade) else None
        same = self.shade is not None and self.colour.lower() == self.shade.lower()
        return "docx-colour-on-colour" if same else None


def _light(colour: str) -> bool:
    digits = colour.strip().lower()
    if digits in ("auto", "white"):
        return digits == "white"
    if not re.fullmatch(r"[0-9a-f]{6}", digits):
        return False
    return min(int(digits[at : at + 2], 16) for at in (0, 2, 4)) >= _NEAR_WHITE


def parse_docx(content: bytes, *, max_chars: int) -> Extract:
    archive = Archive(content)
    text = BinaryText(max_chars=max_chars)
    styles = _styles(archive) if "word/styles.xml" in archive else {}
    for name in sorted(filter(_STORIES.match, archive.names), key=_story_order):
        _story(archive, name, text, styles)
    core_properties(archive, text)
    if any(name.endswith("vbaProject.bin") for name in archive.names):
        text.warn("docx-macros")
    if any(name.startswith("word/embeddings/") for name in archive.names):
        text.warn("docx-embedded-object")
    archive.close()
    return text.build(DOCX)


def _story_order(name: str) -> tuple[int, str]:
    match = _STORIES.match(name)
    return _ORDER.index(match[1].rstrip("0123456789")) if match else 0, name


def _value(element: etree._Element | None, name: str = "val") -> str | None:
    return None if element is None else element.get(f"{_W}{name}")


def _look(properties: etree._Element | None) -> _Look:
    """Return what an `rPr` or `pPr` says."""
    if properties is None:
        return _Look()
    vanish = properties.find(f"{_W}vanish")
    if vanish is None:
        vanish = properties.find(f"{_W}webHidden")
    if vanish is None:
        vanish = properties.find(f"{_W}specVanish")
    size, colour = properties.find(f"{_W}sz"), properties.find(f"{_W}color")
    theme = _value(colour, "themeColor")
    found = "FFFFFF" if theme in ("background1", "light1") else _value(colour)
    shade = properties.find(f"{_W}shd")
    fill = _value(shade, "fill")
    highlight = _value(properties.find(f"{_W}highlight"))
    return _Look(
        vanish=None if vanish is None else _value(vanish) not in _OFF,
        colour=None if found in (None, "auto") else found,
        half_points=_number(_value(size)),
        shade=highlight or (None if fill in (None, "auto") else fill),
    )


def _number(value: str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return None


def _styles(archive: Archive) -> Mapping[str, _Look]:
    own: dict[str, tuple[_Look, str | None]] = {}
    for style in archive.tree("word/styles.xml").iter(f"{_W}style"):
        look = _look(style.find(f"{_W}rPr")).over(_look(style.find(f"{_W}pPr")))
        name = _value(style.find(f"{_W}name")) or ""
        match = _HEADING.fullmatch(name.strip())
        level = int(match[1]) if match else 1 if name.strip().lower() == "title" else 0
        own[style.get(f"{_W}styleId") or ""] = (
            replace(look, heading=level),
            _value(style.find(f"{_W}basedOn")),
        )
    return {name: _resolved(name, own) for name in own}


def _resolved(name: str, own: Mapping[str, tuple[_Look, str | None]]) -> _Look:
    look, parent = own[name]
    for _ in range(_MAX_STYLE_DEPTH):  # styles may name each other in a ring
        if parent is None or parent not in own:
            break
        base, parent = own[parent]
        look = look.over(base)
    return look


def _story(archive: Archive, name: str, text: BinaryText, styles: Mapping[str, _Look]) -> None:
    kind = name.removeprefix("word/").removesuffix(".xml")
    locator = "body" if kind == "document" else kind
    start = text.size
    forced = "docx-comment" if kind == "comments" else None
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
        elif element.tag in (f"{_W}p", f"{_W}tr"):
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
    styles: Mapping[str, _Look],
    locator: str,
    forced: str | None,
) -> None:
    prefix = ""
    if element.tag == f"{_W}p":
        properties = element.find(f"{_W}pPr")
        look = _paragraph_look(properties, styles)
        prefix = "#" * look.heading + " " if look.heading else ""
        if properties is not None and properties.find(f"{_W}numPr") is not None and not prefix:
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


def _paragraph_look(properties: etree._Element | None, styles: Mapping[str, _Look]) -> _Look:
    if properties is None:
        return _Look()
    style = styles.get(_value(properties.find(f"{_W}pStyle")) or "", _Look())
    # The rPr of a paragraph is that of its mark, not of its runs.
    return _look(properties).over(style)


def _pieces(element: etree._Element, styles: Mapping[str, _Look]) -> Iterator[_Piece]:
    """Yield texts with how they are hidden. Deep nesting is walked without recursion."""
    base = _Look()
    cell_shade: str | None = None
    first_cell = True
    deleted = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        tag = node.tag
        if event == "start" and isinstance(tag, str) and tag.endswith("}Fallback"):
            walk.skip_subtree()
        elif tag in (f"{_W}del", f"{_W}moveFrom"):
            deleted += 1 if event == "start" else -1
        elif event == "end":
            continue
        elif tag == f"{_W}tc":
            yield _Piece("" if first_cell else " | ", None)
            first_cell = False
            cell_shade = _value(node.find(f"{_W}tcPr/{_W}shd"), "fill")
        elif tag == f"{_W}p":
            base = _paragraph_look(node.find(f"{_W}pPr"), styles)
            if base.shade is None and cell_shade not in (None, "auto"):
                base = replace(base, shade=cell_shade)
            yield _Piece(" ", None)
        elif tag == f"{_W}r":
            yield from _run(node, base, styles, deleted > 0)
        elif isinstance(tag, str) and tag.endswith("}docPr"):
            description = node.get("descr") or ""
            yield _Piece(description, "docx-alt-text")


def _run(
    run: etree._Element, base: _Look, styles: Mapping[str, _Look], deleted: bool
) -> Iterator[_Piece]:
    properties = run.find(f"{_W}rPr")
    look = base
    if properties is not None:
        style = styles.get(_value(properties.find(f"{_W}rStyle")) or "", _Look())
        look = _look(properties).over(style).over(base)
    channel = "docx-deleted-revision" if deleted else look.channel
    for node in run:
        if node.tag == f"{_W}t":
            yield _Piece(node.text or "", channel)
        elif node.tag == f"{_W}delText":
            yield _Piece(node.text or "", "docx-deleted-revision")
        elif node.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr"):
            yield _Piece(" ", channel)
        elif node.tag == f"{_W}noBreakHyphen":
            yield _Piece("-", channel)
