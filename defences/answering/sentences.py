"""Cuts a passage into sentences that can be quoted, each with its place in the passage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from domain.text import Span

_ABBREVIATIONS: Final = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "mt",
        "ft",
        "vs",
        "e.g",
        "i.e",
        "eg",
        "ie",
        "no",
        "nos",
        "art",
        "fig",
        "figs",
        "approx",
        "ca",
        "cf",
        "jr",
        "sr",
        "gen",
        "col",
        "sgt",
        "lt",
        "rev",
        "hon",
        "dept",
        "est",
        "vol",
        "pp",
        "p",
        "ed",
        "eds",
        "al",
        "resp",
        "min",
        "max",
        "tel",
        "ext",
        "ref",
        "sec",
        "para",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "inc",
        "ltd",
        "co",
        "corp",
        "bros",
    ]
)
# These end a sentence as often as not: the next word decides.
_MAYBE_FINAL: Final = frozenset(
    {"a.m", "p.m", "etc", "inc", "ltd", "co", "corp", "u.s", "u.k", "e.u"}
)
_STARTERS: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "he",
        "she",
        "they",
        "we",
        "you",
        "i",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "after",
        "before",
        "when",
        "if",
        "while",
        "as",
        "but",
        "and",
        "however",
        "there",
        "our",
        "your",
        "their",
        "his",
        "her",
        "all",
        "no",
        "not",
        "to",
        "with",
        "customers",
        "users",
        "please",
    ]
)
_END: Final = re.compile(
    r"""(?P<mark>[.!?…]+|[。！？]+)(?P<close>["'”’)\]*_]*)(?P<refs>(?:\[[^\]\s]{1,12}\])*)"""  # noqa: RUF001
    r"""(?=\s|$|(?<=[。！？]))"""  # noqa: RUF001
)
_OPENS: Final = re.compile(r"""\s*["'“‘(\[]*(?P<first>\S)""")  # noqa: RUF001
_ITEM: Final = re.compile(r"[ \t]*(?:[-*•‣▪–+]|\(?\d{1,2}[.)]|\(?[a-z][.)])[ \t]+(?=\S)")  # noqa: RUF001
_HEADING: Final = re.compile(r"[ \t]*#{1,6}[ \t]+\S")
_TRAILING: Final = re.compile(r"[.!?:;…。！？][\"'”’)\]]*$")  # noqa: RUF001
_LINK: Final = re.compile(r"\(?(?:https?://|www\.)[^\s()]*\)?")
_LETTER: Final = re.compile(r"[^\W_]")
_RULE: Final = re.compile(r"[\s|:+=_*~-]*")
_HEADING_WORDS: Final = 10
_LAST_WORD: Final = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]+$")


class SentenceKind(StrEnum):
    PROSE = "prose"
    ITEM = "item"
    ROW = "row"
    HEADING = "heading"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """`text` is `passage[start:end]` with runs of white space made one blank."""

    text: str
    start: int
    end: int
    kind: SentenceKind

    @property
    def answers(self) -> bool:
        """Whether it can stand as an answer: a heading names a matter and says nothing of it.

        Nor does a row of links whose words were pictures.
        """
        return self.kind is not SentenceKind.HEADING and not _is_links(self.text)


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    kind: SentenceKind


def _is_links(text: str) -> bool:
    links = len(_LINK.findall(text))
    return (links > 1 or (links == 1 and "[]" in text)) and not _LETTER.search(_LINK.sub("", text))


def split_sentences(text: str, *, masked: Sequence[Span] = ()) -> tuple[Sentence, ...]:
    """Return the sentences of a passage, in order.

    Lines that go on a paragraph are joined; a list item, a table row and a heading begin one of
    their own. A sentence that touches a masked range is left out whole: half a sentence would
    say something that its author did not.
    """
    found = _split(text)
    return tuple(one for one in found if not _touches(one, masked)) if masked else found


