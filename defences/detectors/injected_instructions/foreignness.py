"""How foreign a sentence's words are to the document that it stands in.

What a document is about it says again and again; what was planted in it speaks of something else.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STEM: Final = 6
"""Letters by which words count as the same, so that inflection does not matter."""

_DOUBT: Final = 2.0
"""Words of the usual kind that each piece is thought to have besides: a name in a line of its own is
foreign and says nothing."""


def foreignness(folded: str, bounds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return which share of each piece's words stands in no other piece, less the mean of all.

    Args:
        folded: A text that `fold` has been over.
        bounds: Shape (n, 2): where its pieces stand.

    Returns:
        Shape (n,), in (-1, 1), the nearer to 0 the fewer words a piece has; 0 where there is one
        piece, or where pieces share no words at all.
    """
    if not len(bounds):
        return np.empty(0, np.float64)
    words = [
        {word[:_STEM] for word in _WORD.findall(folded, start, end)}
        for start, end in bounds.tolist()
    ]
    pieces_with = Counter(chain.from_iterable(words))
    counts = np.array([len(each) for each in words], np.float64)
    foreign = np.array([sum(pieces_with[word] == 1 for word in each) for each in words], np.float64)
    usual = (foreign / np.maximum(counts, 1.0)).mean()
    surplus: NDArray[np.float64] = (foreign - usual * counts) / (counts + _DOUBT)
    return surplus
