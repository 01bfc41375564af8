"""As much CSS as it takes to tell whether a reader would see an element's text.

The reader's window is 1280 pixels wide, light and on a screen. What depends on anything else
(`@supports`, `@container`, `@layer`) is taken to apply.
"""

from __future__ import annotations

import base64
import binascii
import re
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ingest.parsers.css_selectors import Selector, Subject, selector, selectors
from ingest.parsers.css_values import length, unescaped

MAX_RULES: Final = 50_000
MAX_TRIES: Final = 1_500_000
"""Rules of a sheet tried on the elements of a page, all told."""
_ANCESTORS_A_TRY: Final = 8
_MAX_NESTING: Final = 8
_MAX_SELECTOR: Final = 1_000
_MAX_QUERY: Final = 2_000
_MAX_LINKED: Final = 200_000  # characters of a sheet in a `data:` link
_WIDTH: Final = 1280.0
_TOKEN: Final = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*+[\"\n]?|'(?:[^'\\\n]|\\.)*+['\n]?|\\.|url\([^\"')]*+\)?"
    r"|<!--|-->|[{};]",
    re.DOTALL | re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"[\"'(\\/]")
_BOUND: Final = re.compile(r"(min|max)-(?:device-)?width\s*:\s*([^)]{1,60})")
_RANGE: Final = re.compile(r"\bwidth\s*([<>])=?\s*([^)<>]{1,60})")
_REVERSED: Final = re.compile(r"\(\s*([^()<>]{1,60}?)\s*([<>])=?\s*width")
_OTHERWISE: Final = re.compile(
    r"prefers-color-scheme\s*:\s*dark|orientation\s*:\s*portrait|\bhover\s*:\s*none"
    r"|pointer\s*:\s*coarse|prefers-contrast\s*:\s*more|forced-colors\s*:\s*active"
    r"|prefers-reduced-motion\s*:\s*reduce|\bprint\b|\bspeech\b|\bbraille\b|\baural\b|\btty\b"
)
_GROUPS: Final = ("@media", "@supports", "@layer", "@container", "@scope", "@-moz-document")
_IMPORTED: Final = re.compile(
    r"@import\s+(?:url\()?\s*[\"']?\s*(data:text/css[^\"']*)", re.IGNORECASE | re.DOTALL
)
_DATA: Final = re.compile(r"data:text/css((?:;[^,]{0,60})?),(.*)", re.IGNORECASE | re.DOTALL)
_IMPORTANT: Final = re.compile(r"!\s*important\s*\Z", re.IGNORECASE)
_PREFIX: Final = re.compile(r"-(?:webkit|moz|ms|o)-")
_HIDING: Final = (
    *("--", "display", "visibility", "opacity", "font", "color", "background", "position", "left"),
    *(
        "right",
        "top",
        "bottom",
        "text-indent",
        "text-fill",
        "clip",
        "transform",
        "overflow",
        "width",
    ),
    *("height", "content-visibility", "margin", "padding", "max-"),
    *(
        "inset",
        "inline-size",
        "block-size",
        "zoom",
        "scale",
        "translate",
        "rotate",
        "filter",
        "mask",
    ),
    *("letter-spacing", "line-height", "fill"),
)

Declarations = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Block:
    """Declarations that can hide text, the last of each name; the important ones apart."""

    normal: Declarations
    important: Declarations

    def __bool__(self) -> bool:
        return bool(self.normal or self.important)


@dataclass(frozen=True, slots=True)
class Rule:
    selector: Selector
    block: Block
    weight: tuple[int, int, int, int]
    """Specificity, then the place among all rules: what is greater wins."""


@dataclass(slots=True)
class StyleSheet:
    """Rules by what their last compound asks for, so that few are tried on an element.

    Attributes:
        whole: Nothing was left out for its number.
    """

    whole: bool = True
    _by_key: dict[str, list[Rule]] = field(default_factory=dict)
    _size: int = 0
    _tries: int = 0

    def __bool__(self) -> bool:
        return self._size > 0

    def add(self, css: str) -> None:
        for prelude, body in _rules(css):
            if prelude.startswith("@import"):
                self.link(prelude)
                continue
            block = parse_declarations(body)
            if not block:
                continue
            for one in selectors(prelude):
                self._add(one, block)

    def link(self, address: str) -> None:
        """Add the sheet that a `data:` address holds; any other address is no sheet we see."""
        match = _IMPORTED.match(address) or _DATA.match(address.strip())
        if match is None:
            return
        data = _DATA.match(match[1] if match.re is _IMPORTED else match[0])
        if data is None:
            return
        content = urllib.parse.unquote(data[2][:_MAX_LINKED])
        if "base64" in data[1].lower():
            try:
                content = base64.b64decode(content.rstrip(") \"'")).decode("utf-8", "replace")
            except (binascii.Error, ValueError):
                return
        if "data:" not in content.lower():  # a sheet in a sheet: one level is enough
            self.add(content)

    def _add(self, text: str, block: Block) -> None:
        found = selector(text)
        if found is None:
            return
        if self._size >= MAX_RULES:
            self.whole = False
            return
        self._size += 1
        last = found.compounds[-1]
        key = (
            f"#{last.id}"
            if last.id
            else f".{min(last.classes)}"
            if last.classes
            else last.tag or "*"
        )
        rule = Rule(found, block, (*found.weight(), self._size))
        self._by_key.setdefault(key, []).append(rule)

    def declared(
        self, subject: Subject, around: Sequence[Subject], own: Block | None
    ) -> dict[str, str]:
        """Return what applies to an element, its own `style` and importance minded."""
        depth = len(around) // _ANCESTORS_A_TRY
        matched = [
            rule
            for rule in self._candidates(subject, depth)
            if rule.selector.matches(subject, around)
        ]
        matched.sort(key=lambda rule: rule.weight)
        found: dict[str, str] = {}
        for rule in matched:
            found.update(rule.block.normal)
        if own is not None:
            found.update(own.normal)
        for rule in matched:
            found.update(rule.block.important)
        if own is not None:
            found.update(own.important)
        return found

    def _candidates(self, subject: Subject, depth: int) -> Iterator[Rule]:
        keys = ["*", subject.tag, *(f".{name}" for name in subject.classes)]
        if subject.id:
            keys.append(f"#{subject.id}")
        for key in keys:
            for rule in self._by_key.get(key, ()):
                if self._tries >= MAX_TRIES:
                    self.whole = False
                    return
                self._tries += 1 + (depth if len(rule.selector.compounds) > 1 else 0)
                yield rule


