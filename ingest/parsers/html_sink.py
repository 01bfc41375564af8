"""Lays out the text of HTML as lines: white space folded, blocks apart, structure marked."""

from __future__ import annotations

import re
from typing import Final

from ingest.parsers.extract import Derived, DerivedBuilder
from ingest.parsers.html_tokens import copy_decoded

_WORD: Final = re.compile(r"[^\s]+(?: [^\s]+)*")
_PARAGRAPHS: Final = frozenset(
    {
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "blockquote",
        "pre",
        "table",
        "ul",
        "ol",
        "dl",
        "article",
        "section",
        "header",
        "footer",
        "main",
        "nav",
        "aside",
        "form",
        "fieldset",
        "figure",
        "hr",
    }
)
_SOFT_IN_CELL: Final = frozenset({"p", "div", "br"})
_CELLS: Final = frozenset({"td", "th"})


class TextSink:
    """Collects text in reading order. Breaks and spaces are written when text follows."""

    __slots__ = (
        "_at_start",
        "_break",
        "_break_range",
        "_builder",
        "_keep_lines",
        "_last_newline",
        "_prefix",
        "_source",
        "_space",
    )

    def __init__(self, source: str, *, keep_lines: bool = False) -> None:
        self._source = source
        self._keep_lines = keep_lines
        self._builder = DerivedBuilder()
        self._space: tuple[int, int] | None = None
        self._break = 0
        self._break_range = (0, 0)
        self._prefix: tuple[str, int, int] | None = None
        self._at_start = True
        self._last_newline = True

    def text(self, start: int, end: int, *, keep: bool) -> None:
        if keep:
            self._verbatim(start, end)
            return
        at = start
        for match in _WORD.finditer(self._source, start, end):
            if match.start() > at:
                self._space = self._space or (at, match.start())
            self._flush()
            copy_decoded(self._builder, self._source, match.start(), match.end())
            at = match.end()
        if at < end:
            self._space = self._space or (at, end)

    def _verbatim(self, start: int, end: int) -> None:
        if self._keep_lines and self._source.startswith("\n", start):
            self._break = 0
        elif not self._source[start:end].strip() and (self._break or self._at_start):
            if self._keep_lines:
                copy_decoded(self._builder, self._source, start, end)
            return
        if end > start:
            self._flush()
            copy_decoded(self._builder, self._source, start, end)
            self._last_newline = self._source[end - 1] == "\n"

    def _flush(self) -> None:
        if self._break and not self._at_start:
            level = 1 if self._keep_lines else self._break
            if not (self._keep_lines and self._last_newline):
                self._builder.put("\n" * level, *self._break_range)
        elif self._space is not None and not self._at_start:
            start, end = self._space
            if self._source[start:end] == " ":
                self._builder.copy(start, end)
            else:
                self._builder.put(" ", start, end)
        if self._prefix is not None:
            self._builder.put(*self._prefix)
        self._space, self._prefix, self._break = None, None, 0
        self._at_start = self._last_newline = False

    def line_break(self, start: int, end: int, level: int = 1) -> None:
        if level > self._break:
            self._break, self._break_range = level, (start, end)
        self._prefix = None

    def open_block(self, name: str, start: int, end: int, *, in_cell: bool) -> None:
        if name in _CELLS:
            if not self._break and not self._at_start and self._prefix is None:
                self._prefix, self._space = (" | ", start, end), None
            return
        if name in _SOFT_IN_CELL and in_cell:
            self._space = self._space or (start, end)
            return
        self.line_break(start, end, level=2 if name in _PARAGRAPHS else 1)
        if name[0] == "h" and name[1:].isdecimal():
            self._prefix = ("#" * int(name[1:]) + " ", start, end)
        elif name == "li":
            self._prefix = ("- ", start, end)

    def close_block(self, name: str, start: int, end: int, *, in_cell: bool) -> None:
        if name in _CELLS:
            return
        if name in _SOFT_IN_CELL and in_cell:
            self._space = self._space or (start, end)
            return
        self.line_break(start, end, level=2 if name in _PARAGRAPHS else 1)

    def build(self) -> Derived:
        return self._builder.build()
