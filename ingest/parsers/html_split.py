"""Words that tags or comments part inside: `ig<b></b>nore` reads as one word and matches none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MIN_SPLITS: Final = 6
"""Splits of one passage: markup may part a word here and there."""
_REACH: Final = 160
"""Between two splits of one passage."""
_MARGIN: Final = 40
_LETTER: Final = r"[^\W\d_]"
_INSIDE: Final = re.compile(
    rf"(?<={_LETTER})(?:<!--[^<>]{{0,80}}-->"
    rf"|<([a-zA-Z][a-zA-Z0-9]{{0,9}})(?:\s[^<>]{{0,120}})?>{_LETTER}{{0,12}}</\1\s{{0,3}}>)(?={_LETTER}|<)"
)
_SINGLE: Final = re.compile(
    rf"<(span|b|i|em|strong|font|u|s|small)(?:\s[^<>]{{0,120}})?>{_LETTER}</\1>", re.IGNORECASE
)
_MANY_SINGLE: Final = 20
"""Letters in elements of their own: a heading may be drawn like that, a sentence is not."""


def split_words(source: str) -> Iterator[tuple[int, int]]:
    """Yield ranges of `source` in which markup parts many words inside."""
    if "<" not in source:
        return
    yield from _passages(source, [match.span() for match in _INSIDE.finditer(source)], MIN_SPLITS)
    singles = [match.span() for match in _SINGLE.finditer(source)]
    yield from _passages(source, singles, _MANY_SINGLE)


def _passages(source: str, splits: list[tuple[int, int]], least: int) -> Iterator[tuple[int, int]]:
    group: list[tuple[int, int]] = []
    for split in splits:
        if group and split[0] - group[-1][1] > _REACH:
            if len(group) >= least:
                yield _range(source, group)
            group = []
        group.append(split)
    if len(group) >= least:
        yield _range(source, group)


def _range(source: str, group: list[tuple[int, int]]) -> tuple[int, int]:
    """Return from the first split's word to the last one's, at most a margin away."""
    start, end = group[0][0], group[-1][1]
    floor, ceiling = max(0, start - _MARGIN), min(len(source), end + _MARGIN)
    while start > floor and source[start - 1].isalpha():
        start -= 1
    while end < ceiling and source[end].isalpha():
        end += 1
    return start, end
