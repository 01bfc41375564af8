"""Tables of HTML: which elements do what to the text around and inside them."""

from __future__ import annotations

import html
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from ingest.parsers.benign import is_benign
from ingest.parsers.html_tokens import Attribute
from ingest.parsers.visibility import Style

__all__ = [
    "BLOCKS",
    "FIELD_WORDS",
    "FOREIGN",
    "IMPLIED_ENDS",
    "KNOWN_TAGS",
    "MAX_IMPLIED_DEPTH",
    "STYLING",
    "TEXT_ATTRIBUTES",
    "VOID",
    "by_kind",
    "embedded_prose",
    "exfiltration",
    "is_benign",
    "plain",
    "text_channel",
]

HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
BLOCKS: Final = HEADINGS | {
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "optgroup",
    "option",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "template",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "br",
}
VOID: Final = frozenset(
    {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "frame",
        "basefont",
        "bgsound",
        "keygen",
    }
)
FOREIGN: Final = frozenset(
    {"svg", "path", "rect", "circle", "line", "g", "use", "math", "ellipse", "polygon", "polyline"}
)
KNOWN_TAGS: Final = (
    BLOCKS
    | VOID
    | FOREIGN
    | {
        "a",
        "abbr",
        "audio",
        "b",
        "big",
        "button",
        "canvas",
        "cite",
        "code",
        "data",
        "del",
        "desc",
        "dfn",
        "em",
        "font",
        "head",
        "i",
        "iframe",
        "ins",
        "kbd",
        "label",
        "mark",
        "noscript",
        "object",
        "picture",
        "q",
        "s",
        "samp",
        "script",
        "select",
        "small",
        "span",
        "strike",
        "strong",
        "style",
        "sub",
        "sup",
        "text",
        "textarea",
        "time",
        "tt",
        "u",
        "var",
        "video",
    }
)
STYLING: Final = frozenset(
    {"class", "id", "style", "hidden", "color", "text", "bgcolor", "popover", "stroke"}
)
PRESENTATION: Final = frozenset(
    {"display", "visibility", "opacity", "fill", "fill-opacity", "font-size", "clip-path"}
)
"""Attributes of a drawing that say what a style would, with less weight."""
SHAPES: Final = frozenset(
    {"rect", "circle", "ellipse", "path", "polygon", "polyline", "line", "image", "use"}
)
"""What a drawing paints text on, in a colour that is not worked out."""
TEXT_ATTRIBUTES: Final = {
    "alt": "html-alt",
    "title": "html-title-attribute",
    "aria-label": "html-aria-label",
    "aria-description": "html-aria-label",
    "placeholder": "html-placeholder",
    "summary": "html-title-attribute",
}
_DATA_WORDS: Final = 6
_CALL: Final = re.compile(r"[{}<>$=]|\w\(")
_PROSE_STRING: Final = re.compile(r"\"((?:[^\"\\\n]|\\.){30,4000})\"|'((?:[^'\\\n]|\\.){30,4000})'")
MAX_STRINGS: Final = 40


def text_channel(name: str, value: Attribute) -> str | None:
    """Return the channel of an attribute that carries text; None for one that carries none."""
    channel = TEXT_ATTRIBUTES.get(name)
    if channel is not None:
        return channel
    if name == "srcdoc":
        return "html-srcdoc"
    if not name.startswith(("data-", "aria-", "x-")) and name not in (
        "label",
        "abbr",
        "content-note",
    ):
        return None
    text = value.text()
    if len(text.split()) < _DATA_WORDS or _CALL.search(text):
        return None
    return "html-data-attribute"


