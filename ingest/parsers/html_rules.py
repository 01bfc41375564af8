"""Tables of HTML: which elements do what to the text around and inside them."""

from __future__ import annotations

import html
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ingest.parsers.benign import is_benign
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
    "exfiltration",
    "is_benign",
    "plain",
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
    {"class", "id", "style", "hidden", "color", "text", "bgcolor", "aria-hidden", "open", "type"}
)
TEXT_ATTRIBUTES: Final = {
    "alt": "html-alt",
    "title": "html-title-attribute",
    "aria-label": "html-aria-label",
    "aria-description": "html-aria-label",
    "placeholder": "html-placeholder",
    "summary": "html-title-attribute",
}
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

_FALLBACKS: Final = frozenset({"audio", "video", "canvas", "object"})
_BY_KIND: Final = {
    "template": "html-template",
    "noscript": "html-noscript",
    "datalist": "html-template",
    "desc": "html-svg-desc",
    "metadata": "html-svg-desc",
    **dict.fromkeys(_FALLBACKS, "html-fallback"),
}


def by_kind(style: Style, name: str, attributes: Mapping[str, str]) -> Style:
    """Return `style` with what the element's kind hides by itself."""
    if style.gone is not None:
        return style
    channel = _BY_KIND.get(name)
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
