"""How a run of a DOCX looks, as far as it decides whether its text is seen; styles included."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.archive import Archive

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
W14: Final = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_TINY_HALF_POINTS: Final = 4
_TINY_TWENTIETHS: Final = 40
_NARROW: Final = 5  # per cent of a letter's width
_OVERLAID: Final = -100  # twentieths of a point between letters
_NEAR: Final = 24
_NEAR_WHITE: Final = 255 - _NEAR
_FAINT: Final = 95_000  # thousandths of a per cent of transparency
_AWAY: Final = 8_000  # twentieths of a point: five and a half inches outside of the margin
_MAX_STYLE_DEPTH: Final = 16
_HEADING: Final = re.compile(r"heading\s*([1-6])", re.IGNORECASE)
OFF: Final = frozenset({"0", "false", "off", "none"})
_LIGHT_THEME: Final = frozenset({"background1", "light1", "bg1", "lt1"})
_HIGHLIGHTS: Final = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "darkBlue": "000080",
    "darkCyan": "008080", "darkGray": "808080", "darkGreen": "008000", "darkMagenta": "800080",
    "darkRed": "800000", "darkYellow": "808000", "green": "00FF00", "lightGray": "C0C0C0",
    "magenta": "FF00FF", "red": "FF0000", "white": "FFFFFF", "yellow": "FFFF00",
}  # fmt: skip
_NO_FILL: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Run properties as far as they decide whether text is seen; None is not said.

    Attributes:
        colour: Six hexadecimal digits, or `none` for letters that are not painted.
        squeezed: Letters or lines have no room.
        away: Set outside of the page.
    """

    vanish: bool | None = None
    colour: str | None = None
    half_points: float | None = None
    shade: str | None = None
    squeezed: bool | None = None
    away: bool | None = None
    heading: int = 0

    def over(self, base: Look) -> Look:
        """Return this look where it says something, else that of `base`."""
        return Look(
            vanish=base.vanish if self.vanish is None else self.vanish,
            colour=base.colour if self.colour is None else self.colour,
            half_points=base.half_points if self.half_points is None else self.half_points,
            shade=base.shade if self.shade is None else self.shade,
            squeezed=base.squeezed if self.squeezed is None else self.squeezed,
            away=base.away if self.away is None else self.away,
            heading=self.heading or base.heading,
        )

    @property
    def channel(self) -> str | None:
        """How text of this look is hidden; None if a reader sees it."""
        if self.vanish:
            return "docx-vanish"
        if self.squeezed or (
            self.half_points is not None and self.half_points <= _TINY_HALF_POINTS
        ):
            return "docx-tiny"
        if self.away:
            return "docx-off-page"
        if self.colour is None:
            return None
        if self.colour == _NO_FILL:
            return "docx-transparent"
        if _light(self.colour):
            return "docx-white" if self.shade is None or _light(self.shade) else None
        same = self.shade is not None and _alike(self.colour, self.shade)
        return "docx-colour-on-colour" if same else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Styles:
    """What a document's styles say.

    Attributes:
        named: By style id, with what each is based on.
        base: Of a run that nothing else is said of: the document's defaults.
        paragraph: Of a paragraph that names no style.
    """

    named: Mapping[str, Look]
    base: Look = Look()
    paragraph: Look = Look()

    def of(self, name: str | None) -> Look:
        return self.named.get(name or "", Look())


def _channels(colour: str) -> tuple[int, int, int] | None:
    digits = colour.strip().lower()
    if digits == "white":
        return 255, 255, 255
    if not re.fullmatch(r"[0-9a-f]{6}", digits):
        return None
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


def _light(colour: str) -> bool:
    found = _channels(colour)
    return found is not None and min(found) >= _NEAR_WHITE


def _alike(one: str, other: str) -> bool:
    first, second = _channels(one), _channels(other)
    if first is None or second is None:
        return one.lower() == other.lower()
    return max(abs(a - b) for a, b in zip(first, second, strict=True)) <= _NEAR


def value(element: etree._Element | None, name: str = "val") -> str | None:
    return None if element is None else element.get(f"{W}{name}")


