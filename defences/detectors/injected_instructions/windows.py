"""Cuts a text into overlapping windows that a classifier reads one by one.

A text is cut into pieces of at most `PIECE_WORDS` words and `PIECE_CHARACTERS` characters; a window
is two neighbouring pieces. So whatever is no longer than a piece stands whole in some window, and
every character in at most two.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

PIECE_WORDS: Final = 30
PIECE_CHARACTERS: Final = 200

_RUN = re.compile(rf"\S{{1,{PIECE_CHARACTERS}}}")


def pieces(text: str) -> NDArray[np.int64]:
    """Return where pieces start and end, shape (n, 2), in order; white space alone gives none."""
    bounds: list[tuple[int, int]] = []
    start = -1
    end = words = 0
    for run in _RUN.finditer(text):
        first, last = run.span()
        if start >= 0 and (words == PIECE_WORDS or last - start > PIECE_CHARACTERS):
            bounds.append((start, end))
            start, words = first, 0
        elif start < 0:
            start = first
        end = last
        words += 1
    if start >= 0:
        bounds.append((start, end))
    return np.asarray(bounds, dtype=np.int64).reshape(-1, 2)


def windows_of(bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where windows start and end, given the pieces: shape (max(1, n - 1), 2), or (0, 2)."""
    if len(bounds) <= 1:
        return bounds
    return np.column_stack((bounds[:-1, 0], bounds[1:, 1]))
