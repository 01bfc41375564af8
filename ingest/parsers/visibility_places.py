"""Whether CSS leaves an element a place on the page in which it could be seen."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ingest.parsers.css import Declarations
from ingest.parsers.css_values import length, share

OFF_SCREEN: Final = -300.0
OFF_RIGHT: Final = 2_500.0
"""Pixels: two windows; a page may be wider than one."""
TINY_PIXELS: Final = 2.0
_SMALLEST: Final = 1e-3
_FLAT_DEGREES: Final = 1.0  # of a right angle: seen edge on
_OVERLAID_EM: Final = -0.5
_WHOLE: Final = 100.0
_AXES: Final = ("top", "right", "bottom", "left")
_PUSHES: Final = {"left": 1, "right": -1, "top": 1, "bottom": -1}
_LOGICAL: Final = {
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-block-start": "margin-top",
    "inline-size": "width",
    "block-size": "height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    "padding-inline-start": "padding-left",
}
_FLOW: Final = ("text-indent", "margin-left", "margin-top")
"""What moves text without a `position`."""
_RECT: Final = re.compile(
    r"rect\(\s*([\d.]+)(?:px)?[\s,]+([\d.]+)(?:px)?[\s,]+([\d.]+)(?:px)?[\s,]+([\d.]+)"
)
_SHAPE: Final = re.compile(r"(inset|circle|ellipse|polygon|rect|xywh|path)\(([^()]{0,400})\)?")
_FUNCTION: Final = re.compile(
    r"(?<![a-z0-9])([a-z0-9]++)\(([^()]{0,200}(?:\([^()]{0,80}\)[^()]{0,80})*)\)"
)
_MAX_FUNCTIONS: Final = 12
_SCALING: Final = frozenset({"zoom", "scale", "transform"})
_PLACING: Final = _SCALING | frozenset(
    (
        *_AXES,
        *_FLOW,
        *_LOGICAL,
        *("inset", "inset-inline", "inset-block", "margin", "translate", "rotate"),
        *("overflow", "overflow-x", "overflow-y", "overflow-block", "overflow-inline"),
        *("clip", "clip-path", "letter-spacing"),
    )
)
"""What `displaced` goes by; widths, heights and paddings count only beside these."""


def displaced(declarations: Declarations, font: float) -> str | None:
    """Return the channel of an element that is out of view or has no room; None if it is in sight.

    Args:
        declarations: With variables put in.
        font: Its size in pixels.
    """
    if _PLACING.isdisjoint(declarations):
        return None  # most elements: only their colour or their font is spoken of
    said = _longhands(declarations)
    if _off_screen(said, font):
        return "html-off-screen"
    if _clipped(said, font) or _no_room(said, font) or _overlaid(said, font):
        return "html-clipped"
    if _moved_away(said, font):
        return "html-off-screen"
    return None


def shrunk(declarations: Declarations) -> float:
    """Return by how much `zoom`, `scale` and `transform` make the element's text smaller or larger.

    What scales it to nothing is `displaced` and counts as 1 here.
    """
    if _SCALING.isdisjoint(declarations):
        return 1.0
    factor = 1.0
    for name in ("zoom", "scale"):
        found = share(declarations.get(name, "").split(" ")[0] or "1")
        factor *= abs(found) if found else 1.0
    for function, arguments in _functions(declarations.get("transform", "")):
        if function in ("scale", "scale3d", "scalex", "scaley"):
            numbers = [share(each) or 1.0 for each in arguments]
            factor *= min((abs(each) for each in numbers[:2]), default=1.0)
    return factor


def _longhands(declarations: Declarations) -> Mapping[str, str]:
    """Return the declarations with `inset`, `margin` and what is logical told side by side."""
    said = dict(declarations)
    for name, physical in _LOGICAL.items():
        if name in said:
            said.setdefault(physical, said[name])
    for shorthand, prefix in (("inset", ""), ("margin", "margin-"), ("padding", "padding-")):
        parts = said.get(shorthand, "").split()
        if 1 <= len(parts) <= len(_AXES):
            for axis, part in zip(_AXES, _sides(parts), strict=True):
                said.setdefault(f"{prefix}{axis}", part)
    for shorthand, prefix in (("inset-inline", "left"), ("inset-block", "top")):
        if shorthand in said:
            said.setdefault(prefix, said[shorthand].split(" ")[0])
    return said


def _sides(parts: list[str]) -> tuple[str, str, str, str]:
    """Return top, right, bottom and left; what is left out is as the opposite side."""
    top = parts[0]
    right = parts[1] if len(parts) > 1 else top
    bottom = parts[2] if len(parts) > 2 else top  # noqa: PLR2004
    return top, right, bottom, parts[3] if len(parts) > 3 else right  # noqa: PLR2004


def _off_screen(said: Mapping[str, str], font: float) -> bool:
    positioned = said.get("position", "static") not in ("static", "initial", "unset")
    for name in (*_PUSHES, *_FLOW):
        pixels = length(said.get(name, ""), em=font)
        if pixels is None or not (positioned or name in _FLOW):
            continue
        padding = length(said.get("padding-left", "0"), em=font) or 0.0
        if name == "margin-left" and padding >= -pixels > 0:
            continue  # a background that reaches to the window's edges
        if pixels <= OFF_SCREEN:
            return True
        if name in ("left", "right", "bottom", "text-indent") and pixels >= OFF_RIGHT:
            return True
    return _indented_out(said)


def _indented_out(said: Mapping[str, str]) -> bool:
    """Whether the first line begins behind its box's edge, which shows nothing beyond it."""
    part = share(said.get("text-indent", "")) if "%" in said.get("text-indent", "") else None
    return part is not None and abs(part) >= 1.0 and _cuts(said)


