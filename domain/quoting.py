"""Whether words stand in a text, however they are set."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.text import Span

MIN_CHARACTERS: Final = 6
"""Letters and digits of a quote: a shorter one stands everywhere and shows nothing."""

TRIM: Final = "\"'.,;:!?-*_`"
"""What may be wrong at the ends of a quote."""

_SAME: Final = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2010\u2011\u2012\u2013\u2014\u2212",
    '\'\'\'\'""""""------',
)


_MOST_FOLDED: Final = 8_192


@lru_cache(maxsize=8_192)
def _plain(character: str) -> str:
    return unicodedata.normalize("NFKC", character).casefold().translate(_SAME)


class _Folded(dict[int, str]):
    """By code point what it folds to; filled as characters turn up, and begun anew when large."""

    def __missing__(self, point: int) -> str:
        if len(self) >= _MOST_FOLDED:
            self.clear()
        character = chr(point)
        return self.setdefault(point, "" if character.isspace() else _plain(character))


_FOLDED: Final = _Folded()


@lru_cache(maxsize=4_096)  # a passage is held against each draft, and again for the next question
def folded(text: str, masked: tuple[Span, ...] = ()) -> str:
    """Return the text without case and blanks, and with one shape of quotation marks and dashes.

    What is masked becomes a character that no words have: nothing is found across it.
    """
    if masked:
        characters = list(text)
        for span in masked:
            for at in range(max(0, span.start), min(span.end, len(characters))):
                if not characters[at].isspace():
                    characters[at] = "\0"
        text = "".join(characters)
    return text.translate(_FOLDED)


def sources(text: str, masked: Sequence[Span] = ()) -> NDArray[np.int64]:
    """Return where each character of `folded(text, masked)` stands in the text, ascending."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    distinct, which = np.unique(points, return_inverse=True)
    told = distinct.tolist()
    lengths = np.array([len(_FOLDED[point]) for point in told], dtype=np.int64)[which]
    if masked:
        seen = np.array([not chr(point).isspace() for point in told], dtype=np.bool_)[which]
        for span in masked:
            hidden = slice(max(0, span.start), max(0, span.end))
            lengths[hidden] = seen[hidden]
    return np.repeat(np.arange(len(text)), lengths)
