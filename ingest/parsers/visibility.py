"""Whether a reader sees the text of an HTML element: its computed style, as far as it matters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from ingest.parsers.css import Declarations
from ingest.parsers.css_colours import BLACK, TRANSPARENT, WHITE, Colour, colour, colours_in
from ingest.parsers.css_values import Variables, length, resolved, share
from ingest.parsers.visibility_places import displaced, shrunk

READER_CLASSES: Final = frozenset(
    {
        "sr-only",
        "sr_only",
        "sronly",
        "visually-hidden",
        "visuallyhidden",
        "u-visually-hidden",
        "screen-reader-text",
        "screen-reader-only",
        "screen-reader",
        "screenreader",
        "a11y-hidden",
        "assistive-text",
        "show-for-sr",
        "element-invisible",
    }
)
HIDING_CLASSES: Final = frozenset(
    {"d-none", "hidden", "invisible", "is-hidden", "hide", "uk-hidden", "display-none"}
)
"""What the wide-spread style sheets call what they hide; a sheet we do not see may be linked."""

TINY_PIXELS: Final = 2.0
FAINT: Final = 0.05
_FILTERED: Final = re.compile(r"opacity\(\s*(?:0?\.0[0-5]?\d*|0|[0-5](?:\.\d+)?%)\s*\)")
_ABSENT: Final = ("none", "initial", "auto", "unset", "inherit", "revert")


@dataclass(frozen=True, slots=True)
class Style:
    """What an element hands down.

    Attributes:
        gone: Channel of an ancestor that nothing inside can undo; None if there is none.
        reader_only: That ancestor is of a class made for screen readers.
        collapsed: `visibility` is hidden; a descendant may undo it.
        font_pixels: Computed font size.
        text: Computed colour; `TRANSPARENT` or None (not known).
        background: What is painted behind; None where it is not known (an image).
        opacity, scale: Of all ancestors together.
        variables: Custom properties.
        drawn: Inside an SVG, whose text is of the colour `fill`.
    """

    gone: str | None = None
    reader_only: bool = False
    collapsed: bool = False
    font_pixels: float = 16.0
    text: Colour | str | None = BLACK
    background: Colour | None = WHITE
    opacity: float = 1.0
    scale: float = 1.0
    variables: Variables | None = None
    drawn: bool = False

    @property
    def channel(self) -> str | None:
        """How text here is hidden; None if a reader sees it."""
        if self.gone is not None:
            return self.gone
        if self.collapsed:
            return "html-visibility-hidden"
        if self.font_pixels * self.scale < TINY_PIXELS:
            return "html-tiny-font"
        if self.text == TRANSPARENT:
            return "html-transparent"
        if isinstance(self.text, Colour) and self.background is not None:
            return "html-colour-on-colour" if self.text.near(self.background) else None
        return None


def inherit(
    parent: Style,
    declarations: Declarations,
    attributes: Mapping[str, str],
    classes: frozenset[str],
) -> Style:
    """Return the style of a child of `parent`.

    `declarations` are those of the matching rules and of its own `style`, the last one winning;
    `attributes` the decoded values of `hidden`, `color`, `bgcolor`; class names lower-cased.
    """
    if parent.gone is not None:
        return parent
    variables = parent.variables
    own = {name: value for name, value in declarations.items() if name.startswith("--")}
    if own:
        variables = Variables(own, variables)
    if any("var(" in value for value in declarations.values()):
        declarations = {
            name: resolved(value, variables)
            for name, value in declarations.items()
            if not name.startswith("--")
        }
    font = _font(parent, declarations)
    opacity = parent.opacity * _opacity(declarations)
    gone = _gone(declarations, attributes, classes, font)
    if gone is None and opacity <= FAINT:
        gone = "html-opacity"
    background, text = _painted(parent, declarations, attributes)
    style = replace(
        parent,
        font_pixels=font,
        gone=gone,
        reader_only=bool(classes & READER_CLASSES) and gone is not None,
        background=background,
        text=text,
        opacity=opacity,
        scale=parent.scale * shrunk(declarations),
        variables=variables,
    )
    visibility = declarations.get("visibility")
    if visibility is not None:
        style = replace(style, collapsed=visibility in ("hidden", "collapse"))
    return style


def _font(parent: Style, declarations: Declarations) -> float:
    value = declarations.get("font-size")
    if value is None:
        value = next(
            (
                piece
                for piece in declarations.get("font", "").split()
                if piece[:1].isdecimal() or piece[:1] == "." or piece.startswith("calc(")
            ),
            None,
        )
    if value is None:
        return parent.font_pixels
    if value.rstrip().endswith("%"):
        part = share(value)
        return parent.font_pixels * part if part is not None else parent.font_pixels
    value = value if "(" in value else value.partition("/")[0]
    pixels = length(value, em=parent.font_pixels)
    return parent.font_pixels if pixels is None else pixels


def _opacity(declarations: Declarations) -> float:
    found = 1.0
    for name in ("opacity", "fill-opacity"):
        part = share(declarations[name]) if name in declarations else None
        found *= 1.0 if part is None else min(1.0, max(0.0, part))
    return found


def _painted(
    parent: Style, declarations: Declarations, attributes: Mapping[str, str]
) -> tuple[Colour | None, Colour | str | None]:
    """Return what is painted behind, and the colour of text."""
    background = _background(parent, declarations, attributes)
    text = _text(parent, declarations, attributes)
    clipped = declarations.get("background-clip", "") + " " + declarations.get("background", "")
    if text == TRANSPARENT and "text" in clipped.split():
        # The letters are a window on the element's own background; behind them is the parent's.
        own = any(
            name.startswith("background") and name != "background-clip" for name in declarations
        )
        return parent.background, background if own else TRANSPARENT
    return background, text


def _background(
    parent: Style, declarations: Declarations, attributes: Mapping[str, str]
) -> Colour | None:
    image = declarations.get("background-image", "none")
    if image not in _ABSENT:
        return _of_image(image)
    value = declarations.get("background-color") or declarations.get("background")
    if value is None:
        value = attributes.get("bgcolor")
    if value is None:
        return parent.background
    if "url(" in value or "gradient" in value:
        return _of_image(value)
    pieces = value.split() if "(" not in value else [value]
    for piece in pieces:
        found = colour(piece)
        if isinstance(found, Colour):
            return found
        if found == TRANSPARENT:
            return parent.background
    return parent.background if value in _ABSENT else None


def _of_image(value: str) -> Colour | None:
    """Return the colour of a gradient between two of a kind; None for any other picture."""
    if "gradient" not in value or "url(" in value:
        return None
    found = colours_in(value[value.index("(") + 1 :])
    first = found[0] if found else None
    return first if isinstance(first, Colour) and all(one == first for one in found) else None


def _text(
    parent: Style, declarations: Declarations, attributes: Mapping[str, str]
) -> Colour | str | None:
    if parent.drawn:
        value = declarations.get("fill")
        if value in ("none", "transparent"):
            return TRANSPARENT if "stroke" not in attributes else None
    else:
        value = (
            declarations.get("text-fill-color")
            or declarations.get("color")
            or attributes.get("color")
            or attributes.get("text")
        )
    if not value or value in ("inherit", "unset", "currentcolor"):
        return parent.text
    return colour(value)


def _gone(
    declarations: Declarations, attributes: Mapping[str, str], classes: frozenset[str], font: float
) -> str | None:
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return "html-hidden-attribute"
    if "popover" in attributes:
        return "html-dialog"
    if declarations.get("display") == "none" or declarations.get("content-visibility") == "hidden":
        return "html-display-none"
    if classes & READER_CLASSES:
        return "html-screen-reader"
    if classes & HIDING_CLASSES and not any(_shows_elsewhere(name) for name in classes):
        return "html-hiding-class"
    if not declarations:
        return None
    if _FILTERED.search(declarations.get("filter", "")) or _masked(declarations):
        return "html-opacity"
    return displaced(declarations, font)


def _shows_elsewhere(name: str) -> bool:
    """Whether a class shows the element at some width, as `d-md-block`, `lg:flex` do."""
    return bool(re.match(r"(?:d-(?:sm|md|lg|xl|xxl|print)-|(?:sm|md|lg|xl|2xl|print):)", name))


def _masked(declarations: Declarations) -> bool:
    """Whether the mask lets nothing through: all its stops are transparent."""
    value = declarations.get("mask-image") or declarations.get("mask", "")
    if "gradient" not in value or "url(" in value:
        return False
    found = colours_in(value[value.index("(") + 1 :])
    return bool(found) and all(one == TRANSPARENT for one in found)