def _cuts(said: Mapping[str, str]) -> bool:
    return any(
        said.get(name, "").startswith(("hidden", "clip", "auto", "scroll"))
        for name in ("overflow", "overflow-x", "overflow-y", "overflow-block", "overflow-inline")
    )


def _no_room(said: Mapping[str, str], font: float) -> bool:
    if not _cuts(said):
        return False
    for name in ("width", "height", "max-width", "max-height"):
        value = said.get(name, "")
        if value.endswith("%"):
            if share(value) == 0.0:
                return True
            continue
        size = length(value, em=font)
        if size is not None and size <= TINY_PIXELS:
            return True
    line = length(said.get("line-height", ""), em=font)
    return line == 0.0 and "height" not in said and "min-height" not in said


def _overlaid(said: Mapping[str, str], font: float) -> bool:
    """Whether all letters stand on one spot."""
    spacing = length(said.get("letter-spacing", ""), em=font)
    return spacing is not None and spacing <= _OVERLAID_EM * max(font, 1.0)


def _clipped(said: Mapping[str, str], font: float) -> bool:
    rect = _RECT.search(said.get("clip", ""))
    if rect is not None:
        try:
            top, right, bottom, left = (float(rect[i]) for i in range(1, 5))
        except ValueError:
            return False
        if bottom - top <= TINY_PIXELS or right - left <= TINY_PIXELS:
            return True
    shape = _SHAPE.search(said.get("clip-path", ""))
    return shape is not None and _leaves_nothing(shape[1], shape[2], font)


def _leaves_nothing(shape: str, inside: str, font: float) -> bool:
    parts = inside.partition(" at ")[0].partition(" round ")[0].replace(",", " ").split()
    if shape == "inset":
        return _inset_to_nothing(parts, font)
    if shape in ("circle", "ellipse"):
        return any(_is_nothing(part, font) for part in parts)
    if shape == "xywh":
        return len(parts) >= 4 and any(_is_nothing(part, font) for part in parts[2:4])  # noqa: PLR2004
    if shape == "rect":
        return len(parts) == 4 and (parts[0] == parts[2] or parts[1] == parts[3])  # noqa: PLR2004
    if shape == "path":
        return len(re.findall(r"[a-z]\s*-?\d", inside)) <= 2  # noqa: PLR2004 - a line at most
    corners = [tuple(corner.split()) for corner in inside.split(",")]
    pairs = [corner for corner in corners if len(corner) == 2]  # noqa: PLR2004
    return len({x for x, _ in pairs}) == 1 or len({y for _, y in pairs}) == 1