@lru_cache(
    maxsize=4_096
)  # a chunk is read by drafter and verifier, and again for the next question
def _split(text: str) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    for block in _blocks(text):
        whole = block.kind in {SentenceKind.HEADING, SentenceKind.ROW}
        ranges = [(block.start, block.end)] if whole else _cut(text, block.start, block.end)
        for start, end in ranges:
            sentence = _sentence(text, start, end, block.kind)
            if sentence is not None:
                found.append(sentence)
    return tuple(found)


def _touches(sentence: Sentence, masked: Sequence[Span]) -> bool:
    return any(span.start < sentence.end and sentence.start < span.end for span in masked)


def _sentence(text: str, start: int, end: int, kind: SentenceKind) -> Sentence | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if not any(character.isalnum() for character in text[start:end]):
        return None
    return Sentence(text=" ".join(text[start:end].split()), start=start, end=end, kind=kind)


def _blocks(text: str) -> Iterator[_Block]:
    """Yield paragraphs, list items, table rows and headings, in order."""
    opened: _Block | None = None
    for start, end in _lines(text):
        line = text[start:end]
        kind = _line_kind(line)
        if kind is None:  # a blank line or a rule ends whatever was open
            if opened is not None:
                yield _as_heading(text, opened)
            opened = None
        elif kind is SentenceKind.PROSE and opened is not None:
            opened = _Block(opened.start, end, opened.kind)
        else:
            if opened is not None:
                yield _as_heading(text, opened)
            if kind in {SentenceKind.HEADING, SentenceKind.ROW}:
                yield _Block(start, end, kind)
                opened = None
            else:
                marker = _ITEM.match(line) if kind is SentenceKind.ITEM else None
                opened = _Block(start + (marker.end() if marker else 0), end, kind)
    if opened is not None:
        yield _as_heading(text, opened)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line)
        start += len(line)


def _line_kind(line: str) -> SentenceKind | None:
    if not line.strip() or _RULE.fullmatch(line):
        return None
    if _HEADING.match(line):
        return SentenceKind.HEADING
    if line.strip().startswith("|") or line.count("|") > 1 or line.strip().count("\t"):
        return SentenceKind.ROW
    return SentenceKind.ITEM if _ITEM.match(line) else SentenceKind.PROSE


def _as_heading(text: str, block: _Block) -> _Block:
    """Return the block, a heading if it is a short line without an end, a figure or a colon."""
    line = text[block.start : block.end].strip()
    short = "\n" not in line and len(line.split()) <= _HEADING_WORDS
    if block.kind is not SentenceKind.PROSE or not short or _TRAILING.search(line):
        return block
    shouted = line.isupper() and len(line.split()) > 1
    if not shouted and (": " in line or any(character.isdigit() for character in line)):
        return block
    alone = block.start > 0 or block.end < len(text)
    return _Block(block.start, block.end, SentenceKind.HEADING) if alone else block


def _cut(text: str, start: int, end: int) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    begin = start
    for match in _END.finditer(text, start, end):
        if match.end() < end and not _ends_sentence(text, match, end):
            continue
        ranges.append((begin, match.end()))
        begin = match.end()
    if begin < end:
        ranges.append((begin, end))
    return ranges


def _ends_sentence(text: str, match: re.Match[str], end: int) -> bool:
    opening = _OPENS.match(text, match.end(), end)
    first = opening.group("first") if opening else "A"
    if match.group("mark") != ".":
        return not first.islower() or match.group("mark")[0] in "。！？"  # noqa: RUF001
    if first.islower():
        return False
    tail = _LAST_WORD.search(text, max(0, match.start() - 24), match.start())
    if tail is None:
        return True
    last = tail.group()
    if last.lower() in _MAYBE_FINAL:
        following = text[match.end() : end].split(maxsplit=1)
        return bool(following) and following[0].strip("\"'“(").lower() in _STARTERS
    initial = len(last) == 1 and last.isupper() and last != "I"
    return not initial and last.lower() not in _ABBREVIATIONS
