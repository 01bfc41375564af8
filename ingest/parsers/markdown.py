"""Markdown: what a renderer would show, and what it would drop, with exact source ranges.

Code is blanked out (length for length) before the HTML walker looks for markup; text is always
copied from the source itself. Headings, lists and tables stay as written. Links come out as
`text (target)`, images not at all.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from ingest.parsers import html_rules
from ingest.parsers.extract import Copied, Derived, DerivedBuilder, Extract, Passage, Put
from ingest.parsers.html import HtmlWalker
from ingest.parsers.sniff import MARKDOWN

_BLANK: Final = "\x00"
_FENCE: Final = re.compile(r" {0,3}(?:> ?)*(`{3,}|~{3,})")
_INDENTED: Final = re.compile(r"(?: {4}|\t)\s*\S")
_LIST_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_TICKS_OR_COMMENT: Final = re.compile(r"\\.|`+|<!--|\n[ \t]*\n", re.DOTALL)
_DEFINITION: Final = re.compile(
    r"^ {0,3}\[([^\[\]\n]{1,999})\]:[ \t]*\n?[ \t]*(<[^<>\n]*>|\S+)"
    r"(?:[ \t]*\n?[ \t]*(\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$",
    re.MULTILINE,
)
_LABEL: Final = re.compile(r"\[([^\[\]\n]{1,999})\]")
_NO_TARGET: Final = frozenset({"#", "<>", "<#>", "/", "//", "."})
_LINK: Final = re.compile(
    r"(!?)\[([^\[\]\n]{0,1000})\]"
    r"\(\s{0,20}(<[^<>\n]{0,2000}>|[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?)"
    r"(?:\s{1,20}(\"[^\"\n]{0,1000}\"|'[^'\n]{0,1000}'))?\s{0,20}\)"
)
_LABEL_WORDS: Final = 4
_FRONT_MATTER: Final = re.compile(
    r"\ufeff?---[ \t]*\n((?:[^\n]{0,4000}\n){1,100}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)


@dataclass(slots=True)
class _Page:
    """A Markdown text on its way.

    Attributes:
        masked: The text with what is no markup, or is dealt with, blanked out.
        edits: What replaces ranges of the text in what is shown.
        blanks: Ranges to blank out next.
    """

    text: str
    masked: str
    hidden: list[Passage] = field(default_factory=list)
    edits: list[Put] = field(default_factory=list)
    blanks: list[tuple[int, int]] = field(default_factory=list)

    def hide(self, channel: str, start: int, end: int) -> None:
        found = self.text[start:end]
        if found.strip():
            self.hidden.append(
                Passage(
                    channel=channel,
                    text=Derived((Copied(start, end - start),)),
                    benign=html_rules.is_benign(channel, found),
                )
            )

    def edit(self, text: str, start: int, end: int) -> None:
        self.edits.append(Put(text, start, end))

    def blank_out(self) -> None:
        pieces, at = [], 0
        for start, end in self.blanks:
            pieces += [self.masked[at:start], _BLANK * (end - start)]
            at = end
        self.masked = "".join([*pieces, self.masked[at:]])
        self.blanks.clear()


def parse_markdown(text: str) -> Extract:
    page = _Page(text=text, masked=_mask_code(text))
    _front_matter(page)
    _definitions(page)
    _links(page)
    walker = HtmlWalker(source=page.masked, original=text, keep_lines=True)
    walker.walk(known_tags=html_rules.KNOWN_TAGS)
    for passage in walker.hidden():
        channel = passage.channel
        if channel in ("html-comment", "html-image-exfil", "html-image-query"):
            channel = channel.replace("html", "markdown")
        page.hidden.append(Passage(channel=channel, text=passage.text, benign=passage.benign))
    return Extract(
        media_type=MARKDOWN,
        raw_text=text,
        visible=_rewrite(walker.visible(), page.edits),
        hidden=tuple(sorted(page.hidden, key=_start)),
        metadata=tuple(walker.metadata),
        warnings=walker.warnings,
    )


def _start(passage: Passage) -> int:
    return passage.text.segments[0].start if passage.text.segments else 0


def _mask(characters: list[str], start: int, end: int) -> None:
    for at in range(start, end):
        if characters[at] in "<&[!`":
            characters[at] = _BLANK


def _mask_code(text: str) -> str:
    """Return `text` with markup inside fences, indented code and code spans blanked out."""
    characters = list(text)
    fence: str | None = None
    at, blank_before, in_list, in_code = 0, True, False, False
    for line in text.splitlines(keepends=True):
        match = _FENCE.match(line)
        if fence is not None:
            _mask(characters, at, at + len(line))
            if match and match[1].startswith(fence) and not line[match.end() :].strip():
                fence = None
        elif match:
            fence = match[1]
        elif line.strip():
            in_code = bool(_INDENTED.match(line)) and (blank_before or in_code) and not in_list
            if in_code:
                _mask(characters, at, at + len(line))
            elif not line[0].isspace():
                in_list = bool(_LIST_ITEM.match(line))
        blank_before = not line.strip()
        at += len(line)
    _mask_spans("".join(characters), characters)
    return "".join(characters)


def _mask_spans(masked: str, characters: list[str]) -> None:
    opened: dict[int, list[int]] = {}
    tokens = list(_TICKS_OR_COMMENT.finditer(masked))
    for number, token in enumerate(tokens):
        if token[0][0] == "`":
            opened.setdefault(len(token[0]), []).append(number)
    paragraph_end = [len(tokens)] * (len(tokens) + 1)
    for number in range(len(tokens) - 1, -1, -1):
        ends = tokens[number][0][0] == "\n"
        paragraph_end[number] = number if ends else paragraph_end[number + 1]
    at, resume = 0, 0
    pointers = dict.fromkeys(opened, 0)
    while at < len(tokens):
        token = tokens[at]
        if token.start() < resume:
            at += 1
            continue
        if token[0] == "<!--":
            end = masked.find("-->", token.end())
            resume = len(masked) if end == -1 else end + 3
        elif token[0][0] == "`":
            size = len(token[0])
            places, pointer = opened[size], pointers[size]
            while pointer < len(places) and places[pointer] <= at:
                pointer += 1
            pointers[size] = pointer
            if pointer < len(places) and places[pointer] < paragraph_end[at]:
                closing = tokens[places[pointer]]
                _mask(characters, token.start(), closing.end())
                resume = closing.end()
        at += 1


def _front_matter(page: _Page) -> None:
    """Add the block of properties that renderers drop; it stays in what is shown as well."""
    match = _FRONT_MATTER.match(page.text)
    if match is not None:
        page.hide("markdown-front-matter", *match.span(1))


def _definitions(page: _Page) -> None:
    """Take link definitions out: `[//]: # (a comment)` is how Markdown says nothing at length."""
    used = Counter(match[1] for match in _LABEL.finditer(page.masked))
    for match in _DEFINITION.finditer(page.masked):
        title = match.span(3) if match[3] is not None else None
        comment = match[2] in _NO_TARGET or match[1].strip().lower() in ("//", "comment", "_")
        if title is not None and title[1] - title[0] > 2:  # noqa: PLR2004 - more than its quotes
            channel = "markdown-link-comment" if comment else "markdown-link-title"
            page.hide(channel, title[0] + 1, title[1] - 1)
        if len(match[1].split()) >= _LABEL_WORDS and used[match[1]] == 1:
            page.hide("markdown-link-comment", *match.span(1))
        page.edit("", *match.span())
        page.blanks.append(match.span())
    page.blank_out()


def _links(page: _Page) -> None:
    """Blank images out; mark how links are to be rewritten."""
    for match in _LINK.finditer(page.masked):
        if match[4] is not None:
            page.hide("markdown-link-title", match.start(4) + 1, match.end(4) - 1)
        if match[1]:
            page.hide("markdown-image-alt", *match.span(2))
            channel = html_rules.exfiltration(page.text[slice(*match.span(3))].strip("<>"))
            if channel is not None:
                page.hide(f"markdown-{channel}", *match.span(3))
            page.edit("", *match.span())
            page.blanks.append(match.span())
        else:
            page.edit("", match.start(), match.start(2))
            page.edit(" (" if match[3] else "", match.end(2), match.start(3))
            page.edit(")" if match[3] else "", match.end(3), match.end())
    page.blank_out()


def _rewrite(visible: Derived, edits: list[Put]) -> Derived:
    """Replace the ranges of `edits` in what `visible` copies."""
    edits = sorted(edits, key=lambda edit: edit.start)
    builder = DerivedBuilder()
    number = 0
    for segment in visible.segments:
        if isinstance(segment, Put):
            builder.put(segment.text, segment.start, segment.end)
            continue
        at, end = segment.start, segment.start + segment.length
        while number < len(edits):
            edit = edits[number]
            if edit.start >= end:
                break
            number += 1
            if edit.start < at:
                continue
            builder.copy(at, edit.start)
            builder.put(edit.text, edit.start, edit.end)
            at = max(at, min(edit.end, end))
        builder.copy(at, end)
    return builder.build()
