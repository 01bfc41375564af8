"""PPTX: slides in order; what stands beside the slide, is hidden, tiny or of its colour is apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.archive import Archive, core_properties
from ingest.parsers.benign import is_benign
from ingest.parsers.css_colours import WHITE, Colour
from ingest.parsers.extract import BinaryText, Extract
from ingest.parsers.pptx_look import (
    OFF,
    A,
    P,
    Place,
    integer,
    is_scaled_away,
    painted,
    placed,
    run_channel,
    shape_defaults,
)
from ingest.parsers.sniff import PPTX

MAX_SLIDES: Final = 2_000
_R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SLIDE_SIZE: Final = (9_144_000, 6_858_000)
_SOLID: Final = (f"{A}solidFill", f"{P}bgRef")
_NUMBER: Final = re.compile(r"slide(\d+)\.xml\Z")
_HEADINGS: Final = frozenset({"title", "ctrTitle"})


def parse_pptx(content: bytes, *, max_chars: int) -> Extract:
    archive = Archive(content)
    text = BinaryText(max_chars=max_chars)
    size = _slide_size(archive)
    slides = _slides(archive)
    if len(slides) > MAX_SLIDES:
        text.warn("pptx-slides-truncated")
    for number, name in enumerate(slides[:MAX_SLIDES], 1):
        _slide(archive, name, f"slide {number}", text, size)
    core_properties(archive, text)
    if any(name.endswith("vbaProject.bin") for name in archive.names):
        text.warn("docx-macros")
    archive.close()
    return text.build(PPTX)


def _slides(archive: Archive) -> list[str]:
    """Return the slides in the order of the show, then those that stand in no show."""
    related = archive.related("ppt/presentation.xml")
    root = archive.tree("ppt/presentation.xml")
    listed = [
        related.get(item.get(f"{_R}id") or "", ("", ""))[1] for item in root.iter(f"{P}sldId")
    ]
    found = [name for name in archive.names if re.fullmatch(r"ppt/slides/slide\d+\.xml", name)]
    found.sort(key=_number)
    shown = [name for name in dict.fromkeys(listed) if name in archive]
    return [*shown, *(name for name in found if name not in shown)]


def _number(name: str) -> int:
    match = _NUMBER.search(name)
    return int(match[1]) if match else 0


def _slide_size(archive: Archive) -> tuple[int, int]:
    element = archive.tree("ppt/presentation.xml").find(f"{P}sldSz")
    if element is None:
        return _SLIDE_SIZE
    return integer(element.get("cx"), _SLIDE_SIZE[0]), integer(element.get("cy"), _SLIDE_SIZE[1])


def _slide(
    archive: Archive, name: str, locator: str, text: BinaryText, size: tuple[int, int]
) -> None:
    start = text.size
    root = archive.tree(name)
    hidden = "pptx-hidden-slide" if (root.get("show") or "1") in OFF else None
    pictured = False
    behind = _background(archive, name, root)
    for shape, place in _shapes(root, size, behind=behind):
        if pictured and place.behind == behind:
            place = replace(place, behind=None)  # noqa: PLW2901
        pictured = pictured or _is_backdrop(shape, size)
        _shape(shape, replace(place, channel=hidden or place.channel), text, locator)
    for kind, part in archive.related(name).values():
        if kind in ("notesSlide", "comments") and part in archive:
            _notes(archive, kind, part, text, locator)
    if text.size > start:
        text.part(locator, start)


def _background(archive: Archive, name: str, root: etree._Element) -> Colour | None:
    """Return what a slide is painted on: its own background, its layout's or its master's.

    None where it is not known: a gradient, a picture.
    """
    for kind in ("slideLayout", "slideMaster", ""):
        background = root.find(f"./{P}cSld/{P}bg")
        if background is not None:
            found = next((painted(each) for each in background.iter(*_SOLID)), None)
            mapped = root.find(f"./{P}clrMap")
            dark = mapped is not None and (mapped.get("bg1") or "lt1") != "lt1"
            return found if isinstance(found, Colour) and not dark else None
        parts = [part for of, part in archive.related(name).values() if of == kind]
        if not parts or parts[0] not in archive:
            break
        name = parts[0]
        root = archive.tree(name)
    return WHITE


def _is_backdrop(shape: etree._Element, size: tuple[int, int]) -> bool:
    """Whether it is a picture over most of the slide, on which text of any colour may be read."""
    ext = shape.find(f"./{P}spPr/{A}xfrm/{A}ext")
    if shape.tag != f"{P}pic" or ext is None:
        return False
    area = integer(ext.get("cx"), 0) * integer(ext.get("cy"), 0)
    return area * 2 >= size[0] * size[1]


def _shapes(
    root: etree._Element, size: tuple[int, int], *, behind: Colour | None
) -> Iterator[tuple[etree._Element, Place]]:
    """Yield text shapes and tables with how they are hidden, groups unfolded, without recursion."""
    pending = [
        (element, Place(behind=behind)) for element in reversed(root.findall(f".//{P}spTree"))
    ]
    while pending:
        element, place = pending.pop()
        tag = element.tag if isinstance(element.tag, str) else ""
        if tag in (f"{P}spTree", f"{P}grpSp"):
            inner = placed(element, place, size) if tag == f"{P}grpSp" else place
            pending += [(child, inner) for child in reversed(element)]
        elif tag.endswith("}AlternateContent"):
            # Of the choices a newer program takes the first; what others fall back to is a copy.
            pending += [(child, place) for child in reversed(element[:1])]
        elif tag.endswith("}Choice"):
            pending += [(child, place) for child in reversed(element)]
        elif tag in (f"{P}sp", f"{P}graphicFrame", f"{P}pic", f"{P}cxnSp"):
            yield element, placed(element, place, size)


def _shape(shape: etree._Element, place: Place, text: BinaryText, locator: str) -> None:
    kind = shape.find(f".//{P}ph")
    heading = kind is not None and (kind.get("type") or "") in _HEADINGS
    defaults = shape_defaults(shape)
    if place.channel is None and is_scaled_away(shape):
        place = replace(place, channel="pptx-tiny")
    for paragraph in shape.iter(f"{A}p"):
        runs: dict[str | None, list[str]] = {}
        for run in paragraph.iter(f"{A}t", f"{A}br"):
            channel = place.channel or run_channel(run.getparent(), defaults, behind=place.behind)
            runs.setdefault(channel, []).append(run.text or "" if run.tag == f"{A}t" else " ")
        for channel, pieces in runs.items():
            found = "".join(pieces).strip()
            if channel is not None:
                text.hide(found, channel=channel, locator=locator)
            elif found:
                text.show(f"# {found}\n\n" if heading else f"{found}\n")
    properties = shape.find(f"./*/{P}cNvPr")
    label = "" if properties is None else properties.get("descr") or ""
    text.hide(
        label, channel="pptx-alt-text", locator=locator, benign=is_benign("docx-alt-text", label)
    )


def _notes(archive: Archive, kind: str, part: str, text: BinaryText, locator: str) -> None:
    """Add speaker's notes and comments: what only the author sees; notes are benign by kind."""
    pieces = [
        "".join(run.text or "" for run in paragraph.iter(f"{A}t"))
        for paragraph in archive.tree(part).iter(f"{A}p")
    ]
    if kind == "comments":
        pieces += [element.text or "" for element in archive.tree(part).iter(f"{P}text")]
    found = "\n".join(piece for piece in pieces if piece.strip() and not piece.strip().isdigit())
    channel = "pptx-notes" if kind == "notesSlide" else "pptx-comment"
    text.hide(found, channel=channel, locator=locator, benign=is_benign(channel, found))