def _is_nothing(part: str, font: float) -> bool:
    if part.endswith("%"):
        return (share(part) or 0.0) * _WHOLE < 1.0
    pixels = length(part, em=font)
    return pixels is not None and pixels <= TINY_PIXELS / 2


def _inset_to_nothing(parts: list[str], font: float) -> bool:
    if not 1 <= len(parts) <= len(_AXES):
        return False
    top, right, bottom, left = _sides(parts)
    for one, other in ((top, bottom), (right, left)):
        sides = [share(side) if side.endswith("%") else 0.0 for side in (one, other)]
        if sum(side or 0.0 for side in sides) >= 0.99:  # noqa: PLR2004
            return True
        pixels = [length(side, em=font) or 0.0 for side in (one, other) if side[-1] != "%"]
        if sum(pixels) >= OFF_RIGHT:
            return True
    return False


def _functions(transform: str) -> Iterator[tuple[str, list[str]]]:
    for number, match in enumerate(_FUNCTION.finditer(transform.lower())):
        if number >= _MAX_FUNCTIONS:
            return
        yield match[1], [part.strip() for part in match[2].split(",")]


def _moved_away(said: Mapping[str, str], font: float) -> bool:
    moves = [("translate", said.get("translate", "").split())]
    moves += list(_functions(said.get("transform", "")))
    for name, value in (("scale", said.get("scale")), ("scale", said.get("zoom"))):
        if value is not None:
            moves.append((name, value.split()))
    rotate = said.get("rotate", "").split()
    if len(rotate) == 2 and rotate[0] in ("x", "y"):  # noqa: PLR2004
        moves.append((f"rotate{rotate[0]}", rotate[1:]))
    return any(_out_of_sight(name, arguments, font) for name, arguments in moves)


def _out_of_sight(name: str, arguments: list[str], font: float) -> bool:
    if name.startswith("translate") and name != "translatez":
        # A second percentage lifts a label above what it tells of.
        lifted = arguments[1:2] if not arguments[1:2] or "%" not in arguments[1] else []
        return any(_far(argument, font) for argument in (*arguments[:1], *lifted))
    if name.startswith("scale") and name != "scalez":
        return any(_flat_scale(argument) for argument in arguments[:2])
    if name in ("rotatex", "rotatey") and arguments:
        return abs(abs(math.remainder(_degrees(arguments[0]), 180.0)) - 90.0) < _FLAT_DEGREES
    if name in ("skew", "skewx", "skewy"):
        return any(
            abs(abs(math.remainder(_degrees(argument), 180.0)) - 90.0) < _FLAT_DEGREES
            for argument in arguments
        )
    if name == "matrix" and len(arguments) == 6:  # noqa: PLR2004
        a, b, c, d = (share(argument) or 0.0 for argument in arguments[:4])
        return abs(a * d - b * c) < _SMALLEST**2 or any(
            _far(argument, font) for argument in arguments[4:]
        )
    return False


def _far(argument: str, font: float) -> bool:
    if argument.endswith("%"):
        part = share(argument)
        return part is not None and part <= -1.0
    pixels = length(argument, em=font)
    return pixels is not None and not OFF_SCREEN < pixels < OFF_RIGHT


def _flat_scale(argument: str) -> bool:
    part = share(argument)
    return part is not None and abs(part) <= _SMALLEST


def _degrees(argument: str) -> float:
    for unit, factor in (("turn", 360.0), ("grad", 0.9), ("rad", 180 / math.pi), ("deg", 1.0)):
        if argument.endswith(unit):
            return (share(argument.removesuffix(unit)) or 0.0) * factor
    return 0.0
