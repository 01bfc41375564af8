"""How text on a slide is painted, and where: what decides whether anybody in the room reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.css_colours import BLACK, TRANSPARENT, WHITE, Colour, colour

P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_TINY: Final = 300
"""Hundredths of a point."""
_OVERLAID: Final = -500
_LEAST_SCALE: Final = 10_000  # thousandths of a per cent
_FAINT: Final = 5_000
_WHOLE: Final = 100_000
OFF: Final = frozenset({"0", "false", "off"})
_SCHEME: Final = {"bg1": WHITE, "lt1": WHITE, "tx1": BLACK, "dk1": BLACK}
_KINDS: Final = ("srgbClr", "schemeClr", "sysClr", "prstClr", "scrgbClr", "hslClr")


def integer(value: str | None, default: int) -> int:
    try:
        return default if value is None else int(value)
    except ValueError:
        return default


@dataclass(frozen=True, slots=True)
class Place:
    """How a shape, and all in it, is hidden, and what its text is painted on.

    Attributes:
        behind: None where it is not known.
        scale_x, move_x, scale_y, move_y: From the coordinates of what it holds to the slide's.
    """

    channel: str | None = None
    behind: Colour | None = WHITE
    scale_x: float = 1.0
    move_x: float = 0.0
    scale_y: float = 1.0
    move_y: float = 0.0


def placed(element: etree._Element, place: Place, size: tuple[int, int]) -> Place:
    """Return the place of a shape or a group that stands in `place`.

    Args:
        size: Width and height of a slide in EMU.
    """
    if place.channel is not None:
        return place
    properties = element.find(f"./*/{P}cNvPr")
    if properties is not None and (properties.get("hidden") or "0") not in OFF:
        return replace(place, channel="pptx-hidden-shape")
    place = replace(place, behind=_behind(element, place.behind))
    frame = element.find(f"./*/{A}xfrm")
    frame = frame if frame is not None else element.find(f"./{P}xfrm")
    if frame is None:
        return place
    off, ext = frame.find(f"{A}off"), frame.find(f"{A}ext")
    if off is None or ext is None:
        return place
    x, y = integer(off.get("x"), 0), integer(off.get("y"), 0)
    width, height = integer(ext.get("cx"), 1), integer(ext.get("cy"), 1)
    left, top = place.scale_x * x + place.move_x, place.scale_y * y + place.move_y
    right, bottom = left + place.scale_x * width, top + place.scale_y * height
    if left >= size[0] or top >= size[1] or right <= 0 or bottom <= 0:
        return replace(place, channel="pptx-off-slide")
    return _inside(frame, place, (x, y, width, height))


def _inside(frame: etree._Element, place: Place, box: tuple[int, int, int, int]) -> Place:
    """Return the place with the coordinates that a group gives to what it holds."""
    start, span = frame.find(f"{A}chOff"), frame.find(f"{A}chExt")
    if start is None or span is None:
        return place
    x, y, width, height = box
    across = width / max(1, integer(span.get("cx"), 1))
    down = height / max(1, integer(span.get("cy"), 1))
    return replace(
        place,
        scale_x=place.scale_x * across,
        scale_y=place.scale_y * down,
        move_x=place.move_x + place.scale_x * (x - across * integer(start.get("x"), 0)),
        move_y=place.move_y + place.scale_y * (y - down * integer(start.get("y"), 0)),
    )


def _behind(element: etree._Element, outer: Colour | None) -> Colour | None:
    properties = element.find(f"./{P}spPr")
    solid = None if properties is None else properties.find(f"{A}solidFill")
    if solid is not None:
        found = painted(solid)
        return found if isinstance(found, Colour) else None
    if properties is not None and properties.find(f"{A}noFill") is not None:
        return outer
    pictured = properties is not None and any(
        properties.find(f"{A}{kind}") is not None for kind in ("gradFill", "blipFill", "pattFill")
    )
    return None if pictured or element.find(f"./{P}style") is not None else outer


def painted(fill: etree._Element) -> Colour | str | None:
    """Return the colour of a solid fill, `TRANSPARENT`, or None where it is not known."""
    for kind in _KINDS:
        found = fill.find(f"{A}{kind}")
        if found is None:
            continue
        alpha = found.find(f"{A}alpha")
        if alpha is not None and integer(alpha.get("val"), _WHOLE) <= _FAINT:
            return TRANSPARENT
        return _lit(found, _base(kind, found))
    return None


def _base(kind: str, found: etree._Element) -> Colour | None:
    said = found.get("val") or ""
    if kind == "schemeClr":
        return _SCHEME.get(said)
    if kind == "scrgbClr":
        parts = [integer((found.get(name) or "").rstrip("%"), 0) / 1000 for name in "rgb"]
        told = colour(f"color(srgb-linear {' '.join(f'{part}%' for part in parts)})")
    elif kind == "hslClr":
        hue, saturation, light = (integer(found.get(n), 0) for n in ("hue", "sat", "lum"))
        told = colour(f"hsl({hue / 60_000} {saturation / 1000}% {light / 1000}%)")
    elif kind == "prstClr":
        told = colour(said)
    else:
        told = colour(f"#{found.get('lastClr') or said}")
    return told if isinstance(told, Colour) else None


def _lit(element: etree._Element, base: Colour | None) -> Colour | None:
    """Return a colour made lighter or darker, as far as that leaves no doubt what it comes to."""
    less, more = element.find(f"{A}lumMod"), element.find(f"{A}lumOff")
    if less is None and more is None:
        return base
    if base is None or not base.red == base.green == base.blue:
        return None
    factor = integer(None if less is None else less.get("val"), _WHOLE) / _WHOLE
    offset = integer(None if more is None else more.get("val"), 0) / _WHOLE
    grey = round(min(1.0, max(0.0, base.red / 255 * factor + offset)) * 255)
    return Colour(grey, grey, grey)


def run_channel(
    run: etree._Element, defaults: tuple[etree._Element, ...], *, behind: Colour | None
) -> str | None:
    """Return how a run is hidden; None if a reader sees it.

    Args:
        run: Its `rPr` may say; what it does not, the first of `defaults` that does.
        behind: What it is painted on.
    """
    own = run.find(f"{A}rPr")
    said = (() if own is None else (own,)) + defaults
    size = next((each.get("sz") for each in said if each.get("sz")), None)
    if 0 < integer(size, _TINY + 1) <= _TINY:
        return "pptx-tiny"
    spacing = next((each.get("spc") for each in said if each.get("spc")), None)
    if integer(spacing, 0) <= _OVERLAID:
        return "pptx-tiny"
    paint = next((found for each in said for found in _fills(each)), None)
    if paint == TRANSPARENT:
        return "pptx-transparent"
    if not isinstance(paint, Colour) or behind is None or not paint.near(behind):
        return None
    return "pptx-white" if behind.near(WHITE) else "pptx-colour-on-colour"


def _fills(properties: etree._Element) -> Iterator[Colour | str | None]:
    """Yield what the letters are painted with, if anything is said of it."""
    if properties.find(f"{A}noFill") is not None and properties.find(f"{A}ln") is None:
        yield TRANSPARENT
    solid = properties.find(f"{A}solidFill")
    if solid is not None:
        yield painted(solid)
    stops = properties.findall(f"{A}gradFill/{A}gsLst/{A}gs")
    if stops:
        found = {painted(stop) for stop in stops}
        yield found.pop() if len(found) == 1 else None


def shape_defaults(shape: etree._Element) -> tuple[etree._Element, ...]:
    """Return the run properties that a shape's own list styles give, the first level's first."""
    return tuple(shape.findall(f"./*/{A}lstStyle/*/{A}defRPr")[:1])


def is_scaled_away(shape: etree._Element) -> bool:
    fitted = shape.find(f"./*/{A}bodyPr/{A}normAutofit")
    return fitted is not None and 0 < integer(fitted.get("fontScale"), _WHOLE) <= _LEAST_SCALE
