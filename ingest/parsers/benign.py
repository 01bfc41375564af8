"""Which hidden texts are of a kind that honest documents are full of.

Benign text is still scanned for instructions; it is only that its channel alone is no finding.
Every rule has a bound on length, so that a channel that is ordinary for a label is not free for
prose.
"""

from __future__ import annotations

import re
from typing import Final

_SHORT: Final = {
    "html-screen-reader": 20,
    "html-aria-label": 30,
    "html-title-attribute": 40,
    "html-alt": 30,
    "html-placeholder": 15,
    "html-meta": 60,
    "html-fallback": 20,
    "html-annotation": 20,
    "html-svg-title": 12,
    "html-svg-desc": 12,
    "html-dialog": 40,
    "html-template": 12,
    "html-data-attribute": 40,
    "html-script-text": 120,
    "html-style-text": 8,
    "markdown-image-alt": 30,
    "markdown-link-title": 20,
    "docx-alt-text": 30,
    "pdf-bookmark": 20,
    "pdf-script": 400,
    "pptx-notes": 400,
    "pptx-comment": 20,
    "xlsx-comment": 20,
    "docx-comment": 20,
    "xlsx-hidden-sheet": 6,
    "xlsx-hidden-row": 6,
    "xlsx-hidden-column": 6,
}
"""Most words of a text that the channel is made for."""

_TOOL_COMMENT: Final = re.compile(
    r"\s*(?:\[if\b|<!\[endif|\[endif|/?ko\b|#|@|=|\*|begin\b|end\b|start\b|stop\b|/|prettier-|eslint"
    r"|markdownlint|vale\b|textlint|cspell|spell-?checker|doctoc|toc\b|more\b|all-contributors"
    r"|readme|badges?\b|google|noindex|googleo(?:n|ff)|copyright|licen[cs]e|spdx|©|mobileok|saved from"
    r"|generated\b|this file (?:is|was) (?:auto|gen)|automatically generated|do not edit|todo\b"
    r"|fixme\b|region\b|endregion|insert\b|include\b|ssi\b|version\b|build\b|last (?:updated|modified))",
    re.IGNORECASE,
)
_TOOL_MARK: Final = re.compile(
    r"ALL-CONTRIBUTORS|START doctoc|END doctoc|markdownlint|prettier-ignore|auto-?generated"
    r"|automatically generated|do not edit|SPDX-|Licensed under|Copyright",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"[{}<>=;$\\]|\w\(|\w/\w|--\w")
_SCRIPT_NOTICE: Final = re.compile(r"javascript|java\s?script|scripts?\b|browser", re.IGNORECASE)
_TOOL_WORDS: Final = 40
_LICENCE: Final = re.compile(
    r"licen[cs]ed (?:to|under)|copyright|all rights reserved|licen[cs]e, version|spdx-|warrant(?:y|ies)"
    r"|permission is hereby granted|copyright ownership|licen[cs]e agreements?",
    re.IGNORECASE,
)
_LICENCE_WORDS: Final = 400
_CONTRIBUTOR: Final = re.compile(
    r"\b(?:pull requests?|issues?|maintainers?|contribut\w{1,8}|bug reports?|template|changelog|reproduc\w{1,6}"
    r"|(?:this|each|the) sections?|fill (?:out|in)|checklist|reviewers?|commit messages?|release notes?"
    r"|reference it here|screenshots?|steps to|labels?)\b",
    re.IGNORECASE,
)
_CONTRIBUTOR_WORDS: Final = 250
"""A template tells who fills it in what to write; so do orders, which are looked for all the same."""
_NOTE_WORDS: Final = 20
"""A comment up to here is a note on the page, unless it gives orders."""
_INTERFACE_WORDS: Final = 60
_WORDS_A_SIGN: Final = 10
"""One word of an interface in so many: a single "accept" makes no dialogue of hidden prose."""
_INTERFACE: Final = re.compile(
    r"\b(?:cookies?|consent|javascript|loading|please wait|sign (?:in|up)|log ?in|log ?out|newsletter"
    r"|subscribe|menu|navigation|search|cart|basket|checkout|close|dismiss|copy link|copied|share|toggle"
    r"|error|failed|try again|success|submit|thank you|required field|session|browser|dialog|modal|tooltip"
    r"|previous|next|skip to|back to top|accept|decline|settings|password|username|form|saved?)\b",
    re.IGNORECASE,
)
_HIDING: Final = frozenset(
    {
        "html-display-none",
        "html-hidden-attribute",
        "html-hiding-class",
        "html-visibility-hidden",
        "html-dialog",
        "html-template",
    }
)
_MENU_LINE: Final = 4
_ADDRESSED: Final = re.compile(r"\b(?:users?|readers?)\b|@", re.IGNORECASE)
_NOTICE_WORDS: Final = 30


def is_benign(channel: str, text: str) -> bool:
    """Return whether hidden `text` is what the channel is for."""
    words = len(text.split())
    limit = _SHORT.get(channel)
    if limit is not None and words <= limit and len(text) <= 10 * limit:
        return True
    if channel in _HIDING:
        return _is_interface(text, words)
    if channel == "html-annotation":
        return len(_CODE.findall(text)) * 3 > words  # the formula as it was typed
    if limit is not None:
        return False
    if channel == "html-noscript":
        return words <= _NOTICE_WORDS and bool(_SCRIPT_NOTICE.search(text))
    if channel in ("html-comment", "markdown-comment"):
        note = words <= _NOTE_WORDS and not _ADDRESSED.search(text)
        asked = words <= _CONTRIBUTOR_WORDS and len(_CONTRIBUTOR.findall(text)) * 40 >= words
        return note or (asked and bool(_CONTRIBUTOR.search(text))) or _is_tool_comment(text, words)
    return channel in ("html-aria-hidden", "markdown-front-matter")


def _is_interface(text: str, words: int) -> bool:
    """Whether it is what a script shows in time: a menu, a dialogue, a message of the page's own."""
    spoken = len(_INTERFACE.findall(text))
    if words <= _INTERFACE_WORDS and spoken * _WORDS_A_SIGN >= words:
        return True
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and all(len(line.split()) <= _MENU_LINE for line in lines)


def _is_tool_comment(text: str, words: int) -> bool:
    """Whether a comment is for a tool or is markup put out of use, not prose for a reader."""
    if words <= _LICENCE_WORDS and len(_LICENCE.findall(text)) > 1:
        return True
    if words <= _TOOL_WORDS and (_TOOL_COMMENT.match(text) or _TOOL_MARK.search(text)):
        return True
    return len(_CODE.findall(text)) * 3 > words
