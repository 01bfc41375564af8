"""Whether a reader sees the text of an HTML element: its computed style, as far as it matters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from ingest.parsers import css
from ingest.parsers.css import BLACK, TRANSPARENT, WHITE, Colour, Declarations

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

OFF_SCREEN: Final = -300.0
_PLACES: Final = frozenset(
    {"left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top"}
)
_FLOW: Final = ("text-indent", "margin-left", "margin-top")
"""What moves text without a `position`."""
TINY_PIXELS: Final = 2.0
FAINT: Final = 0.05
_RECT: Final = re.compile(
    r"rect\(\s*([\d.]+)(?:px)?[\s,]+([\d.]+)(?:px)?[\s,]+([\d.]+)(?:px)?[\s,]+"
    r"([\d.]+)"
)
_INSET: Final = re.compile(r"inset\(\s*(?:5\d|[6-9]\d|100)(?:\.\d+)?%|circle\(\s*0|polygon\(\s*0 0")
_SHIFT: Final = re.compile(
    r"translate(?:x|y|3d)?\(\s*(-\d{3,})|scale(?:x|y|3d)?\(\s*0?\.?0*\s*[,)]"
)


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
    """

    gone: str | None = None
    reader_only: bool = False
    collapsed: bool = False
    font_pixels: float = 16.0
    text: Colour | str | None = BLACK
    background: Colour | None = WHITE

    @property
    def channel(self) -> str | None:
        """How text here is hidden; None if a reader sees it."""
        if self.gone is not None:
            return self.gone
        if self.collapsed:
            return "html-visibility-hidden"
        if self.font_pixels < TINY_PIXELS:
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
    font = _font(parent, declarations)
    gone = _gone(declarations, attributes, classes, font)
    style = replace(
        parent,
        font_pixels=font,
        gone=gone,
        reader_only=bool(classes & READER_CLASSES) and gone is not None,
        background=_background(parent, declarations, attributes),
        text=_text(parent, declarations, attributes),
    )
    visibility = declarations.get("visibility")
    if visibility is not None:
        style = replace(style, collapsed=visibility in ("hidden", "collapse"))
    return style


def _font(parent: Style, declarations: Declarations) -> float:
    value = declarations.get("font-size")
    if value is None:
        value = next(
            (piece for piece in declarations.get("font", "").split() if piece[:1].isdigit()), None
        )
    if value is None:
        return parent.font_pixels
    if value.rstrip().endswith("%"):
        try:
            return parent.font_pixels * float(value.strip().rstrip("%")) / 100
        except ValueError:
            return parent.font_pixels
    pixels = css.length(value.partition("/")[0], em=parent.font_pixels)
    return parent.font_pixels if pixels is None else pixels


def _background(
    parent: Style, declarations: Declarations, attributes: Mapping[str, str]
) -> Colour | None:
    value = declarations.get("background-color") or declarations.get("background")
    if "background-image" in declarations and declarations["background-image"] != "none":
        return None
    if value is None:
        value = attributes.get("bgcolor")
    if value is None:
        return parent.background
    if "url(" in value or "gradient" in value:
        return None
    pieces = value.split() if "(" not in value else [value]
    for piece in pieces:
        found = css.colour(piece)
        if isinstance(found, Colour):
            return found
        if found == TRANSPARENT:
            return parent.background
    return parent.background if value in ("none", "inherit", "initial", "unset") else None


def _text(
    parent: Style, declarations: Declarations, attributes: Mapping[str, str]
) -> Colour | str | None:
    value = (
        declarations.get("text-fill-color")
        or declarations.get("color")
        or attributes.get("color")
        or attributes.get("text")
    )
    if value is None or value in ("inherit", "unset", "currentcolor"):
        return parent.text
    return css.colour(value)


def _gone(
    declarations: Declarations, attributes: Mapping[str, str], classes: frozenset[str], font: float
) -> str | None:
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return "html-hidden-attribute"
    if declarations.get("display") == "none" or declarations.get("content-visibility") == "hidden":
        return "html-display-none"
    if classes & READER_CLASSES:
        return "html-screen-reader"
    if classes & HIDING_CLASSES and not any(_shows_elsewhere(name) for name in classes):
        return "html-hiding-class"
    return _placed_away(declarations, font)


def _shows_elsewhere(name: str) -> bool:
    """Whether a class shows the element at some width, as `d-md-block`, `lg:flex` do."""
    return bool(re.match(r"(?:d-(?:sm|md|lg|xl|xxl|print)-|(?:sm|md|lg|xl|2xl|print):)", name))


def _placed_away(declarations: Declarations, font: float) -> str | None:
    if not declarations:
        return None
    if _below(declarations.get("opacity"), FAINT):
        return "html-opacity"
    for name in _PLACES & declarations.keys():
        pixels = css.length(declarations.get(name, ""), em=font)
        placed = name in _FLOW or declarations.get("position", "static") != "static"
        if pixels is not None and pixels <= OFF_SCREEN and placed:
            return "html-off-screen"
    if _clipped(declarations) or _no_room(declarations, font):
        return "html-clipped"
    if _SHIFT.search(declarations.get("transform", "")):
        return "html-off-screen"
    return None


def _below(value: str | None, limit: float) -> bool:
    if value is None:
        return False
    try:
        number = float(value.rstrip("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        return False
    return number <= limit


def _clipped(declarations: Declarations) -> bool:
    rect = _RECT.search(declarations.get("clip", ""))
    if rect is not None:
        top, right, bottom, left = (float(rect[i]) for i in range(1, 5))
        if bottom - top <= TINY_PIXELS or right - left <= TINY_PIXELS:
            return True
    return bool(_INSET.search(declarations.get("clip-path", "")))


def _no_room(declarations: Declarations, font: float) -> bool:
    if not declarations.get("overflow", "").startswith(("hidden", "clip")):
        return False
    sizes = [
        css.length(declarations.get(name, ""), em=font)
        for name in ("width", "height", "max-width", "max-height")
    ]
    return any(size is not None and size <= TINY_PIXELS for size in sizes)
