"""Splits HTML into tokens with exact source ranges, in linear time.

The standard library's `HTMLParser` is quadratic on unclosed comments and declarations before its
2025 mends and gives line and column instead of offsets; these are the few rules of the WHATWG
tokeniser that say what is text and what is not.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ingest.parsers.extract import DerivedBuilder

_NAME: Final = re.compile(r"[a-zA-Z][^\s/>\x00]*")
_STRICT_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*(?=[\s/>])")
_GAP: Final = re.compile(r"[\s/]*")
_ATTRIBUTE: Final = re.compile(r"([^\s/>=]+)(?:\s*+(=)\s*+)?")
_UNQUOTED: Final = re.compile(r"[^\s>]*")
_REFERENCE: Final = re.compile(
    r"&(?:#[0-9]{1,9};?|#[xX][0-9a-fA-F]{1,8};?|[a-zA-Z][a-zA-Z0-9]{1,31};?)"
)
_COMMENT_END: Final = re.compile(r"--!?>")
RAW_TEXT: Final = frozenset(
    {"script", "style", "xmp", "iframe", "noembed", "noframes", "textarea", "title"}
)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A value as it stands in the source; `text()` decodes it."""

    source: str
    start: int
    end: int

    def text(self) -> str:
        return html.unescape(self.source[self.start : self.end])


@dataclass(frozen=True, slots=True)
class Text:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Comment:
    """`[start, end)` is the token, `[inner_start, inner_end)` what is between its marks."""

    start: int
    end: int
    inner_start: int
    inner_end: int


@dataclass(frozen=True, slots=True)
class StartTag:
    name: str
    start: int
    end: int
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    self_closing: bool = False


@dataclass(frozen=True, slots=True)
class EndTag:
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RawText:
    """The inside of a script, a style, a title and the like."""

    name: str
    start: int
    end: int


Token = Text | Comment | StartTag | EndTag | RawText


def tokenise(source: str, *, known_tags: frozenset[str] | None = None) -> Iterator[Token]:
    """Yield the tokens of `source` in order; together they cover it.

    Args:
        source: HTML, or Markdown with what is code blanked out.
        known_tags: For Markdown: a tag of another name, such as `<https://...>` or
            `<your-name>`, is text.
    """
    at = text_start = 0
    while (mark := source.find("<", at)) != -1:
        token = _markup(source, mark, known_tags)
        if token is None:
            at = mark + 1
            continue
        if token.start > text_start:
            yield Text(text_start, token.start)
        yield token
        at = text_start = token.end
        if isinstance(token, StartTag) and token.name in RAW_TEXT and not token.self_closing:
            end = _raw_end(source, at, token.name)
            if end is None and known_tags is not None:
                continue  # prose that names the element; no renderer swallows the rest for it
            end = len(source) if end is None else end
            yield RawText(token.name, at, end)
            at = text_start = end
        if isinstance(token, StartTag) and token.name == "plaintext":
            break
    if text_start < len(source):
        yield Text(text_start, len(source))


def _raw_end(source: str, at: int, name: str) -> int | None:
    match = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(source, at)
    return match.start() if match else None


def _markup(source: str, mark: int, known_tags: frozenset[str] | None) -> Token | None:
    following = source[mark + 1 : mark + 2]
    if source.startswith("<!--", mark):
        return _comment(source, mark)
    if following in ("!", "?") and following:
        if known_tags is not None and not source[mark + 2 : mark + 3].isalpha():
            return None
        return _bogus(source, mark)
    closing = following == "/"
    name_at = mark + 1 + closing
    name = (_STRICT_NAME if known_tags is not None else _NAME).match(source, name_at)
    if name is None:
        return _bogus(source, mark) if closing and known_tags is None else None
    lowered = name[0].lower()
    if known_tags is not None and lowered not in known_tags:
        return None
    return _tag(source, mark, name.end(), lowered, closing=closing)


def _comment(source: str, mark: int) -> Comment:
    for empty in ("<!-->", "<!--->"):
        if source.startswith(empty, mark):
            end = mark + len(empty)
            return Comment(mark, end, end, end)
    match = _COMMENT_END.search(source, mark + 4)
    if match is None:
        return Comment(mark, len(source), mark + 4, len(source))
    return Comment(mark, match.end(), mark + 4, match.start())


def _bogus(source: str, mark: int) -> Comment | None:
    if re.match(r"<!doctype\b", source[mark : mark + 10], re.IGNORECASE):
        end = source.find(">", mark)
        end = len(source) if end == -1 else end + 1
        return Comment(mark, end, end, end)
    end = source.find(">", mark)
    if end == -1:
        return Comment(mark, len(source), mark + 2, len(source))
    return Comment(mark, end + 1, mark + 2, end)


def _tag(source: str, mark: int, at: int, name: str, *, closing: bool) -> Token:
    attributes: dict[str, Attribute] = {}
    size = len(source)
    while True:
        gap = _GAP.match(source, at)
        at = gap.end() if gap else at
        if at >= size or source[at] == ">":
            break
        match = _ATTRIBUTE.match(source, at)
        if match is None:  # a stray "="
            at += 1
            continue
        at = match.end()
        start, end = at, at
        if match[2] is not None:
            quote = source[at : at + 1]
            if quote in ("'", '"') and quote:
                close = source.find(quote, at + 1)
                start, end = at + 1, size if close == -1 else close
                at = min(size, end + 1)
            else:
                unquoted = _UNQUOTED.match(source, at)
                end = at = unquoted.end() if unquoted else at
        attributes.setdefault(match[1].lower(), Attribute(source, start, end))
    if at >= size:  # a tag that never ends: a browser drops it, we had rather read it
        return Text(mark, size)
    if closing:
        return EndTag(name, mark, at + 1)
    return StartTag(name, mark, at + 1, attributes, source[at - 1] == "/")


def copy_decoded(into: DerivedBuilder, source: str, start: int, end: int) -> None:
    """Add `source[start:end]` to `into` with its character references decoded."""
    at = start
    while (mark := source.find("&", at, end)) != -1:
        match = _REFERENCE.match(source, mark, end)
        decoded = html.unescape(match[0]) if match else "&"
        if match is None or decoded == match[0]:
            into.copy(at, mark + 1)
            at = mark + 1
            continue
        into.copy(at, mark)
        into.put(decoded, mark, match.end())
        at = match.end()
    into.copy(at, end)
