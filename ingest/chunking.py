"""Cuts a document into pieces that can be retrieved on their own, each with its heading path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.documents import Chunk, ChunkId, Document
from domain.errors import DocumentUnreadableError
from domain.text import Span

MAX_HEADING_CHARS: Final = 120
MAX_HEADING_DEPTH: Final = 6
TOO_MANY_CHUNKS: Final = "too-many-chunks"
CHARS_PER_WORD: Final = 8
"""Code points that count as a word in a run without spaces, so that it is cut too."""
DENSE_CHARS_PER_WORD: Final = 2
"""The same in scripts that write without spaces."""

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_ATX: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)[ \t#]*\Z")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+|~+)[ \t]*\Z")
_MARKS: Final = 16
_MIN_UNDERLINE: Final = 3
_MAX_HEADING_WORDS: Final = 16
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+•‣▪\u2013]|\d{1,4}[.)]|[A-Za-z][.)])[ \t]+\S")
_ROW: Final = re.compile(r"[ \t]*\|.*\|[ \t]*\Z|.*\S[ \t]\|[ \t]\S")
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?…])[\"'”\u2019)\]]{0,3}[ \t\n]+(?=[\"'“\u2018(\[]{0,3}[^\sa-z])|(?<=[。\uff01\uff1f])"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:[A-Z]|[a-z]\.[a-z]|Dr|Mr|Mrs|Ms|Prof|St|No|Nos|Fig|Eq|Art|Sec|vol|pp|cf|ca|vs|etc|al"
    r"|Inc|Ltd|Co|approx|resp|bzw|Nr|usw))\.\Z"
)
_WORD: Final = re.compile(r"\S+")
_DENSE: Final = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, list item, table row or piece of one: derived `[start, end)`, cut no further."""

    start: int
    end: int
    words: int


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str
    units: tuple[_Unit, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str
    level: int = 0
    """Of a heading; 0 for text, -1 for the rule under an underlined heading."""
    title: str = ""


def chunk(
    document: Document,
    *,
    words: int,
    overlap_words: int,
    mentions: Sequence[Span],
    most: int | None = None,
) -> tuple[Chunk, ...]:
    """Cut `document.text` into chunks of about `words` words, in order.

    A chunk never crosses a heading and begins and ends between sentences; list items and table
    rows stay whole up to twice the size. Inside a section each chunk begins with up to
    `overlap_words` of the one before. A heading with nothing under it is a chunk of its own.

    `mentions` are ranges of `raw_text` that quote an attack. A heading that one touches stands
    over no chunk: it would be read where the text that is masked is not.

    Raises:
        DocumentUnreadableError: There are more than `most` chunks: none is left out in silence.
        ValueError: `words` is not positive, or the overlap not in `[0, words)`.
    """
    if words < 1 or not 0 <= overlap_words < words:
        raise ValueError(f"cannot cut into {words} words with an overlap of {overlap_words}")
    text = document.text.text
    quoting = _touching(document, 0, len(text), mentions)
    title = next((f.value for f in document.metadata if f.name == "title" and f.value), "")
    chunks: list[Chunk] = []
    for section in _sections(text, title, words, quoting):
        for start, end in _packed(section.units, words, overlap_words):
            if len(chunks) == most:
                raise DocumentUnreadableError(
                    f"document gives more than {most} chunks", reason=TOO_MANY_CHUNKS
                )
            chunks.append(
                Chunk(
                    id=ChunkId(f"{document.id}:{len(chunks)}"),
                    document_id=document.id,
                    ordinal=len(chunks),
                    span=document.text.source(start, end),
                    text=text[start:end],
                    heading=section.heading,
                    mentions=_mentions(document, start, end, mentions),
                )
            )
    return tuple(chunks)


def _mentions(
    document: Document, start: int, end: int, mentions: Sequence[Span]
) -> tuple[Span, ...]:
    if not mentions:
        return ()
    masked = _touching(document, start, end, mentions)
    edges = np.flatnonzero(np.diff(masked.astype(np.int8), prepend=0, append=0))
    return tuple(
        Span(int(first), int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)
    )


def _touching(
    document: Document, start: int, end: int, mentions: Sequence[Span]
) -> NDArray[np.bool_]:
    """Return which code points of `document.text[start:end]` stand for part of a mention."""
    starts, ends = document.text.starts[start:end], document.text.ends[start:end]
    masked = np.zeros(end - start, dtype=np.bool_)
    for mention in mentions:
        masked |= (starts < mention.end) & (ends > mention.start)
    return masked


def _sections(text: str, title: str, words: int, quoting: NDArray[np.bool_]) -> Iterator[_Section]:
    path: list[tuple[int, str]] = []
    body: list[_Line] = []
    bare: _Line | None = None
    for line in _headed(text):
        if line.level == 0:
            body.append(line)
            if line.text.strip():
                bare = None
            continue
        if line.level < 0:
            continue
        yield from _section(text, title, path, body, words)
        body = []
        if bare is not None and line.level <= bare.level:
            yield from _bare(text, title, path, bare)
        path = [(level, name) for level, name in path if level < line.level]
        quotes = bool(quoting[line.start : line.end].any())
        path.append((line.level, "" if quotes else line.title[:MAX_HEADING_CHARS]))
        bare = line
    yield from _section(text, title, path, body, words)
    if bare is not None:
        yield from _bare(text, title, path, bare)


def _section(
    text: str, title: str, path: Sequence[tuple[int, str]], body: Sequence[_Line], words: int
) -> Iterator[_Section]:
    units = tuple(_units(text, body, words))
    if units:
        yield _Section(_heading(title, path), units)


def _bare(
    text: str, title: str, path: Sequence[tuple[int, str]], line: _Line
) -> Iterator[_Section]:
    start = text.index(line.title, line.start)
    unit = _Unit(start, start + len(line.title), len(line.title.split()))
    yield _Section(_heading(title, path[:-1]), (unit,))


def _heading(title: str, path: Sequence[tuple[int, str]]) -> str:
    names = [name for _, name in path[-MAX_HEADING_DEPTH:] if name]
    if title and (not names or names[0].casefold() != title.casefold()):
        names.insert(0, title[:MAX_HEADING_CHARS])
    return " > ".join(names)


def _headed(text: str) -> Iterator[_Line]:
    """Yield the lines of `text`, those that are headings with their level."""
    lines = [_Line(m.start(), m.end(), m[0].rstrip("\n")) for m in _LINE.finditer(text)]
    fenced = False
    at = 0
    while at < len(lines):
        line = lines[at]
        if _FENCE.match(line.text):
            fenced = not fenced
        # A longer one is a paragraph that would be lost to the index as a heading.
        short = not fenced and len(line.text) <= MAX_HEADING_CHARS + _MARKS
        atx = _ATX.match(line.text) if short else None
        underlined = 0 if fenced or at + 1 == len(lines) else _underlined(line, lines[at + 1])
        if atx is not None:
            yield _Line(line.start, line.end, line.text, len(atx[1]), atx[2])
        elif underlined and (at == 0 or not lines[at - 1].text.strip()):
            yield _Line(line.start, line.end, line.text, underlined, line.text.strip())
            at += 1
            yield _Line(lines[at].start, lines[at].end, lines[at].text, -1)
        else:
            yield line
        at += 1


def _underlined(line: _Line, below: _Line) -> int:
    """Return the level of a heading with a rule under it; 0 if it is none."""
    title = line.text.strip()
    rule = _UNDERLINE.match(below.text[: MAX_HEADING_CHARS * 2])
    if not title or rule is None or len(rule[1]) < min(_MIN_UNDERLINE, len(title)):
        return 0
    if len(title) > MAX_HEADING_CHARS or len(title.split()) > _MAX_HEADING_WORDS:
        return 0
    if _ITEM.match(line.text) or "|" in title:
        return 0
    return 1 if rule[1][0] == "=" else 2


def _units(text: str, body: Sequence[_Line], words: int) -> Iterator[_Unit]:
    for start, end, whole in _blocks(body):
        limit = 2 * words if whole else words
        pieces = [(start, end)] if whole else _sentences(text, start, end)
        for piece_start, piece_end in pieces:
            yield from _cut(text, piece_start, piece_end, limit, words)


def _blocks(body: Sequence[_Line]) -> Iterator[tuple[int, int, bool]]:
    """Yield paragraphs, and list items and table rows (the third says so), as ranges."""
    start: int | None = None
    end = 0
    whole = False
    for line in body:
        blank = not line.text.strip()
        item = bool(_ITEM.match(line.text)) or bool(_ROW.match(line.text[:2000]))
        if start is not None and (blank or item):
            yield start, end, whole
            start = None
        if blank:
            continue
        if start is None:
            start, whole = line.start, item
        end = line.end
    if start is not None:
        yield start, end, whole


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for match in _SENTENCE_END.finditer(text, start, end):
        if match.end() <= first or match.end() >= end:
            continue
        if _ABBREVIATION.search(text, max(first, match.start() - 12), match.start()):
            continue
        yield first, match.end()
        first = match.end()
    yield first, end


def _cut(text: str, start: int, end: int, limit: int, words: int) -> Iterator[_Unit]:
    """Yield `[start, end)` trimmed, in one if it has at most `limit` words, else in pieces."""
    first: int | None = None
    last = count = 0
    total = _weight(text, start, end)
    most = total if total <= limit else words
    for match in _WORD.finditer(text, start, end):
        for piece_start, piece_end in _bits(text, match.start(), match.end(), most):
            weight = _weight(text, piece_start, piece_end)
            if first is not None and count + weight > most:
                yield _Unit(first, last, count)
                first, count = None, 0
            first = piece_start if first is None else first
            last, count = piece_end, count + weight
    if first is not None:
        yield _Unit(first, last, count)


def _weight(text: str, start: int, end: int) -> int:
    """Return for how many words `text[start:end]` counts."""
    piece = text[start:end]
    dense = 0 if piece.isascii() else len(_DENSE.findall(piece))
    return -(-dense // DENSE_CHARS_PER_WORD) + sum(
        -(-len(word) // CHARS_PER_WORD) if len(word) > 3 * CHARS_PER_WORD else 1
        for word in (_DENSE.sub(" ", piece) if dense else piece).split()
    )


def _bits(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut a run without spaces into pieces of at most `most` words."""
    size = most * (DENSE_CHARS_PER_WORD if _DENSE.search(text, start, end) else CHARS_PER_WORD)
    for at in range(start, end, size):
        yield at, min(end, at + size)


def _packed(units: Sequence[_Unit], words: int, overlap_words: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of neighbouring units of at most `words` words; a longer unit stands alone."""
    first = 0
    count = fresh = 0
    for at, unit in enumerate(units):
        if fresh and count + unit.words > words:
            yield units[first].start, units[at - 1].end
            first, count = at, 0
            while first and count + units[first - 1].words <= overlap_words:
                first -= 1
                count += units[first].words
            if count + unit.words > words:
                first, count = at, 0
            fresh = 0
        count += unit.words
        fresh += 1
    if fresh:
        yield units[first].start, units[-1].end
