"""PPTX: slides in order; what stands beside the slide, is hidden, tiny or of its colour is apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.archive import Archive, core_properties
from ingest.parsers.benign import is_benign
from ingest.parsers.extract import BinaryText, Extract
from ingest.parsers.sniff import PPTX

MAX_SLIDES: Final = 2_000
_P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SLIDE_SIZE: Final = (9_144_000, 6_858_000)
_TINY: Final = 300
"""Hundredths of a point."""
_NEAR_WHITE: Final = 231
_LIGHT_SCHEME: Final = frozenset({"bg1", "lt1"})
_NUMBER: Final = re.compile(r"slide(\d+)\.xml\Z")
_OFF: Final = frozenset({"0", "false", "off"})
_HEADINGS: Final = frozenset({"title", "ctrTitle"})


@dataclass(frozen=True, slots=True)
class _Place:
    """How a shape, and all in it, is hidden; whether its colour has an unknown background."""

    channel: str | None = None
    filled: bool = False


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
        related.get(item.get(f"{_R}id") or "", ("", ""))[1] for item in root.iter(f"{_P}sldId")
    ]
    found = [name for name in archive.names if re.fullmatch(r"ppt/slides/slide\d+\.xml", name)]
    found.sort(key=_number)
    shown = [name for name in dict.fromkeys(listed) if name in archive]
    return [*shown, *(name for name in found if name not in shown)]


def _number(name: str) -> int:
    match = _NUMBER.search(name)
    return int(match[1]) if match else 0


def _slide_size(archive: Archive) -> tuple[int, int]:
    element = archive.tree("ppt/presentation.xml").find(f"{_P}sldSz")
    if element is None:
        return _SLIDE_SIZE
    return _integer(element.get("cx"), _SLIDE_SIZE[0]), _integer(element.get("cy"), _SLIDE_SIZE[1])


def _integer(value: str | None, default: int) -> int:
    try:
        return default if value is None else int(value)
    except ValueError:
        return default


def _slide(
    archive: Archive, name: str, locator: str, text: BinaryText, size: tuple[int, int]
) -> None:
    start = text.size
    root = archive.tree(name)
    hidden = "pptx-hidden-slide" if (root.get("show") or "1") in _OFF else None
    for shape, place in _shapes(root, size, dark=_has_background(root)):
        _shape(shape, _Place(hidden or place.channel, place.filled), text, locator)
    for kind, part in archive.related(name).values():
        if kind in ("notesSlide", "comments") and part in archive:
            _notes(archive, kind, part, text, locator)
    if text.size > start:
        text.part(locator, start)


def _has_background(root: etree._Element) -> bool:
    return root.find(f".//{_P}bg") is not None


def _shapes(
    root: etree._Element, size: tuple[int, int], *, dark: bool
) -> Iterator[tuple[etree._Element, _Place]]:
    """Yield text shapes and tables with how they are hidden, groups unfolded, without recursion."""
    pending = [
        (element, _Place(filled=dark)) for element in reversed(root.findall(f".//{_P}spTree"))
    ]
    while pending:
        element, place = pending.pop()
        tag = element.tag if isinstance(element.tag, str) else ""
        if tag in (f"{_P}spTree", f"{_P}grpSp"):
            inner = _placed(element, place, size) if tag == f"{_P}grpSp" else place
            pending += [(child, inner) for child in reversed(element)]
        elif tag in (f"{_P}sp", f"{_P}graphicFrame", f"{_P}pic", f"{_P}cxnSp"):
            yield element, _placed(element, place, size)


def _placed(element: etree._Element, place: _Place, size: tuple[int, int]) -> _Place:
    if place.channel is not None:
        return place
    properties = element.find(f"./*/{_P}cNvPr")
    if properties is not None and (properties.get("hidden") or "0") not in _OFF:
        return _Place("pptx-hidden-shape", place.filled)
    fill = element.find(f"./{_P}spPr/{_A}solidFill")
    filled = place.filled or fill is not None or element.find(f"./{_P}style") is not None
    frame = element.find(f".//{_A}xfrm")
    frame = frame if frame is not None else element.find(f"./{_P}xfrm")
    if frame is None:
        return _Place(None, filled)
    off, ext = frame.find(f"{_A}off"), frame.find(f"{_A}ext")
    if off is None or ext is None:
        return _Place(None, filled)
    x, y = _integer(off.get("x"), 0), _integer(off.get("y"), 0)
    width, height = _integer(ext.get("cx"), 1), _integer(ext.get("cy"), 1)
    outside = x >= size[0] or y >= size[1] or x + width <= 0 or y + height <= 0
    return _Place("pptx-off-slide" if outside else None, filled)


def _shape(shape: etree._Element, place: _Place, text: BinaryText, locator: str) -> None:
    kind = shape.find(f".//{_P}ph")
    heading = kind is not None and (kind.get("type") or "") in _HEADINGS
    for paragraph in shape.iter(f"{_A}p"):
        runs: dict[str | None, list[str]] = {}
        for run in paragraph.iter(f"{_A}t", f"{_A}br"):
            channel = place.channel or _run_channel(run.getparent(), filled=place.filled)
            runs.setdefault(channel, []).append(run.text or "" if run.tag == f"{_A}t" else " ")
        for channel, pieces in runs.items():
            found = "".join(pieces).strip()
            if channel is not None:
                text.hide(found, channel=channel, locator=locator)
            elif found:
                text.show(f"# {found}\n\n" if heading else f"{found}\n")
    properties = shape.find(f"./*/{_P}cNvPr")
    label = "" if properties is None else properties.get("descr") or ""
    text.hide(
        label, channel="pptx-alt-text", locator=locator, benign=is_benign("docx-alt-text", label)
    )


def _run_channel(run: etree._Element, *, filled: bool) -> str | None:
    properties = run.find(f"{_A}rPr")
    if properties is None:
        return None
    if 0 < _integer(properties.get("sz"), _TINY + 1) <= _TINY:
        return "pptx-tiny"
    colour = properties.find(f"{_A}solidFill")
    if colour is None or filled:
        return None
    alpha = colour.find(f".//{_A}alpha")
    if alpha is not None and _integer(alpha.get("val"), 100_000) <= 5_000:  # noqa: PLR2004 - a twentieth
        return "pptx-transparent"
    rgb, scheme = colour.find(f"{_A}srgbClr"), colour.find(f"{_A}schemeClr")
    if scheme is not None:
        return "pptx-white" if scheme.get("val") in _LIGHT_SCHEME else None
    value = "" if rgb is None else rgb.get("val") or ""
    if not re.fullmatch(r"[0-9A-Fa-f]{6}", value):
        return None
    lightest = min(int(value[at : at + 2], 16) for at in (0, 2, 4))
    return "pptx-white" if lightest >= _NEAR_WHITE else None


def _notes(archive: Archive, kind: str, part: str, text: BinaryText, locator: str) -> None:
    """Add speaker's notes and comments: what only the author sees; notes are benign by kind."""
    pieces = [
        "".join(run.text or "" for run in paragraph.iter(f"{_A}t"))
        for paragraph in archive.tree(part).iter(f"{_A}p")
    ]
    if kind == "comments":
        pieces += [element.text or "" for element in archive.tree(part).iter(f"{_P}text")]
    found = "\n".join(piece for piece in pieces if piece.strip() and not piece.strip().isdigit())
    channel = "pptx-notes" if kind == "notesSlide" else "pptx-comment"
    text.hide(found, channel=channel, locator=locator, benign=is_benign(channel, found))
