"""Cuts a text into sentences to rank and windows around them to read.

A piece is a sentence, a line, or as much of a longer one as `PIECE_WORDS` words and
`PIECE_CHARACTERS` characters are; every word is in exactly one. A window is a piece with as many of
its neighbours as fit. A character of a script that the classifier's vocabulary spells letter by
letter counts `WIDE` times: otherwise most of such a window would be cut off unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

PIECE_WORDS: Final = 24
PIECE_CHARACTERS: Final = 160
WINDOW_CHARACTERS: Final = 2 * PIECE_CHARACTERS
WIDE: Final = 4  # an English word piece is about four characters long

_STOPS: Final = "\u3002\uff01\uff1f"
_RUN: Final = re.compile(
    rf"([^\s\x00-\u036f\u2000-\u206f{_STOPS}]{{1,{PIECE_CHARACTERS // WIDE - 1}}}[{_STOPS}]?)"
    rf"|[^\s\u0370-\u1fff\u2070-\U0010ffff]{{1,{PIECE_CHARACTERS}}}|[{_STOPS}]"
)
_END: Final = re.compile(rf"[.!?{_STOPS}][\"'\u2019\u201d)\]]*\Z")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pieces:
    """Where pieces stand in a text, in order.

    Attributes:
        bounds: Shape (n, 2), int64: start and end.
        weights: Shape (n,), int64: characters, wide ones `WIDE` times.
    """

    bounds: NDArray[np.int64]
    weights: NDArray[np.int64]

    @property
    def wide(self) -> NDArray[np.bool_]:
        """Which pieces are mostly in a script of wide characters, shape (n,)."""
        lengths = self.bounds[:, 1] - self.bounds[:, 0]
        mostly: NDArray[np.bool_] = 2 * self.weights > (1 + WIDE) * lengths
        return mostly

    def window(self, row: int) -> tuple[int, int]:
        """Return start and end of the window around the piece of that row."""
        first = last = row
        before = after = 0
        room = WINDOW_CHARACTERS - int(self.weights[row])
        while True:
            left = int(self.weights[first - 1]) if first else room + 1
            right = int(self.weights[last + 1]) if last + 1 < len(self.weights) else room + 1
            if left <= room and (before <= after or right > room):
                first, before, room = first - 1, before + left, room - left
            elif right <= room:
                last, after, room = last + 1, after + right, room - right
            else:
                return int(self.bounds[first, 0]), int(self.bounds[last, 1])


def pieces(text: str) -> Pieces:
    """Cut a text; white space alone gives no piece."""
    rows = np.asarray(list(_cut(text)), dtype=np.int64).reshape(-1, 3)
    return Pieces(bounds=rows[:, :2], weights=rows[:, 2])


def _cut(text: str) -> Iterator[tuple[int, int, int]]:
    start = -1
    end = words = weight = 0
    for run in _RUN.finditer(text):
        first, last = run.span()
        own = (last - first) * (WIDE if run.lastindex else 1)
        gap = text[end:first]
        if start >= 0 and (
            words == PIECE_WORDS
            or weight + len(gap) + own > PIECE_CHARACTERS
            or "\n" in gap
            or ((gap or text[end - 1] in _STOPS) and _END.search(text, max(start, end - 4), end))
        ):
            yield start, end, weight
            start = -1
        if start < 0:
            start, words, weight = first, 0, 0
        else:
            weight += len(gap)
        end = last
        words += 1
        weight += own
    if start >= 0:
        yield start, end, weight