def number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def look_of(properties: etree._Element | None) -> Look:
    """Return what an `rPr` or `pPr` says."""
    if properties is None:
        return Look()
    vanish = properties.find(f"{W}vanish")
    if vanish is None:
        vanish = properties.find(f"{W}webHidden")
    if vanish is None:
        vanish = properties.find(f"{W}specVanish")
    colour = properties.find(f"{W}color")
    theme = value(colour, "themeColor")
    found = "FFFFFF" if theme in _LIGHT_THEME else value(colour)
    filled = _filled(properties.find(f"{W14}textFill"))
    return Look(
        vanish=None if vanish is None else value(vanish) not in OFF,
        colour=filled or (None if found in (None, "auto") else found),
        half_points=number(value(properties.find(f"{W}sz"))),
        shade=_shade(properties),
        squeezed=_squeezed(properties),
        away=_away(properties),
    )


def _filled(fill: etree._Element | None) -> str | None:
    """Return the colour that a newer Word paints letters in, over `color`; None where it is not known."""
    if fill is None:
        return None
    if fill.find(f"{W14}noFill") is not None:
        return _NO_FILL
    solid = fill.find(f"{W14}solidFill")
    if solid is None:
        return None
    # In this schema `alpha` is how much shows through.
    clear = solid.find(f".//{W14}alpha")
    if clear is not None and (number(clear.get(f"{W14}val")) or 0.0) >= _FAINT:
        return _NO_FILL
    rgb, scheme = solid.find(f"{W14}srgbClr"), solid.find(f"{W14}schemeClr")
    if scheme is not None:
        return "FFFFFF" if scheme.get(f"{W14}val") in _LIGHT_THEME else None
    return None if rgb is None else rgb.get(f"{W14}val")


def _shade(properties: etree._Element) -> str | None:
    highlight = value(properties.find(f"{W}highlight"))
    if highlight in _HIGHLIGHTS:
        return _HIGHLIGHTS[highlight]
    return shading(properties.find(f"{W}shd"))


def shading(element: etree._Element | None) -> str | None:
    """Return the colour of a shading: its pattern's where the pattern is solid."""
    found = value(element, "color" if value(element) == "solid" else "fill")
    return None if found in (None, "auto") else found


def _squeezed(properties: etree._Element) -> bool | None:
    width = number(value(properties.find(f"{W}w")))
    if width is not None:
        return width <= _NARROW
    spacing = properties.find(f"{W}spacing")
    between, line = number(value(spacing)), number(value(spacing, "line"))
    if between is not None:
        return between <= _OVERLAID
    if line is not None and value(spacing, "lineRule") == "exact":
        return line <= _TINY_TWENTIETHS
    return None


def _away(properties: etree._Element) -> bool | None:
    indent, frame = properties.find(f"{W}ind"), properties.find(f"{W}framePr")
    places = [value(indent, "left"), value(indent, "start"), value(frame, "x"), value(frame, "y")]
    numbers = [found for found in map(number, places) if found is not None]
    raised = number(value(properties.find(f"{W}position")))  # half-points
    if raised is not None:
        numbers.append(-abs(raised) * 10)
    return min(numbers) <= -_AWAY if numbers else None


def read_styles(archive: Archive) -> Styles:
    if "word/styles.xml" not in archive:
        return Styles(named={})
    root = archive.tree("word/styles.xml")
    own: dict[str, tuple[Look, str | None]] = {}
    normal: str | None = None
    for style in root.iter(f"{W}style"):
        look = look_of(style.find(f"{W}rPr")).over(look_of(style.find(f"{W}pPr")))
        cell = shading(style.find(f"{W}tcPr/{W}shd"))
        if cell is not None and look.shade is None:
            look = replace(look, shade=cell)
        name = value(style.find(f"{W}name")) or ""
        match = _HEADING.fullmatch(name.strip())
        level = int(match[1]) if match else 1 if name.strip().lower() == "title" else 0
        identifier = style.get(f"{W}styleId") or ""
        if value(style, "type") == "paragraph" and (value(style, "default") or "0") not in OFF:
            normal = identifier
        own[identifier] = (
            replace(look, heading=level),
            value(style.find(f"{W}basedOn")),
        )
    named = {name: _resolved(name, own) for name in own}
    defaults = root.find(f"{W}docDefaults")
    base = Look()
    if defaults is not None:
        base = look_of(defaults.find(f"{W}rPrDefault/{W}rPr"))
    paragraph = named[normal] if normal is not None else Look()
    return Styles(named=named, base=base, paragraph=paragraph)


def _resolved(name: str, own: Mapping[str, tuple[Look, str | None]]) -> Look:
    look, parent = own[name]
    for _ in range(_MAX_STYLE_DEPTH):  # styles may name each other in a ring
        if parent is None or parent not in own:
            break
        base, parent = own[parent]
        look = look.over(base)
    return look
