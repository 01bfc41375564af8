"""As much CSS as it takes to tell whether a reader would see an element's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

MAX_RULES: Final = 5_000
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMPOUND: Final = re.compile(r"([a-zA-Z][\w-]*|\*)?((?:[.#][\w-]+)*)\Z")
_BRACE: Final = re.compile(r"[{}]")
_PIECE: Final = re.compile(r"[.#][\w-]+")
_NUMBER: Final = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))\s*([a-z%]*)", re.IGNORECASE)
_RGB: Final = re.compile(r"rgba?\(([^)]{0,80})\)")
_LENGTHS: Final = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78}
_COLOURS: Final = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245),
    "floralwhite": (255, 250, 240),
    "azure": (240, 255, 255),
    "mintcream": (245, 255, 250),
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "navy": (0, 0, 128),
    "orange": (255, 165, 0),
    "purple": (128, 0, 128),
}
_HIDING: Final = (
    "display",
    "visibility",
    "opacity",
    "font",
    "color",
    "background",
    "position",
    "left",
    "right",
    "top",
    "bottom",
    "text-indent",
    "clip",
    "transform",
    "overflow",
    "width",
    "height",
    "content-visibility",
    "margin",
    "max-",
)

Declarations = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Colour:
    red: int
    green: int
    blue: int

    def near(self, other: Colour) -> bool:
        """Whether text of one on the other cannot be read: channels within 24 of 255."""
        return (
            max(
                abs(self.red - other.red),
                abs(self.green - other.green),
                abs(self.blue - other.blue),
            )
            <= 24  # noqa: PLR2004 - contrast ratio of at most about 1.2
        )


TRANSPARENT: Final = "transparent"
WHITE: Final = Colour(255, 255, 255)
BLACK: Final = Colour(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Compound:
    """A simple selector: a tag (None: any), an id (None: any), classes."""

    tag: str | None
    id: str | None
    classes: frozenset[str]

    def matches(self, tag: str, element_id: str, classes: frozenset[str]) -> bool:
        return (
            (self.tag is None or self.tag == tag)
            and (self.id is None or self.id == element_id)
            and self.classes <= classes
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """Compounds from the outermost in, each a descendant of the one before."""

    path: tuple[Compound, ...]
    declarations: Declarations


@dataclass(slots=True)
class StyleSheet:
    """Rules by what their last compound asks for, so that few are tried on an element."""

    _by_key: dict[str, list[Rule]] = field(default_factory=dict)
    _size: int = 0

    def __bool__(self) -> bool:
        return self._size > 0

    def add(self, css: str) -> None:
        for selectors, body in _blocks(_COMMENT.sub(" ", css)):
            declarations = parse_declarations(body)
            if not declarations:
                continue
            for selector in selectors.split(","):
                path = _path(selector)
                if path is None or self._size >= MAX_RULES:
                    continue
                self._size += 1
                last = path[-1]
                key = (
                    f"#{last.id}"
                    if last.id
                    else f".{min(last.classes)}"
                    if last.classes
                    else last.tag or "*"
                )
                self._by_key.setdefault(key, []).append(Rule(path, declarations))

    def candidates(self, tag: str, element_id: str, classes: Sequence[str]) -> Iterator[Rule]:
        """Yield rules that may apply, the least specific kinds first."""
        yield from self._by_key.get("*", ())
        yield from self._by_key.get(tag, ())
        for name in classes:
            yield from self._by_key.get(f".{name}", ())
        if element_id:
            yield from self._by_key.get(f"#{element_id}", ())


def _blocks(css: str) -> Iterator[tuple[str, str]]:
    """Yield (selectors, body) of plain rules, those of `@media` for a screen included."""
    at, size = 0, len(css)
    while at < size:
        opening = css.find("{", at)
        if opening == -1:
            return
        prelude = css[at:opening].rpartition(";")[2].strip().lstrip("}").strip()
        if prelude.startswith("@"):
            lowered = prelude.lower()
            if lowered.startswith(("@media", "@supports", "@layer")) and "print" not in lowered:
                at = opening + 1  # its rules follow as if they stood alone; "}" is skipped above
                continue
            at = _block_end(css, opening)
            continue
        closing = css.find("}", opening)
        closing = size if closing == -1 else closing
        yield prelude, css[opening + 1 : closing]
        at = closing + 1


def _block_end(css: str, opening: int) -> int:
    depth = 0
    for match in _BRACE.finditer(css, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return len(css)


def _path(selector: str) -> tuple[Compound, ...] | None:
    compounds = []
    for piece in selector.replace(">", " ").split():
        match = _COMPOUND.match(piece)
        if match is None:  # a pseudo-class, an attribute: not always so
            return None
        names = _PIECE.findall(match[2])
        ids = [name[1:] for name in names if name[0] == "#"]
        tag = match[1].lower() if match[1] and match[1] != "*" else None
        classes = frozenset(name[1:] for name in names if name[0] == ".")
        compounds.append(Compound(tag, ids[0] if ids else None, classes))
    return tuple(compounds) or None


def parse_declarations(body: str) -> dict[str, str]:
    """Return the declarations that can hide text, the last of each name."""
    found = {}
    for declaration in body.split(";"):
        name, colon, value = declaration.partition(":")
        name = name.strip().lower().removeprefix("-webkit-")
        if colon and name.startswith(_HIDING):
            found[name] = value.lower().replace("!important", "").strip()
    return found


def length(value: str, *, em: float) -> float | None:
    """Return a CSS length in pixels; None for a percentage, `auto` or what is no length."""
    match = _NUMBER.match(value.strip())
    if match is None:
        return None
    number, unit = float(match[1]), match[2].lower()
    if unit in ("em", "rem", "ex", "ch"):
        return number * em
    if unit in ("vw", "vh", "vmin", "vmax"):
        return number * 10
    if unit == "":
        return number
    return number * _LENGTHS[unit] if unit in _LENGTHS else None


def colour(value: str) -> Colour | str | None:
    """Return a colour, `TRANSPARENT`, or None where it is not known."""
    value = value.strip().lower()
    if value == TRANSPARENT:
        return TRANSPARENT
    if value in _COLOURS:
        return Colour(*_COLOURS[value])
    if value.startswith("#"):
        return _hex(value[1:])
    match = _RGB.search(value)
    if match is None:
        return None
    parts = [part for part in re.split(r"[\s,/]+", match[1].strip()) if part]
    try:
        numbers = [
            float(part.rstrip("%")) * (2.55 if part.endswith("%") and i < 3 else 1)  # noqa: PLR2004
            for i, part in enumerate(parts)
        ]
    except ValueError:
        return None
    return _rgb(numbers)


def _rgb(numbers: Sequence[float]) -> Colour | str | None:
    if len(numbers) not in (3, 4):
        return None
    if len(numbers) == 4 and numbers[3] <= 0.05:  # noqa: PLR2004 - alpha of a twentieth
        return TRANSPARENT
    red, green, blue = (max(0, min(255, round(n))) for n in numbers[:3])
    return Colour(red, green, blue)


def _hex(digits: str) -> Colour | str | None:
    match = re.match(r"[0-9a-f]+", digits)
    found = match[0] if match else ""
    if len(found) in (3, 4):
        found = "".join(digit * 2 for digit in found)
    if len(found) not in (6, 8):
        return None
    if len(found) == 8 and int(found[6:], 16) <= 12:  # noqa: PLR2004 - alpha of a twentieth
        return TRANSPARENT
    return Colour(int(found[:2], 16), int(found[2:4], 16), int(found[4:6], 16))