def embedded_prose(source: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield strings of a script or a style sheet, or all of one that is no code, that may be prose.

    At most `MAX_STRINGS`; what it says decides whether it is a finding.
    """
    inside = source[start:end]
    if len(inside.split()) >= _DATA_WORDS and not _CALL.search(inside) and ";" not in inside:
        yield start, end
        return
    found = 0
    for match in _PROSE_STRING.finditer(source, start, end):
        number = 1 if match[1] is not None else 2
        if match[number].count(" ") >= _DATA_WORDS - 1 and not _CALL.search(match[number]):
            found += 1
            yield match.span(number)
            if found >= MAX_STRINGS:
                return


FIELD_WORDS: Final = 4
"""Fewer words in a meta or hidden field are a setting, not prose."""

_CELLS: Final = frozenset({"td", "th"})
_TABLE: Final = frozenset({"table"})
_PARAGRAPH_WALLS: Final = frozenset({"table", "td", "th", "button", "object", "body", "li", "div"})
IMPLIED_ENDS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    **{
        name: (frozenset({"p"}), _PARAGRAPH_WALLS)
        for name in BLOCKS - {"br", "td", "th", "tr", "li", "dt", "dd", "option", "html", "body"}
    },
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "tr": (frozenset({"tr"}), _TABLE),
    "td": (_CELLS, frozenset({"table", "tr"})),
    "th": (_CELLS, frozenset({"table", "tr"})),
    "option": (frozenset({"option"}), frozenset({"select", "datalist"})),
    "body": (frozenset({"head"}), frozenset()),
}
"""A start tag closes the first of these kinds, unless one of those stands between."""
MAX_IMPLIED_DEPTH: Final = 128

_FALLBACKS: Final = frozenset({"audio", "video", "canvas", "object", "progress", "meter", "rp"})
_BY_KIND: Final = {
    "template": "html-template",
    "noscript": "html-noscript",
    "datalist": "html-template",
    "desc": "html-svg-desc",
    "metadata": "html-svg-desc",
    **dict.fromkeys(
        ("defs", "symbol", "clippath", "mask", "marker", "pattern", "lineargradient", "filter"),
        "html-svg-desc",
    ),
    "annotation": "html-annotation",
    "annotation-xml": "html-annotation",
    **dict.fromkeys(_FALLBACKS, "html-fallback"),
}


def by_kind(style: Style, name: str, attributes: Mapping[str, object]) -> Style:
    """Return `style` with what the element's kind hides by itself."""
    if style.gone is not None:
        return style
    channel = _BY_KIND.get(name)
    if name == "template" and "shadowrootmode" in attributes:
        channel = None  # its text is what the page shows in its parent's place
    if channel is None and name == "dialog" and "open" not in attributes:
        channel = "html-dialog"
    return style if channel is None else replace(style, gone=channel)


def plain(source: str) -> str:
    return " ".join(html.unescape(source).split())


_PLACEHOLDER: Final = re.compile(
    r"\{[^}]{0,80}\}|\[[^\]]{0,80}\]|<[^>]{0,80}>|\$\{?[a-z_]|%7b|%5b|%3c"
    r"|\b(?:DATA|SECRET|CONTENT|PAYLOAD|CONVERSATION|HISTORY|CONTEXT|ANSWER|PASSWORD|INSERT|YOUR_)",
)
_EMPTY_VALUE: Final = re.compile(
    r"[?&](?:q|d|data|secret|leak|exfil|content|context|payload|msg|text|log|c|p|s|info|prompt"
    r"|history|conversation)=\Z",
    re.IGNORECASE,
)
_SIGNED: Final = re.compile(
    r"x-amz-|signature=|[?&](?:sig|token|jwt|hash|policy|key-pair-id|sv|se|expires|v|ver)=",
    re.IGNORECASE,
)
_OPAQUE: Final = re.compile(r"[A-Za-z0-9+/_=%-]{64,}")
_QUERY_WORDS: Final = 5


def exfiltration(url: str) -> str | None:
    """Return how an image's URL would carry data out; None if it looks ordinary.

    `image-exfil`: prose, a slot to fill in or a parameter left open; `image-query`: a long value
    that is no signature.
    """
    if not re.match(r"\s*(?:https?:)?//", url, re.IGNORECASE):
        return None
    _, mark, query = url.partition("?")
    if not mark:
        return None
    decoded = urllib.parse.unquote_plus(query)
    if _PLACEHOLDER.search(query) or _PLACEHOLDER.search(decoded) or _EMPTY_VALUE.search(url):
        return "image-exfil"
    if len(decoded.split()) >= _QUERY_WORDS:
        return "image-exfil"
    return "image-query" if _OPAQUE.search(query) and not _SIGNED.search(url) else None