@dataclass(slots=True)
class _Frame:
    """An open brace: the selector whose declarations stand in it, if any; not read if `skipped`."""

    selector: str | None
    skipped: bool = False
    own: bool = False
    declarations: list[str] = field(default_factory=list)


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield (selectors, body) of every rule that may apply, nested ones with what they stand in."""
    frames = [_Frame(None)]
    pieces: list[str] = []
    at = 0
    for token in _TOKEN.finditer(css):
        pieces.append(css[at : token.start()])
        at = token.end()
        mark = token[0]
        if mark in ("{", "}", ";"):
            piece = "".join(pieces).strip()
            pieces = []
            yield from _step(frames, mark, piece)
        elif not mark.startswith(("/*", "<!--", "-->")):
            pieces.append(mark)
    pieces.append(css[at:])
    yield from _step(frames, ";", "".join(pieces).strip())
    while len(frames) > 1:
        yield from _closed(frames.pop())


def _step(frames: list[_Frame], mark: str, piece: str) -> Iterator[tuple[str, str]]:
    top = frames[-1]
    if mark == "{":
        frames.append(_opened(top, piece, len(frames)))
        return
    if piece and not top.skipped:
        if top.selector is None:
            if piece[:7].lower() == "@import":
                yield f"@import{piece[7:]}", ""
        else:
            top.declarations.append(piece)
    if mark == "}" and len(frames) > 1:
        yield from _closed(frames.pop())


def _opened(top: _Frame, prelude: str, depth: int) -> _Frame:
    if top.skipped:
        return _Frame(None, skipped=True)
    if prelude.startswith("@"):
        lowered = prelude.lower()
        applies = lowered.startswith(_GROUPS) and (
            not lowered.startswith("@media") or applies_here(lowered[6:])
        )
        return _Frame(top.selector, skipped=not applies)
    if top.selector is None:
        return _Frame(prelude)
    return _Frame(_within(top.selector, prelude), skipped=depth > _MAX_NESTING)


def _within(outer: str, inner: str) -> str:
    """Return a nested rule's selectors with those of the rule that it stands in."""
    if max(len(outer), len(inner)) > _MAX_SELECTOR:
        return inner.replace("&", "*")
    parent = outer if "," not in outer and " " not in outer else None
    found = []
    for one in selectors(inner):
        text = one.strip() if "&" in one else f"& {one.strip()}"
        if parent is not None:
            found.append(text.replace("&", parent))
        else:
            found += [text.replace("&", each.strip()) for each in selectors(outer)]
    return ",".join(found)


def _closed(frame: _Frame) -> Iterator[tuple[str, str]]:
    if frame.selector is not None and frame.declarations and not frame.skipped:
        yield frame.selector, ";".join(frame.declarations)


def applies_here(query: str) -> bool:
    """Whether a media query holds for the reader's window; what is not known of it does."""
    return any(_one_applies(each.strip()) for each in query[:_MAX_QUERY].lower().split(","))


def _one_applies(query: str) -> bool:
    if query.startswith("not"):
        return not _one_applies(query[3:].strip())
    if " or " in query:
        return any(_one_applies(each.strip()) for each in query.split(" or "))
    if _OTHERWISE.search(query):
        return False
    bounds = [(kind, text) for kind, text in _BOUND.findall(query)]
    bounds += [("min" if sign == ">" else "max", text) for sign, text in _RANGE.findall(query)]
    bounds += [("min" if sign == "<" else "max", text) for text, sign in _REVERSED.findall(query)]
    for kind, text in bounds:
        pixels = length(text, em=16.0)
        if pixels is not None and (pixels > _WIDTH if kind == "min" else pixels < _WIDTH):
            return False
    return True


def parse_declarations(body: str) -> Block:
    """Return the declarations that can hide text, the last of each name."""
    normal: dict[str, str] = {}
    important: dict[str, str] = {}
    for declaration in _declarations(body):
        name, colon, value = declaration.partition(":")
        name = name.strip()
        if not colon or not name:
            continue
        name = unescaped(name).lower() if not name.startswith("--") else name
        name = _PREFIX.sub("", name, count=1) if name.startswith("-") else name
        if not name.startswith(_HIDING):
            continue
        value = value.strip()
        weighty = _IMPORTANT.search(value)
        value = unescaped(value if weighty is None else value[: weighty.start()]).lower().strip()
        (normal if weighty is None else important)[name] = value
    return Block(normal, important)


def _declarations(body: str) -> Iterator[str]:
    """Split at the semicolons that stand in no string and no address; comments are dropped."""
    if not _QUOTED.search(body):
        yield from body.split(";")
        return
    pieces: list[str] = []
    at = 0
    for token in _TOKEN.finditer(body):
        pieces.append(body[at : token.start()])
        at = token.end()
        if token[0] == ";":
            yield "".join(pieces)
            pieces = []
        elif not token[0].startswith("/*"):
            pieces.append(token[0])
    pieces.append(body[at:])
    yield "".join(pieces)
